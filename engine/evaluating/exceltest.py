"""Runs the tests of rules on the Excel text that is printed for them, in a spreadsheet engine of foreign make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.evaluating.program import Scope, size_name
from engine.evaluating.ruletest import Outcome, agrees, scope_for, show_value
from engine.expr.excel_run import Cell, ExcelError, run_rule
from engine.expr.nodes import names
from engine.inputs.accept import InputError
from engine.rules import Check, Computed, Test
from engine.ruleset import RuleSet
from engine.trouble import Trouble


def run(rules: RuleSet, ids: Iterable[str] | None = None) -> Iterator[Outcome]:
    """Runs the tests of rules and checks, all or those of the given ids; those that expect no value are left out.

    Raises:
        VerifyMissing: the extra `verify` is not installed.
    """
    tables = dict(_table_rows(rules))
    sizes = [name for size in rules.sizes.values() for name in names(size.node)]  # printed where a row's end is meant
    for id in ids if ids is not None else rules.computed:
        rule = rules.computed[id]
        for position, test in enumerate(rule.tests):
            if test.expect not in (None, "unknown"):
                yield Outcome(id, position, test.span, _problem(rules, rule, test, tables, sizes))


def _problem(rules: RuleSet, rule: Computed, test: Test, tables: Mapping[str, Cell], sizes: list[str]) -> str | None:
    over = rule.type.over
    try:
        scope = scope_for(rules, test.given)
        cells = {**tables, **{name: _value(scope, name) for name in (*rules.graph.reads[rule.id], *sizes)}}
        found = run_rule(
            [(branch.when.node if branch.when else None, branch.formula.node) for branch in rule.branches],
            cells,
            over=over,
            size=int(scope[size_name(over)]) if over else 0,
            may_fail=lambda name: cells.get(name.id) is None,
        )
    except (InputError, Trouble) as error:
        return f"no value: {error}"
    except (ExcelError, ValueError) as error:
        return f"in Excel: {error}"
    expect = _as_cells(rule, test.expect)
    if agrees(found, expect, test.rel):
        return None
    return f"expected {show_value(expect)}, found {show_value(found)} in Excel"


def _value(scope: Scope, name: str) -> Cell:
    try:
        value: Cell = scope[name]
    except Trouble:
        return None
    return value


def _as_cells(rule: Computed, expect: Any) -> Any:
    """Returns what cells hold where a test expects a flag or the outcome of a check."""
    if isinstance(expect, list):
        return [_as_cells(rule, entry) for entry in expect]
    if isinstance(rule, Check):
        return 1 if expect == "pass" else 0
    return int(expect) if isinstance(expect, bool) else expect


def _table_rows(rules: RuleSet) -> Iterator[tuple[str, Cell]]:
    for table in rules.tables.values():
        yield f"{table.id}_key", list(table.keys)
        for column, cells in table.cells.items():
            yield f"{table.id}_{column}", [cells[key] for key in table.keys]
