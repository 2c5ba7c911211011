"""Interval arithmetic over expressions: what a rule can come to when every input moves over its declared range.

Bounds are safe but not tight: occurrences of a name are taken as independent, and conditions are not looked into.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from engine.expr.nodes import Binary, Call, Lookup, Name, Negate, Node, Number, Power
from engine.inputs.parsers import MAX_ENTRIES
from engine.rules import Input, Rule
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Interval:
    """All numbers from `low` to `high`; only the whole ones where `whole`."""

    low: float
    high: float
    whole: bool = False


ANYTHING = Interval(-math.inf, math.inf)
_ENTRY = Interval(0, 1, True)


class Bounds:
    """Intervals of the numeric inputs and rules of a rule set, an entry of a vector standing for all."""

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._known: dict[str, Interval] = {}
        numbers = [name for name in rules.graph.order if rules.symbols.types[name].kind == "number"]
        for name in sorted(numbers, key=rules.rules.__contains__):  # inputs first: bounds of rules may name any
            rule = rules.rules.get(name)
            self._known[name] = self._rule(rule) if rule else _input(rules.slots[name])

    def of(self, name: str) -> Interval:
        """Returns the interval of an input or rule; of a flag or text everything."""
        return self._known.get(name, ANYTHING)

    def _rule(self, rule: Rule) -> Interval:
        index = {}
        if rule.type.over:
            index[rule.type.over] = Interval(0, self._size(rule.type.over).high - 1, True)
        found = _hull(self._node(branch.formula.node, index) for branch in rule.branches)
        if rule.at_most is None:
            return found
        return Interval(found.low, min(found.high, self._node(rule.at_most.node, {}).high), found.whole)

    def _size(self, domain: str | None) -> Interval:
        size = self._rules.sizes.get(domain or "")
        return self._node(size.node, {}) if size else ANYTHING

    def _node(self, node: Node, index: Mapping[str, Interval]) -> Interval:
        match node:
            case Number():
                return Interval(node.value, node.value, node.value == int(node.value))
            case Name():
                return index.get(node.id) or self.of(node.id)
            case Negate():
                inner = self._node(node.operand, index)
                return Interval(-inner.high, -inner.low, inner.whole)
            case Power():
                return _power(self._node(node.base, index), node.exponent)
            case Binary():
                return _BINARY[node.op](self._node(node.left, index), self._node(node.right, index))
            case Lookup():
                cells = [
                    cell for cell in self._rules.tables[node.table].cells[node.column].values() if cell is not None
                ]
                return _hull(Interval(cell, cell, cell == int(cell)) for cell in cells)
            case Call():
                arguments = [self._node(argument, index) for argument in node.arguments]
                size = self._size(node.arguments[0].type.over)
                return CALLS[node.function](arguments, size)
        return ANYTHING


def _input(item: Input) -> Interval:
    match item.kind:
        case "layer_vector":
            return _ENTRY
        case "layout":
            return Interval(0, MAX_ENTRIES, True)
    low = -math.inf if item.minimum is None else item.minimum
    high = math.inf if item.maximum is None else item.maximum
    stand_ins = [value for value in (item.default, item.absent) if isinstance(value, float)]
    return Interval(min([low, *stand_ins]), max([high, *stand_ins]), item.kind == "int")


def _hull(parts: Iterable[Interval]) -> Interval:
    parts = list(parts)
    if not parts:
        return ANYTHING
    return Interval(
        min(part.low for part in parts), max(part.high for part in parts), all(part.whole for part in parts)
    )


def _corners(a: Interval, b: Interval, combine: Callable[[float, float], float], whole: bool) -> Interval:
    values = [combine(x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    return Interval(min(values), max(values), whole)


def _times(x: float, y: float) -> float:
    return 0.0 if 0 in (x, y) else x * y  # zero times infinity: the bound is open, so the product is zero


def _add(a: Interval, b: Interval) -> Interval:
    return Interval(a.low + b.low, a.high + b.high, a.whole and b.whole)


def _subtract(a: Interval, b: Interval) -> Interval:
    return Interval(a.low - b.high, a.high - b.low, a.whole and b.whole)


def _multiply(a: Interval, b: Interval) -> Interval:
    return _corners(a, b, _times, a.whole and b.whole)


def _divide(a: Interval, b: Interval) -> Interval:
    """A divisor of zero yields no value, so the smallest divisors of whole numbers are 1 and -1."""
    if b.low > 0 or b.high < 0:
        inverse = Interval(1 / b.high, 1 / b.low)
    elif b.whole:
        inverse = Interval(-1.0 if b.low < 0 else 0.0, 1.0 if b.high > 0 else 0.0)
    else:
        inverse = Interval(-math.inf if b.low < 0 else 0.0, math.inf if b.high > 0 else 0.0)
    return _corners(a, inverse, _times, False)


def _floor(a: Interval) -> Interval:
    return Interval(_rounded(math.floor, a.low), _rounded(math.floor, a.high), True)


def _ceil(a: Interval) -> Interval:
    return Interval(_rounded(math.ceil, a.low), _rounded(math.ceil, a.high), True)


def _rounded(round_: Callable[[float], int], x: float) -> float:
    return float(round_(x)) if math.isfinite(x) else x


def _remainder(a: Interval, b: Interval) -> Interval:
    """The remainder has the sign of the divisor and is nearer to zero."""
    high = min(max(b.high, 0.0), a.high) if a.low >= 0 else max(b.high, 0.0)
    return Interval(min(b.low, 0.0), high, a.whole and b.whole)


def _power(a: Interval, exponent: int) -> Interval:
    result = Interval(1.0, 1.0, True)
    for _ in range(exponent):
        result = _multiply(result, a)
    return Interval(max(result.low, 0.0), result.high, result.whole) if exponent % 2 == 0 else result


def _absolute(a: Interval) -> Interval:
    low = 0.0 if a.low <= 0 <= a.high else min(abs(a.low), abs(a.high))
    return Interval(low, max(abs(a.low), abs(a.high)), a.whole)


def _increasing(function: Callable[[float], float]) -> Callable[[list[Interval], Interval], Interval]:
    def apply(arguments: list[Interval], size: Interval) -> Interval:
        (a,) = arguments
        low, high = (function(x) if 0 < x < math.inf else min(x, 0.0) if x <= 0 else x for x in (a.low, a.high))
        return Interval(low, high)

    return apply


def _product(arguments: list[Interval], size: Interval) -> Interval:
    high = 1.0
    for argument in arguments:
        high = _times(high, argument.high)
    return Interval(1.0, high, True)


def _first_argument(arguments: list[Interval], size: Interval) -> Interval:
    return arguments[0]


_BINARY: Mapping[str, Callable[[Interval, Interval], Interval]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "//": lambda a, b: _floor(_divide(a, b)),
    "%": _remainder,
}

CALLS: Mapping[str, Callable[[list[Interval], Interval], Interval]] = {
    "min": lambda args, _: Interval(min(a.low for a in args), min(a.high for a in args), all(a.whole for a in args)),
    "max": lambda args, _: Interval(max(a.low for a in args), max(a.high for a in args), all(a.whole for a in args)),
    "ceil": lambda args, _: _ceil(args[0]),
    "floor": lambda args, _: _floor(args[0]),
    "ceil_div": lambda args, _: _ceil(_divide(args[0], args[1])),
    "ceil_to": lambda args, _: Interval(args[0].low, args[0].high + args[1].high, args[1].whole),
    "lcm": _product,
    "gcd": lambda args, _: Interval(1.0, min(a.high for a in args), True),
    "log2": _increasing(math.log2),
    "abs": lambda args, _: _absolute(args[0]),
    "sqrt": _increasing(math.sqrt),
    "half_up": lambda args, _: _floor(_add(args[0], Interval(0.5, 0.5))),
    "sum_over": lambda args, size: _multiply(args[0], Interval(1.0, size.high, True)),
    "max_over": _first_argument,
    "min_over": _first_argument,
    "argmax_over": lambda args, size: Interval(0.0, size.high - 1, True),
    "count_where": lambda args, size: Interval(0.0, size.high, True),
    "all_over": lambda args, size: _ENTRY,
    "sum_where": lambda args, size: _multiply(args[0], Interval(0.0, size.high, True)),
    "sum_below": lambda args, size: _multiply(args[0], Interval(0.0, size.high, True)),
    "count_below": lambda args, size: Interval(0.0, size.high, True),
    "at": _first_argument,
    "first": _first_argument,
    "last": _first_argument,
    "B": _first_argument,
    "elem": _first_argument,
    "flop": _first_argument,
}
"""Bounds of every registered function, from those of its arguments and of the size of the first one's domain."""
