"""The sheet of views: accounts of the same memory side by side, and the tables of results that the rules declare."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.explaining.select import names_of
from workbook.cells import NAME_HEADER, Presented, Sheet, Shown, Source, letters
from workbook.context import MISSING, Context, title_of
from workbook.places import Places
from workbook.sheets.plan_data import VERDICT as OVERALL
from workbook.sheets.plan_data import PlanData, peak_stage
from workbook.sheets.present import UNIT_WORD, Number, in_unit, number_of
from workbook.styles import height_of
from workbook.verdicts import coloured, in_words

TITLE, NAME, UNIT, VALUE, FIRST, LAST, PEAK = range(1, 8)
_HEADS = {
    TITLE: "Quantity", NAME: NAME_HEADER, UNIT: "Unit", VALUE: "Value", FIRST: "First stage", LAST: "Last stage",
    PEAK: "Heaviest stage",
}  # fmt: skip
_TITLE = 58
"""Width of the column of titles."""


class ViewSheet:
    """Plans the sheet."""

    def __init__(self, places: Places, data: PlanData) -> None:
        self._places = places
        self._data = data
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
        if "views" in self._rules.views:
            row = self._accounts(self._rules.views["views"], row) + 2
        tables = [(view.title, ids) for view in self._rules.views.values() if (ids := self._ids(view))]
        sheet.put(row, TITLE, "Tables of results, go to", "section")
        at = row + len(tables) + 2
        for line, (title, ids) in enumerate(tables, start=row + 1):
            sheet.put(line, TITLE, title, "link", link=f"#{sheet.quoted}!A{at}")
            at = self._table(title, ids, at) + 2
        sheet.widths = {TITLE: _TITLE, NAME: 38, UNIT: 7, VALUE: 19, FIRST: 19, LAST: 19, PEAK: 19}

    def _ids(self, view: Any) -> list[str]:
        body = view.body
        if view.kind == "stages":
            return list(body.stages.rows if body.stages else body.rows)
        return list(body.rows) if view.kind == "list" else []

    def _accounts(self, view: Any, row: int) -> int:
        """Puts accounts side by side, a column each: what each consists of, then totals and verdicts in rows of all."""
        sheet, accounts = self.sheet, view.body.accounts
        sheet.put(row, TITLE, view.title, "section")
        row += 1
        for column, text in ((TITLE, "Quantity"), (NAME, NAME_HEADER), (UNIT, "Unit")):
            sheet.put(row, column, text, "header")
        sheet.heights[row] = height_of(*((account.title, 19) for account in accounts))
        for column, account in enumerate(accounts, start=VALUE):
            sheet.put(row, column, account.title, "header_right")
        for column, account in enumerate(accounts, start=VALUE):
            for id in account.rows:
                row += 1
                self._label(row, id)
                self._account_value(row, column, id)
        row += 1
        for column in range(TITLE, VALUE + len(accounts)):
            sheet.put(row, column, "Total" if column == TITLE else None, "label_total")
        sheet.put(row + 1, TITLE, "Verdict", "label")
        for column, account in enumerate(accounts, start=VALUE):
            if account.total:
                self._account_value(row, column, account.total, "_total")
            if account.verdict:
                sheet.present(row + 1, column, self._verdict(account.verdict), "right")
        first, last = letters(VALUE), letters(VALUE + len(accounts) - 1)
        sheet.highlights += coloured(f"{first}{row + 1}:{last}{row + 1}")
        return row + 1

    def _verdict(self, id: str) -> Presented:
        summary = self._summary
        overall = summary is not None and summary.verdict == id

        def expect(context: Context) -> Shown:
            found = context.verdict()
            return found if overall or found == "invalid" else context.found(id).raw or "unknown"

        cell = self._data.cell(OVERALL)
        own = f'IF({cell}="invalid",{cell},IFERROR({self._places.value(id)},"unknown"))'
        return in_words(Presented(cell if overall else own, expect))

    def _account_value(self, row: int, column: int, id: str, strong: str = "") -> None:
        cell, number = self._cell(id)
        if self._rules.unit(id) == "B":
            self.sheet.present(row, column, in_unit(cell, number), f"size{strong}")
        else:
            self.sheet.present(row, column, Presented(cell, _or_missing(number)), f"value{strong}")

    def _label(self, row: int, id: str) -> None:
        sheet, unit = self.sheet, self._rules.unit(id)
        rule = self._rules.computed.get(id)
        sheet.put_long(row, TITLE, rule.title if rule else title_of(self._rules.slots[id], id), _TITLE)
        sheet.put(row, NAME, id, "code")
        if unit == "B":
            sheet.present(row, UNIT, UNIT_WORD, "quiet")
        else:
            sheet.put(row, UNIT, "" if unit in ("1", "flag", "enum") else unit, "quiet")

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
            sheet.put(row, column, text, "header_right" if column >= VALUE else "header")
        for id in [name for each in ids for name in names_of(self._rules, each)]:
            row += 1
            self._label(row, id)
            self._values(row, id, self._rules.unit(id))
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
