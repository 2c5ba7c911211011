"""A workbook that is loaded once and typed into, and what its cells have to show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from engine import Preset, RuleSet
from workbook.build import build
from workbook.cells import Cell, Plan
from workbook.checking.verify import Comparison, compare
from workbook.context import Context
from workbook.frame import Frame
from workbook.plan import plan
from workbook.reading.cell_xml import to_number
from workbook.recalculation.in_ironcalc import IronCalc
from workbook.sheets.input_formulas import active_name, all_typed_names
from workbook.sheets.inputs import ENTERED, WHAT_IF
from workbook.state import State, from_preset


class Loaded:
    """A workbook in IronCalc, whose typed cells follow a state.

    Attributes:
        plan: what was built; formulas do not depend on what is typed.
    """

    def __init__(self, rules: RuleSet, preset: Preset, path: Path, frame: Frame | None = None) -> None:
        self.rules = rules
        self.built = from_preset(rules, preset)
        self.plan: Plan = plan(rules, self.built, frame or Frame())
        build(self.plan, None, path)
        self.ironcalc = IronCalc(path)
        self._typed = self._cells(self.built)

    def type(self, state: State) -> None:
        """Types what differs from what is typed now."""
        wanted = self._cells(state)
        for place in self._typed.keys() | wanted.keys():
            if self._typed.get(place) != wanted.get(place):
                self.ironcalc.enter(*place, wanted.get(place))
        self._typed = wanted

    def _cells(self, state: State) -> dict[tuple[str, int, int], Any]:
        """Returns what stands in typed cells, by sheet, row and column."""
        found: dict[tuple[str, int, int], Any] = {}
        inputs = {name: cell.row for name, cell in self._active().items()}
        for name, row in inputs.items():
            for column, cells in enumerate((state.entered, *state.what_ifs)):
                if name in cells:
                    found["Inputs", row, ENTERED if column == 0 else WHAT_IF + column - 1] = cells[name]
        for name, entries in state.vectors.items():
            sheet, row, first = self.place(f"{name}_typed")
            for at, entry in enumerate(entries):
                if entry is not None:
                    found[sheet, row, first + at] = entry
        sheet, row, first = self.place("what_if_titles")
        for at, title in enumerate(state.titles):
            if title:
                found[sheet, row, first + at] = title
        for name, value in (("scenario_choice", state.scenario), ("unit_choice", state.unit)):
            found[self.place(name)] = value
        return found

    def _active(self) -> dict[str, Cell]:
        places = {name: self.place(active_name(item, name)) for name, item in all_typed_names(self.rules).items()}
        sheet = self.plan.sheet("Inputs")
        return {name: sheet.cells[row, column] for name, (_, row, column) in places.items()}

    def place(self, name: str) -> tuple[str, int, int]:
        """Returns sheet, row and column of the first cell of a name."""
        sheet, _, cells = self.plan.names[name].rpartition("!")
        letters, row = cells.partition(":")[0].strip("$").split("$")
        return sheet.strip("'"), int(row), to_number(letters)

    def compare(self, state: State) -> Comparison:
        """Types a state, and compares what the cells show with what they have to show."""
        self.type(state)
        return compare(self.plan, Context(self.rules, state), self.ironcalc)
