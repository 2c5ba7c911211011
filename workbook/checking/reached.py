"""Which cells of a plan its rules read, directly or through cells that only present."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbook.cells import Plan
from workbook.reading.cell_xml import to_number

Place = tuple[str, int, int]

_TEXT = re.compile(r'"(?:[^"]|"")*"')
_WORD = re.compile(
    r"(?:(?:'((?:[^']|'')+)'|([A-Za-z_]\w*))!)?\$?([A-Z]{1,3})\$?([0-9]+)(?::\$?([A-Z]{1,3})\$?([0-9]+))?(?![\w(.])"
    r"|([A-Za-z_]\w*)(?![\w(!])"
)


def reached(plan: Plan) -> set[Place]:
    """Returns the cells that formulas of rules and inputs read.

    What presents is not read by them, but for a few cells that choose among others: those are reached, and what they
    read in turn.
    """
    formulas = {(sheet.title, cell.row, cell.column): cell for sheet in plan.sheets for cell in sheet.formulas()}
    found: set[Place] = set()
    pending = [place for place, cell in formulas.items() if cell.role != "presentation"]
    known: set[tuple[str, str]] = set()
    while pending:
        place = pending.pop()
        for target in _targets(plan, place[0], formulas[place].content, known):
            if target not in found:
                found.add(target)
                if target in formulas and formulas[target].role == "presentation":
                    pending.append(target)
    return found


def _targets(plan: Plan, sheet: str, formula: str, known: set[tuple[str, str]]) -> Iterator[Place]:
    """Yields the cells that a formula refers to; each word of a sheet is followed only once."""
    for match in _WORD.finditer(_TEXT.sub("", formula)):
        key = (sheet, match[0])
        if key in known:
            continue
        known.add(key)
        if match[7]:
            if match[7] in plan.names:
                title, _, cells = plan.names[match[7]].rpartition("!")
                yield from _targets(plan, title.strip("'").replace("''", "'"), cells, known)
            continue
        title = (match[1] or match[2] or sheet).replace("''", "'")
        first, row = to_number(match[3]), int(match[4])
        last, last_row = (to_number(match[5]), int(match[6])) if match[5] else (first, row)
        yield from ((title, at, column) for at in range(row, last_row + 1) for column in range(first, last + 1))
