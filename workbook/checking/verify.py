"""Verifies a workbook: each cell carries its rule's formula, and recalculates to the engine's value."""

from __future__ import annotations

import re
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from engine.diagnostics import Diagnostic, Findings, Source
from engine.ruleset import RuleSet
from workbook.build import build
from workbook.cells import Cell, Kind, Plan, Sheet, Shown
from workbook.checking.carried import departures, shown
from workbook.context import Context, is_error
from workbook.frame import Frame
from workbook.plan import plan
from workbook.reading.opened import Opened, preset_in
from workbook.reading.package import Cells, Package, cell_place
from workbook.reading.read import read
from workbook.recalculation.engines import Recalculated, loader
from workbook.state import variants
from workbook.styles import STYLES

RELATIVE = 1e-12
NOISE = {"change": 1e-9, "size": 1e-15, "number": 1e-6}
"""What counts as nothing, by style: a byte where differences are shown in GB, a millionth of one elsewhere.

Applications take a difference of numbers that are equal but for rounding for 0, the engine does not."""

MOST_DIFFERENCES = 100
"""Cells that are told one by one: a wrong cell can have thousands that follow from it."""

_NUMBER = re.compile(r"-?(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)(?:\.[0-9]+)?(?:E[+-]?[0-9]+)?")


@dataclass(frozen=True)
class Report:
    """What a verification found.

    Attributes:
        opened: the workbook.
        formulas: number of formula cells that were compared.
        engine: the engine that recalculated, with its version; empty if none did.
        findings: cells that differ.
    """

    opened: Opened
    formulas: int
    engine: str
    findings: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Difference:
    """A formula cell that does not show what it has to.

    Attributes:
        sheet: title of its sheet.
        cell: the planned cell.
        shown: what it shows.
        wanted: what it has to show.
    """

    sheet: str
    cell: Cell
    shown: Any
    wanted: Shown


@dataclass(frozen=True)
class Comparison:
    """What recalculated cells came to.

    Attributes:
        differences: cells that differ.
        compared: number of formula cells.
        excused: how many of them have no value for a reason that a spreadsheet does not share, and were left out; see
            `workbook.context.Context.excused`.
    """

    differences: tuple[Difference, ...]
    compared: int
    excused: int


def verify(path: str | Path, rules: RuleSet, engine: str) -> Report:
    """Compares the formulas of a workbook with those of the rules, and its recalculated values with the engine's.

    Args:
        path: the workbook, as it was built or as an application has saved it.
        rules: the rules that it was built from.
        engine: see `workbook.recalculation.engines.ENGINES`; it is given a copy without values.

    Raises:
        EngineError: the workbook cannot be read (see `workbook.reading.read`), what is typed in it does not fit, it has
            no room for that (E907), or the engine is not installed (E908).
    """
    load = loader(engine)
    path = Path(path)
    opened = read(path, rules)
    for column in variants(rules, opened.state):
        preset_in(opened, rules, column.key)
    context = Context(rules, opened.state)
    Frame.for_context(context, **{domain: opened.frame.width(domain) for domain in Frame.domains()})
    expected = plan(rules, opened.state, opened.frame)
    findings = Findings()
    with Package(path) as package:
        actual = {sheet.title: package.cells(sheet.title) for sheet in expected.sheets}
        findings.diagnostics += [one.finding(path) for one in departures(expected, package, actual)]
    copied = _copy(expected, actual)
    with tempfile.TemporaryDirectory(prefix="rank-ledger-") as folder:
        bare = Path(folder) / "bare.xlsx"
        build(copied, None, bare)
        recalculated = load(bare)
        comparison = compare(expected, context, recalculated)
    for one in comparison.differences[:MOST_DIFFERENCES]:
        message = f"{shown(one.shown)} recalculated, {shown(one.wanted)} from the engine ({_about(one.cell)})"
        findings.add("E910", message, cell_place(path, one.sheet, one.cell.address))
    more = len(comparison.differences) - MOST_DIFFERENCES
    if more > 0:
        message = f"{more:,} cells differ besides those that are told here"
        findings.add("E910", message, Source(str(path)).whole())
    return Report(opened, comparison.compared, recalculated.name, tuple(findings.sorted()))


def compare(expected: Plan, context: Context, recalculated: Recalculated) -> Comparison:
    """Compares what all formula cells show with what they have to show."""
    found = []
    compared = excused = 0
    for sheet in expected.sheets:
        for cell in sheet.formulas():
            context.excused = False
            wanted = context.shown(cell)
            compared += 1
            if context.excused:
                excused += 1
                continue
            shown = recalculated.value(sheet.title, cell.row, cell.column)
            if not agrees(shown, wanted, cell):
                found.append(Difference(sheet.title, cell, shown, wanted))
    return Comparison(tuple(found), compared, excused)


def agrees(found: Any, wanted: Shown, cell: Cell) -> bool:
    """Whether a cell shows what it has to: texts, flags and whole numbers exactly, others within 1e-12 of them."""
    if is_error(wanted):
        return isinstance(found, str) and found.startswith("#")
    if isinstance(wanted, str):
        found = "" if found is None else found
        return wanted == found or (cell.source is None and isinstance(found, str) and _alike(found, wanted))
    if isinstance(found, bool) or not isinstance(found, int | float):
        return found is None and wanted == 0 and cell.role == "presentation"
    room = RELATIVE * max(abs(wanted), abs(float(found)))
    return abs(float(found) - wanted) <= max(room, NOISE.get(cell.style, 0.0))


def _alike(found: str, wanted: str) -> bool:
    """Whether texts differ only in the rounding of numbers within them, about which applications disagree."""
    if _NUMBER.sub("", found) != _NUMBER.sub("", wanted):
        return False
    pairs = zip(_NUMBER.findall(found), _NUMBER.findall(wanted), strict=True)
    numbers = ((float(one.replace(",", "")), float(other.replace(",", ""))) for one, other in pairs)
    return all(abs(one - other) <= max(0.011, 1e-7 * abs(other)) for one, other in numbers)


def _copy(expected: Plan, actual: dict[str, Cells]) -> Plan:
    """Returns the plan with what the file holds, so that this is what is recalculated and nothing else of the file."""
    sheets = []
    for sheet in expected.sheets:
        cells = {}
        for place, cell in sheet.cells.items():
            found = actual[sheet.title].get(place)
            if found is None:
                cells[place] = replace(cell, kind="text", content=None)
            elif found.formula is not None and STYLES[cell.style].locked:
                cells[place] = replace(cell, kind="formula", content=found.formula)
            else:
                value = found.value
                kind: Kind = "text" if isinstance(value, str) else "number"
                cells[place] = replace(cell, kind=kind, content=int(value) if isinstance(value, bool) else value)
        sheets.append(Sheet(sheet.title, cells))
    return Plan(sheets, expected.names)


def _about(cell: Cell) -> str:
    if cell.source is None:
        return "presentation"
    index = "" if cell.source.index is None else f"[{cell.source.index}]"
    return f"{cell.source.id}{index}"
