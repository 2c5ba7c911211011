"""The sheet of inputs: what a person types, what-if columns, and the active value that formulas read by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from engine.excel_rules import excel_input
from engine.expr.nodes import Name
from engine.rules import Expression, Input
from engine.ruleset import RuleSet
from workbook.cells import Plan, Sheet, Source, letters

HEADER = 4
LABEL, FLAG, UNIT, ENTERED, FIRST_WHAT_IF = 1, 2, 3, 4, 5
WHAT_IFS = 6
CHOSEN = FIRST_WHAT_IF + WHAT_IFS
ACTIVE = CHOSEN + 1
GIVEN = ACTIVE + 1
NOTE = GIVEN + 1
SCENARIO = "scenario_id"
"""Name of the cell that says which column is active: 1 for what is entered, 2 for the first what-if, …"""


class InputSheet:
    """Plans the sheet; one row an input, one a member for a set."""

    def __init__(self, rules: RuleSet, values: dict[str, Any], plan: Plan) -> None:
        self._rules = rules
        self._values = values
        self._plan = plan
        self.sheet = Sheet("Inputs")
        self.rows = dict(self._rows())

    def _rows(self) -> Iterator[tuple[str, int]]:
        row = HEADER + 1
        groups = dict.fromkeys(item.group for item in self._rules.inputs.values())
        for group in groups:
            row += 1  # the group's heading
            for item in self._rules.inputs.values():
                if item.group != group:
                    continue
                for slot in _typed_slots(item):
                    yield slot, row
                    row += 1

    def fill(self) -> None:
        """Puts all cells and names."""
        self._headings()
        for slot, row in self.rows.items():
            item = self._rules.slots.get(slot) or self._rules.inputs[_owner(self._rules, slot)]
            self._row(item, slot, row)

    def _headings(self) -> None:
        titles = [
            "Input",
            "Launch flag",
            "Unit",
            "Entered",
            *(f"What-if {n}" for n in range(1, WHAT_IFS + 1)),
            "Chosen",
            "Active",
            "",
            "Note",
        ]
        for column, title in enumerate(titles, start=1):
            self.sheet.put(HEADER, column, title, "header")

    def _row(self, item: Input, slot: str, row: int) -> None:
        sheet = self.sheet
        title = item.title if slot == item.id else f"{item.title}: {slot.removeprefix(item.id + '_')}"
        sheet.put(row, LABEL, title, "label")
        sheet.put(row, FLAG, item.flag or "", "quiet")
        sheet.put(row, UNIT, "" if item.unit == "1" else item.unit, "quiet")
        sheet.put(row, ENTERED, self._entered(item, slot), "input")
        for column in range(FIRST_WHAT_IF, FIRST_WHAT_IF + WHAT_IFS):
            sheet.put(row, column, None, "input")
        sheet.put(row, NOTE, item.note or "", "quiet")
        if item.kind == "text":
            return
        entered = self._entered(item, slot)
        sheet.present(row, CHOSEN, self._chosen(item, row), "" if entered is None else entered)
        active = self._active(item, slot, row)
        if (
            item.kind == "layer_vector"
        ):  # how often a layer has experts; the vector itself stands on the sheet of layers
            default = item.default if isinstance(item.default, int) else "#N/A"
            sheet.present(row, ACTIVE, active, default if entered is None else entered, "active")
            return
        name = f"{item.id}_stages" if item.kind == "layout" else slot
        sheet.formula(row, ACTIVE, active, Source(name), "active")
        self._plan.names[name] = sheet.address(row, ACTIVE)
        if item.kind == "layout":
            given = f"{item.id}_given"
            sheet.formula(row, GIVEN, f"IF({letters(ACTIVE)}{row}>0,1,0)", Source(given), "helper")
            self._plan.names[given] = sheet.address(row, GIVEN)

    def _entered(self, item: Input, slot: str) -> Any:
        """What the preset gives, as a person would type it."""
        value = self._values.get(item.id)
        if value is None:
            return None
        match item.kind:
            case "set":
                return "on" if slot.removeprefix(f"{item.id}_") in value else "off"
            case "flag":
                return "on" if value else "off"
            case "layer_vector":
                return value if isinstance(value, int) else None
            case "layout":
                return len(value)
        return value

    def _chosen(self, item: Input, row: int) -> str:
        """The typed value of the active column, else what is entered; empty where neither is."""
        what_if = self._picked(row)
        entered = f'IF({letters(ENTERED)}{row}<>"",{letters(ENTERED)}{row},"")'
        siblings = self._rules.siblings(item)
        if siblings:  # a what-if that sets one of a pair withdraws the other
            other = self._picked(self.rows[siblings[0]])
            entered = f'IF(AND({SCENARIO}>1,{other}<>""),"",{entered})'
        return f'IF({what_if}<>"",{what_if},{entered})'

    def _picked(self, row: int) -> str:
        last = FIRST_WHAT_IF + WHAT_IFS - 1
        return f"INDEX(${letters(ENTERED)}{row}:${letters(last)}{row},1,{SCENARIO})"

    def _active(self, item: Input, slot: str, row: int) -> str:
        chosen = f"{letters(CHOSEN)}{row}"
        value = f'IF({chosen}="on",1,0)' if item.kind in ("flag", "set") else chosen
        return f'IF({chosen}<>"",{value},{self._stand_in(item, slot)})'

    def _stand_in(self, item: Input, slot: str) -> str:
        fallback = self._fallback(item, slot)
        siblings = self._rules.siblings(item)
        if item.derived is None or not siblings:
            return fallback
        other = f"${letters(CHOSEN)}${self.rows[siblings[0]]}"
        derived = self._text(item.derived, lambda name: other if name.id in siblings else name.id)
        return f'IF({other}<>"",{derived},{fallback})'

    def _fallback(self, item: Input, slot: str) -> str:
        if item.default_formula is not None:
            return self._text(item.default_formula, lambda name: name.id)
        value = item.default if item.default is not None else item.absent
        if value is None:
            return "NA()"
        match item.kind:
            case "flag":
                return "1" if value else "0"
            case "set":
                return "1" if slot.removeprefix(f"{item.id}_") in value else "0"
            case "enum":
                return f'"{value}"'
            case "layer_vector":
                return str(value) if isinstance(value, int) else "NA()"
            case "layout":
                return str(len(value))
        return _number(value)

    def _text(self, expression: Expression, reference: Callable[[Name], str]) -> str:
        return excel_input(self._rules, expression, reference=reference)


def _number(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else format(value, ".15g")


def _typed_slots(item: Input) -> list[str]:
    """Names of the rows that an input takes: one a member for a set, else one."""
    return [f"{item.id}_{member}" for member in item.members] if item.kind == "set" else [item.id]


def _owner(rules: RuleSet, slot: str) -> str:
    return slot if slot in rules.inputs else rules.slots[slot].id
