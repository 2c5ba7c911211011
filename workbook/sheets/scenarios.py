"""The sheet of scenarios: all columns of inputs side by side, each with the model as far as one column can hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from engine.render.numbers import ABSENT
from workbook.cells import Highlight, Presented, Sheet, Shown, letters
from workbook.context import MISSING, Context
from workbook.places import Places
from workbook.sheets.checks import CheckSheet
from workbook.sheets.inputs import BUILT, ENTERED, FIRST_ROW, InputSheet
from workbook.sheets.plan_data import FIRST as FIRST_KEY
from workbook.sheets.plan_data import LABELS, VERDICT, PlanData
from workbook.sheets.present import difference, in_unit, number_in, or_unknown
from workbook.sheets.reduce import FIRST, LAST
from workbook.sheets.scenario_model import COLUMN, NAME, TITLE, ScenarioModel
from workbook.state import State, Variant
from workbook.verdicts import coloured, in_words

HEADER, SHOWN, CHANGED = 4, 5, 6
MOST = "most"
OVERALL = "verdict"


@dataclass(frozen=True, slots=True)
class Wanted:
    """A row to show: an id, and of a vector by stage which end, or `most` for its largest entry.

    Attributes:
        verdict: whether it is a verdict, which failed checks override.
    """

    id: str
    end: str | None
    title: str
    verdict: bool = False


class ScenarioSheet:
    """Plans the sheet."""

    def __init__(self, places: Places, columns: tuple[Variant, ...], data: PlanData, checks: CheckSheet) -> None:
        self._places = places
        self._columns = columns
        self._data = data
        self._checks = checks
        self.sheet = Sheet("Scenarios", tab="FFC000", print_rows=(HEADER, HEADER))
        self._blocks = list(self._wanted())
        self._model = ScenarioModel(places, columns, self.sheet)

    def _wanted(self) -> Iterator[tuple[str, list[Wanted], Wanted | None]]:
        """Yields blocks: heading, rows, and the row whose change against what is entered is shown."""
        views = self._places.rules.views
        if "scenarios" in views:
            for account in views["scenarios"].body.accounts:
                rows = [Wanted(id, self._only_end(id), self._places.title(id)) for id in account.rows]
                total = account.total and Wanted(account.total, self._only_end(account.total), "Total")
                rows += [total] if total else []
                rows += [Wanted(account.verdict, None, "Verdict", verdict=True)] if account.verdict else []
                yield account.title, rows, total or None
        summary = views["summary"].body if "summary" in views else None
        if summary and summary.ledger and self._places.over(summary.ledger.total) == "stage":
            total = summary.ledger.total
            most = Wanted(total, MOST, "Heaviest stage")
            rows = [Wanted(total, FIRST, "First stage"), Wanted(total, LAST, "Last stage"), most]
            rows += [Wanted(summary.verdict, None, "Verdict", verdict=True)] if summary.verdict else []
            yield self._places.title(total), rows, most

    def _only_end(self, id: str) -> str | None:
        return FIRST if self._places.over(id) == "stage" else None

    def fill(self, state: State, built: Context) -> None:
        """Puts all cells. `built` is what the file was built with."""
        row = CHANGED + 2
        rows: list[tuple[int, Wanted, Wanted | None]] = []
        for title, wanted, total in self._blocks:
            self._heading(row, title)
            for one in wanted:
                row += 1
                rows.append((row, one, None))
                if one == total:
                    row += 1
                    rows.append((row, one, total))
            row += 2
        detail = self._model.fill([(one.id, one.end) for _, one, change in rows if change is None], row + 1)
        self._top(state, row)
        fixed_row = self._model.next_row + 1
        self._heading(fixed_row - 1, "Values when the file was built, of what one column cannot hold")
        live = set(detail)
        for at, one, change in rows:
            if (one.id, one.end) not in detail:
                self._fixed(fixed_row, one, built)
                detail[one.id, one.end] = fixed_row + 1
                self._mixed(fixed_row + 1, one, fixed_row, built)
                fixed_row += 2
            if (one.id, one.end) not in live:
                self._grey(at)
            if change is None:
                self._show(at, one, detail[one.id, one.end])
            else:
                self._change(at, one, detail, live=(one.id, one.end) in live)
        self.sheet.freeze = (SHOWN, COLUMN)
        self.sheet.print_last = row
        self.sheet.print_wide = 2
        self.sheet.widths |= {TITLE: 50, NAME: 34} | {COLUMN + place: 15 for place in range(len(self._columns))}

    def _heading(self, row: int, title: str) -> None:
        for column in range(TITLE, COLUMN + len(self._columns)):
            self.sheet.put(row, column, title if column == TITLE else None, "group")

    def _top(self, state: State, last: int) -> None:
        sheet, data = self.sheet, self._data
        sheet.put(1, TITLE, "Scenarios side by side", "title")
        sheet.put(
            2, TITLE,
            "Each column is the configuration as entered, changed by one scenario of the rules or by what is typed in "
            "one what-if, live, in the unit of sheet Plan. Grey figures need all stages at once: they are those of the "
            "file as it was built, until the scenario is chosen on sheet Plan.",
            "wrapped",
        )  # fmt: skip
        sheet.merged.append(f"A2:{letters(COLUMN + 4)}2")
        sheet.heights[2] = 41
        for row, text in (
            (HEADER, "Scenario"),
            (SHOWN, "Shown on sheet Plan"),
            (CHANGED, "Inputs since the file was built"),
        ):
            sheet.put(row, TITLE, text, "header" if row == HEADER else "label")
        sheet.put(HEADER, NAME, "Name", "header")
        sheet.heights[HEADER] = 62
        for number in range(len(self._columns)):
            at = COLUMN + number
            if self._columns[number].kind == "what_if":
                label = data.sheet.address(LABELS, FIRST_KEY + number)
                sheet.present(HEADER, at, Presented(label, _label(number)), "header_right")
            else:
                sheet.put(HEADER, at, self._columns[number].title or self._columns[number].key, "header_right")
            shown = Presented(f'IF(scenario_id={number + 1},"shown","")', _shown(number))
            sheet.present(SHOWN, at, shown, "right_word")
            sheet.present(CHANGED, at, self._changed(number), "right")

    def _changed(self, number: int) -> Presented:
        """Whether a column is still as the file was built; for a what-if whether anything is typed in it."""
        inputs, column = self._places.inputs, self._columns[number]
        rows = inputs.rows.values()
        first, last = FIRST_ROW, max(rows)
        if column.kind == "what_if":
            cells = _range(inputs, inputs.column(number), first, last)
            text = f'IF(SUMPRODUCT(({cells}<>"")*1)>0,"changed","empty")'
            return Presented(text, lambda context: "changed" if context.columns[number].cells else "empty")
        pairs = [(_range(inputs, ENTERED, first, last), _range(inputs, BUILT, first, last))]
        for sheet in self._places.vectors.values():
            pairs += [(sheet.typed_address(name), sheet.typed_address(name, built=True)) for name in sheet.typed_rows]
        count = "+".join(f"SUMPRODUCT(({now}<>{then})*1)" for now, then in pairs)
        if number:
            return Presented(f"${letters(COLUMN)}${CHANGED}", _as_built)
        return Presented(f'IF({count}>0,"changed","as built")', _as_built)

    def _show(self, row: int, one: Wanted, detail: int) -> None:
        sheet, bytes_ = self.sheet, self._places.rules.unit(one.id) == "B"
        sheet.put(row, TITLE, one.title, "label")
        sheet.put(row, NAME, one.id, "code")
        if one.verdict:
            first, last = letters(COLUMN), letters(COLUMN + len(self._columns) - 1)
            sheet.highlights += coloured(f"{first}{row}:{last}{row}")
        for number in range(len(self._columns)):
            cell = sheet.cells[detail, COLUMN + number]
            value = f"{letters(COLUMN + number)}{detail}"
            shown = in_unit(value, number_in(cell)) if bytes_ else in_words(or_unknown(value, cell))
            style = "size" if bytes_ else "right"
            sheet.present(row, COLUMN + number, self._unless_empty(number, shown), style)

    def _change(self, row: int, one: Wanted, detail: dict[tuple[str, str | None], int], *, live: bool) -> None:
        sheet, at = self.sheet, detail[one.id, one.end]
        sheet.put(row, TITLE, "Change against as entered", "quiet")
        scaled = self._places.rules.unit(one.id) == "B"
        base = number_in(sheet.cells[at, COLUMN])
        for number in range(1, len(self._columns)):
            pair = number_in(sheet.cells[at, COLUMN + number]), base
            text = difference(f"{letters(COLUMN + number)}{at}", f"${letters(COLUMN)}{at}", pair, scaled=scaled)
            text = text if live else _while_as_built(text)
            sheet.present(row, COLUMN + number, self._unless_empty(number, text), "change")

    def _unless_empty(self, number: int, shown: Presented) -> Presented:
        """What a column shows; nothing for a what-if in which nothing is typed."""
        if self._columns[number].kind != "what_if":
            return shown
        text = f'IF({letters(COLUMN + number)}${CHANGED}="empty","",{shown.text})'
        return Presented(text, lambda context: shown.expect(context) if context.columns[number].cells else "")

    def _grey(self, row: int) -> None:
        first, last = letters(COLUMN), letters(COLUMN + len(self._columns) - 1)
        condition = f'AND({first}${SHOWN}="",{first}${CHANGED}<>"as built")'
        self.sheet.highlights.append(Highlight(f"{first}{row}:{last}{row}", condition, "stale"))

    def _fixed(self, row: int, one: Wanted, built: Context) -> None:
        """Puts what the engine computed when the file was built."""
        self.sheet.put(row, TITLE, f"{one.title}, as built", "label")
        self.sheet.put(row, NAME, one.id, "code")
        for number, column in enumerate(self._columns):
            if column.kind != "what_if":
                found = _of(built, one, number)
                self.sheet.put(row, COLUMN + number, None if found == MISSING else found, "fixed")

    def _mixed(self, row: int, one: Wanted, fixed: int, built: Context) -> None:
        """Puts what is live for the scenario that is shown, and for others what it was when the file was built."""
        self.sheet.put(row, TITLE, f"{one.title}, live where shown", "label")
        for number, column in enumerate(self._columns):
            at = letters(COLUMN + number)
            blank = "unknown" if one.verdict else "–"
            kept = f'IF({at}{fixed}<>"",{at}{fixed},"{blank}")'
            if column.kind == "what_if":
                base = f"${letters(COLUMN)}{row}"
                kept = f'IF({at}${CHANGED}="empty",{base},"{blank}")'
            text = f"IF(scenario_id={number + 1},{self._live(one)},{kept})"
            self.sheet.present(row, COLUMN + number, Presented(text, self._mixture(one, number, row, built, blank)))

    def _mixture(self, one: Wanted, number: int, row: int, built: Context, blank: str) -> Callable[[Context], Shown]:
        def expect(context: Context) -> Shown:
            if context.chosen == number:
                return _of(context, one, None)
            if context.columns[number].kind != "what_if":
                found = _of(built, one, number)
                return blank if found == MISSING else found
            empty = not context.columns[number].cells
            return context.shown(self.sheet.cells[row, COLUMN]) if empty else blank

        return expect

    def _live(self, one: Wanted) -> str:
        places = self._places
        if one.verdict:
            summary = places.rules.views["summary"].body if "summary" in places.rules.views else None
            if summary and summary.verdict == one.id:
                return self._data.cell(VERDICT)
            return f'IF({self._checks.errors()}>0,"invalid",IFERROR({places.value(one.id)},"unknown"))'
        match one.end:
            case "most":
                return f"MAX({places.row(one.id)})"
            case "first":
                return f"INDEX({places.row(one.id)},1,1)"
            case "last":
                return f"INDEX({places.row(one.id)},1,pipeline_model_parallel_size)"
        return places.value(one.id)


def _of(context: Context, one: Wanted, number: int | None) -> Shown:
    """Returns what a row comes to in a column; `#N/A` where it has no value."""
    if one.verdict:
        overall = context.verdict(number)
        summary = context.rules.views.get("summary")
        if overall == "invalid" or (summary and summary.body.verdict == one.id):
            return overall
        return context.found(one.id, number).raw or "unknown"
    found = context.found(one.id, number).raw
    if isinstance(found, list):
        found = max(found) if one.end == MOST else found[0] if one.end == FIRST else found[-1]
    return MISSING if found is None else found


def _while_as_built(shown: Presented) -> Presented:
    """What compares columns of which some are live and some as the file was built: nothing once inputs differ."""
    return Presented(
        f'IF(${letters(COLUMN)}${CHANGED}="as built",{shown.text},"{ABSENT}")',
        lambda context: shown.expect(context) if _as_built(context) == "as built" else ABSENT,
    )


def _as_built(context: Context) -> Shown:
    state = context.state
    same = state.entered == state.built and _filled(state.vectors) == _filled(state.built_vectors)
    return "as built" if same else "changed"


def _filled(vectors: Any) -> dict[str, dict[int, Any]]:
    rows = {name: {at: entry for at, entry in enumerate(row) if entry is not None} for name, row in vectors.items()}
    return {name: row for name, row in rows.items() if row}


def _label(number: int) -> Callable[[Context], Shown]:
    return lambda context: context.columns[number].label


def _shown(number: int) -> Callable[[Context], Shown]:
    return lambda context: "shown" if context.chosen == number else ""


def _range(inputs: InputSheet, column: int, first: int, last: int) -> str:
    start, end = inputs.sheet.address(first, column), inputs.sheet.address(last, column)
    return f"{start}:{end.rpartition('!')[2]}"
