"""Arithmetic on lanes: one value for each configuration of a sweep, each lane with its own trouble, if any.

The code that `engine.expr.to_numpy` prints works on these. Nothing raises: a lane without a value is marked
`UNAVAILABLE` or `FAILED`, in the order in which scalar code would have met the trouble, and its number means nothing.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.expr.runtime import LARGEST_INTEGER

Array = NDArray[Any]

UNAVAILABLE = np.int8(1)
FAILED = np.int8(2)


class Lane:
    """An array with one entry a lane, and for a vector a last axis along its domain.

    Attributes:
        array: numbers, flags, or positions of members in their enumeration.
        bad: 0, `UNAVAILABLE` or `FAILED` for each lane; None if all have a value. Shaped like `array`, up to
            broadcasting.
        over: domain of a vector, None for single values.
    """

    __slots__ = ("array", "bad", "over")

    def __init__(self, array: Array, bad: Array | None = None, over: str | None = None) -> None:
        self.array = array
        self.bad = bad
        self.over = over

    def lifted(self) -> Lane:
        """Returns the lane with a last axis added, to be combined with vectors."""
        return Lane(self.array[..., None], None if self.bad is None else self.bad[..., None], None)

    def __add__(self, other: Any) -> Lane:
        return _apply(operator.add, self, other)

    def __radd__(self, other: Any) -> Lane:
        return _apply(operator.add, other, self)

    def __sub__(self, other: Any) -> Lane:
        return _apply(operator.sub, self, other)

    def __rsub__(self, other: Any) -> Lane:
        return _apply(operator.sub, other, self)

    def __mul__(self, other: Any) -> Lane:
        return _apply(operator.mul, self, other)

    def __rmul__(self, other: Any) -> Lane:
        return _apply(operator.mul, other, self)

    def __truediv__(self, other: Any) -> Lane:
        return _divide(operator.truediv, self, other)

    def __rtruediv__(self, other: Any) -> Lane:
        return _divide(operator.truediv, other, self)

    def __floordiv__(self, other: Any) -> Lane:
        return _divide(operator.floordiv, self, other)

    def __rfloordiv__(self, other: Any) -> Lane:
        return _divide(operator.floordiv, other, self)

    def __mod__(self, other: Any) -> Lane:
        return _divide(operator.mod, self, other)

    def __rmod__(self, other: Any) -> Lane:
        return _divide(operator.mod, other, self)

    def __pow__(self, exponent: int) -> Lane:
        array = self.array**exponent
        return Lane(array, join(self.bad, marked(np.isinf(array))), self.over)

    def __neg__(self) -> Lane:
        return Lane(-self.array, self.bad, self.over)

    def __lt__(self, other: Any) -> Lane:
        return _apply(operator.lt, self, other)

    def __le__(self, other: Any) -> Lane:
        return _apply(operator.le, self, other)

    def __gt__(self, other: Any) -> Lane:
        return _apply(operator.gt, self, other)

    def __ge__(self, other: Any) -> Lane:
        return _apply(operator.ge, self, other)

    def __eq__(self, other: object) -> Lane:  # type: ignore[override]
        return _apply(operator.eq, self, other)

    def __ne__(self, other: object) -> Lane:  # type: ignore[override]
        return _apply(operator.ne, self, other)

    __hash__ = None  # type: ignore[assignment]


def lane(value: Any) -> Lane:
    """Returns a lane as it is, and a plain number or flag as a lane of one value."""
    return value if isinstance(value, Lane) else Lane(np.asarray(value))


def join(first: Array | None, second: Array | None) -> Array | None:
    """Combines the troubles of two operands; the first operand's come first."""
    if first is None or second is None:
        return second if first is None else first
    return np.where(first != 0, first, second)


def _pair(left: Any, right: Any) -> tuple[Lane, Lane, str | None]:
    a, b = lane(left), lane(right)
    if a.over == b.over:
        return a, b, a.over
    return (a.lifted(), b, b.over) if a.over is None else (a, b.lifted(), a.over)


def _apply(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Lane:
    a, b, over = _pair(left, right)
    return Lane(function(a.array, b.array), join(a.bad, b.bad), over)


def _divide(function: Callable[[Any, Any], Any], left: Any, right: Any) -> Lane:
    a, b, over = _pair(left, right)
    return Lane(function(a.array, b.array), join(join(a.bad, b.bad), marked(b.array == 0)), over)


def marked(condition: Array) -> Array | None:
    """Marks lanes as failed where a condition holds; None where it holds nowhere."""
    return np.where(condition, FAILED, np.int8(0)) if condition.any() else None


def _reduced(function: Callable[[Any, Any], Any], values: Sequence[Any]) -> Lane:
    result = lane(values[0])
    for value in values[1:]:
        result = _apply(function, result, value)
    return result


def _and(first: Any, *rest: Callable[[], Any]) -> Lane:
    return _short_circuit(first, rest, stop=False)


def _or(first: Any, *rest: Callable[[], Any]) -> Lane:
    return _short_circuit(first, rest, stop=True)


def _short_circuit(first: Any, rest: Sequence[Callable[[], Any]], *, stop: bool) -> Lane:
    """Evaluates operands from left to right; where one equals `stop`, later ones and their troubles do not count."""
    result = lane(first)
    for operand in rest:
        if result.array.size == 1 and result.bad is None and bool(result.array.flat[0]) is stop:
            return result
        a, b, over = _pair(result, operand())
        array = np.logical_or(a.array, b.array) if stop else np.logical_and(a.array, b.array)
        later = None if b.bad is None else np.where(a.array == stop, np.int8(0), b.bad)
        result = Lane(array, join(a.bad, later), over)
    return result


def _not(operand: Any) -> Lane:
    a = lane(operand)
    return Lane(np.logical_not(a.array), a.bad, a.over)


def _in(value: Any, items: Sequence[float]) -> Lane:
    a = lane(value)
    return Lane(np.isin(a.array, items), a.bad, a.over)


def _lookup(key: Any, column: Sequence[float | None]) -> Lane:
    a = lane(key)
    cells = np.array([np.nan if cell is None else cell for cell in column])
    array = cells[a.array.astype(np.intp)]
    empty = np.isnan(array)
    bad = np.where(empty, UNAVAILABLE, np.int8(0)) if empty.any() else None
    return Lane(array, join(a.bad, bad), a.over)


def _ceil_div(left: Any, right: Any) -> Lane:
    return _ceil(_divide(operator.truediv, left, right))


def _ceil_to(left: Any, right: Any) -> Lane:
    return _apply(operator.mul, _ceil_div(left, right), right)


def _integers(function: Callable[[Array, Array], Any], values: Sequence[Any]) -> Lane:
    """Combines positive integers pairwise; a lane whose operands are others, or whose result is not exact, fails."""
    operands = [lane(value) for value in values]
    result = _reduced(lambda a, b: function(_positive(a), _positive(b)).astype(np.float64), operands)
    improper = _reduced(np.logical_or, [Lane(_improper(a.array), None, a.over) for a in operands])
    bad = join(result.bad, marked(improper.array | (result.array > LARGEST_INTEGER)))
    return Lane(result.array, bad, result.over)


def _improper(array: Array) -> Any:
    return (array != np.floor(array)) | (array < 1) | (array > LARGEST_INTEGER)


def _positive(array: Array) -> Array:
    """Returns positive integers as they are, others as some; what is too large stays too large."""
    return np.clip(np.where(array == np.floor(array), array, 1), 1, 2 * LARGEST_INTEGER).astype(np.int64)


def _least_common_multiple(a: Array, b: Array) -> Any:
    return (a // np.gcd(a, b)) * b.astype(np.float64)


def _log2(value: Any) -> Lane:
    a = lane(value)
    return Lane(np.log2(a.array), join(a.bad, marked(a.array <= 0)), a.over)


def _sqrt(value: Any) -> Lane:
    a = lane(value)
    return Lane(np.sqrt(a.array), join(a.bad, marked(a.array < 0)), a.over)


def _abs(value: Any) -> Lane:
    a = lane(value)
    return Lane(np.abs(a.array), a.bad, a.over)


def _rounded(function: Callable[[Any], Any]) -> Callable[[Any], Lane]:
    def apply(value: Any) -> Lane:
        a = lane(value)
        return Lane(function(a.array), join(a.bad, marked(~np.isfinite(a.array))), a.over)

    return apply


_ceil = _rounded(np.ceil)

RUNTIME: Mapping[str, Any] = {
    "_lane": lane,
    "_and": _and,
    "_or": _or,
    "_not": _not,
    "_in": _in,
    "_lookup": _lookup,
    "_ceil_div": _ceil_div,
    "_ceil_to": _ceil_to,
    "_log2": _log2,
    "_sqrt": _sqrt,
    "_ceil": _ceil,
    "_floor": _rounded(np.floor),
    "_abs": _abs,
    "_min": lambda *values: _reduced(np.minimum, values),
    "_max": lambda *values: _reduced(np.maximum, values),
    "_lcm": lambda *values: _integers(_least_common_multiple, values),
    "_gcd": lambda *values: _integers(np.gcd, values),
}
"""What printed array code may call, besides the aggregates of `engine.sweeping.rows`."""


Branches = Sequence[tuple[Callable[[Any], Any] | None, Callable[[Any], Any]]]


def choose(v: Any, branches: Branches) -> Lane:
    """Evaluates cases: each lane takes the first branch whose condition holds; others are not evaluated."""
    picks: list[tuple[Lane | None, Lane]] = []  # condition as a lane of flags, and what it selects
    for condition, formula in branches:
        if condition is None:
            picks.append((None, lane(formula(v))))
            break
        test = lane(condition(v))
        if test.bad is not None:
            picks.append((Lane(test.bad != 0, None, test.over), Lane(np.zeros(test.bad.shape), test.bad, test.over)))
        if test.array.all() and test.bad is None:
            picks.append((None, lane(formula(v))))
            break
        if test.array.any():
            picks.append((Lane(test.array, None, test.over), lane(formula(v))))
    result = picks[-1][1]
    for select, value in reversed(picks[:-1]):
        assert select is not None
        result = _where(select, value, result)
    return result


def _where(select: Lane, yes: Lane, no: Lane) -> Lane:
    over = select.over or yes.over or no.over
    s, y, n = (part.lifted() if over and part.over is None and part.array.ndim else part for part in (select, yes, no))
    bad = None
    if y.bad is not None or n.bad is not None:
        zero = np.int8(0)
        bad = np.where(s.array, zero if y.bad is None else y.bad, zero if n.bad is None else n.bad)
    return Lane(np.where(s.array, y.array, n.array), bad, over)
