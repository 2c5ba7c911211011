"""The Excel text of a rule set's rules."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.expr.nodes import Name, Node, Text, substitute
from engine.expr.printing import DOMAIN_SIZES, Branch
from engine.expr.to_excel import excel, excel_cases
from engine.rules import Computed, Expression
from engine.ruleset import RuleSet


def branches_of(rule: Computed) -> list[Branch]:
    """Returns the body of a rule or check as the printers take it."""
    return [(branch.when.node if branch.when else None, branch.formula.node) for branch in rule.branches]


def excel_text(
    rules: RuleSet,
    rule: Computed,
    *,
    reference: Callable[[Name], str] = lambda name: name.id,
    row: Callable[[Name], str] = lambda name: name.id,
    change: Callable[[Node], Node | None] = lambda node: None,
) -> str:
    """Prints a rule or check as an Excel formula without the leading `=`.

    Args:
        rules: the rule set that it belongs to.
        rule: the rule or check; the text of a vector is that of one index.
        reference: see `engine.expr.to_excel.excel`.
        row: see `engine.expr.to_excel.excel`.
        change: replaces parts before they are printed; see `engine.expr.nodes.substitute`.

    Raises:
        ValueError: the formula passes a limit of Excel.
    """
    branches = [(when and substitute(when, change), substitute(formula, change)) for when, formula in branches_of(rule)]
    return excel_cases(branches, reference=reference, row=row, may_fail=may_fail(rules))


def excel_branch(rules: RuleSet, rule: Computed, labels: Sequence[str]) -> str:
    """Prints which case of a rule applies, as the label of that case.

    Args:
        rules: the rule set that it belongs to.
        rule: a rule of single values.
        labels: a text for each case.

    Raises:
        ValueError: the formula passes a limit of Excel.
    """
    conditions = [when for when, _ in branches_of(rule)]
    cases: list[Branch] = [(when, Text(label)) for when, label in zip(conditions, labels, strict=True)]
    return excel_cases(cases, may_fail=may_fail(rules))


def may_fail(rules: RuleSet) -> Callable[[Name], bool]:
    """Returns whether a cell may hold an error: a rule's, or that of an input that is needed or follows from others."""

    def fails(name: Name) -> bool:
        item = rules.slots.get(name.id)
        if item is None or item.kind in ("layer_vector", "layout"):
            return name.id in rules.symbols.types
        follows = item.default_formula is not None or item.derived is not None
        return follows or (item.default is None and item.absent is None)

    return fails


def excel_input(rules: RuleSet, expression: Expression, *, reference: Callable[[Name], str]) -> str:
    """Prints the formula that stands in for an input."""
    return excel(expression.node, reference=reference, may_fail=may_fail(rules))


def excel_size(domain: str, *, reference: Callable[[Name], str] = lambda name: name.id) -> str:
    """Prints the number of indices of a domain."""
    return excel(DOMAIN_SIZES[domain], reference=reference)
