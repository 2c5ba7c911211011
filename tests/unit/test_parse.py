from __future__ import annotations

import warnings

import pytest

from engine.expr.nodes import (
    And,
    Binary,
    Call,
    Compare,
    Member,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Or,
    Power,
    Text,
    children,
    names,
    walk,
)
from engine.expr.parse import MAX_DEPTH, MAX_LENGTH, MAX_NODES, ExpressionError, parse

A, B, C = (Name(id) for id in "abc")
ONE, TWO = Number(1.0, "1"), Number(2.0, "2")


def bare(node: Node) -> Node:
    """Returns a tree without positions, so that trees can be compared."""
    changed = {"start": 0, "end": 0}
    for name in type(node).__match_args__:
        value = getattr(node, name)
        if isinstance(value, Node):
            changed[name] = bare(value)
        elif isinstance(value, tuple):
            changed[name] = tuple(bare(entry) for entry in value)
    return type(node)(**{name: getattr(node, name) for name in type(node).__match_args__} | changed)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a", A),
        ("1", ONE),
        ("1.50", Number(1.5, "1.50")),
        ("1e3", Number(1000.0, "1e3")),
        ("0x10", Number(16.0, "0x10")),
        ("1_000", Number(1000.0, "1_000")),
        ("9007199254740992", Number(2.0**53, "9007199254740992")),
        ('"red"', Text("red")),
        ("'red'", Text("red")),
        ("-a", Negate(A)),
        ("-1", Negate(ONE)),
        ("a + b - c", Binary("-", Binary("+", A, B), C)),
        ("a + b * c", Binary("+", A, Binary("*", B, C))),
        ("a / b // c % 2", Binary("%", Binary("//", Binary("/", A, B), C), TWO)),
        ("-a ** 2", Negate(Power(A, 2))),
        ("(-a) ** 2", Power(Negate(A), 2)),
        ("a < b", Compare("<", A, B)),
        ("a < b <= 2", And((Compare("<", A, B), Compare("<=", B, TWO)))),
        ("a == b != c", And((Compare("==", A, B), Compare("!=", B, C)))),
        ("a in (1, 2)", Member(A, (ONE, TWO))),
        ('a not in ("x",)', Not(Member(A, (Text("x"),)))),
        ("not a and b", And((Not(A), B))),
        ("a and b and c", And((A, B, C))),
        ("a or b or c", Or((A, B, C))),
        ("(a and b) or c", Or((And((A, B)), C))),
        ("a and (b or c)", And((A, Or((B, C))))),
        ("f(a, 1)", Call("f", (A, ONE))),
        ("f()", Call("f", ())),
        ("  a\n  + b\t", Binary("+", A, B)),
        ("(a\r\n+ b)", Binary("+", A, B)),
        ('"#" == a', Compare("==", Text("#"), A)),
    ],
)
def test_trees(text: str, tree: Node) -> None:
    assert bare(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        # not an expression
        ("", "E301", ""),
        ("   ", "E301", " "),
        ("a b", "E301", "b"),
        ("a +", "E301", None),
        ("(a", "E301", "("),
        ("a)", "E301", ")"),
        ("a = 1", "E301", "="),
        ("a; b", "E301", ";"),
        ("`a`", "E301", "`"),
        ("a <> b", "E301", "<"),
        ("a\x00", "E301", None),
        ("if a: b", "E301", None),
        ("x := 1", "E301", None),
        ("'open", "E301", None),
        ("a\\", "E301", None),
        ("(" * 300 + "a" + ")" * 300, "E301", None),
        # constructs that the language leaves out, pointed at exactly
        ("a if b else c", "E302", "a if b else c"),
        ("1 + (a if b else c)", "E302", "a if b else c"),
        ("1 + a.real", "E302", "a.real"),
        ("a[0] + 1", "E302", "a[0]"),
        ("2 * (lambda: 1)", "E302", "lambda: 1"),
        ("[a]", "E302", "[a]"),
        ("{a}", "E302", "{a}"),
        ("{a: b}", "E302", "{a: b}"),
        ("(a, b)", "E302", "(a, b)"),
        ("[x for x in y]", "E302", "[x for x in y]"),
        ("sum(x for x in y)", "E302", "(x for x in y)"),
        ("f'{a}'", "E302", "f'{a}'"),
        ("(x := 1)", "E302", "x := 1"),
        ("b + +a", "E302", "+a"),
        ("~a", "E302", "~a"),
        ("a @ b", "E302", "a @ b"),
        ("a << 2", "E302", "a << 2"),
        ("a | b", "E302", "a | b"),
        ("a is b", "E302", "a is b"),
        ("a and True", "E302", "True"),
        ("None", "E302", "None"),
        ("...", "E302", "..."),
        ("a + 1j", "E302", "1j"),
        ("b'x'", "E302", "b'x'"),
        ("a in [1, 2]", "E302", "[1, 2]"),
        ("a in b", "E302", "b"),
        ("a in ()", "E302", "()"),
        ("a in (1,) == b", "E302", "(1,)"),
        ("a in (1, b)", "E302", "(1, b)"),
        ("a in (-1,)", "E302", "(-1,)"),
        ("f.g(1)", "E302", "f.g(1)"),
        ("f(1)(2)", "E302", "f(1)(2)"),
        ("1 + f(x=1)", "E302", "f(x=1)"),
        ("f(*a)", "E302", "f(*a)"),
        ("f(**a)", "E302", "f(**a)"),
        ("2 ** a", "E302", "a"),
        ("a ** -1", "E302", "-1"),
        ("a ** 0", "E302", "0"),
        ("a ** 17", "E302", "17"),
        ("a ** 2.0", "E302", "2.0"),
        ("2 ** 3 ** 2", "E302", "3 ** 2"),
        ("a  # not said\n+ b", "E302", "# not said\n+ b"),
        ("(a + b)  # c", "E302", "# c"),
        # too large
        ("a + " + "9" * 400, "E309", "9" * 400),
        ("1e999", "E309", "1e999"),
        ("a + 9007199254740993", "E309", "9007199254740993"),
        ("a" * (MAX_LENGTH + 1), "E309", "a" * (MAX_LENGTH + 1)),
        ("+".join(["a"] * (MAX_NODES // 2 + 1)), "E309", None),
        ("not " * (MAX_DEPTH + 1) + "a", "E309", "not a"),
        # and with or
        ("a and b or c", "E310", "a and b or c"),
        ("1 < 2 and (a or b and c)", "E310", "a or b and c"),
        ("f(a and b or c)", "E310", "a and b or c"),
        ("(a) and (b) or c", "E310", "(a) and (b) or c"),
        ("not a or b and c", "E310", "not a or b and c"),
        # positions count characters, also after others than ASCII
        ("é + b.c", "E302", "b.c"),
        ('"日本" == a.b', "E302", "a.b"),
        ("  \n  a.b", "E302", "a.b"),
    ],
)
def test_refused(text: str, code: str, part: str | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    error = caught.value
    assert error.code == code
    assert 0 <= error.start <= error.end <= max(len(text), 1)
    if part is not None:
        assert text[error.start : error.end] == part


def test_positions_of_all_parts() -> None:
    text = ' min(a, 2 * -b) < 1.5 and not f and kind in ("x", "y")'
    parts = {text[node.start : node.end] for node in walk(parse(text))}
    assert parts == {
        text.strip(), "min(a, 2 * -b) < 1.5", "min(a, 2 * -b)", "a", "2 * -b", "2", "-b", "b", "1.5", "not f", "f",
        'kind in ("x", "y")', "kind", '"x"', '"y"',
    }  # fmt: skip


def test_walk_and_names_go_in_reading_order() -> None:
    tree = parse("f(b, a + b) / a - c in (1, 2)")
    assert names(tree) == ["b", "a", "c"]
    assert [type(node).__name__ for node in children(tree)] == ["Binary", "Number", "Number"]


def test_python_does_not_comment_on_the_text() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse(r'a == "\d"')
        parse("1or a")


@pytest.mark.parametrize("text", ["-" * 990 + "a", "f(" * 300 + "a" + ")" * 300, "a" + "+a" * 490, "(a)" * 300])
def test_hostile_texts_end_in_a_finding(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)
