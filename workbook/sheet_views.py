"""The sheet of views: accounts of the same memory side by side, and the tables of results that the rules declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.select import names_of
from workbook.cells import Presented, Sheet, Shown, Source
from workbook.context import MISSING, Context, title_of
from workbook.places import Places
from workbook.present import UNIT_WORD, Number, in_unit, number_of
from workbook.sheet_plan_data import peak_stage

TITLE, NAME, UNIT, VALUE, FIRST, LAST, PEAK = range(1, 8)
_HEADS = {
    TITLE: "Quantity", NAME: "Name in formulas", UNIT: "Unit", VALUE: "Value", FIRST: "First stage", LAST: "Last stage",
    PEAK: "Heaviest stage",
}  # fmt: skip
WIDTH = 3
"""Columns of one account where accounts stand side by side, with the gap after them."""


class ViewSheet:
    """Plans the sheet."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._rules = places.rules
        views = self._rules.views
        self._summary = views["summary"].body if "summary" in views else None
        self._peak = peak_stage(places, self._summary)
        self.sheet = Sheet("Views", tab="70AD47", freeze=(4, 2))

    def fill(self) -> None:
        """Puts all cells."""
        sheet = self.sheet
        sheet.put(1, TITLE, "Views", "title")
        sheet.put(
            2,
            TITLE,
            "The same memory in several accounts, then the tables of results. Sizes in the unit chosen on sheet Plan.",
            "quiet",
        )
        row = 4
        for view in self._rules.views.values():
            if view.kind == "comparison" and view.id == "views":
                row = self._accounts(view, row) + 2
        for view in self._rules.views.values():
            ids = self._ids(view)
            if ids:
                row = self._table(view.title, ids, row) + 2
        sheet.widths = {TITLE: 56, NAME: 40, UNIT: 8, VALUE: 20, FIRST: 20, LAST: 20, PEAK: 20}

    def _ids(self, view: Any) -> list[str]:
        body = view.body
        if view.kind == "stages":
            return list(body.stages.rows if body.stages else body.rows)
        return list(body.rows) if view.kind == "list" else []

    def _accounts(self, view: Any, row: int) -> int:
        """Puts accounts side by side: a block of columns each."""
        sheet = self.sheet
        sheet.put(row, TITLE, view.title, "section")
        last = row
        for place, account in enumerate(view.body.accounts):
            at, line = TITLE + place * 2, row + 1
            sheet.put(line, at, account.title, "header")
            sheet.put(line, at + 1, None, "header")
            ids = [*account.rows, *([account.total] if account.total else [])]
            for id in ids:
                line += 1
                strong = "_total" if id == account.total else ""
                sheet.put(line, at, self._places.title(id), f"label{strong}")
                cell, number = self._cell(id)
                if self._rules.unit(id) == "B":
                    sheet.present(line, at + 1, in_unit(cell, number), f"size{strong}")
                else:
                    sheet.present(line, at + 1, Presented(cell, _or_missing(number)), f"value{strong}")
            last = max(last, line)
        return last

    def _cell(self, id: str) -> tuple[str, Number]:
        """Returns the cell of a value, of a vector by stage that of the heaviest stage, and its number."""
        if self._places.over(id) != "stage":
            return self._places.value(id), number_of(id)

        def number(context: Context) -> float | None:
            stage = self._peak.expect(context)
            return None if isinstance(stage, str) else context.number(id, int(stage))

        return f'IFERROR(INDEX({self._places.row(id)},1,{self._peak.text}+1),"")', number

    def _table(self, title: str, ids: list[str], row: int) -> int:
        sheet = self.sheet
        sheet.put(row, TITLE, title, "section")
        row += 1
        for column, text in _HEADS.items():
            sheet.put(row, column, text, "header")
        for id in [name for each in ids for name in names_of(self._rules, each)]:
            row += 1
            rule = self._rules.computed.get(id)
            sheet.put(row, TITLE, rule.title if rule else title_of(self._rules.slots[id], id), "label")
            sheet.put(row, NAME, id, "code")
            unit = self._rules.unit(id)
            if unit == "B":
                sheet.present(row, UNIT, UNIT_WORD, "quiet")
            else:
                sheet.put(row, UNIT, "" if unit in ("1", "flag", "enum") else unit, "quiet")
            self._values(row, id, unit)
        return row

    def _values(self, row: int, id: str, unit: str) -> None:
        over = self._places.over(id)
        if over is None:
            self._put(row, VALUE, id, None, self._places.value(id), unit)
            return
        if over != "stage":
            self.sheet.put(row, VALUE, f"see sheet {self._places.vectors[over].sheet.title}", "quiet")
            return
        address = self._places.row(id)
        last = f"INDEX({address},1,pipeline_model_parallel_size)"
        self._put(row, FIRST, id, 0, f"INDEX({address},1,1)", unit)
        self._put(row, LAST, id, -1, last, unit)
        self._put(row, PEAK, id, None, f"INDEX({address},1,{self._peak.text}+1)", unit)

    def _put(self, row: int, column: int, id: str, index: int | None, cell: str, unit: str) -> None:
        def value(context: Context) -> Shown:
            if column != PEAK:
                return context.value(Source(id, index))
            stage = self._peak.expect(context)
            return MISSING if isinstance(stage, str) else context.value(Source(id, int(stage)))

        def number(context: Context) -> float | None:
            shown = value(context)
            return None if isinstance(shown, str) else float(shown)

        if unit == "B":
            self.sheet.present(row, column, in_unit(cell, number), "size")
        else:
            self.sheet.present(row, column, Presented(cell, value), "number" if unit == "elem" else "value")


def _or_missing(number: Number) -> Callable[[Context], Shown]:
    def expect(context: Context) -> Shown:
        found = number(context)
        return MISSING if found is None else found

    return expect
