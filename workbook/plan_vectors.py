"""The sheets of vectors: one row a rule, one column an index; whole rows carry the rule's name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from engine.domains import SIZES
from engine.excel_rules import excel_size, excel_text
from engine.expr.nodes import Name
from engine.rules import Computed, Input
from engine.ruleset import RuleSet
from engine.slots import LAYOUT_PARTS
from workbook.cells import Plan, Sheet, Source, letters
from workbook.plan_inputs import ACTIVE, InputSheet

INDEX_ROW = 4
TITLE, NAME, UNIT, FORMULA, FIRST = 1, 2, 3, 4, 5

TITLES = {"layer": "Layers", "virtual_stage": "Virtual stages", "stage": "Stages"}


@dataclass(frozen=True, slots=True)
class Frame:
    """How many indices the sheets have room for."""

    layer: int = 128
    stage: int = 32
    virtual_stage: int = 256

    def width(self, domain: str) -> int:
        """Returns the room for a domain."""
        return int(getattr(self, domain))


class VectorSheet:
    """Plans the sheet of one domain."""

    def __init__(self, rules: RuleSet, domain: str, frame: Frame, inputs: InputSheet, plan: Plan) -> None:
        self._rules = rules
        self._domain = domain
        self._width = frame.width(domain)
        self._inputs = inputs
        self._plan = plan
        self.sheet = Sheet(TITLES[domain])
        self._rows: dict[str, int] = {}

    def fill(self, values: dict[str, Any]) -> None:
        """Puts all cells and names. `values` are accepted input values of the preset, for overrides."""
        sheet = self.sheet
        for position in range(self._width):
            sheet.put(INDEX_ROW, FIRST + position, position, "header")
        row = INDEX_ROW + 2
        for item in self._rules.inputs.values():
            row = self._input(item, row, values)
        rules = [rule for rule in self._rules.computed.values() if rule.type.over == self._domain]
        for rule in rules:
            self._rows[rule.id] = row
            row += 1
        for rule in rules:
            self._rule(rule)

    def _name(self, name: str, row: int) -> None:
        self._rows[name] = row
        self._plan.names[name] = self.sheet.address(row, FIRST, last=FIRST + self._width - 1)

    def _within(self, text: str, column: int) -> str:
        """Guards a cell: empty beyond the size of the domain, an error where the sheet has too few columns."""
        size = excel_size(self._domain)
        return f'IF({size}>{self._width},NA(),IF({letters(column)}${INDEX_ROW}<{size},{text},""))'

    def _rule(self, rule: Computed) -> None:
        row = self._rows[rule.id]
        self._name(rule.id, row)
        self.sheet.put(row, TITLE, rule.title, "label")
        self.sheet.put(row, NAME, rule.id, "quiet")
        self.sheet.put(row, UNIT, rule.unit, "quiet")
        self.sheet.put(row, FORMULA, excel_text(self._rules, rule), "formula_text")
        for position in range(self._width):
            column = FIRST + position
            text = excel_text(self._rules, rule, reference=self._references(column))
            self.sheet.formula(row, column, self._within(text, column), Source(rule.id, position))

    def _references(self, column: int) -> Callable[[Name], str]:
        """Returns how names print in one column: the index, cells of the same column, or the name."""

        def reference(name: Name) -> str:
            if name.id == self._domain:
                return f"{letters(column)}${INDEX_ROW}"
            return f"{letters(column)}${self._rows[name.id]}" if name.type.over == self._domain else name.id

        return reference

    def _input(self, item: Input, row: int, values: dict[str, Any]) -> int:
        """Layer vectors and layouts: a row that a person may type into, and the row that formulas read."""
        if item.kind == "layer_vector" and self._domain == "layer":
            every = self._inputs.sheet.address(self._inputs.rows[item.id], ACTIVE)
            typed = values.get(item.id)
            self._override(item.title, row, typed if isinstance(typed, tuple) else ())
            self._vector(
                item.id,
                item.title,
                row + 1,
                lambda column: f'IF({column}${row}<>"",{column}${row},IF(MOD({column}${INDEX_ROW},{every})=0,1,0))',
            )
            return row + 3
        if item.kind == "layout" and self._domain == "virtual_stage":
            stages = self._inputs.sheet.address(self._inputs.rows[item.id], ACTIVE)
            typed = values.get(item.id) or ()
            for part in LAYOUT_PARTS:
                self._override(f"{item.title}: {part}", row, tuple(float(stage[part]) for stage in typed))
                here = row
                self._vector(
                    f"{item.id}_{part}",
                    f"{item.title}: {part}",
                    row + 1,
                    lambda column, here=here: (
                        f'IF({stages}=0,0,IF({stages}<>{excel_size(self._domain)},NA(),IF({column}${here}<>"",{column}${here},0)))'
                    ),
                )
                row += 2
            return row + 1
        return row

    def _override(self, title: str, row: int, typed: tuple[float, ...]) -> None:
        self.sheet.put(row, TITLE, f"{title} (typed)", "label")
        for position in range(self._width):
            self.sheet.put(row, FIRST + position, int(typed[position]) if position < len(typed) else None, "input")

    def _vector(self, name: str, title: str, row: int, text: Any) -> None:
        self._name(name, row)
        self.sheet.put(row, TITLE, title, "label")
        self.sheet.put(row, NAME, name, "quiet")
        for position in range(self._width):
            column = FIRST + position
            self.sheet.formula(row, column, self._within(text(letters(column)), column), Source(name, position))


assert set(TITLES) == set(SIZES)
