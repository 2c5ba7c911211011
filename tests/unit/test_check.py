"""Names, types, units and domains of expressions: what is accepted, and each finding with the exact characters."""

from __future__ import annotations

import pytest

from engine.diagnostics import nearest
from engine.expr.check import check, check_as, unknown_names
from engine.expr.nodes import Lookup, Member, Name, Text, Type, walk
from engine.expr.parse import ExpressionError, parse
from engine.expr.registry import FUNCTIONS
from engine.expr.symbols import FLAG, Symbols
from engine.units import parse_unit

COLOURS = ("red", "green", "blue")


def number(unit: str = "1", over: str | None = None) -> Type:
    return Type("number", parse_unit(unit), over=over)


SYMBOLS = Symbols(
    types={
        **{name: number() for name in ("layers", "heads", "ratio")},
        "size": number("B"),
        "other_size": number("B"),
        "params": number("elem"),
        "width": number("B/elem"),
        "speed": number("flop/s"),
        **dict.fromkeys(("gated", "tied"), FLAG),
        "colour": Type("text", None, COLOURS),
        "shade": Type("text", None, COLOURS),
        "shape": Type("text", None, ("round", "flat")),
        "per_layer": number("B", "layer"),
        "key": number("1", "layer"),
        "per_stage": number("B", "stage"),
        "marked": Type("flag", None, over="layer"),
        "tint": Type("text", None, COLOURS, over="layer"),
        "parts_wheel": FLAG,
    },
    sets={"parts": ("wheel", "door")},
    tables={"paints": (COLOURS, {"price": number("B")}), "two": (("red", "green"), {"x": number()})},
    nearest=nearest,
)


@pytest.mark.parametrize(
    ("text", "kind", "unit", "over", "rule_over"),
    [
        ("1", "number", "1", None, None),
        ("0", "number", None, None, None),
        ("-0 + 0 * 0", "number", None, None, None),
        ("layers * heads", "number", "1", None, None),
        ("layers * size", "number", "B", None, None),
        ("size / params", "number", "B/elem", None, None),
        ("params * width", "number", "B", None, None),
        ("size / other_size", "number", "1", None, None),
        ("size // other_size", "number", "1", None, None),
        ("size % other_size", "number", "B", None, None),
        ("size + 0", "number", "B", None, None),
        ("0 - size", "number", "B", None, None),
        ("size ** 2", "number", "B^2", None, None),
        ("sqrt(size * other_size)", "number", "B", None, None),
        ("B(layers) + size", "number", "B", None, None),
        ("elem(0) + params", "number", "elem", None, None),
        ("flop(1) / speed", "number", "s", None, None),
        ("min(size, 0, other_size)", "number", "B", None, None),
        ("ceil_div(size, other_size)", "number", "1", None, None),
        ("ceil_to(size, other_size)", "number", "B", None, None),
        ("size > 0", "flag", None, None, None),
        ("size == other_size and not gated", "flag", None, None, None),
        ("layers in (1, 2)", "flag", None, None, None),
        ("size in (0,)", "flag", None, None, None),
        ('colour == "red"', "flag", None, None, None),
        ('"red" == colour', "flag", None, None, None),
        ("colour != shade", "flag", None, None, None),
        ('colour in ("red", "blue")', "flag", None, None, None),
        ('has(parts, "wheel")', "flag", None, None, None),
        ("lookup(paints, colour, price)", "number", "B", None, None),
        ('lookup(paints, "red", price)', "number", "B", None, None),
        ('"red"', "text", None, None, None),
        ("sum_over(per_layer)", "number", "B", None, None),
        ("argmax_over(per_layer)", "number", "1", None, None),
        ("count_where(marked)", "number", "1", None, None),
        ("all_over(marked)", "flag", None, None, None),
        ("sum_where(per_layer, key, 1)", "number", "B", None, None),
        ("at(per_layer, layers - 1)", "number", "B", None, None),
        # in rules over a domain
        ("layer + 1", "number", "1", "layer", "layer"),
        ("per_layer * 2", "number", "B", "layer", "layer"),
        ("per_layer > 0 and marked", "flag", None, "layer", "layer"),
        ("layers", "number", "1", None, "layer"),
        ("sum_over(per_layer)", "number", "B", None, "stage"),
        ("at(per_layer, stage)", "number", "B", "stage", "stage"),
        ("sum_where(per_layer, key, stage)", "number", "B", "stage", "stage"),
        ("per_stage + at(per_layer, stage)", "number", "B", "stage", "stage"),
        ("lookup(paints, tint, price)", "number", "B", "layer", "layer"),
        ('tint == "red"', "flag", None, "layer", "layer"),
        ("layer in (0, 1)", "flag", None, "layer", "layer"),
        ("min(per_layer, size)", "number", "B", "layer", "layer"),
    ],
)
def test_types(text: str, kind: str, unit: str | None, over: str | None, rule_over: str | None) -> None:
    found = check(parse(text), SYMBOLS, over=rule_over).type
    assert (found.kind, None if found.unit is None else str(found.unit), found.over) == (kind, unit, over)


def test_every_part_has_a_type() -> None:
    tree = check(parse('min(size, B(layers)) > 0 and colour in ("red",) and has(parts, "wheel")'), SYMBOLS)
    texts = [node for node in walk(tree) if isinstance(node, Text)]
    assert [node.type.values for node in texts] == [COLOURS]
    assert [node.type for node in walk(tree) if isinstance(node, Name) and node.id == "size"] == [number("B")]
    assert [node.id for node in walk(tree) if isinstance(node, Name)] == ["size", "layers", "colour", "parts_wheel"]
    assert any(isinstance(node, Member) for node in walk(tree))


def test_special_forms_become_nodes_of_their_own() -> None:
    lookup = check(parse('lookup(paints, "red", price)'), SYMBOLS)
    assert isinstance(lookup, Lookup)
    assert (lookup.table, lookup.column) == ("paints", "price")
    assert lookup.key.type.values == COLOURS


@pytest.mark.parametrize(
    ("text", "code", "part", "help", "over"),
    [
        # names and functions
        ("1 + layer_s", "E303", "layer_s", "layers", None),
        ("1 + zzz", "E303", "zzz", None, None),
        ("1 + summ(1)", "E304", "summ(1)", "sum_over", None),
        ("1 + zzz(1)", "E304", "zzz(1)", "registered functions", None),
        ("lookup(paint, colour, price)", "E303", "paint", "paints", None),
        ("lookup(paints, colour, prize)", "E303", "prize", "price", None),
        ('has(partz, "wheel")', "E303", 'has(partz, "wheel")', "parts", None),
        # numbers of arguments
        ("1 + min(1)", "E305", "min(1)", "smallest", None),
        ("ceil(1, 2)", "E305", "ceil(1, 2)", None, None),
        ("sum_over()", "E305", "sum_over()", None, None),
        ("lookup(paints, colour)", "E305", "lookup(paints, colour)", "table", None),
        ("lookup(paints, colour, 1)", "E305", "lookup(paints, colour, 1)", None, None),
        ("has(parts)", "E305", "has(parts)", None, None),
        ("has(parts, gated)", "E305", "has(parts, gated)", None, None),
        # units
        ("2 * (size + layers)", "E306", "size + layers", "B(…)", None),
        ("layers - params > 0", "E306", "layers - params", "elem(…)", None),
        ("size % 2", "E306", "size % 2", "B(…)", None),
        ("size > params", "E306", "size > params", None, None),
        ("size in (0, 1)", "E306", "size in (0, 1)", "B(…)", None),
        ("1 + max(size, params)", "E306", "max(size, params)", None, None),
        ("log2(size)", "E306", "log2(size)", None, None),
        ("sqrt(size)", "E306", "sqrt(size)", None, None),
        ("B(size)", "E306", "B(size)", None, None),
        ("lcm(size, 2)", "E306", "lcm(size, 2)", None, None),
        ("at(per_layer, size)", "E306", "at(per_layer, size)", None, None),
        ("sum_where(per_layer, key, size)", "E306", "sum_where(per_layer, key, size)", None, None),
        # types
        ("1 + gated", "E307", "gated", "one case for true", None),
        ("-colour", "E307", "colour", None, None),
        ("gated ** 2", "E307", "gated", None, None),
        ("not layers", "E307", "layers", "> 0", None),
        ("gated and layers", "E307", "layers", None, None),
        ("gated or colour", "E307", "colour", None, None),
        ("gated == tied", "E307", "gated == tied", "by its name", None),
        ("gated == 1", "E307", "gated == 1", "by its name", None),
        ("layers == colour", "E307", "layers == colour", None, None),
        ('colour < "red"', "E307", 'colour < "red"', "== or !=", None),
        ('"red" == "red"', "E307", '"red" == "red"', None, None),
        ("colour == shape", "E307", "colour == shape", None, None),
        ("colour in (1,)", "E307", "1", None, None),
        ('layers in ("red",)', "E307", '"red"', None, None),
        ("gated in (1,)", "E307", "1", None, None),
        ("parts", "E307", "parts", "has(parts", None),
        ("min(gated, 1)", "E307", "gated", None, None),
        ("sum_over(marked)", "E307", "marked", None, None),
        ("count_where(key)", "E307", "key", None, None),
        ("max_over(tint)", "E307", "tint", None, None),
        ("lookup(paints, layers, price)", "E307", "layers", None, None),
        # domains
        ("1 + layer", "E308", "layer", "over: layer", None),
        ("stage * 2", "E308", "stage", None, "layer"),
        ("per_layer + 1", "E308", "per_layer", "sum_over(per_layer)", None),
        ("per_layer + 1", "E308", "per_layer", "at(per_layer, i)", "stage"),
        ("sum_over(size)", "E308", "size", None, None),
        ("sum_over(per_layer * 2)", "E308", "per_layer * 2", "a rule with `over:`", None),
        ("max_over(stage)", "E308", "stage", None, "stage"),
        ("at(1, 2)", "E308", "1", None, None),
        ("sum_where(per_layer, per_stage, 0)", "E308", "sum_where(per_layer, per_stage, 0)", None, None),
        # texts
        ('colour == "rad"', "E311", '"rad"', None, None),
        ('colour in ("red", "Green")', "E311", '"Green"', "green", None),
        ('has(parts, "weel")', "E311", '"weel"', "wheel", None),
        ('lookup(paints, "gren", price)', "E311", '"gren"', "green", None),
        ("lookup(two, colour, x)", "E311", "colour", None, None),
    ],
)
def test_findings(text: str, code: str, part: str, help: str | None, over: str | None) -> None:
    with pytest.raises(ExpressionError) as caught:
        check(parse(text), SYMBOLS, over=over)
    error = caught.value
    assert (error.code, text[error.start : error.end]) == (code, part)
    assert help is None or help in (error.help or "")
    assert error.message
    assert "\n" not in error.message


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        ("layers", number(), None),
        ("0", number("B"), None),
        ("size + 0", number("B"), None),
        ("gated", FLAG, None),
        ('"red"', Type("text", None, COLOURS), None),
        ("colour", Type("text", None, COLOURS), None),
        ("layer", number("1", "layer"), None),
        ("layers", number("1", "layer"), None),
        ("layers", number("B"), "E306"),
        ("size", number(), "E306"),
        ("gated", number(), "E307"),
        ("layers", FLAG, "E307"),
        ("colour", FLAG, "E307"),
        ("shape", Type("text", None, COLOURS), "E307"),
        ("gated", Type("text", None, COLOURS), "E307"),
        ('"round"', Type("text", None, COLOURS), "E311"),
        ('"red"', number(), "E307"),
    ],
)
def test_what_a_declaration_asks_for(text: str, expected: Type, code: str | None) -> None:
    if code is None:
        assert check_as(parse(text), expected, SYMBOLS)
        return
    with pytest.raises(ExpressionError) as caught:
        check_as(parse(text), expected, SYMBOLS)
    assert (caught.value.code, caught.value.start, caught.value.end) == (code, 0, len(text))


def test_all_unknown_names_are_told_at_once() -> None:
    tree = parse('layer_s + has(parts, "wheel") + lookup(paints, colours, price) + zzz + stage')
    assert [(error.code, error.start) for error in unknown_names(tree, SYMBOLS)] == [("E303", at) for at in (0, 47, 65)]


def test_units_of_all_functions_are_declared() -> None:
    assert all(function.doc.endswith(".") and function.examples for function in FUNCTIONS.values())
