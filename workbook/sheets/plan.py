"""The front sheet: verdict, heaviest stage, headroom, ledger, chart and failed checks; what to show is chosen here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

from workbook.cells import Chart, Highlight, Plan, Presented, Sheet, Shown, Validation
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.checks import LEVEL, MESSAGE, TITLE, CheckSheet
from workbook.sheets.headline import VERDICT_ROW, A, B, C, D, put_headline, shares
from workbook.sheets.plan_data import PEAK, UNMODELLED, PlanData, at_peak, unmodelled
from workbook.sheets.present import UNIT_WORD, Number, fixed, in_unit, number_of, quoted, share
from workbook.state import State
from workbook.styles import PAD, height_of

WIDTH = 13
NOT_MODELLED_ROW, SCENARIO_ROW, UNIT_ROW, LEDGER_ROW = 12, 14, 15, 19
CHART = 6
MOST_CHECKS = 8
CHART_ROWS = 24


class PlanSheet:
    """Plans the sheet."""

    def __init__(self, plan: Plan) -> None:
        self.sheet = Sheet("Plan", protected=True, tab="C00000", print_columns=WIDTH, print_tall=1)
        self.chart: Chart | None = None
        plan.names["scenario_choice"] = self.sheet.address(SCENARIO_ROW, B)
        plan.names["unit_choice"] = self.sheet.address(UNIT_ROW, B)

    def fill(self, state: State, places: Places, checks: CheckSheet, data: PlanData, summary: Any) -> None:
        """Puts all cells."""
        self._top(state, places, data)
        put_headline(self.sheet, places, data, checks, summary)
        self._choices(state, data)
        row = self._ledger(places, data, summary) if summary and summary.ledger else LEDGER_ROW
        if data.chart_row and summary and summary.ledger:
            parts = tuple(range(4, 4 + len(summary.ledger.rows)))
            self.chart = Chart(
                f"F{VERDICT_ROW}", WIDTH - CHART + 1, CHART_ROWS, data.sheet.title, data.chart_row,
                data.chart_row + data.slots, 3, parts, 4 + len(parts) if summary.capacity else None,
            )  # fmt: skip
            self.sheet.present(VERDICT_ROW - 1, CHART, _caption(places, summary), "chart_title")
        self._checks(max(row + 2, VERDICT_ROW + CHART_ROWS + 1), checks)
        self.sheet.widths |= {A: 38, B: 16, C: 11, D: 18, 5: 2} | dict.fromkeys(range(CHART, WIDTH + 1), 12)
        self.sheet.freeze = (VERDICT_ROW, 1)

    def _top(self, state: State, places: Places, data: PlanData) -> None:
        sheet = self.sheet
        name = PurePath(state.preset).stem if state.preset else "plan"
        sheet.put(1, A, f"Memory plan: {name}", "title")
        cells = [data.cell(row) for row in data.group_rows]
        text = "&".join(f'IF({cell}<>"",{cell}&"  ","")' for cell in cells) or '""'

        def line(context: Context) -> Shown:
            texts = (data.sheet.cells[row, 2].expect for row in data.group_rows)
            found = [str(expect(context)) for expect in texts if expect]
            return "".join(f"{piece}  " for piece in found if piece)

        sheet.present(2, A, Presented(text, line), "wrapped")
        sheet.merged.append("A2:M2")
        sheet.heights[2] = 32

    def _choices(self, state: State, data: PlanData) -> None:
        sheet = self.sheet
        sheet.present(NOT_MODELLED_ROW, A, _unmodelled(data), "wrapped")
        sheet.merged.append(f"A{NOT_MODELLED_ROW}:D{NOT_MODELLED_ROW}")
        sheet.highlights.append(
            Highlight(f"A{NOT_MODELLED_ROW}:D{NOT_MODELLED_ROW}", f'$A${NOT_MODELLED_ROW}<>""', "middling")
        )
        if state.unmodelled:
            lines = [(f"Not modelled: {flag}: {title}", 83.0) for flag, title in state.unmodelled]
            sheet.heights[NOT_MODELLED_ROW] = sum(height_of(line) - PAD for line in lines) + PAD
        sheet.put(SCENARIO_ROW, A, "Show scenario (choose from the list)", "label_main")
        for column, text in ((B, state.scenario), (C, None), (D, None)):
            sheet.put(SCENARIO_ROW, column, text, "input_choice")
        sheet.merged.append(f"B{SCENARIO_ROW}:D{SCENARIO_ROW}")
        sheet.validations.append(Validation(f"B{SCENARIO_ROW}", "list", data.labels, "one of the scenarios"))
        sheet.put(UNIT_ROW, A, "Show sizes in (GB or GiB)", "label_main")
        sheet.put(UNIT_ROW, B, state.unit, "input_choice")
        sheet.validations.append(Validation(f"B{UNIT_ROW}", "list", '"GB,GiB"', "GB (10^9 bytes) or GiB (2^30 bytes)"))
        sheet.put(UNIT_ROW + 1, A, "Change the configuration: yellow cells of sheet Inputs", "link", link="#Inputs!D7")
        sheet.put(UNIT_ROW + 2, A, "How to use this file: sheet Read me", "link", link="#'Read me'!A1")

    def _ledger(self, places: Places, data: PlanData, summary: Any) -> int:
        sheet, ids = self.sheet, [*summary.ledger.rows, summary.ledger.total]
        for column, text in ((A, "Memory of the heaviest stage"), (B, "Size"), (C, "Share"), (D, "")):
            sheet.put(LEDGER_ROW, column, text, "header_right" if column == C else "header")
        sheet.present(LEDGER_ROW, B, UNIT_WORD, "header_right")
        total_row = LEDGER_ROW + len(ids)
        total = at_peak(summary.ledger.total, summary, vector=bool(places.over(summary.ledger.total)))
        for row, id in enumerate(ids, start=LEDGER_ROW + 1):
            vector = bool(places.over(id))
            cell = f"INDEX({places.row(id)},1,{data.cell(PEAK)}+1)" if vector else places.value(id)
            number = at_peak(id, summary, vector=vector)
            strong = "_total" if row == total_row else ""
            sheet.put(row, A, "Total" if strong else places.title(id), f"label{strong}")
            sheet.present(row, B, in_unit(f'IFERROR({cell},"")', number), f"size{strong}")
            part = share(f"B{row}", f"B{total_row}", (number, total))
            sheet.present(row, C, Presented(part.text, shares(number, total)), f"percent{strong}")
            if strong:
                sheet.put(row, D, None, "label_total")
            else:
                sheet.present(row, D, Presented(f"IF(ISNUMBER(C{row}),C{row},0)", _bar(number, total)), "bar")
        return self._beside(places, summary, total_row)

    def _beside(self, places: Places, summary: Any, row: int) -> int:
        """Puts what the summary names beside the total: sizes that do not add to it."""
        for id in summary.rows:
            if places.rules.unit(id) == "B" and not places.over(id):
                row += 1
                self.sheet.put_long(row, A, places.title(id), 38, "wrapped")
                self.sheet.present(row, B, in_unit(places.value(id), number_of(id)), "size_quiet")
        return row

    def _checks(self, row: int, checks: CheckSheet) -> None:
        sheet = self.sheet
        sheet.put(row, A, "Checks that do not hold", "header")
        for column in range(B, WIDTH + 1):
            sheet.put(row, column, None, "header")
        sheet.present(row, B, _count(checks), "header")
        sheet.merged.append(f"B{row}:M{row}")
        if not checks.checks:
            return
        for place in range(1, MOST_CHECKS + 1):
            line = row + place
            position = f"MATCH({place},{checks.column(11)},0)"
            for column, source, style in ((A, TITLE, "wrapped"), (B, LEVEL, "status"), (C, MESSAGE, "message")):
                text = f'IF({place}>{checks.failed()},"",INDEX({checks.column(source)},{position},1))'
                sheet.present(line, column, Presented(text, _failed(checks, place, source)), style)
            sheet.merged.append(f"C{line}:M{line}")
            sheet.heights[line] = 28
        cells = f"B{row + 1}:B{row + MOST_CHECKS}"
        for level, style in (("error", "bad"), ("warning", "middling"), ("note", "plain_note")):
            sheet.highlights.append(Highlight(cells, f'$B{row + 1}="{level}"', style))
        more = f'IF({checks.failed()}>{MOST_CHECKS},"… and more on sheet Checks","")'
        sheet.present(
            row + MOST_CHECKS + 1, A,
            Presented(
                more,
                lambda context: "… and more on sheet Checks" if len(checks.in_order(context)) > MOST_CHECKS else "",
            ),
            "quiet",
        )  # fmt: skip


def _caption(places: Places, summary: Any) -> Presented:
    """What the chart shows, in the unit that is chosen."""
    what = "Memory of one rank of each pipeline stage at its peak, in "
    text = f"{quoted(what)}&unit_choice"
    if not summary.capacity:
        return Presented(text, lambda context: f"{what}{context.state.unit}")
    limit = f'TEXT({places.value(summary.capacity)}/byte_unit,"0.00")'

    def expect(context: Context) -> Shown:
        line = f"{what}{context.state.unit}"
        found = context.number(summary.capacity)
        return line if found is None else f"{line}; dashed: the budget, {fixed(found / context.unit, 2)}"

    return Presented(f'{text}&IFERROR("; dashed: the budget, "&{limit},"")', expect)


def _bar(part: Number, whole: Number) -> Callable[[Context], Shown]:
    fraction = shares(part, whole)

    def expect(context: Context) -> Shown:
        found = fraction(context)
        return 0 if isinstance(found, str) else found

    return expect


def _unmodelled(data: PlanData) -> Presented:
    cell = data.cell(UNMODELLED)
    return Presented(
        f'IF({cell}<>"","Not modelled: "&{cell},"")',
        lambda context: f"Not modelled: {unmodelled(context.state)}" if context.state.unmodelled else "",
    )


def _count(checks: CheckSheet) -> Presented:
    failed = checks.failed()
    return Presented(
        f'IF({failed}=0,"none",{failed}&" in all; how to mend them is said on sheet Checks")',
        lambda context: _in_all(len(checks.in_order(context))),
    )


def _in_all(count: int) -> str:
    return f"{count} in all; how to mend them is said on sheet Checks" if count else "none"


def _failed(checks: CheckSheet, place: int, source: int) -> Callable[[Context], Shown]:
    def expect(context: Context) -> Shown:
        failed = checks.in_order(context)
        if place > len(failed):
            return ""
        check = failed[place - 1]
        if source == MESSAGE:
            row = next(row for (row, column), cell in checks.sheet.cells.items() if cell.content == check.id)
            return context.shown(checks.sheet.cells[row, MESSAGE])
        return check.title if source == TITLE else check.level

    return expect
