"""The Excel text of a rule set's rules, and the rules' own tests run on that text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from engine.evaluating.program import Scope, size_name
from engine.evaluating.ruletest import Outcome, agrees, scope_for, show_value
from engine.expr.excel_run import Cell, ExcelError, run_rule
from engine.expr.nodes import Lookup, Name, Node, Text, substitute, walk
from engine.expr.nodes import names as names_in
from engine.expr.printing import DOMAIN_SIZES, Branch
from engine.expr.symbols import DOMAINS
from engine.expr.to_excel import excel, excel_cases
from engine.inputs.accept import InputError
from engine.rules import Check, Computed, Expression
from engine.ruleset import RuleSet
from engine.trouble import Trouble


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
    return excel_cases(branches, reference=reference, row=row, may_fail=_may_fail(rules))


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
    return excel_cases(cases, may_fail=_may_fail(rules))


def excel_value(rules: RuleSet, rule: Computed, scope: Scope) -> Any:
    """Evaluates a rule's Excel text where every name that it reads has the value of an environment.

    Args:
        rules: the rule set that it belongs to.
        rule: the rule or check.
        scope: the environment; a name without a value there is an error cell.

    Returns:
        The value in the terms of rules: flags as bool, a vector as a list.

    Raises:
        ExcelError: the text yields no value.
        VerifyMissing: the extra `verify` is not installed.
        ValueError: the formula passes a limit of Excel.
        Trouble: the size of the rule's domain has no value.
    """
    over = rule.type.over
    size = int(scope[size_name(over)]) if over else 0
    found = run_rule(branches_of(rule), _cells(rules, rule, scope), over=over, size=size, may_fail=_may_fail(rules))
    if rule.type.kind != "flag":
        return found
    return [entry == 1 for entry in found] if isinstance(found, list) else found == 1


def run(rules: RuleSet, ids: Iterable[str] | None = None) -> Iterator[Outcome]:
    """Runs the tests of rules and checks, all or those of the given ids, on their Excel text.

    Raises:
        VerifyMissing: the extra `verify` is not installed.
    """
    for id in ids if ids is not None else rules.computed:
        rule = rules.computed[id]
        for position, test in enumerate(rule.tests):
            try:
                problem = _problem(rules, rule, scope_for(rules, test.given), test.expect, test.rel)
            except InputError as error:
                problem = error.message
            yield Outcome(rule.id, position, test.span, problem)


def _problem(rules: RuleSet, rule: Computed, scope: Scope, expect: Any, rel: float | None) -> str | None:
    try:
        found = excel_value(rules, rule, scope)
    except ExcelError as error:
        if not isinstance(rule, Check):
            return f"no value in Excel: {error}"
        found = "unknown"
    except (Trouble, ValueError) as error:
        return f"no value in Excel: {error}"
    if isinstance(found, bool) and isinstance(rule, Check):
        found = "pass" if found else "fail"
    if agrees(found, expect, rel):
        return None
    return f"expected {show_value(expect)}, found {show_value(found)} in Excel"


def _may_fail(rules: RuleSet) -> Callable[[Name], bool]:
    """Whether a cell may hold an error: any rule's, and that of an input which is needed or follows from others."""

    def may_fail(name: Name) -> bool:
        item = rules.slots.get(name.id)
        if item is None or item.kind in ("layer_vector", "layout"):
            return name.id in rules.symbols.types
        follows = item.default_formula is not None or item.derived is not None
        return follows or (item.default is None and item.absent is None)

    return may_fail


def _cells(rules: RuleSet, rule: Computed, scope: Scope) -> dict[str, Cell]:
    """Returns the value of every name that the text of a rule can read; None where there is none."""
    nodes = [node for branch in branches_of(rule) for node in branch if node is not None]
    wanted = {id for node in nodes for id in names_in(node)} | {
        id for size in DOMAIN_SIZES.values() for id in names_in(size) if id in rules.slots
    }
    cells = {id: _value(scope, id) for id in sorted(wanted - set(DOMAINS))}
    for lookup in (part for node in nodes for part in walk(node) if isinstance(part, Lookup)):
        table = rules.tables[lookup.table]
        cells[f"{table.id}_key"] = table.keys
        cells[f"{table.id}_{lookup.column}"] = [table.cells[lookup.column][key] for key in table.keys]
    return cells


def _value(scope: Scope, id: str) -> Cell:
    try:
        value: Cell = scope[id]
    except Trouble:
        return None
    return value


def excel_input(rules: RuleSet, expression: Expression, *, reference: Callable[[Name], str]) -> str:
    """Prints the formula that stands in for an input."""
    return excel(expression.node, reference=reference, may_fail=_may_fail(rules))


def excel_size(domain: str, *, reference: Callable[[Name], str] = lambda name: name.id) -> str:
    """Prints the number of indices of a domain."""
    return excel(DOMAIN_SIZES[domain], reference=reference)
