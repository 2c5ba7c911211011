"""Evaluates rules over many configurations at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.diagnostics import EngineError, Findings, nearest
from engine.evaluating.resolve import resolve
from engine.evaluation import groups
from engine.expr.types import Type
from engine.inputs.accept import show
from engine.preset import Preset
from engine.ruleset import RuleSet
from engine.sweeping.columns import Column, column
from engine.sweeping.lanes import FAILED, UNAVAILABLE, Array, Lane
from engine.sweeping.space import ArrayProgram, Space

BLOCK = 32_768
"""Rows evaluated at a time: intermediate arrays stay in the processor's cache."""


@dataclass(frozen=True)
class SweepResult:
    """Values over many configurations.

    Attributes:
        values: for each wanted id an array: axes in the order given, then the domain's axis for a vector. Numbers and
            flags (0 and 1) are float64, members of enumerations are text. NaN (or empty text) where there is no value,
            and beyond the size of a vector's domain.
        axes: the varied inputs and their values, in order; a list of rows has the single axis `row`.
        units: unit of each wanted id.
        unavailable: for each wanted id the configurations in which an input is missing.
        failed: for each wanted id the configurations in which the computation has no result.
    """

    values: Mapping[str, Array]
    axes: Mapping[str, Sequence[Any]]
    units: Mapping[str, str]
    unavailable: Mapping[str, Array]
    failed: Mapping[str, Array]


def sweep(
    rules: RuleSet, preset: Preset | Mapping[str, Any], vary: Mapping[str, Sequence[Any]], want: Sequence[str] | str
) -> SweepResult:
    """Evaluates rules over a grid: each varied input is an axis, a rule is computed only over the axes it depends on.

    Args:
        rules: a loaded rule set.
        preset: values of all other inputs; a varied member of an either-or group withdraws the others from it.
        vary: values of each varied input.
        want: ids of rules, checks or inputs, or one of them.

    Raises:
        EngineError: an unknown id or input, or a value that does not fit.
    """
    want = [want] if isinstance(want, str) else want
    _known(rules, vary, want)
    axes = len(vary)
    columns = _constants(rules, preset, vary, axes)
    for position, (name, values) in enumerate(vary.items()):
        shape = (1,) * position + (-1,) + (1,) * (axes - position - 1)
        columns[name] = column(rules.inputs[name], values).shaped(shape)
    shape = tuple(len(values) for values in vary.values())
    with np.errstate(all="ignore"):
        space = Space(rules.array_program, columns, axes, frozenset())
        lanes = {id: space[id] for id in want}
    filled = {id: _Filled(rules.symbols.types[id], lane, shape, space) for id, lane in lanes.items()}
    return _result(rules, dict(vary), filled)


def sweep_rows(
    rules: RuleSet,
    preset: Preset | Mapping[str, Any],
    columns: Mapping[str, Sequence[Any] | Array],
    want: Sequence[str] | str,
) -> SweepResult:
    """Evaluates rules over a list of unrelated configurations.

    Args:
        rules: a loaded rule set.
        preset: values of all other inputs.
        columns: for each varied input one value a row, all of the same length; None stands for no value. Layer vectors
            and layouts may be lists or texts.
        want: ids of rules, checks or inputs, or one of them.

    Raises:
        EngineError: an unknown id or input, columns of different length, or a value that does not fit.
    """
    want = [want] if isinstance(want, str) else want
    _known(rules, columns, want)
    lengths = {name: len(values) for name, values in columns.items()}
    if len(set(lengths.values())) > 1:
        findings = Findings()
        findings.add(
            "E508", "the columns differ in length: " + ", ".join(f"{name} {length}" for name, length in lengths.items())
        )
        findings.raise_if_errors()
    count = next(iter(lengths.values()), 1)
    constants = _constants(rules, preset, columns, 1)
    varied = {name: column(rules.inputs[name], values) for name, values in columns.items()}
    program = rules.array_program
    blocks = [
        _block(program, constants, varied, slice(start, min(start + BLOCK, count)), want)
        for start in range(0, max(count, 1), BLOCK)
    ]
    filled = {id: _joined([block[id] for block in blocks]) for id in want}
    return _result(rules, {"row": range(count)}, filled)


def _block(
    program: ArrayProgram,
    constants: Mapping[str, Column],
    varied: Mapping[str, Column],
    rows: slice,
    want: Sequence[str],
) -> dict[str, _Filled]:
    columns = {**constants, **{name: one.taken(rows) for name, one in varied.items()}}
    with np.errstate(all="ignore"):
        space = Space(program, columns, 1, frozenset(varied))
        lanes = {id: space[id] for id in want}
    types = program.rules.symbols.types
    return {id: _Filled(types[id], lane, (rows.stop - rows.start,), space) for id, lane in lanes.items()}


def _constants(
    rules: RuleSet, preset: Preset | Mapping[str, Any], vary: Mapping[str, Any], axes: int
) -> dict[str, Column]:
    base = preset if isinstance(preset, Preset) else Preset(dict(preset))
    others = base.overlaid(dict.fromkeys(vary), groups(rules))
    values = resolve(rules, Preset({name: value for name, value in others.values.items() if name not in vary})).values
    written = {name: [others.values.get(name, value)] for name, value in values.items()}
    return {name: column(rules.inputs[name], value).shaped((1,) * axes) for name, value in written.items()}


def _known(rules: RuleSet, vary: Mapping[str, Any], want: Sequence[str]) -> None:
    findings = Findings()
    for code, names, known, what in (
        ("E501", vary, rules.inputs, "input"),
        ("E604", want, rules.symbols.types, "rule, check or input"),
    ):
        for name in names:
            if name not in known:
                near = nearest(name, known)
                findings.add(code, f"there is no {what} `{name}`", help=f"did you mean `{near}`?" if near else None)
    for name, values in vary.items():
        if isinstance(values, str) or not hasattr(values, "__len__"):
            mend = f'write "{name}": [{values!r}]' if isinstance(values, str | int | float) else "make it a list"
            findings.add("E502", f"the values of `{name}` must be a list, not {show(values)}", help=mend)
    if findings.has_errors:
        raise EngineError(findings.sorted())


class _Filled:
    """A wanted value in its full shape, with NaN where it has none."""

    def __init__(self, type: Type, lane: Lane, shape: tuple[int, ...], space: Space) -> None:
        width = (space.width(type.over),) if type.over else ()
        bad = np.zeros(shape, dtype=np.int8)
        if lane.bad is not None:
            bad = np.array(np.broadcast_to(lane.bad[..., 0] if type.over else lane.bad, shape))
        self.unavailable: Array = np.asarray(bad == UNAVAILABLE)
        self.failed: Array = np.asarray(bad == FAILED)
        array = np.broadcast_to(lane.array, (*shape, *width))
        void = (bad != 0)[..., None] if type.over else bad != 0
        mask = space.mask(type.over) if type.over else None
        void = void if mask is None else void | ~mask
        if type.kind == "text":
            members = np.array([*type.values, ""])
            self.values: Array = np.asarray(members[np.where(void, len(type.values), array).astype(np.intp)])
        else:
            self.values = np.array(array, dtype=np.float64)
            if lane.bad is not None or mask is not None:
                self.values[np.broadcast_to(void, self.values.shape)] = np.nan


def _joined(blocks: list[_Filled]) -> _Filled:
    result = blocks[0]
    if len(blocks) > 1:
        width = max(block.values.shape[-1] for block in blocks)
        if result.values.ndim > 1:
            for block in blocks:
                missing = width - block.values.shape[-1]
                filler: Any = "" if block.values.dtype.kind == "U" else np.nan
                block.values = np.pad(block.values, ((0, 0), (0, missing)), constant_values=filler)
        result.values = np.concatenate([block.values for block in blocks])
        result.unavailable = np.concatenate([block.unavailable for block in blocks])
        result.failed = np.concatenate([block.failed for block in blocks])
    return result


def _result(rules: RuleSet, axes: Mapping[str, Sequence[Any]], filled: Mapping[str, _Filled]) -> SweepResult:
    return SweepResult(
        values={id: one.values for id, one in filled.items()},
        axes=axes,
        units={id: rules.unit(id) for id in filled},
        unavailable={id: one.unavailable for id, one in filled.items()},
        failed={id: one.failed for id, one in filled.items()},
    )
