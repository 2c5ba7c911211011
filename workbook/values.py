"""The value that each formula cell of a planned workbook must show, from the engine's result."""

from __future__ import annotations

from engine.result import Result, Value
from workbook.cells import Cell, Plan

Shown = float | int | str

DIVISION = "#DIV/0!"
MISSING = "#N/A"


def values(plan: Plan, result: Result) -> dict[int, dict[tuple[int, int], Shown]]:
    """Returns the values of all formula cells: for each sheet, from 1 in tab order, by row and column."""
    return {
        number: {place: shown(cell, result) for place, cell in sheet.cells.items() if cell.kind == "formula"}
        for number, sheet in enumerate(plan.sheets, start=1)
    }


def shown(cell: Cell, result: Result) -> Shown:
    """Returns the value of one formula cell; an error is a text such as `#N/A`."""
    if cell.source is None:
        assert cell.shown is not None
        return cell.shown
    found = result[cell.source.id]
    if found.status != "ok":
        return _error(found)
    value = found.raw
    if cell.source.index is not None:
        value = value[cell.source.index] if cell.source.index < len(value) else ""
    return int(value) if isinstance(value, bool) else value


def _error(found: Value) -> str:
    return MISSING if found.status == "unavailable" else DIVISION
