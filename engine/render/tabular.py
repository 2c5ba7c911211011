"""Values as CSV: one line a value, vectors one line an entry, in full precision."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from typing import Any

from engine.evaluating.artifact import number
from engine.explaining.select import names_of
from engine.render.summary import problem, shown_ids
from engine.result import Result

HEADER = ("id", "title", "index", "value", "unit", "status", "remark")


def csv_text(result: Result, ids: Sequence[str] | None = None) -> str:
    """Returns values as CSV; without ids those of the summary, then the checks and the verdict."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(HEADER)
    for row in _rows(result, ids):
        writer.writerow([harmless(cell) for cell in row])
    return stream.getvalue()


def harmless(cell: Any) -> Any:
    """Puts an apostrophe before a text that a spreadsheet would take for a formula."""
    return "'" + cell if isinstance(cell, str) and cell.startswith(("=", "+", "-", "@", "\t", "\r")) else cell


def _rows(result: Result, ids: Sequence[str] | None) -> Iterator[tuple[Any, ...]]:
    for id in shown_ids(result) if ids is None else ids:
        for name in names_of(result.rules, id):
            value = result[name]
            rule = result.rules.computed.get(name)
            title = rule.title if rule else result.rules.slots[name].title
            if isinstance(value.raw, list):
                for index, entry in enumerate(value.raw):
                    yield name, title, index, _cell(entry), value.unit, value.status, ""
            else:
                yield name, title, "", _cell(value.raw), value.unit, value.status, problem(value)
    if ids is None:
        for check in result.checks:
            yield check.id, check.title, "", check.status, "check", check.level, check.message
        yield "verdict", "Verdict", "", result.verdict, "verdict", "", ""


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else number(value)
