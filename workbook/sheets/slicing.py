"""What each parallel dimension cuts: the roll-up by kind of memory, live divisors by group of tensors, and traffic."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cite import references
from engine.evaluating.excel_rules import excel_input
from engine.explaining.slice_matrix import Cell, matrix
from engine.render.slices import LINKS, PER
from engine.rules import COMPONENTS, Slice
from engine.ruleset import RuleSet
from workbook.cells import Highlight, Presented, Sheet, Shown, letters
from workbook.cells import Source as Shows
from workbook.context import MISSING, Context
from workbook.places import Places
from workbook.sheets.plan_data import peak_stage
from workbook.sheets.present import UNIT_WORD, in_unit, number_of
from workbook.styles import height_of

TITLE, RANKS, FIRST = 1, 2, 3
WHAT, SOURCE = FIRST + 4, FIRST + 11
HEADER = 4
_WIDTH = 13


class SlicingSheet:
    """Plans the sheet."""

    def __init__(self, places: Places) -> None:
        self._places = places
        self._rules: RuleSet = places.rules
        self.sheet = Sheet("Slicing", tab="5B9BD5")

    def fill(self) -> None:
        """Puts all cells."""
        sheet = self.sheet
        sheet.put(1, TITLE, "What each parallel dimension cuts", "title")
        sheet.put(
            2, TITLE,
            "divided: all groups of tensors of this kind; partly: some; whole: none; ×: something multiplies it.",
            "quiet",
        )  # fmt: skip
        named = next((view.body.slices for view in self._rules.views.values() if view.kind == "matrix"), ())
        rows = matrix(self._rules, named)
        row = self._overview(HEADER, rows)
        row = self._divisors(row + 2, [each.slice for each in rows])
        self._traffic(row + 2, [each.slice for each in rows])
        sheet.freeze = (HEADER + 1, RANKS)
        sheet.widths |= {TITLE: 44, RANKS: 9} | dict.fromkeys(range(FIRST, FIRST + len(self._cells())), _WIDTH)
        sheet.print_tall = 1

    def _overview(self, row: int, rows: object) -> int:
        sheet = self.sheet
        for column, text in enumerate(("Dimension", "Ranks", *COMPONENTS), start=TITLE):
            style = "header" if column == TITLE else "header_right" if column == RANKS else "header_center"
            sheet.put(row, column, text.capitalize(), style)
        self._wide(row, WHAT, SOURCE - 1, "By what, for which groups of tensors")
        self._wide(row, SOURCE, SOURCE + 2, "Source")
        first = row + 1
        for each in rows:  # type: ignore[attr-defined]
            row += 1
            sheet.put(row, TITLE, each.slice.title, "label")
            self._ranks(row, each.slice)
            for place, component in enumerate(COMPONENTS):
                cell = each.cells[component]
                sheet.put(row, FIRST + place, cell.state + (", ×" if cell.multiplied else ""), "center")
            phrases = "; ".join(_effects(each.cells))
            sheet.put(row, WHAT, phrases, "wrapped")
            sheet.merged.append(f"{letters(WHAT)}{row}:{letters(SOURCE - 1)}{row}")
            sheet.heights[row] = height_of((phrases, float(_WIDTH * (SOURCE - WHAT))))
            cited = references(each.slice.citations, self._rules.sources)
            if cited:
                style = "link" if cited[0].url else "quiet"
                sheet.put(row, SOURCE, cited[0].short, style, link=cited[0].url)
        cells = f"C{first}:F{row}"
        for state, style in (("divided", "good"), ("partly", "middling"), ("whole", "whole")):
            condition = f'LEFT(C{first},{len(state)})="{state}"'
            sheet.highlights.append(Highlight(cells, condition, style))
        return row

    def _wide(self, row: int, first: int, last: int, text: str, style: str = "header") -> None:
        """Puts a heading over several columns."""
        for column in range(first, last + 1):
            self.sheet.put(row, column, text if column == first else None, style)
        if last > first:
            self.sheet.merged.append(f"{letters(first)}{row}:{letters(last)}{row}")

    def _ranks(self, row: int, item: Slice) -> None:
        def expect(context: Context) -> Shown:
            found = context.evaluate(item.degree.node)
            return MISSING if found is None else found

        text = excel_input(self._rules, item.degree, reference=lambda name: name.id)
        self.sheet.present(row, RANKS, Presented(text, expect), "value")

    def _cells(self) -> list[tuple[str, str]]:
        return [(group.id, component) for group in self._rules.groups.values() for component in group.components]

    def _divisors(self, row: int, slices: list[Slice]) -> int:
        """Puts the divisor of each dimension, group and component, and the products."""
        sheet, cells = self.sheet, self._cells()
        sheet.put(row, TITLE, "Divided by, live; where stages differ, on the heaviest stage", "section")
        row += 1
        sheet.put(row, TITLE, "Group of tensors", "header")
        sheet.put(row + 1, TITLE, "Dimension", "header")
        sheet.put(row, RANKS, None, "header")
        sheet.put(row + 1, RANKS, None, "header")
        column = FIRST
        for tensors in self._rules.groups.values():
            self._wide(row, column, column + len(tensors.components) - 1, tensors.title, "header_center")
            column += len(tensors.components)
        for place, (_, component) in enumerate(cells):
            sheet.put(row + 1, FIRST + place, component, "header_right")
        sheet.heights[row] = 56
        row += 1
        for item in slices:
            row += 1
            sheet.put(row, TITLE, item.title, "label")
            for place, key in enumerate(cells):
                self._value(row, FIRST + place, item.divides.get(key))
        row += 1
        sheet.put(row, TITLE, "Product over all dimensions", "label_total")
        sheet.put(row, RANKS, None, "label_total")
        for place, (group, component) in enumerate(cells):
            self._value(row, FIRST + place, f"divisor_{group}_{component}", "value_total")
        for item in slices:
            if any(item.multiplies.values()):
                row += 1
                sheet.put(row, TITLE, f"Multiplied by: {item.title}", "label")
                for place, key in enumerate(cells):
                    self._value(row, FIRST + place, item.multiplies.get(key))
        return row

    def _value(self, row: int, column: int, id: str | None, style: str = "value") -> None:
        """Puts the value of a rule; a one where nothing is divided."""
        if id is None:
            self.sheet.put(row, column, 1, "faint")
            return
        if self._places.over(id) is None:
            self.sheet.formula(row, column, self._places.value(id), Shows(id), style, role="reference")
            return
        self.sheet.present(row, column, self._at_peak(id), style)

    def _at_peak(self, id: str) -> Presented:
        views = self._rules.views
        summary = views["summary"].body if "summary" in views else None
        peak = peak_stage(self._places, summary)

        def expect(context: Context) -> Shown:
            stage = peak.expect(context)
            return MISSING if isinstance(stage, str) else context.value(Shows(id, int(stage)))

        return Presented(f"INDEX({self._places.row(id)},1,{peak.text}+1)", expect)

    def _traffic(self, row: int, slices: list[Slice]) -> None:
        sheet = self.sheet
        sheet.put(row, TITLE, "Sent by a rank", "section")
        row += 1
        sheet.put(row, TITLE, "Dimension", "header")
        sheet.put(row, RANKS, "Size", "header_right")
        sheet.put(row, FIRST, None, "header")
        for first, last, text in ((1, 2, "How often"), (3, 4, "Link"), (5, 11, "What")):
            self._wide(row, FIRST + first, FIRST + last, text)
        for item in slices:
            if item.communication is None:
                continue
            row += 1
            id = item.communication
            sheet.put(row, TITLE, item.title, "label")
            sheet.present(row, RANKS, in_unit(self._places.value(id), number_of(id)), "size")
            sheet.present(row, FIRST, UNIT_WORD, "unit")
            sheet.put(row, FIRST + 1, PER[item.per or ""], "quiet")
            sheet.put(row, FIRST + 3, LINKS[item.link or ""], "quiet")
            sheet.put(row, FIRST + 5, self._rules.rules[id].title, "quiet")


def _effects(cells: object) -> Iterator[str]:
    """Says what a dimension does; components that it treats alike share a phrase."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for component, cell in cells.items():  # type: ignore[attr-defined]
        effects = tuple(_phrases(cell))
        if effects:
            alike.setdefault(effects, []).append(component)
    for effects, components in alike.items():
        yield f"{', '.join(components)}: {', '.join(effects)}"


def _phrases(cell: Cell) -> Iterator[str]:
    for sign, parts in (("÷", cell.divided), ("×", cell.multiplied)):
        for expression, groups in parts.items():
            yield f"{sign} {expression} ({', '.join(groups)})"
