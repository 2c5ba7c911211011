"""The model once more, one column a scenario: the rules' formulas with cells of the same column in place of names."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from engine.evaluating.excel_rules import excel_size, excel_text
from engine.expr.nodes import Name
from engine.expr.symbols import DOMAINS
from engine.rules import Input
from workbook.cells import HERE, Sheet, Source, letters
from workbook.places import Places
from workbook.sheets.input_formulas import InputFormulas
from workbook.sheets.inputs import ENTERED
from workbook.sheets.reduce import FIRST, LAST, Part, Reduction, at_end
from workbook.sheets.vectors import style_for
from workbook.state import Variant, typed_names

TITLE, NAME, COLUMN = 1, 2, 3
_ROW = "\x01"  # encloses the name of a row that each scenario has for itself


@dataclass
class _Column:
    """Cells of one scenario; rows are those of the sheet."""

    places: Places
    variant: int | None
    letters: str
    chosen_rows: dict[str, int]
    rows: dict[Part, int]
    every_rows: dict[str, int] = field(default_factory=dict)

    def picked(self, name: str) -> str:
        inputs = self.places.inputs
        return inputs.address(name, inputs.column(self.variant or 0))

    def entered(self, name: str) -> str:
        return self.places.inputs.address(name, ENTERED)

    def chosen(self, name: str) -> str:
        return f"{self.letters}${self.chosen_rows[name]}"

    def active(self, name: Name) -> str:
        row = self.every_rows.get(name.id) or self.rows[Part(name.id)]
        return f"{self.letters}${row}"


class ScenarioModel:
    """Puts the reduced model.

    Attributes:
        next_row: first row below it.
    """

    def __init__(self, places: Places, columns: tuple[Variant, ...], sheet: Sheet) -> None:
        self._places = places
        self._columns = columns
        self._sheet = sheet
        self._rows: dict[Part, int] = {}
        self._chosen: dict[str, int] = {}
        self._every: dict[str, int] = {}
        self._by_row: dict[str, int] = {}
        self._patterns: dict[tuple[str, int], str] = {}
        self.next_row = 0

    def fill(self, wanted: Iterable[tuple[str, str | None]], row: int) -> dict[tuple[str, str | None], int]:
        """Puts all that is needed for what is wanted, from a row on.

        Returns:
            The rows of what is wanted and has a place in a column.
        """
        reduction = Reduction(self._places.rules)
        kept = [key for key in wanted if reduction.add(Part(*key))]
        parts = list(reduction.parts)
        self._lay_out(parts, row)
        for number in range(len(self._columns)):
            self._inputs(parts, number)
        for part in parts:
            if part.id in self._places.rules.computed:
                self._rule(part)
        return {key: self._rows[Part(*key)] for key in kept}

    def _lay_out(self, parts: list[Part], row: int) -> None:
        rules = self._places.rules
        inputs = [part for part in parts if part.id in rules.slots]
        items = {rules.slots[part.id].id: rules.slots[part.id] for part in inputs}
        paired = {other: rules.inputs[other] for item in items.values() for other in rules.siblings(item)}
        row = self._head(row, "What each scenario says, or else what is entered")
        for item in {**items, **paired}.values():
            for name in typed_names(item):
                self._chosen[name] = row
                row = self._label(row, item.title, name)
        row = self._head(row + 1, "Active inputs of each scenario")
        for part in inputs:
            item = rules.slots[part.id]
            if item.kind == "layer_vector":
                self._every[part.id], self._by_row[part.id] = row, row + 1
                row = self._label(self._label(row, item.title, f"{part.id}_every"), "whether its row counts", part.id)
            else:
                self._rows[part] = row
                row = self._label(row, item.title, part.id)
        row = self._head(row + 1, "The model, as far as a column holds it")
        for part in parts:
            if part.id in rules.computed:
                self._rows[part] = row
                title = self._places.title(part.id)
                row = self._label(row, f"{title} ({part.end} stage)" if part.end else title, part.id)
        self.next_row = row + 1

    def _head(self, row: int, text: str) -> int:
        for column in range(TITLE, COLUMN + len(self._columns)):
            self._sheet.put(row, column, text if column == TITLE else None, "group")
        return row + 1

    def _label(self, row: int, title: str, name: str) -> int:
        self._sheet.put(row, TITLE, title, "label")
        self._sheet.put(row, NAME, name, "code")
        self._sheet.outline[row] = 1
        return row + 1

    def _column(self, number: int) -> _Column:
        return _Column(self._places, number, letters(COLUMN + number), self._chosen, self._rows, self._every)

    def _inputs(self, parts: list[Part], number: int) -> None:
        sheet, rules, cells, at = self._sheet, self._places.rules, self._column(number), COLUMN + number
        formulas = self._places.formulas
        for name, row in self._chosen.items():
            item = self._places.typed[name]
            sheet.present(row, at, formulas.chosen(item, name, cells), "helper")
        for part in parts:
            if part.id not in rules.slots:
                continue
            item = rules.slots[part.id]
            if item.kind == "layer_vector":
                self._pattern(item, number, cells, formulas)
            elif item.kind == "layout":
                self._layout(item, part, at, cells, formulas)
            else:
                text = formulas.active(item, part.id, cells)
                sheet.formula(self._rows[part], at, text, Source(part.id, None, number), "value", role="input")

    def _layout(self, item: Input, part: Part, at: int, cells: _Column, formulas: InputFormulas) -> None:
        text = formulas.active(item, item.id, cells)
        if part.id == f"{item.id}_given":
            text = f"IF({text}>0,1,0)"
        source = Source(part.id, None, cells.variant)
        self._sheet.formula(self._rows[part], at, text, source, "value", role="input")

    def _pattern(self, item: Input, number: int, cells: _Column, formulas: InputFormulas) -> None:
        sheet, at = self._sheet, COLUMN + number
        sheet.present(self._every[item.id], at, formulas.every(item, cells), "helper")
        sheet.present(self._by_row[item.id], at, formulas.by_row(item, cells), "helper")
        every = sheet.address(self._every[item.id], at)
        by_row = sheet.address(self._by_row[item.id], at)
        size = sheet.address(self._rows[Part("num_layers")], at)
        title = f"{item.title}, {self._columns[number].key}"
        layers = self._places.vectors["layer"]
        self._patterns[item.id, number] = layers.pattern_in(title, item.id, number, every, by_row, size)

    def _rule(self, part: Part) -> None:
        rules = self._places.rules
        rule = rules.computed[part.id]
        template = excel_text(
            rules, rule, reference=self._references(part), row=lambda name: f"{_ROW}{name.id}{_ROW}", change=at_end
        )
        index = {FIRST: 0, LAST: -1}.get(part.end or "")
        for number in range(len(self._columns)):
            text = template.replace(HERE, letters(COLUMN + number))
            for id in self._every:
                text = text.replace(f"{_ROW}{id}{_ROW}", self._patterns.get((id, number), ""))
            source = Source(part.id, index, number)
            self._sheet.formula(self._rows[part], COLUMN + number, text, source, style_for(rule.unit))

    def _references(self, part: Part) -> Callable[[Name], str]:
        """Returns how names print: cells of the same column, and the index of a stage as its number."""

        def reference(name: Name) -> str:
            if name.id in DOMAINS:
                return "0" if part.end == FIRST else f"({excel_size('stage', reference=reference)}-1)"
            over = name.type.over
            end = part.end if over == "stage" else over if over in (FIRST, LAST) else None
            return f"{HERE}${self._rows[Part(name.id, end)]}"

        return reference
