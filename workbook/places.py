"""Where in the workbook each quantity stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from engine.rules import Input
from engine.ruleset import RuleSet
from workbook.cells import Plan
from workbook.sheets.input_formulas import InputFormulas
from workbook.sheets.inputs import InputSheet
from workbook.sheets.ledger import Ledger
from workbook.sheets.vectors import VectorSheet


@dataclass(frozen=True)
class Places:
    """Finds cells by id.

    Attributes:
        rules: the rule set.
        inputs: the sheet of inputs.
        ledger: the sheet of single values.
        vectors: the sheets of vectors by domain.
        plan: collects names.
        formulas: prints the formulas of inputs.
        typed: the input behind each cell that a person types into.
    """

    rules: RuleSet
    inputs: InputSheet
    ledger: Ledger
    vectors: Mapping[str, VectorSheet]
    plan: Plan
    formulas: InputFormulas
    typed: Mapping[str, Input]

    def over(self, id: str) -> str | None:
        """Returns the domain of a vector, None for a single value."""
        return self.rules.symbols.types[id].over

    def value(self, id: str) -> str:
        """Returns the address of a single value."""
        return self.ledger.address(id) if id in self.ledger.rows else self.plan.names[id]

    def row(self, id: str) -> str:
        """Returns the address of a vector's row."""
        return self.vectors[self.over(id) or ""].address(id)

    def entry(self, id: str, position: int) -> str:
        """Returns the address of one entry of a vector."""
        return self.vectors[self.over(id) or ""].cell(id, position)

    def title(self, id: str) -> str:
        """Returns the title of a rule, check or input."""
        rule = self.rules.computed.get(id)
        return rule.title if rule else self.rules.slots[id].title
