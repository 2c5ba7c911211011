"""Runs the tests of rules on the Excel text that is printed for them, in a spreadsheet engine of foreign make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from engine.evaluating.excel_rules import branches_of, may_fail
from engine.evaluating.program import Scope, size_name
from engine.evaluating.ruletest import Outcome, agrees, scope_for, show_value
from engine.expr.excel_run import Cell, ExcelError, run_rule
from engine.expr.nodes import Lookup, walk
from engine.expr.nodes import names as names_in
from engine.expr.printing import DOMAIN_SIZES
from engine.expr.symbols import DOMAINS
from engine.inputs.accept import InputError
from engine.rules import Check, Computed
from engine.ruleset import RuleSet
from engine.trouble import Trouble


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
    found = run_rule(branches_of(rule), _cells(rules, rule, scope), over=over, size=size, may_fail=may_fail(rules))
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
