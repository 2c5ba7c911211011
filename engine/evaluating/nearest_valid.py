"""The nearest values of single inputs with which a failed check would hold."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import Any

from engine.evaluating.program import Scope
from engine.evaluating.resolve import start_scope
from engine.expr.nodes import names
from engine.result import Result
from engine.rules import Check, Input
from engine.trouble import Trouble

MOST_STEPS = 1000
"""Values tried on either side of the present one."""

MOST_READINGS = 50_000
"""Rules and inputs computed on either side of the present value; a check that reads many of them tries fewer values."""

FARTHER = 8
"""How much farther away than the nearest value one may lie that suits all other checks too, to be preferred to it."""

_MOST_FACTORS = 4  # names whose products are taken for step sizes beyond the values tried one by one


def nearest_valid(result: Result, check: Check) -> Mapping[str, tuple[Any, ...]]:
    """Tries other values of each blamed input, one input at a time.

    A value counts if the check then holds and no other error-level check that holds now fails. A value with which no
    error-level check fails that the input bears on is preferred, if it is not much farther away. If no input has a
    value that counts, those do with which the check itself holds.

    Args:
        result: the evaluation in which the check fails.
        check: the check.

    Returns:
        For each blamed input with such a value: of numbers the nearest below and above the present one, of enumerations
        and flags all members that will do.
    """
    search = _Search(result, check)
    for respected in (search.holding, ()):
        found = {field: values for field in check.fields if (values := search.values(field, respected))}
        if found:
            return found
    return {}


class _Search:
    def __init__(self, result: Result, check: Check) -> None:
        self._rules = result.rules
        self._given = result.resolved.values
        self._scope = result.resolved.scope
        self._check = check
        read = len(self._rules.graph.ancestors([check.id])) + 1
        self._steps = min(MOST_STEPS, max(1, MOST_READINGS // read))
        checks = result.rules.checks.values()
        self._others = [other.id for other in checks if other.level == "error" and other.id != check.id]
        self.holding = frozenset(id for id in self._others if _holds(self._scope, id))

    def values(self, field: str, respected: Collection[str]) -> tuple[Any, ...]:
        """Returns the values of an input with which the check and those that are respected hold."""
        item = self._rules.inputs.get(field)
        present = _value(self._scope, field) if field in self._rules.slots else None  # a layout has no value of its own
        if item is None or present is None:
            return ()
        if item.kind in ("enum", "flag"):
            members: Iterable[Any] = item.values if item.kind == "enum" else (False, True)
            return tuple(member for member in members if member != present and self._fits(field, member, respected))
        if item.kind != "int":
            return ()
        sides = (self._below(item, present), self._above(item, present))
        found = (self._best(field, present, side, respected) for side in sides)
        return tuple(int(value) for value in found if value is not None)

    def _best(
        self, field: str, present: float, candidates: Iterator[float], respected: Collection[str]
    ) -> float | None:
        nearest = None
        bearing = self._bearing(field)
        for value in candidates:
            if nearest is not None and abs(value - present) > FARTHER * abs(nearest - present):
                break
            if self._fits(field, value, respected):
                if self._fits(field, value, bearing):
                    return value
                nearest = value if nearest is None else nearest
        return nearest

    def _bearing(self, field: str) -> Sequence[str]:
        """Returns the other error-level checks that an input bears on, those of them that cannot be known left out."""
        provided = {field, *self._rules.siblings(self._rules.inputs[field])}
        bearing = [id for id in self._others if provided.intersection(self._rules.graph.ancestors([id]))]
        return [id for id in bearing if _value(self._scope, id) is not None]

    def _below(self, item: Input, present: float) -> Iterator[float]:
        low = -math.inf if item.minimum is None else item.minimum
        last = max(present - self._steps, low)
        yield from _range(present - 1, last, -1)
        multiples = {present // step * step for step in self._factors(item.id)}
        yield from sorted((value for value in multiples if low <= value < last), reverse=True)

    def _above(self, item: Input, present: float) -> Iterator[float]:
        high = math.inf if item.maximum is None else item.maximum
        last = min(present + self._steps, high)
        yield from _range(present + 1, last, 1)
        multiples = {(present // step + 1) * step for step in self._factors(item.id)}
        yield from sorted(value for value in multiples if last < value <= high)

    def _factors(self, field: str) -> set[float]:
        """Returns the products of what the condition reads: most checks ask for divisibility by one of them."""
        condition = self._check.branches[0].formula
        read = [value for name in names(condition.node) if name != field and (value := _value(self._scope, name))]
        sizes = [value for value in read if isinstance(value, float) and value > 1 and value.is_integer()]
        sizes = sizes[:_MOST_FACTORS]
        return {math.prod(chosen) for count in range(1, len(sizes) + 1) for chosen in combinations(sizes, count)}

    def _fits(self, field: str, value: Any, others: Collection[str]) -> bool:
        scope = start_scope(self._rules, self._changed(field, value))
        return all(_holds(scope, id) for id in (self._check.id, *others))

    def _changed(self, field: str, value: Any) -> Mapping[str, Any]:
        """Returns the given values with one changed.

        What is derived from it is withdrawn, unless the check compares the two.
        """
        withdrawn = set(self._rules.siblings(self._rules.inputs[field])) - set(self._check.fields)
        return {**{name: other for name, other in self._given.items() if name not in withdrawn}, field: value}


def _range(start: float, last: float, step: int) -> Sequence[float]:
    return [float(value) for value in range(int(start), int(last) + step, step)]


def _value(scope: Scope, name: str) -> Any:
    try:
        return scope[name]
    except Trouble:
        return None


def _holds(scope: Scope, id: str) -> bool:
    return _value(scope, id) is True
