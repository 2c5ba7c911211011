"""The headline of the front sheet: verdict, heaviest stage, what it holds, capacity and headroom."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from engine.render.numbers import ABSENT
from engine.render.text import VERDICTS
from workbook.cells import Highlight, Presented, Sheet, Shown
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.checks import CheckSheet
from workbook.sheets.plan_data import PEAK, VERDICT, PlanData, at_peak, peak_of
from workbook.sheets.present import UNIT_WORD, Number, fixed, in_unit, number_of, share
from workbook.sheets.reason import reason
from workbook.verdicts import COLORS

A, B, C, D = 1, 2, 3, 4
VERDICT_ROW, REASON_ROW, STAGE_ROW, PEAK_ROW, RANGE_ROW, CAPACITY_ROW, HEADROOM_ROW, PHASE_ROW = range(4, 12)


def put_headline(sheet: Sheet, places: Places, data: PlanData, checks: CheckSheet, summary: Any) -> None:
    """Puts the headline's cells."""
    labels = {VERDICT_ROW: "Verdict", STAGE_ROW: "Heaviest stage", PEAK_ROW: "Holds at its peak"}
    for row, text in labels.items():
        sheet.put(row, A, text, "label")
    _verdict(sheet, data)
    sheet.present(REASON_ROW, A, reason(data.cell(VERDICT), places, checks, summary), "wrapped")
    sheet.merged.append(f"A{REASON_ROW}:D{REASON_ROW}")
    sheet.heights[REASON_ROW] = 28
    if not summary or not summary.ledger:
        return
    total, peak = summary.ledger.total, data.cell(PEAK)
    _stage(sheet, places, peak, summary)
    number = at_peak(total, summary, vector=bool(places.over(total)))
    cell = f"INDEX({places.row(total)},1,{peak}+1)" if places.over(total) else places.value(total)
    _size(sheet, PEAK_ROW, f'IFERROR({cell},"")', number)
    if summary.low and summary.high:
        sheet.put(RANGE_ROW, A, "Most likely between", "label")
        sheet.present(RANGE_ROW, B, _range(places, summary.low, summary.high), "left")
    if summary.phase:
        sheet.put(PHASE_ROW, A, "Its peak comes in", "label")
        sheet.present(PHASE_ROW, B, _phase(places, summary.phase), "left")
    if summary.capacity:
        _capacity(sheet, places, summary, number)


def _verdict(sheet: Sheet, data: PlanData) -> None:
    raw = data.cell(VERDICT)
    text = '"UNKNOWN"'
    for word, (spoken, _) in VERDICTS.items():
        text = f'IF({raw}="{word}","{spoken}",{text})'
    sheet.present(VERDICT_ROW, B, Presented(text, lambda context: VERDICTS[context.verdict()][0]), "verdict")
    for column in (C, D):
        sheet.put(VERDICT_ROW, column, None, "verdict")
    sheet.merged.append(f"B{VERDICT_ROW}:D{VERDICT_ROW}")
    sheet.heights[VERDICT_ROW] = 34
    for word, (_, color) in VERDICTS.items():
        sheet.highlights.append(Highlight(f"B{VERDICT_ROW}:D{VERDICT_ROW}", f'{raw}="{word}"', COLORS[color]))


def _capacity(sheet: Sheet, places: Places, summary: Any, number: Number) -> None:
    capacity = number_of(summary.capacity)
    sheet.put(CAPACITY_ROW, A, "Capacity (the budget)", "label")
    sheet.put(HEADROOM_ROW, A, "Headroom", "label")
    _size(sheet, CAPACITY_ROW, places.value(summary.capacity), capacity)
    held, whole = f"B{PEAK_ROW}", f"B{CAPACITY_ROW}"
    room = f'IF(AND(ISNUMBER({held}),ISNUMBER({whole})),{whole}-{held},"{ABSENT}")'
    sheet.present(HEADROOM_ROW, B, Presented(room, _headroom(capacity, number)), "big")
    sheet.present(HEADROOM_ROW, C, UNIT_WORD, "unit")
    used = share(held, whole, (number, capacity))
    sheet.present(PEAK_ROW, D, Presented(used.text, shares(number, capacity)), "of_capacity")


def _stage(sheet: Sheet, places: Places, peak: str, summary: Any) -> None:
    if not places.over(summary.ledger.total):
        sheet.put(STAGE_ROW, B, "the only one", "big_text")
        return
    text = f'IFERROR({peak}&" (of 0 to "&(pipeline_model_parallel_size-1)&")","{ABSENT}")'

    def expect(context: Context) -> Shown:
        found = peak_of(context, summary)
        return ABSENT if found is None else f"{found} (of 0 to {context.size('stage') - 1})"

    sheet.present(STAGE_ROW, B, Presented(text, expect), "big_text")


def _size(sheet: Sheet, row: int, cell: str, number: Number) -> None:
    sheet.present(row, B, in_unit(cell, number), "big")
    sheet.present(row, C, UNIT_WORD, "unit")


def _range(places: Places, low: str, high: str) -> Presented:
    cells = [places.value(id) for id in (low, high)]
    shown = [f'TEXT({cell}/byte_unit,"0.00")' for cell in cells]
    text = f'IFERROR({shown[0]}&" and "&{shown[1]}&" "&unit_choice,"{ABSENT}")'

    def expect(context: Context) -> Shown:
        numbers = [context.number(id) for id in (low, high)]
        if None in numbers:
            return ABSENT
        sizes = [fixed(number / context.unit, 2) for number in numbers if number is not None]
        return f"{sizes[0]} and {sizes[1]} {context.state.unit}"

    return Presented(text, expect)


def _phase(places: Places, id: str) -> Presented:
    """The phase in words, as the ids of phases are written."""
    cell = places.value(id)
    text = f'"{ABSENT}"'
    for word in places.rules.symbols.types[id].values:
        text = f'IF({cell}="{word}","{word.replace("_", " ")}",{text})'

    def expect(context: Context) -> Shown:
        found = context.found(id).raw
        return ABSENT if found is None else str(found).replace("_", " ")

    return Presented(f'IFERROR({text},"{ABSENT}")', expect)


def _headroom(capacity: Number, number: Number) -> Callable[[Context], Shown]:
    def expect(context: Context) -> Shown:
        held, whole = number(context), capacity(context)
        if held is None or whole is None:
            return ABSENT
        return whole / context.unit - held / context.unit

    return expect


def shares(part: Number, whole: Number) -> Callable[[Context], Shown]:
    """Shares of sizes as they are shown: each is divided by the unit before one is divided by the other."""

    def expect(context: Context) -> Shown:
        over, under = part(context), whole(context)
        if over is None or under is None or under <= 0:
            return ABSENT
        return (over / context.unit) / (under / context.unit)

    return expect
