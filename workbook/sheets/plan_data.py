"""What the front sheet is made of: the scenario that is shown, the unit, pieces of text, and the bars of the chart."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.trouble import Trouble
from workbook.cells import Plan, Presented, Sheet, Shown
from workbook.context import GB, GIB, MISSING, Context
from workbook.frame import Frame
from workbook.places import Places
from workbook.sheets import configuration
from workbook.sheets.checks import CheckSheet
from workbook.sheets.present import Number
from workbook.state import State, Variant, selected

KEYS, LABELS, SCENARIO_ID, BYTE_UNIT, VERDICT, PEAK, UNMODELLED, GROUPS = 3, 4, 5, 6, 7, 8, 9, 11
NAME, FIRST = 1, 2
SLOT, STAGE, LABEL, PARTS = 1, 2, 3, 4
SLOTS = 64
"""Bars of the chart: each stage is as many as fit, so that few stages fill it as well as many."""


class PlanData:
    """Plans the sheet.

    Attributes:
        sheet: the planned sheet.
        summary: body of the summary view.
        slots: number of bars.
        chart_row: heading of the bars.
        group_rows: rows of the pieces of the line that describes the configuration.
    """

    def __init__(self, columns: tuple[Variant, ...], frame: Frame, plan: Plan) -> None:
        self._columns = columns
        self.sheet = Sheet("Plan data")
        self.slots = max(SLOTS, frame.stage)
        self.group_rows: list[int] = []
        self.chart_row = 0
        last = FIRST + len(columns) - 1
        self.labels = self.sheet.address(LABELS, FIRST, last=last)
        self._keys = self.sheet.address(KEYS, FIRST, last=last)
        plan.names["scenario_id"] = self.sheet.address(SCENARIO_ID, FIRST)
        plan.names["byte_unit"] = self.sheet.address(BYTE_UNIT, FIRST)
        plan.names["unmodelled_flags"] = self.sheet.address(UNMODELLED, FIRST)

    def cell(self, row: int) -> str:
        """Returns the address of the value in a row."""
        return self.sheet.address(row, FIRST)

    def fill(self, state: State, places: Places, checks: CheckSheet, summary: Any) -> None:
        """Puts all cells and names."""
        sheet = self.sheet
        sheet.put(1, NAME, "What sheet Plan shows is put together here", "title")
        rows = {KEYS: "Keys", LABELS: "Choices", SCENARIO_ID: "Shown, from 1", BYTE_UNIT: "Bytes of the unit"}
        rows |= {VERDICT: "Verdict", PEAK: "Heaviest stage", UNMODELLED: "Launch flags that are not modelled"}
        for row, text in rows.items():
            sheet.put(row, NAME, text, "label")
        self._scenarios(places)
        sheet.present(
            BYTE_UNIT, FIRST, Presented(f'IF(unit_choice="GiB",{GIB},{GB})', lambda context: context.unit), "number"
        )
        sheet.put(UNMODELLED, FIRST, unmodelled(state) or None, "quiet")
        sheet.present(VERDICT, FIRST, self._verdict(places, checks, summary))
        sheet.present(PEAK, FIRST, peak_stage(places, summary))
        row = GROUPS
        for label in configuration.groups(places, summary.configuration if summary else ()):
            sheet.put(row, NAME, "Configuration", "label")
            sheet.present(row, FIRST, label)
            self.group_rows.append(row)
            row += 1
        self.chart_row = row + 1
        if summary and summary.ledger and "stage" in places.vectors:
            self._bars(places, summary)
        sheet.widths |= {NAME: 34} | {FIRST + place: 22 for place in range(len(self._columns))}

    def _scenarios(self, places: Places) -> None:
        sheet = self.sheet
        what_ifs = 0
        for place, column in enumerate(self._columns):
            sheet.put(KEYS, FIRST + place, column.key)
            if column.kind == "what_if":
                title = f"INDEX(what_if_titles,1,{what_ifs + 1})"
                text = f'IF({title}<>"","{column.key}: "&{title},"{column.key}")'
                sheet.present(LABELS, FIRST + place, Presented(text, _label_of(place)))
                what_ifs += 1
            else:
                sheet.put(LABELS, FIRST + place, column.label)
        text = f'MATCH(LEFT(scenario_choice,FIND(":",scenario_choice&":")-1),{self._keys},0)'

        def number(context: Context) -> Shown:
            found = selected(context.state, context.columns)
            return MISSING if found is None else found + 1

        sheet.present(SCENARIO_ID, FIRST, Presented(text, number))

    def _verdict(self, places: Places, checks: CheckSheet, summary: Any) -> Presented:
        judged = f'IFERROR({places.value(summary.verdict)},"unknown")' if summary and summary.verdict else '"unknown"'
        text = f'IF({checks.errors()}>0,"invalid",IF({self.cell(UNMODELLED)}<>"","incomplete",{judged}))'
        return Presented(text, lambda context: context.verdict())

    def _bars(self, places: Places, summary: Any) -> None:
        sheet, first = self.sheet, self.chart_row + 1
        parts = summary.ledger.rows
        heads = ["Bar", "Stage", "Label", *(places.title(id) for id in parts), "Budget"]
        for column, text in enumerate(heads, start=SLOT):
            sheet.put(self.chart_row, column, text, "header_right")
        for slot in range(self.slots):
            row = first + slot
            sheet.put(row, SLOT, slot)
            sheet.present(row, STAGE, Presented(*self._stage(slot, row)))
            label = f'IF(INT({self.slots // 2}*(2*B{row}+1)/pipeline_model_parallel_size)=A{row},B{row},"")'
            sheet.present(row, LABEL, Presented(f'IF(ISNUMBER(B{row}),{label},"")', self._label(slot)))
            for place, id in enumerate(parts):
                sheet.present(row, PARTS + place, self._bar(places, id, summary.ledger.total, slot, row), "size")
            if summary.capacity:
                capacity = summary.capacity
                text = f"{places.value(capacity)}/byte_unit"
                sheet.present(row, PARTS + len(parts), Presented(text, _scaled(capacity)), "size")

    def _stage(self, slot: int, row: int) -> tuple[str, Callable[[Context], Shown]]:
        """The stage of a bar; empty between stages."""
        own = f"INT(A{row}*pipeline_model_parallel_size/{self.slots})"
        after = f"INT((A{row}+1)*pipeline_model_parallel_size/{self.slots})"
        gap = f"AND({after}>{own},pipeline_model_parallel_size<={self.slots // 4})"
        return f'IF({gap},"",{own})', lambda context: self.stage_of(context, slot)

    def stage_of(self, context: Context, slot: int) -> Shown:
        """Returns the stage of a bar; an empty text between stages."""
        try:
            size = context.size("stage")
        except Trouble:
            return MISSING
        own, after = slot * size // self.slots, (slot + 1) * size // self.slots
        return "" if after > own and size <= self.slots // 4 else own

    def _label(self, slot: int) -> Callable[[Context], Shown]:
        def expect(context: Context) -> Shown:
            stage = self.stage_of(context, slot)
            if isinstance(stage, str):
                return ""
            return stage if self.slots // 2 * (2 * int(stage) + 1) // context.size("stage") == slot else ""

        return expect

    def _bar(self, places: Places, id: str, total: str, slot: int, row: int) -> Presented:
        """A part of a bar; nothing where the total is not known, since the other parts would pass for all of it."""
        value, whole = (
            f"INDEX({places.row(one)},1,$B{row}+1)" if places.over(one) else places.value(one) for one in (id, total)
        )

        def expect(context: Context) -> Shown:
            own = self.stage_of(context, slot)
            if isinstance(own, str):
                return ""
            found, known = (context.number(one, int(own) if places.over(one) else None) for one in (id, total))
            return 0 if found is None or known is None else found / context.unit

        return Presented(f'IF(ISNUMBER($B{row}),IF(ISNUMBER({whole}),IFERROR({value}/byte_unit,0),0),"")', expect)


def _label_of(place: int) -> Callable[[Context], Shown]:
    return lambda context: context.columns[place].label


def _scaled(id: str) -> Callable[[Context], Shown]:
    def expect(context: Context) -> Shown:
        found = context.number(id)
        return MISSING if found is None else found / context.unit

    return expect


def unmodelled(state: State) -> str:
    """Returns the launch flags that are not modelled, one a line, each with what it is about."""
    return "\n".join(f"{flag}: {title}" for flag, title in state.unmodelled)


def peak_stage(places: Places, summary: Any) -> Presented:
    """The heaviest stage; an error where it is not known."""
    total = summary.ledger.total if summary and summary.ledger else None
    if total is None or places.over(total) != "stage":
        return Presented("0", lambda context: 0)
    if summary.peak_stage:
        text = places.value(summary.peak_stage)
    else:
        text = f"MATCH(MAX({places.row(total)}),{places.row(total)},0)-1"

    def expect(context: Context) -> Shown:
        found = peak_of(context, summary)
        return MISSING if found is None else found

    return Presented(text, expect)


def peak_of(context: Context, summary: Any) -> int | None:
    """Returns the heaviest stage, None where it is not known."""
    if summary.peak_stage:
        found = context.number(summary.peak_stage)
        return None if found is None else int(found)
    total = context.found(summary.ledger.total).raw
    return total.index(max(total)) if isinstance(total, list) else None


def at_peak(id: str, summary: Any, *, vector: bool) -> Number:
    """Returns what yields a value, of a vector by stage that of the heaviest stage."""

    def number(context: Context) -> float | None:
        if not vector:
            return context.number(id)
        peak = peak_of(context, summary)
        return None if peak is None else context.number(id, peak)

    return number
