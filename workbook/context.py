"""What the cells of a workbook have to show, for what is typed in it: the engine's results."""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

from engine.evaluating.program import size_name
from engine.evaluation import evaluate
from engine.expr.nodes import Node
from engine.result import Result, Value
from engine.rules import Input
from engine.ruleset import RuleSet
from engine.trouble import Trouble
from workbook.cells import Cell, Plan, Shown, Source
from workbook.reading.presets import preset_of
from workbook.state import State, Typed, Variant, selected, variants

MISSING = "#N/A"
DIVISION = "#DIV/0!"
DOMAIN = "#NUM!"
ERRORS = frozenset({MISSING, DIVISION, DOMAIN, "#VALUE!", "#REF!", "#NAME?"})

_ERROR_OF = {"E601": DIVISION, "E603": DOMAIN}
GB, GIB = 1_000_000_000, 1 << 30


class _Row(NamedTuple):
    """What the cells of a quantity show: its entries, or one value for all; the size of a vector, None if unknown."""

    entries: tuple[Shown, ...]
    size: int | None
    excused: bool


class Context:
    """Results for one state of a workbook; computed when they are first needed.

    Attributes:
        rules: the rule set that the workbook was built from.
        state: what is typed.
        columns: all columns of inputs.
        chosen: number of the column that is shown.
        excused: whether something that was asked for has no value for a reason that a spreadsheet does not share: one
            entry of a vector failed, so that the engine has none of it, or a function was called outside its domain.
            Whoever asks for a cell resets it.
    """

    def __init__(self, rules: RuleSet, state: State) -> None:
        self.rules = rules
        self.state = state
        self.columns: tuple[Variant, ...] = variants(rules, state)
        number = selected(state, self.columns)
        self.chosen = 0 if number is None else number
        self._results: dict[int, Result] = {}
        self._excuses: dict[tuple[int, str], bool] = {}
        self._rows: dict[tuple[str, int | None], _Row] = {}
        self.excused = False

    def result(self, variant: int | None = None) -> Result:
        """Returns the engine's result for a column, by default for the one that is shown.

        Raises:
            EngineError: a value does not fit its input.
        """
        number = self.chosen if variant is None else variant
        if not self.columns[number].cells:
            number = 0
        found = self._results.get(number)
        if found is None:
            preset = preset_of(self.rules, self.state, self.columns[number])
            found = self._results[number] = evaluate(self.rules, preset)
        return found

    def shown(self, cell: Cell) -> Shown:
        """Returns what a formula cell has to show; an error is a text such as `#N/A`."""
        if cell.source is not None:
            return self.value(cell.source)
        assert cell.expect is not None
        return cell.expect(self)

    def value(self, source: Source) -> Shown:
        """Returns what a cell that shows something of the result has to show; beyond a vector's size an empty text."""
        key = (source.id, source.variant)
        row = self._rows.get(key)
        if row is None:
            row = self._rows[key] = self._row(*key)
        if row.excused:
            self.excused = True
        if source.index is None:
            return row.entries[0]
        if row.size is None:
            return MISSING
        if source.index >= row.size:
            return ""
        return row.entries[source.index] if len(row.entries) > 1 else row.entries[0]

    def _row(self, id: str, variant: int | None) -> _Row:
        before, self.excused = self.excused, False
        found = self.found(id, variant)
        excused, self.excused = self.excused, before
        over = self.rules.symbols.types[id].over
        try:
            size = self.size(over, variant) if over else None
        except Trouble:
            size = None
        if found.status != "ok":
            entries: tuple[Shown, ...] = (error_of(found),)
        else:
            entries = tuple(_cell(entry) for entry in found.raw) if over else (_cell(found.raw),)
        return _Row(entries, size, excused)

    def found(self, id: str, variant: int | None = None) -> Value:
        """Returns what a rule, check or input came to in a column, by default in the one that is shown."""
        found = self.result(variant)[id]
        if found.status != "ok" and self._excuse(found, variant):
            self.excused = True
        return found

    def _excuse(self, found: Value, variant: int | None) -> bool:
        """Whether a value lacks for a reason that a spreadsheet does not share; see `excused`."""
        if found.code == "E603":
            return True
        key = (self.chosen if variant is None else variant, found.id)
        known = self._excuses.get(key)
        if known is None:
            result = self.result(variant)
            vectors = (id for id in self.rules.graph.ancestors([found.id]) if self.rules.symbols.types[id].over)
            known = self._excuses[key] = any(result[id].status != "ok" for id in vectors)
        return known

    def size(self, domain: str, variant: int | None = None) -> int:
        """Returns the number of indices of a domain.

        Raises:
            Trouble: it is not known.
        """
        return int(self.result(variant).resolved.scope[size_name(domain)])

    def number(self, id: str, index: int | None = None, variant: int | None = None) -> float | None:
        """Returns a number, flags as 0 and 1; None where there is none."""
        shown = self.value(Source(id, index, variant))
        return None if isinstance(shown, str) else float(shown)

    def flag(self, id: str) -> bool | None:
        """Returns a flag of the column that is shown; None where it has no value."""
        found: bool | None = self.found(id).raw
        return found

    def verdict(self, variant: int | None = None) -> str:
        """Returns the verdict on a column; launch flags that are not modelled make it incomplete."""
        for check in self.rules.checks.values():
            if check.level == "error":
                self.found(check.id, variant)
        found = self.result(variant).verdict
        return "incomplete" if self.state.unmodelled and found != "invalid" else found

    def evaluate(self, node: Node) -> Any:
        """Evaluates an expression in the column that is shown; None where it has no value."""
        try:
            return self.rules.program.evaluate(node, self.result().resolved.scope)
        except (Trouble, ArithmeticError, ValueError):
            self.excused = True
            return None

    @cached_property
    def unit(self) -> int:
        """Bytes of the unit that sizes are shown in."""
        return GIB if self.state.unit == "GiB" else GB

    def typed(self, name: str, variant: int | None = None) -> Typed:
        """Returns what a column itself says for a typed name; empty where it is blank."""
        number = self.chosen if variant is None else variant
        cells = self.state.entered if number == 0 else self.columns[number].cells
        return cells.get(name, "")


def error_of(found: Value) -> str:
    """Returns the error that stands for a value that there is not."""
    return _ERROR_OF.get(found.code, MISSING)


def _cell(value: Any) -> Shown:
    return int(value) if isinstance(value, bool) else value


def is_error(shown: Any) -> bool:
    """Whether a cell shows an error."""
    return isinstance(shown, str) and shown in ERRORS


def values(plan: Plan, context: Context) -> dict[int, dict[tuple[int, int], Shown]]:
    """Returns what all formula cells have to show: for each sheet, from 1 in tab order, by row and column."""
    return {
        number: {(cell.row, cell.column): context.shown(cell) for cell in sheet.formulas()}
        for number, sheet in enumerate(plan.sheets, start=1)
    }


def title_of(item: Input, name: str) -> str:
    """Returns the title of a name that an input provides."""
    return item.title if name == item.id else f"{item.title}: {name.removeprefix(item.id + '_')}"
