"""What the cells of a file carry, against what a plan has for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from engine.diagnostics import Diagnostic, Source
from workbook.cells import Cell, Plan, letters
from workbook.checking.reached import reached
from workbook.reading.cell_xml import Content
from workbook.reading.package import Cells, Package, cell_place
from workbook.styles import STYLES

SAME = 1e-12
"""Relative difference of numbers that counts as none."""

_LONG = 80
"""Characters of a formula that a finding quotes."""

Kind = Literal["formula", "constant", "name", "presentation"]

_TOKEN = re.compile(r'"(?:[^"]|"")*"|\'(?:[^\']|\'\')*\'!|[A-Za-z_$][\w.$]*|[0-9]+\.?[0-9]*(?:[Ee][+-]?[0-9]+)?|\S')
_CODES = {"formula": "E909", "constant": "E909", "name": "E909", "presentation": "E911"}


@dataclass(frozen=True, slots=True)
class Departure:
    """A cell that does not carry what it was built with, or a name that stands for another place.

    Attributes:
        kind: `formula` (of a rule or an input, or read by one), `constant` (that formulas read), `name`, or
            `presentation` (nothing that is computed depends on it).
        sheet: title of the sheet; empty for a name that is missing.
        row: from 1; 0 for a name that is missing.
        column: from 1.
        id: the rule, input or name that it is about; empty for presentation.
        found: what stands there, a formula with `=` before it.
        wanted: what has to stand there.
        message: the finding, in one sentence.
    """

    kind: Kind
    sheet: str
    row: int
    column: int
    id: str
    found: str
    wanted: str
    message: str

    @property
    def address(self) -> str:
        """Address within the sheet, empty for a name that is missing."""
        return f"{letters(self.column)}{self.row}" if self.row else ""

    def finding(self, path: Path) -> Diagnostic:
        """Returns the departure as a finding about a file."""
        place = cell_place(path, self.sheet, self.address) if self.row else Source(str(path)).whole()
        return Diagnostic(_CODES[self.kind], self.message, place)


def departures(expected: Plan, package: Package, actual: Mapping[str, Cells], *, fixed: bool = True) -> list[Departure]:
    """Returns where a file departs from a plan.

    Args:
        expected: what the rules have for each cell.
        package: the file.
        actual: its cells by sheet.
        fixed: whether to compare numbers and texts that the plan takes from what was typed.
    """
    return [*_names(expected, package), *_cells(expected, actual, fixed=fixed)]


def _names(expected: Plan, package: Package) -> Iterator[Departure]:
    folded = {name.casefold(): name for name in expected.names}
    for name, address in expected.names.items():
        area = package.names.get(name)
        sheet, _, cells = address.rpartition("!")
        if area is None:
            yield Departure("name", "", 0, 0, name, "nothing", address, f"the name `{name}` is missing")
            continue
        first, _, last = cells.replace("$", "").partition(":")
        found = f"{_at(area.row, area.column)}", f"{_at(area.last_row, area.last_column)}"
        if (area.sheet, *found) != (sheet.strip("'").replace("''", "'"), first, last or first):
            has = f"{area.sheet}!{':'.join(dict.fromkeys(found))}"
            message = f"the name `{name}` belongs to {address}"
            yield Departure("name", area.sheet, area.row, area.column, name, has, address, message)
    for scoped, sheet in package.scoped:
        if scoped.casefold() in folded:
            name = folded[scoped.casefold()]
            message = f"sheet {sheet} has a name `{scoped}` of its own, which its formulas read instead"
            yield Departure("name", "", 0, 0, name, f"a name of sheet {sheet}", expected.names[name], message)


def _cells(expected: Plan, actual: Mapping[str, Cells], *, fixed: bool) -> Iterator[Departure]:
    read: set[tuple[str, int, int]] = reached(expected)
    for sheet in expected.sheets:
        cells = actual[sheet.title]
        for cell in sheet.cells.values():
            if not STYLES[cell.style].locked:
                continue  # typed into
            place = (sheet.title, cell.row, cell.column)
            content = cells.get((cell.row, cell.column))
            if cell.kind == "formula":
                if content is None or content.formula is None or normal(content.formula) != normal(cell.content):
                    yield _formula(sheet.title, cell, content, computed=cell.role != "presentation" or place in read)
            elif fixed or cell.style != "fixed":
                known = cell.style == "fixed" or place in read or (cell.kind == "number" and cell.content is not None)
                if known and not _carries(content, cell.content):
                    found = what(content)
                    message = f"{cut(found)} in place of {cut(shown(cell.content))}"
                    yield Departure(
                        "constant", sheet.title, cell.row, cell.column, "", found, shown(cell.content), message
                    )

    planned = {(sheet.title, *place) for sheet in expected.sheets for place in sheet.cells}
    for title, row, column in sorted(read - planned):
        content = actual[title].get((row, column)) if title in actual else None
        if content is not None and what(content) != "nothing":
            message = f"{cut(what(content))} in an empty cell that rules read"
            yield Departure("constant", title, row, column, "", what(content), "nothing", message)


def _formula(sheet: str, cell: Cell, content: Content | None, *, computed: bool) -> Departure:
    found, wanted = what(content), f"={cell.content}"
    id, about = "", "presentation"
    if cell.source is not None:
        id = cell.source.id
        about = id if cell.source.index is None else f"{id}[{cell.source.index}]"
    elif computed:
        about = "presentation that rules read"
    message = f"{' in place of '.join(apart(found, wanted))} ({about})"
    return Departure(
        "formula" if computed else "presentation", sheet, cell.row, cell.column, id, found, wanted, message
    )


def _carries(content: Content | None, wanted: Any) -> bool:
    """Whether a cell holds a constant."""
    value = None if content is None else content.value
    if content is not None and content.formula is not None:
        return False
    if isinstance(wanted, int | float) and isinstance(value, float):
        return abs(value - wanted) <= SAME * abs(value)
    return (value or "") == (wanted or "") and isinstance(value, bool) is isinstance(wanted, bool)


def normal(formula: str) -> str:
    """Returns a formula as it is compared: applications differ in spaces, case and the way they write numbers."""
    tokens = []
    for token in _TOKEN.findall(formula):
        if token[0] in "\"'":
            bare = token[1:-2] if token[0] == "'" else ""
            tokens.append(f"{bare.casefold()}!" if bare.isidentifier() else token)
        elif token[0].isdigit():
            tokens.append(repr(float(token)))
        else:
            tokens.append(token.casefold())
    return "".join(tokens)


def shown(value: Any) -> str:
    """Returns what stands in a cell, as findings quote it."""
    return "nothing" if value in (None, "") else f"{value!r}" if isinstance(value, str) else f"{value:.17g}"


def what(content: Content | None) -> str:
    """Returns what a cell holds as findings quote it: its formula, or its value."""
    if content is None:
        return "nothing"
    return f"={content.formula}" if content.formula is not None else shown(content.value)


def cut(text: str) -> str:
    """Returns a text, cut where it is long."""
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def apart(one: str, other: str) -> tuple[str, str]:
    """Returns two texts, cut where they are long, so that what differs can be seen."""
    same = next(
        (at for at, (left, right) in enumerate(zip(one, other, strict=False)) if left != right),
        min(len(one), len(other)),
    )
    if same <= _LONG // 2 or max(len(one), len(other)) <= _LONG:
        return cut(one), cut(other)
    start = same - _LONG // 4
    return f"={cut('…' + one[start:])}", f"={cut('…' + other[start:])}"


def _at(row: int, column: int) -> str:
    return f"{letters(column)}{row}"
