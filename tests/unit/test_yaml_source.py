"""Located nodes: what a value is, and where it stands."""

import math
import time

import pytest
import yaml

from engine.diagnostics import EngineError, Findings, Source, Span
from engine.files import yaml_source
from engine.files.yaml_source import MappingNode, Node, ScalarNode, SequenceNode, parse, scalar_span, to_plain

LOADERS = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]


@pytest.fixture(autouse=True, params=LOADERS, ids=lambda loader: loader.__name__)
def loader(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each test runs with the C parser and with the Python parser."""
    monkeypatch.setattr(yaml_source, "_LOADER", request.param)


def read(text: str) -> Node:
    findings = Findings()
    node = parse(Source("x.yaml", text), findings)
    assert findings.diagnostics == []
    assert node is not None
    return node


def value(text: str, key: str = "a") -> ScalarNode:
    root = read(text)
    assert isinstance(root, MappingNode)
    node = root.entries[key].value
    assert isinstance(node, ScalarNode)
    return node


def refused(text: str) -> list[tuple[str, str]]:
    """Returns code and position of all findings."""
    findings = Findings()
    parse(Source("x.yaml", text), findings)
    return [(item.code, f"{item.span.line}:{item.span.column}" if item.span else "") for item in findings.sorted()]


def place(span: Span) -> tuple[int, int, int, int]:
    return span.line, span.column, span.end_line, span.end_column


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("8", 8),
        ("-3", -3),
        ("010", 10),
        ("0x1F", 31),
        ("0o17", 15),
        ("1e3", 1000.0),
        ("1.5", 1.5),
        (".5", 0.5),
        ("80e9", 80e9),
        (".inf", math.inf),
        ("-.inf", -math.inf),
        ("1" + "0" * 400, math.inf),
        ("0x" + "f" * 400, math.inf),
        # text in YAML 1.2, though not in 1.1
        ("yes", "yes"),
        ("on", "on"),
        ("12:30:45", "12:30:45"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("0b11", "0b11"),
        ("=", "="),
        ("none", "none"),
        ('"8"', "8"),
        ("'true'", "true"),
        ("([0]*3+[1]*58)", "([0]*3+[1]*58)"),
    ],
)
def test_core_schema(text: str, expected: object) -> None:
    found = value(f"a: {text}\n").value
    assert found == expected
    assert type(found) is type(expected)


def test_not_a_number_is_nan() -> None:
    found = value("a: .nan").value
    assert isinstance(found, float)
    assert math.isnan(found)


def test_quoted_is_known() -> None:
    assert value("a: '8'").quoted
    assert value("a: |\n  8\n").quoted
    assert not value("a: 8").quoted


def test_plain_data() -> None:
    root = read("a: [1, {b: x}]\nc:\n  - d: 1.5\n  -\n")
    assert to_plain(root) == {"a": [1, {"b": "x"}], "c": [{"d": 1.5}, None]}


def test_spans_of_keys_and_values() -> None:
    root = read("one: 1\ntwo:\n  - a\n  - [b,\n     c]\nthree:\n\n# end\n")
    assert isinstance(root, MappingNode)
    assert place(root.entries["two"].key_span) == (2, 1, 2, 4)
    sequence = root.entries["two"].value
    assert isinstance(sequence, SequenceNode)
    assert place(sequence.span) == (3, 3, 5, 8)
    assert place(sequence.items[1].span) == (4, 5, 5, 8)
    assert place(root.entries["three"].value.span) == (6, 7, 6, 7)
    assert place(root.span) == (1, 1, 6, 7)


@pytest.mark.parametrize(
    "text",
    [
        "a: foo SEQQ\n",
        "a: foo\n   bar SEQQ\n",
        "a:\n  foo\n\n  SEQQ",
        "a: 'it''s SEQQ here'\n",
        'a: "x \\u00e9 \\"SEQQ\\" x"\n',
        'a: "\\\n   y SEQQ"\n',
        'a: "x  \n\n   y SEQQ"\n',
        "a: |\n  foo\n  bar SEQQ\n\n",
        "a: |-\n  foo\n\n   bar SEQQ",
        "a: |+\n  foo\n  SEQQ\n\n\n",
        "a: >-\n  foo\n    more\n\n  bar SEQQ\n",
        "a: >\n\n\n  foo\n\n  bar\n  SEQQ\nb: 1\n",
        "a: |2\n    foo\n   SEQQ\n",
        "a: >+ # remark\r\n  foo\r\n  SEQQ\r\n\r\n",
        "a: 'foo\n\n  SEQQ'\n",
        "{b: 1, a: 日本 SEQQ, c: 😀}\n",
        "b: 😀\r\na: SEQQ\r\n",
        "a: SEQQ # remark\n",
    ],
)
def test_part_of_a_scalar_is_found_in_the_file(text: str) -> None:
    node = value(text)
    start = node.raw.index("SEQQ")
    span = scalar_span(node, start, start + 4)
    line, column = node.source.position(text.index("SEQQ"))
    assert place(span) == (line, column, line, column + 4)


def test_part_outside_the_value_is_clipped() -> None:
    node = value("a: abc")
    assert place(scalar_span(node, 3, 3)) == (1, 7, 1, 7)
    assert place(scalar_span(node, 2, 99)) == (1, 6, 1, 7)


def test_escaped_characters_count_as_one() -> None:
    node = value('a: "\\u00e9x"')
    assert place(scalar_span(node, 0, 1)) == (1, 5, 1, 11)
    assert place(scalar_span(node, 1, 2)) == (1, 11, 1, 12)


def test_duplicate_key_keeps_the_first_and_shows_it() -> None:
    findings = Findings()
    root = parse(Source("x.yaml", "a: 1\nb: 2\na: 3\n"), findings)
    assert root is not None
    assert to_plain(root) == {"a": 1, "b": 2}
    (found,) = findings.diagnostics
    assert found.code == "E105"
    assert found.span is not None
    assert place(found.span) == (3, 1, 3, 2)
    assert place(found.related[0][0]) == (1, 1, 1, 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: &x 1\n", [("E106", "1:4")]),
        ("a: *x\n", [("E106", "1:4")]),
        ("a: &x 1\nb: *x\n", [("E106", "1:4"), ("E106", "2:4")]),
        ("<<: {b: 1}\n", [("E106", "1:1")]),
        ("a: !!int '8'\n", [("E106", "1:4")]),
        ("a: &x !!python/object:os.system x\n", [("E106", "1:4"), ("E106", "1:7")]),
        ("%YAML 1.1\n---\na: 1\n", [("E106", "1:1")]),
        ("a: 1\n---\nb: 1\n", [("E110", "2:1")]),
        ("8: 1\n", [("E109", "1:1")]),
        ("true: 1\n", [("E109", "1:1")]),
        ("? [x]\n: 1\n? {}\n: 2\n", [("E109", "1:3"), ("E109", "3:3")]),
        (": 1\n", [("E104", "1:1")]),
        ("", [("E107", "0:0")]),
        ("# only this\n", [("E107", "0:0")]),
        ("---\n", [("E107", "0:0")]),
        ("a: 1\n\tb: 2\n", [("E104", "2:1")]),
        ("a: 'b\n", [("E104", "1:4")]),
        ('a: "b\n', [("E104", "1:4")]),
        ("a: [1\nb: 2\n", [("E104", "1:4")]),
        ("a: {b\nc: 2\n", [("E104", "1:4")]),
        ("a: b: c\n", [("E104", "1:5")]),
        ("{a: 1, note: half, rounded up}\n", [("E104", "1:20")]),
        ("a: %b\n", [("E104", "1:4")]),
        ("a: x\x1b[31m\n", [("E111", "1:5")]),
        ("a: B\u202e\n", [("E111", "1:5")]),
        ("a: \u2028x\x85\n", [("E111", "1:4"), ("E111", "1:6")]),
        ("a: \ud800\n", [("E111", "1:4")]),
        ("a: 1\nb: 1\na: 2\nb: 2\n", [("E105", "3:1"), ("E105", "4:1")]),
        ("a: 1\na: 2\nb: [\n", [("E104", "4:1"), ("E105", "2:1")]),
    ],
)
def test_refused(text: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(refused(text)) == sorted(expected)


def test_value_that_is_left_out_is_null() -> None:
    assert to_plain(read("{a: , b: }\n")) == {"a": None, "b": None}
    assert to_plain(read("a:\n? b\n:\n")) == {"a": None, "b": None}


def test_quoted_merge_key_and_key_words_are_text() -> None:
    assert to_plain(read("'<<': 1\nyes: 2\n\"8\": 3\n")) == {"<<": 1, "yes": 2, "8": 3}


def test_depth_is_capped() -> None:
    assert to_plain(read("[" * 20 + "]" * 20)) is not None
    assert [code for code, _ in refused("[" * 21 + "]" * 21)] == ["E103"]
    assert [code for code, _ in refused("a: " + "[" * 300)] == ["E103"]
    deep = "\n".join("  " * level + "a:" for level in range(100))
    assert [code for code, _ in refused(deep)] == ["E103"]


def test_very_deep_text_is_refused_soon() -> None:
    begin = time.perf_counter()
    assert refused("[" * 500_000)
    assert time.perf_counter() - begin < 5


def test_number_of_values_is_capped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_source, "MAX_NODES", 1000)
    assert [code for code, _ in refused("[" + "0," * 1001 + "]")] == ["E103"]


def test_bomb_is_refused_in_two_findings() -> None:
    bomb = "a0: &a0 [x, x]\n" + "".join(
        f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 9)}]\n" for level in range(1, 10)
    )
    assert refused(bomb) == [("E106", "1:5"), ("E106", "2:10")]


def test_findings_are_capped() -> None:
    with pytest.raises(EngineError) as caught:
        refused("a: 1\n" * 10_000)
    assert len(caught.value.diagnostics) == 501
    assert caught.value.diagnostics[-1].code == "E112"
