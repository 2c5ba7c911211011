"""`engine test`: runs the tests that stand in the rules."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import CannotRun, colored, emit

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic, Findings
    from engine.evaluating.ruletest import Outcome
    from engine.ruleset import RuleSet


@click.command("test", short_help="Run the tests that stand in the rules.")
@click.argument("rules", type=click.Path(), required=False)
@overlay_option
@click.option(
    "-k", "pattern", metavar="PATTERN", help="Only rules and checks whose id contains this, or matches log_*."
)
@click.option("--excel", is_flag=True, help="Run the tests on the printed Excel text too; needs the package formulas.")
def command(rules: str | None, overlays: tuple[str, ...], pattern: str | None, excel: bool) -> int:
    """Run the tests that stand in RULES (the shipped rules if not given).

    Exit code 0 where all pass and each branch of each rule is taken by one, else 1.
    """
    from engine.diagnostics import Findings, render
    from engine.evaluating.ruletest import run
    from engine.ruleset import RuleSet

    ruleset = RuleSet.load(rules, overlays)
    ids = _matching(ruleset, pattern)
    findings = Findings()
    outcomes = list(run(ruleset, iter(ids)))
    _add_failures(outcomes, findings)
    _add_untested(ruleset, ids, outcomes, findings)
    again = _excel(ruleset, ids) if excel else []
    _add_failures(again, findings)
    found = findings.sorted()
    if found:
        emit(render(found, color=colored(sys.stdout)) + "\n")
    emit(_counts(outcomes, found, len(ids)))
    if excel:
        emit(f"as Excel text: {_passed(again)}")
    return 1 if found else 0


def _matching(ruleset: RuleSet, pattern: str | None) -> list[str]:
    from fnmatch import fnmatchcase

    ids = [id for id in ruleset.computed if pattern is None or pattern in id or fnmatchcase(id, pattern)]
    if not ids:
        raise CannotRun("there are no rules or checks" + (f" that match `{pattern}`" if pattern else ""))
    return ids


def _add_failures(outcomes: Iterable[Outcome], findings: Findings) -> None:
    for outcome in outcomes:
        if outcome.problem is not None:
            findings.add("E412", f"test {outcome.position + 1} of `{outcome.rule}`: {outcome.problem}", outcome.span)


def _add_untested(ruleset: RuleSet, ids: Iterable[str], outcomes: Iterable[Outcome], findings: Findings) -> None:
    """Adds the branches that no test takes."""
    taken: dict[str, set[int]] = {}
    for outcome in outcomes:
        branches = outcome.branch if isinstance(outcome.branch, list) else [outcome.branch]
        taken.setdefault(outcome.rule, set()).update(branch for branch in branches if branch is not None)
    for id in ids:
        rule = ruleset.computed[id]
        for position, branch in enumerate(rule.branches):
            if position not in taken.get(id, ()):
                which = f"branch {position + 1} of `{id}`" if len(rule.branches) > 1 else f"`{id}`"
                mend = "add one to `tests:`: the inputs that lead here under `given`, and the value under `expect`"
                place = branch.formula.span() if branch.formula.place else rule.span
                findings.add("E413", f"no test takes {which}", place, help=mend)


def _excel(ruleset: RuleSet, ids: list[str]) -> list[Outcome]:
    from engine.evaluating.exceltest import run
    from engine.expr.excel_run import VerifyMissing

    try:
        return list(run(ruleset, ids))
    except VerifyMissing as error:
        raise CannotRun(str(error)) from error


def _counts(outcomes: list[Outcome], found: list[Diagnostic], rules: int) -> str:
    untested = sum(item.code == "E413" for item in found)
    text = f"{_plural(rules, 'rule or check', 'rules and checks')}: {_passed(outcomes)}"
    return text + (f", {_plural(untested, 'branch', 'branches')} without a test" if untested else "")


def _passed(outcomes: list[Outcome]) -> str:
    failed = sum(outcome.problem is not None for outcome in outcomes)
    tests = _plural(len(outcomes), "test", "tests")
    return f"{failed} of {tests} failed" if failed else f"{tests} passed"


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"
