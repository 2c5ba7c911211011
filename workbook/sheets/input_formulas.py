"""Formulas that choose the active value of an input: what a column says, else what is entered, else what stands in.

The same formulas stand on the sheet of inputs, for the column that is shown, and on the sheet of scenarios, for each
column; they differ only in the cells that they refer to.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from engine.evaluating.excel_rules import excel_input, excel_size
from engine.expr.nodes import Name
from engine.rules import Expression, Input
from engine.ruleset import RuleSet
from workbook.cells import Presented, Shown
from workbook.context import MISSING, Context
from workbook.state import LISTED, NOTHING, OFF, ON, is_nothing, typed_names


class Cells(Protocol):
    """Where a column keeps what its formulas refer to."""

    @property
    def variant(self) -> int | None:
        """Number of the column; None for the one that is shown."""

    def picked(self, name: str) -> str:
        """Returns the cell with what the column itself says."""

    def entered(self, name: str) -> str:
        """Returns the cell with what is entered."""

    def chosen(self, name: str) -> str:
        """Returns the cell with what the column says, or else what is entered."""

    def active(self, name: Name) -> str:
        """Returns the cell with the active value of an input, or the value of a rule."""


class InputFormulas:
    """Prints the formulas of a rule set's inputs."""

    def __init__(self, rules: RuleSet, choices: Callable[[Input], str], typed_row: Callable[[str], str]) -> None:
        """Takes where members of enumerations are listed, and where rows of patterns are typed."""
        self._rules = rules
        self.choices = choices
        self._typed_row = typed_row

    def chosen(self, item: Input, name: str, cells: Cells) -> Presented:
        """What the column says for an input, else what is entered; empty where it is not given."""
        entered = _given(item, cells.entered(name))
        if cells.variant == 0:
            return Presented(entered, lambda context: chosen(context, item, name, 0))
        picked = cells.picked(name)
        for other in self._rules.siblings(item):  # a column that sets one of a pair withdraws the other
            entered = f'IF({cells.picked(other)}<>"","",{entered})'
        own = picked if NOTHING in item.values else f'IF({picked}="{NOTHING}","",{picked})'
        text = f'IF({picked}<>"",{own},{entered})'
        return Presented(text, lambda context: chosen(context, item, name, cells.variant))

    def active(self, item: Input, name: str, cells: Cells) -> str:
        """The value that formulas read: flags as 0 and 1, an error where a value does not fit or is missing."""
        own = cells.chosen(name)
        return f'IF({own}<>"",{self._accepted(item, own)},{self._stand_in(item, name, cells)})'

    def given(self, item: Input, name: str, cells: Cells) -> Presented:
        """Where an active value comes from, in a word."""
        usual = stands_in(item)
        stand_in = f'"{usual}"'
        for other in self._rules.siblings(item):
            stand_in = f'IF({cells.chosen(other)}<>"","derived",{stand_in})'
        picked = f'IF({cells.picked(name)}<>"","changed","entered")'
        text = f'IF({cells.chosen(name)}<>"",IF(scenario_id>1,{picked},"entered"),{stand_in})'

        def expect(context: Context) -> Shown:
            if chosen(context, item, name, cells.variant) != "":
                own = context.typed(name, cells.variant) != "" and context.chosen > 0
                return "changed" if own else "entered"
            others = (self._rules.inputs[other] for other in self._rules.siblings(item))
            return "derived" if any(chosen(context, one, one.id, cells.variant) != "" for one in others) else usual

        return Presented(text, expect)

    def every(self, item: Input, cells: Cells) -> Presented:
        """How often a layer pattern repeats, or `list` where it stands in a row."""
        own = cells.chosen(item.id)
        default = item.default if isinstance(item.default, int) else None
        number = f"IF(ISNUMBER({own}),IF(INT({own})={own},{own},NA()),NA())"
        text = f'IF({own}<>"",IF({own}="{LISTED}","{LISTED}",{number}),{"NA()" if default is None else default})'

        def expect(context: Context) -> Shown:
            value = chosen(context, item, item.id, cells.variant)
            return value if value != "" else MISSING if default is None else default

        return Presented(text, expect)

    def by_row(self, item: Input, cells: Cells) -> Presented:
        """Whether a layer pattern's row counts: 2 as a whole, 1 where something is typed in it, 0 not at all."""
        own, picked = cells.active(Name(item.id)), cells.picked(item.id)
        size = excel_size("layer", reference=cells.active)
        hand = "1" if cells.variant == 0 else f'IF({picked}<>"",0,1)'
        hand = f"IF(scenario_id=1,1,{hand})" if cells.variant is None else hand
        text = f'IF({own}="{LISTED}",IF(COUNT({self._typed_row(item.id)})={size},2,NA()),{hand})'

        def expect(context: Context) -> Shown:
            number = context.chosen if cells.variant is None else cells.variant
            if chosen(context, item, item.id, cells.variant) == LISTED:
                layers = context.number("num_layers", variant=cells.variant)
                count = sum(entry is not None for entry in context.state.vectors.get(item.id, ()))
                return MISSING if layers is None or count != layers else 2
            return 1 if number == 0 or context.typed(item.id, number) == "" else 0

        return Presented(text, expect)

    def _accepted(self, item: Input, own: str) -> str:
        """The value of a cell in the terms of formulas, an error where it does not fit."""
        match item.kind:
            case "flag" | "set":
                return f'IF({own}="{ON}",1,IF({own}="{OFF}",0,NA()))'
            case "enum":
                choices = self.choices(item)
                return f"INDEX({choices},1,MATCH({own},{choices},0))"
            case "layout":
                row = self._typed_row(f"{item.id}_decoder")
                return f'IF({own}="{LISTED}",IF(COUNT({row})>0,COUNT({row}),NA()),NA())'
            case "text":
                return own
        tests = [f"{own}>={number(item.minimum)}"] if item.minimum is not None else []
        tests += [f"{own}<={number(item.maximum)}"] if item.maximum is not None else []
        tests += [f"INT({own})={own}"] if item.kind == "int" else []
        within = f"IF(AND({','.join(tests)}),{own},NA())" if tests else own
        return f"IF(ISNUMBER({own}),{within},NA())"

    def _stand_in(self, item: Input, name: str, cells: Cells) -> str:
        fallback = self._fallback(item, name, cells)
        siblings = self._rules.siblings(item)
        if item.derived is None or not siblings:
            return fallback
        other = cells.chosen(siblings[0])
        derived = self._text(item.derived, lambda name: other if name.id in siblings else cells.active(name))
        return f'IF({other}<>"",{derived},{fallback})'

    def _fallback(self, item: Input, name: str, cells: Cells) -> str:
        if item.default_formula is not None:
            return self._text(item.default_formula, cells.active)
        value = item.default if item.default is not None else item.absent
        if value is None:
            return "NA()"
        match item.kind:
            case "flag":
                return "1" if value else "0"
            case "set":
                return "1" if name.removeprefix(f"{item.id}_") in value else "0"
            case "enum" | "text":
                return '"' + str(value).replace('"', '""') + '"'
            case "layout":
                return "NA()" if value else "0"  # a layout other than none can only be typed
        return number(value)

    def _text(self, expression: Expression, reference: Callable[[Name], str]) -> str:
        return excel_input(self._rules, expression, reference=reference)


def _given(item: Input, cell: str) -> str:
    kept = f'IF({cell}<>"",{cell},"")'
    return kept if NOTHING in item.values else f'IF({cell}="{NOTHING}","",{kept})'


def chosen(context: Context, item: Input, name: str, variant: int | None) -> Shown:
    """Returns what a column says for a typed name, or else what is entered; empty where it is not given."""
    number = context.chosen if variant is None else variant
    own = context.typed(name, number)
    if own != "":
        return "" if is_nothing(item, own) else own
    if number and any(context.typed(other, number) != "" for other in context.rules.siblings(item)):
        return ""
    entered = context.typed(name, 0)
    return "" if is_nothing(item, entered) else entered


def stands_in(item: Input) -> str:
    """Returns in a word what stands where nothing is typed: `default`, `absent` or `missing`."""
    if item.required:
        return "missing"
    if item.default is not None or item.default_formula:
        return "default"
    return "missing" if item.absent is None else "absent"


def number(value: float) -> str:
    """Prints a number as a formula writes it."""
    return str(int(value)) if float(value).is_integer() else format(value, ".15g")


def active_name(item: Input, name: str) -> str:
    """Returns the defined name of an input's active cell."""
    return {"layout": f"{item.id}_stages", "layer_vector": f"{item.id}_every"}.get(item.kind, name)


def all_typed_names(rules: RuleSet) -> dict[str, Input]:
    """Returns the input behind each cell that a person types into."""
    return {name: item for item in rules.inputs.values() for name in typed_names(item)}
