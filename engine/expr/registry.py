"""The functions that an expression may call: one row a function, with its unit rule, its four printings and examples.

Printing templates name arguments `{a}`, `{b}`, `{c}`; `{args}` stands for all of them, joined by commas. A parameter of
kind `vector` or `flags` is printed as the whole row, never as one index of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.units import DIMENSIONLESS, Unit, parse_unit


class UnitError(ValueError):
    """The units of a function's arguments do not go together."""


UnitRule = Callable[[list[Unit | None]], Unit | None]


def _same(units: list[Unit | None]) -> Unit | None:
    known = [unit for unit in units if unit is not None]
    if any(unit != known[0] for unit in known):
        raise UnitError("units disagree: " + " and ".join(str(unit) for unit in dict.fromkeys(known)))
    return known[0] if known else None


def _ratio(units: list[Unit | None]) -> Unit | None:
    return (units[0] or DIMENSIONLESS) / (units[1] or DIMENSIONLESS)


def _plain(units: list[Unit | None]) -> Unit | None:
    for unit in units:
        if unit is not None and unit != DIMENSIONLESS:
            raise UnitError(f"needs a plain number, not {unit}")
    return DIMENSIONLESS


def _root(units: list[Unit | None]) -> Unit | None:
    root = (units[0] or DIMENSIONLESS).root()
    if root is None:
        raise UnitError(f"{units[0]} has no square root")
    return root


def _first(units: list[Unit | None]) -> Unit | None:
    return units[0]


def _cast(unit: str) -> UnitRule:
    target = parse_unit(unit)

    def rule(units: list[Unit | None]) -> Unit | None:
        _plain(units)
        return target

    return rule


@dataclass(frozen=True, slots=True)
class Example:
    """An expression, the values of the names in it, and what it yields; a list is a vector over `layer`."""

    text: str
    expect: float | bool
    given: Mapping[str, float | bool | list[float] | list[bool]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the rule language.

    Attributes:
        name: as written in a rule.
        parameters: kind of each parameter: `number`, `vector` (name of a numeric vector), `flags` (name of a flag
            vector).
        unit: unit of the result from the units of the arguments; raises `UnitError`.
        python: scalar printing. The names it uses are defined in `engine.expr.to_python`.
        numpy: array printing. The names it uses are defined in `engine.lanes`.
        excel: printing in the subset that spreadsheet applications agree on; `{size}` is the size of the first vector's
            domain.
        latex: printing for the rule's page.
        doc: one sentence.
        examples: each is a test in all four targets.
        variadic: the last parameter may repeat.
        result: kind of the result.
        can_fail: the call may have no value for some arguments.
    """

    name: str
    parameters: tuple[str, ...]
    unit: UnitRule
    python: str
    numpy: str
    excel: str
    latex: str
    doc: str
    examples: tuple[Example, ...]
    variadic: bool = False
    result: str = "number"
    can_fail: bool = False

    def parameter(self, position: int) -> str:
        """Returns the kind of the parameter at a position."""
        return self.parameters[min(position, len(self.parameters) - 1)]


_ROW = {"x": [3.0, 5.0, 4.0]}
_KEYED = {"x": [3.0, 5.0, 4.0], "k": [0.0, 1.0, 0.0]}

_FUNCTIONS = (
    Function(
        "min",
        ("number", "number"),
        _same,
        "min({args})",
        "_min({args})",
        "MIN({args})",
        r"\min\left({args}\right)",
        "The smallest argument.",
        (Example("min(3, 2, 7)", 2.0),),
        variadic=True,
    ),
    Function(
        "max",
        ("number", "number"),
        _same,
        "max({args})",
        "_max({args})",
        "MAX({args})",
        r"\max\left({args}\right)",
        "The largest argument.",
        (Example("max(3, 2, 7)", 7.0),),
        variadic=True,
    ),
    Function(
        "ceil",
        ("number",),
        _first,
        "_ceil({a})",
        "_ceil({a})",
        "ROUNDUP({a},0)",
        r"\left\lceil {a} \right\rceil",
        "The number rounded up to an integer; the argument is not negative.",
        (Example("ceil(7 / 2)", 4.0), Example("ceil(4)", 4.0)),
    ),
    Function(
        "floor",
        ("number",),
        _first,
        "_floor({a})",
        "_floor({a})",
        "INT({a})",
        r"\left\lfloor {a} \right\rfloor",
        "The number rounded down to an integer.",
        (Example("floor(7 / 2)", 3.0),),
    ),
    Function(
        "ceil_div",
        ("number", "number"),
        _ratio,
        "_ceil_div({a}, {b})",
        "_ceil_div({a}, {b})",
        "ROUNDUP({a}/{b},0)",
        r"\left\lceil \frac{{{a}}}{{{b}}} \right\rceil",
        "The quotient rounded up to an integer; both arguments are positive.",
        (Example("ceil_div(7, 2)", 4.0), Example("ceil_div(8, 2)", 4.0)),
        can_fail=True,
    ),
    Function(
        "ceil_to",
        ("number", "number"),
        _same,
        "_ceil_to({a}, {b})",
        "_ceil_to({a}, {b})",
        "CEILING({a},{b})",
        r"\left\lceil \frac{{{a}}}{{{b}}} \right\rceil \cdot {b}",
        "The smallest multiple of the second argument that is not below the first.",
        (Example("ceil_to(7, 4)", 8.0), Example("ceil_to(8, 4)", 8.0)),
        can_fail=True,
    ),
    Function(
        "lcm",
        ("number", "number"),
        _plain,
        "_lcm({args})",
        "_lcm({args})",
        "LCM({args})",
        r"\operatorname{{lcm}}\left({args}\right)",
        "The least common multiple of integers.",
        (Example("lcm(4, 6)", 12.0),),
        variadic=True,
        can_fail=True,
    ),
    Function(
        "gcd",
        ("number", "number"),
        _plain,
        "_gcd({args})",
        "_gcd({args})",
        "GCD({args})",
        r"\gcd\left({args}\right)",
        "The greatest common divisor of integers.",
        (Example("gcd(4, 6)", 2.0),),
        variadic=True,
        can_fail=True,
    ),
    Function(
        "log2",
        ("number",),
        _plain,
        "_log2({a})",
        "_log2({a})",
        "LOG({a},2)",
        r"\log_2\left({a}\right)",
        "The logarithm to base 2 of a positive number.",
        (Example("log2(8)", 3.0),),
        can_fail=True,
    ),
    Function(
        "abs",
        ("number",),
        _first,
        "abs({a})",
        "_abs({a})",
        "ABS({a})",
        r"\left| {a} \right|",
        "The number without its sign.",
        (Example("abs(3 - 5)", 2.0),),
    ),
    Function(
        "sqrt",
        ("number",),
        _root,
        "_sqrt({a})",
        "_sqrt({a})",
        "SQRT({a})",
        r"\sqrt{{{a}}}",
        "The square root of a number that is not negative.",
        (Example("sqrt(9)", 3.0),),
        can_fail=True,
    ),
    Function(
        "half_up",
        ("number",),
        _first,
        "_floor({a} + 0.5)",
        "_floor({a} + 0.5)",
        "ROUND({a},0)",
        r"\left\lfloor {a} + \tfrac{{1}}{{2}} \right\rfloor",
        "The nearest integer, halves rounded up; the argument is not negative.",
        (Example("half_up(5 / 2)", 3.0), Example("half_up(9 / 4)", 2.0)),
    ),
    Function(
        "sum_over",
        ("vector",),
        _first,
        "sum({a})",
        "_sum_over(v, {a})",
        "SUM({a})",
        r"\sum_{{{over}}} {a}",
        "The sum of a vector.",
        (Example("sum_over(x)", 12.0, _ROW),),
    ),
    Function(
        "max_over",
        ("vector",),
        _first,
        "max({a})",
        "_max_over(v, {a})",
        "MAX({a})",
        r"\max_{{{over}}} {a}",
        "The largest entry of a vector.",
        (Example("max_over(x)", 5.0, _ROW),),
    ),
    Function(
        "min_over",
        ("vector",),
        _first,
        "min({a})",
        "_min_over(v, {a})",
        "MIN({a})",
        r"\min_{{{over}}} {a}",
        "The smallest entry of a vector.",
        (Example("min_over(x)", 3.0, _ROW),),
    ),
    Function(
        "argmax_over",
        ("vector",),
        lambda units: DIMENSIONLESS,
        "_argmax_over({a})",
        "_argmax_over(v, {a})",
        "(MATCH(MAX({a}),{a},0)-1)",
        r"\operatorname*{{arg\,max}}_{{{over}}} {a}",
        "The index, from 0, of the first largest entry of a vector.",
        (Example("argmax_over(x)", 1.0, _ROW),),
    ),
    Function(
        "count_where",
        ("flags",),
        lambda units: DIMENSIONLESS,
        "float(sum({a}))",
        "_count_where(v, {a})",
        "COUNTIF({a},1)",
        r"\left|\left\{{ {over} : {a} \right\}}\right|",
        "How many entries of a flag vector are true.",
        (Example("count_where(f)", 2.0, {"f": [True, False, True]}),),
    ),
    Function(
        "all_over",
        ("flags",),
        lambda units: None,
        "all({a})",
        "_all_over(v, {a})",
        "(COUNTIF({a},0)=0)",
        r"\bigwedge_{{{over}}} {a}",
        "Whether all entries of a flag vector are true.",
        (Example("all_over(f)", False, {"f": [True, False]}), Example("all_over(f)", True, {"f": [True, True]})),
        result="flag",
    ),
    Function(
        "sum_where",
        ("vector", "vector", "number"),
        lambda units: (_same(units[1:]), units[0])[1],
        "_sum_where({a}, {b}, {c})",
        "_sum_where(v, {a}, {b}, {c})",
        "SUMIF({b},{c},{a})",
        r"\sum_{{{b} = {c}}} {a}",
        "The sum of the entries of the first vector at which the second equals the third argument.",
        (Example("sum_where(x, k, 0)", 7.0, _KEYED),),
    ),
    Function(
        "at",
        ("vector", "number"),
        lambda units: (_plain(units[1:]), units[0])[1],
        "_at({a}, {b})",
        "_at(v, {a}, {b})",
        "INDEX({a},1,{b}+1)",
        r"{a}\left[{b}\right]",
        "The entry of a vector at an index from 0.",
        (Example("at(x, 1)", 5.0, _ROW),),
        can_fail=True,
    ),
    Function(
        "first",
        ("vector",),
        _first,
        "{a}[0]",
        "_first(v, {a})",
        "INDEX({a},1,1)",
        r"{a}\left[0\right]",
        "The first entry of a vector.",
        (Example("first(x)", 3.0, _ROW),),
    ),
    Function(
        "last",
        ("vector",),
        _first,
        "{a}[-1]",
        "_last(v, {a})",
        "INDEX({a},1,{size})",
        r"{a}\left[{size} - 1\right]",
        "The last entry of a vector.",
        (Example("last(x)", 4.0, _ROW),),
    ),
    Function(
        "B",
        ("number",),
        _cast("B"),
        "{a}",
        "{a}",
        "{a}",
        "{a}",
        "The plain number as bytes.",
        (Example("B(3 + 4)", 7.0),),
    ),
    Function(
        "elem",
        ("number",),
        _cast("elem"),
        "{a}",
        "{a}",
        "{a}",
        "{a}",
        "The plain number as tensor elements.",
        (Example("elem(3 * 4)", 12.0),),
    ),
    Function(
        "flop",
        ("number",),
        _cast("flop"),
        "{a}",
        "{a}",
        "{a}",
        "{a}",
        "The plain number as floating-point operations.",
        (Example("flop(2)", 2.0),),
    ),
)

FUNCTIONS: Mapping[str, Function] = {function.name: function for function in _FUNCTIONS}

SPECIAL_FORMS: Mapping[str, str] = {
    "lookup": "lookup(table, key, column): the value of a column in the table's row that the key names",
    "has": 'has(set_input, "member"): whether a set input contains a member',
}
"""Calls whose arguments are not expressions; the checker turns them into `Lookup` and `Name` nodes."""
