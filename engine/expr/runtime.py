"""The functions that expressions printed as Python call (see `engine.expr.to_python`).

Everything is float64, as in a spreadsheet. A call without a value raises `DomainError`, a division by zero Python's own
`ZeroDivisionError`; `engine.evaluating.program` turns both into a failed rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

LARGEST_INTEGER = 2.0**53
"""Integers up to here are exact in float64."""


class DomainError(ValueError):
    """A function was called outside its domain."""


def _ceil(x: float) -> float:
    return float(math.ceil(x))


def _floor(x: float) -> float:
    return float(math.floor(x))


def _ceil_div(a: float, b: float) -> float:
    return float(math.ceil(a / b))


def _ceil_to(a: float, b: float) -> float:
    return math.ceil(a / b) * b


def _integers(values: tuple[float, ...], function: str) -> list[int]:
    if any(not 1 <= value <= LARGEST_INTEGER or value != math.floor(value) for value in values):
        raise DomainError(f"{function} needs positive integers, at most 2**53")
    return [int(value) for value in values]


def _lcm(*values: float) -> float:
    result = math.lcm(*_integers(values, "lcm"))
    if result > LARGEST_INTEGER:
        raise DomainError("the least common multiple is above 2**53, where integers are not exact")
    return float(result)


def _gcd(*values: float) -> float:
    return float(math.gcd(*_integers(values, "gcd")))


def _log2(x: float) -> float:
    if x <= 0:
        raise DomainError("log2 needs a positive number")
    return math.log2(x)


def _sqrt(x: float) -> float:
    if x < 0:
        raise DomainError("sqrt needs a number that is not negative")
    return math.sqrt(x)


def _max_over(values: Sequence[float]) -> float:
    return max(_not_empty(values, "max_over"))


def _min_over(values: Sequence[float]) -> float:
    return min(_not_empty(values, "min_over"))


def _argmax_over(values: Sequence[float]) -> float:
    return float(values.index(max(_not_empty(values, "argmax_over"))))


def _first(values: Sequence[float]) -> float:
    return _not_empty(values, "first")[0]


def _last(values: Sequence[float]) -> float:
    return _not_empty(values, "last")[-1]


def _not_empty(values: Sequence[float], function: str) -> Sequence[float]:
    if not values:
        raise DomainError(f"{function} of a vector without entries")
    return values


def _sum_where(values: Sequence[float], keys: Sequence[float], key: float) -> float:
    return sum((value for value, other in zip(values, keys, strict=True) if other == key), 0.0)


def _sum_below(values: Sequence[float], keys: Sequence[float], limit: float) -> float:
    return sum((value for value, key in zip(values, keys, strict=True) if key < limit), 0.0)


def _count_below(values: Sequence[float], limit: float) -> float:
    return float(sum(value < limit for value in values))


def _at(values: Sequence[float], index: float) -> float:
    if not 0 <= index < len(values) or index != int(index):
        raise DomainError(f"index {index:g} is outside a vector of {len(values)}")
    return values[int(index)]


RUNTIME: Mapping[str, Callable[..., object]] = {
    function.__name__: function
    for function in (
        _ceil, _floor, _ceil_div, _ceil_to, _lcm, _gcd, _log2, _sqrt,
        _max_over, _min_over, _argmax_over, _first, _last, _sum_where, _sum_below, _count_below,
        _at,
    )
}  # fmt: skip
"""What printed Python text may call, besides `_cell`, which needs the tables of a rule set."""
