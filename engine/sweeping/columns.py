"""Input values of a sweep, validated whole columns at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.diagnostics import EngineError, Findings
from engine.evaluating.program import constant_slots
from engine.inputs.accept import InputError, accept
from engine.rules import Input
from engine.sweeping.lanes import Array


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one input.

    Attributes:
        item: the input.
        parts: array for each name that the input provides; empty for a layer vector or layout.
        given: whether each lane has a value; None if all have.
        patterns: the distinct parsed patterns of a layer vector or layout.
        codes: position of each lane's pattern.
    """

    item: Input
    parts: Mapping[str, Array] = field(default_factory=dict)
    given: Array | None = None
    patterns: tuple[Any, ...] = ()
    codes: Array | None = None

    def taken(self, rows: Array | slice) -> Column:
        """Returns the column for some of the lanes."""

        def take(array: Array | None) -> Array | None:
            return None if array is None else array[rows]

        parts = {name: array[rows] for name, array in self.parts.items()}
        return Column(self.item, parts, take(self.given), self.patterns, take(self.codes))

    def shaped(self, shape: tuple[int, ...]) -> Column:
        """Returns the column with its lanes along other axes."""

        def reshape(array: Array | None) -> Array | None:
            return None if array is None else array.reshape(shape)

        parts = {name: array.reshape(shape) for name, array in self.parts.items()}
        return Column(self.item, parts, reshape(self.given), self.patterns, reshape(self.codes))

    def marks(self) -> list[Array]:
        """Returns the arrays that tell lanes apart."""
        return [array for array in (*self.parts.values(), self.given, self.codes) if array is not None]


def column(item: Input, values: Sequence[Any] | Array) -> Column:
    """Validates the values of an input, one a lane; None stands for no value.

    Raises:
        EngineError: with the first values that do not fit (E502 to E507).
    """
    array = _plain_array(values)
    if array is not None and item.kind in ("int", "number") and array.dtype.kind in "iuf":
        numbers = array.astype(np.float64)
        _check_numbers(item, numbers)
        return Column(item, {item.id: numbers})
    if array is not None and item.kind == "flag" and array.dtype.kind == "b":
        return Column(item, {item.id: array})
    return _one_by_one(item, values)


def _plain_array(values: Sequence[Any] | Array) -> Array | None:
    if isinstance(values, np.ndarray):
        return values
    kinds = set(map(type, values))
    return np.asarray(values) if (kinds and kinds <= {int, float}) or kinds == {bool} else None


def _check_numbers(item: Input, numbers: Array) -> None:
    wrong = ~np.isfinite(numbers)
    if item.kind == "int":
        wrong |= numbers != np.floor(numbers)
    if item.minimum is not None:
        wrong |= numbers < item.minimum
    if item.maximum is not None:
        wrong |= numbers > item.maximum
    _report(item, numbers[wrong][:3].tolist(), np.flatnonzero(wrong)[:3].tolist())


def _report(item: Input, values: Sequence[Any], positions: Sequence[int]) -> None:
    findings = Findings()
    for value, position in zip(values, positions, strict=True):
        try:
            accept(item, value)
        except InputError as error:
            findings.add(error.code, f"{error.message} (value {position + 1} of the column)", help=error.help)
    findings.raise_if_errors()


def _one_by_one(item: Input, values: Sequence[Any] | Array) -> Column:
    distinct: dict[Any, int] = {}
    accepted: list[Any] = []
    codes = np.empty(len(values), dtype=np.intp)
    for position, value in enumerate(values):
        plain = value.tolist() if isinstance(value, np.generic | np.ndarray) else value
        key = (type(plain), repr(plain))
        code = distinct.get(key)
        if code is None:
            code = distinct[key] = len(accepted)
            accepted.append(_accepted(item, plain, position))
        codes[position] = code
    given = np.array([value is not None for value in accepted])[codes]
    return _from_codes(item, accepted, codes, None if given.all() else given)


def _accepted(item: Input, value: Any, position: int) -> Any:
    if value is None:
        return None
    try:
        return accept(item, value)
    except InputError as error:
        findings = Findings()
        findings.add(error.code, f"{error.message} (value {position + 1} of the column)", help=error.help)
        raise EngineError(findings.sorted()) from None


def _from_codes(item: Input, accepted: list[Any], codes: Array, given: Array | None) -> Column:
    filler = next((value for value in accepted if value is not None), None)
    if filler is None:  # nothing is given anywhere: the stand-in decides
        return Column(item, given=np.zeros(len(codes), dtype=bool))
    values = [filler if value is None else value for value in accepted]
    if item.kind in ("layer_vector", "layout"):
        return Column(item, given=given, patterns=tuple(values), codes=codes)
    slots = [constant_slots(item, value) for value in values]
    parts = {name: np.array([_code(item, row[name]) for row in slots])[codes] for name in slots[0]}
    return Column(item, parts, given)


def _code(item: Input, value: Any) -> float | bool:
    return float(item.values.index(value)) if item.kind == "enum" else value
