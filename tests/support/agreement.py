"""Compares evaluation one by one with evaluation over arrays, every value and every status, and with Excel text."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine import Result, RuleSet, SweepResult, evaluate, sweep, sweep_rows
from engine.evaluating.excel_rules import branches_of
from engine.evaluating.exceltest import excel_value
from engine.expr.excel_run import ExcelError
from engine.expr.nodes import names
from engine.trouble import Failed, Unavailable

RELATIVE = 1e-12
MOST = 5  # differences that a failing test shows


def all_ids(rules: RuleSet) -> list[str]:
    """Returns the ids of all rules and checks, and the names that inputs provide."""
    return [*rules.slots, *rules.computed]


def row_differences(rules: RuleSet, presets: Sequence[Mapping[str, Any]]) -> list[str]:
    """Returns where a list of rows differs from the same configurations evaluated one by one."""
    varied = dict.fromkeys(name for preset in presets for name in preset) or [next(iter(rules.inputs))]
    columns = {name: [preset.get(name) for preset in presets] for name in varied}
    swept = sweep_rows(rules, {}, columns, all_ids(rules))
    found: list[str] = []
    for row in range(len(presets)):
        found += differences(evaluate(rules, {name: values[row] for name, values in columns.items()}), swept, (row,))
    return found[:MOST]


def grid_differences(rules: RuleSet, base: Mapping[str, Any], axes: Mapping[str, Sequence[Any]]) -> list[str]:
    """Returns where a grid differs from the same configurations evaluated one by one."""
    swept = sweep(rules, base, axes, all_ids(rules))
    found: list[str] = []
    for index in itertools.product(*(range(len(values)) for values in axes.values())):
        setting = {name: values[at] for (name, values), at in zip(axes.items(), index, strict=True)}
        found += differences(evaluate(rules, base, setting), swept, index)
    return found[:MOST]


def differences(result: Result, swept: SweepResult, index: tuple[int, ...]) -> Iterator[str]:
    """Yields in which ids one configuration of a sweep differs from its result."""
    scope = result.resolved.scope
    for id, values in swept.values.items():
        raw: Any = None
        try:
            raw, status = scope[id], "ok"
        except Unavailable:
            status = "unavailable"
        except Failed:
            status = "failed"
        missing, failed = bool(swept.unavailable[id][index]), bool(swept.failed[id][index])
        found = values[index].tolist()
        if (missing, failed) != (status == "unavailable", status == "failed"):
            yield _told(result, id, f"{status} {raw}", f"unavailable {missing}, failed {failed}, {found}")
        elif status == "ok" and not agree(raw, found):
            yield _told(result, id, repr(raw), repr(found))
        elif status != "ok" and not all(map(_is_nothing, found if isinstance(found, list) else [found])):
            yield _told(result, id, status, repr(found))


def _told(result: Result, id: str, one: str, swept: str) -> str:
    inputs = result.rules.array_program.inputs_of(id)
    setting = {name: value for name, value in result.preset.values.items() if name in inputs and value is not None}
    return f"{id}: {one}, in the sweep {swept}, for {setting}"


def excel_differences(rules: RuleSet, preset: Mapping[str, Any], ids: Sequence[str]) -> tuple[list[str], list[str]]:
    """Returns the rules whose Excel text was compared with their value, and where it differs.

    Only values count: where a rule has none, a spreadsheet may go on (INDEX at -1 is the whole row, LCM of 0 is 0).
    A rule that reads an input without a value is left out too, since the workbook has a cell for every input.
    """
    result = evaluate(rules, preset)
    compared: list[str] = []
    found: list[str] = []
    for id in ids:
        rule = rules.computed[id]
        read = {name for branch in branches_of(rule) for part in branch if part is not None for name in names(part)}
        if result[id].status != "ok" or any(result[name].status != "ok" for name in read & rules.slots.keys()):
            continue
        compared.append(id)
        try:
            value = excel_value(rules, rule, result.resolved.scope)
        except ExcelError as error:
            found.append(f"{id}: {result[id].raw!r}, in Excel {error}")
            continue
        if not agree(result[id].raw, value):
            found.append(f"{id}: {result[id].raw!r}, in Excel {value!r}")
    return compared, found[:MOST]


def agree(raw: Any, found: Any) -> bool:
    """Whether an entry of a sweep is a value: numbers within 1e-12, others exactly, vectors padded at the end."""
    if isinstance(raw, list):
        return (
            isinstance(found, list)
            and len(found) >= len(raw)
            and all(map(agree, raw, found))
            and all(map(_is_nothing, found[len(raw) :]))
        )
    if isinstance(raw, bool):
        return isinstance(found, bool | float) and float(found) == float(raw)
    if isinstance(raw, str):
        return bool(found == raw)
    return isinstance(found, float) and math.isclose(raw, found, rel_tol=RELATIVE, abs_tol=0.0)


def _is_nothing(entry: Any) -> bool:
    return entry == "" or (isinstance(entry, float) and math.isnan(entry))
