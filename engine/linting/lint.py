"""What is sound but doubtful in a rule set: counts that may lose integers, long case lists, what nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from string import Formatter

from engine.diagnostics import Diagnostic, Findings
from engine.explaining.select import names_of, shown_by
from engine.expr.nodes import names
from engine.linting.constants import uncited
from engine.linting.intervals import Bounds
from engine.rules import Check
from engine.ruleset import RuleSet

EXACT = 2.0**53
"""From here on float64 skips integers."""

MOST_CASES = 8
_MOST_INPUTS = 4


def lint(rules: RuleSet) -> list[Diagnostic]:
    """Returns the warnings about a loaded rule set, those of loading among them, by file and position."""
    findings = Findings()
    findings.diagnostics.extend(rules.warnings)
    _inexact_counts(rules, findings)
    for rule in rules.computed.values():
        if len(rule.branches) > MOST_CASES:
            message = f"`{rule.id}` has {len(rule.branches)} cases; more than {MOST_CASES} are hard to follow"
            findings.add("W702", message, rule.span, help="give the part that varies a rule or a table of its own")
    for holder, number, span in uncited(rules):
        message = f"{holder} holds {number} without a source"
        findings.add(
            "W704", message, span, help="add `cite:` with where it comes from, or `assumption:` with the reason"
        )
    _unused(rules, findings)
    return findings.sorted()


def _inexact_counts(rules: RuleSet, findings: Findings) -> None:
    """Warns of counts of elements that may pass 2^53, where that happens first; what reads them passes it as well."""
    bounds = Bounds(rules)
    passed: set[str] = set()
    for id in rules.graph.order:
        if id not in rules.rules:
            continue
        rule = rules.rules[id]
        if passed.intersection(rules.graph.reads[id]):
            passed.add(id)
        elif rule.unit == "elem" and bounds.of(id).high > EXACT:
            passed.add(id)
            message = f"`{id}` may come to {bounds.of(id).high:.3g}, beyond 2^53 where float64 skips integers"
            findings.add("W701", message, rule.span, help=_largest_inputs(rules, bounds, id))


def _largest_inputs(rules: RuleSet, bounds: Bounds, id: str) -> str:
    read = rules.graph.ancestors([id]).intersection(rules.slots)
    sizes = {name: bounds.of(name).high for name in sorted(read) if rules.symbols.types[name].kind == "number"}
    largest = sorted(sizes, key=lambda name: -sizes[name])[:_MOST_INPUTS]
    shown = ", ".join(f"{name} up to {sizes[name]:,.15g}" for name in largest)
    return f"its inputs go far: {shown}; lower the `max` of one, or state the count per layer or rank"


def _unused(rules: RuleSet, findings: Findings) -> None:
    used = set(_used(rules))
    for item in rules.inputs.values():
        if item.id not in used and not used.intersection(names_of(rules, item.id)):
            message = f"input `{item.id}` is read by no rule or check and shown by no view"
            findings.add("W703", message, item.span, help="use it or remove it")
    for rule in rules.rules.values():
        if rule.id not in used:
            message = f"rule `{rule.id}` is read by no other and shown by no view"
            findings.add("W703", message, rule.span, help="list it in a view, use it, or remove it")


def _used(rules: RuleSet) -> Iterator[str]:
    for reads in rules.graph.reads.values():
        yield from reads
    for item in rules.inputs.values():
        if item.derived:  # reads the other members of its group, which the graph leaves out
            yield from names(item.derived.node)
    for view in rules.views.values():
        yield from shown_by(rules, view)
    for check in rules.checks.values():
        yield from _mentioned(check)
    for advice in rules.advice.values():
        yield from names(advice.when.node) if advice.when else ()
        for action in advice.actions:
            yield from action.changes
            for formula in action.formulas.values():
                yield from names(formula.node)


def _mentioned(check: Check) -> Iterator[str]:
    for template in filter(None, (check.message, check.hint)):
        yield from (field for _, field, _, _ in Formatter().parse(template) if field)
