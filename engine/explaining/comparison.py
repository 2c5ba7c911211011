"""One configuration in several variants: its scenarios, or the members of one input, such as all cards."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.diagnostics import Findings, nearest
from engine.evaluation import changed, evaluate
from engine.preset import Preset
from engine.result import Result
from engine.rules import Scenario
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed configuration and what it comes to."""

    id: str
    title: str
    note: str | None
    changes: Mapping[str, Any]
    result: Result


def scenarios(rules: RuleSet, preset: Preset, settings: Mapping[str, Any]) -> Iterator[Variant]:
    """Yields what each scenario comes to, in the order of the rule files; settings win over scenarios."""
    for one in rules.scenarios.values():
        result = evaluate(rules, changed(rules, preset, one.changes), set=settings)
        yield Variant(one.id, one.title, one.note, one.changes, result)


def members(rules: RuleSet, preset: Preset, settings: Mapping[str, Any], field: str) -> Iterator[Variant]:
    """Yields what a configuration comes to for each member of an enumerated input.

    Inputs whose stand-in follows from that input take it again, since what the preset gives belongs to one member. The
    member that stands for nothing is left out.
    """
    item = rules.inputs[field]
    follow = [name for name in rules.inputs if name != field and field in rules.graph.ancestors([name])]
    given = {name: None for name in follow if preset.values.get(name) is not None}
    for member in item.values:
        if member != item.absent:
            changes = {**given, **settings, field: member}
            result = evaluate(rules, preset, set=changes)
            remarks = [check.message for check in result.failed_checks if field in check.fields]
            yield Variant(member, _title(rules, field, member), "; ".join(remarks) or None, changes, result)


def _title(rules: RuleSet, field: str, member: str) -> str:
    """Returns the title that a table with the members as keys has for one of them."""
    keys = rules.inputs[field].values
    return next((table.titles[member] for table in rules.tables.values() if set(table.keys) == set(keys)), member)


def scenario(rules: RuleSet, name: str) -> Scenario:
    """Returns a scenario by name.

    Raises:
        EngineError: there is none of this name (E604).
    """
    if name not in rules.scenarios:
        findings = Findings()
        near = nearest(name, rules.scenarios)
        known = "scenarios: " + " ".join(rules.scenarios) if rules.scenarios else "these rules declare no scenarios"
        findings.add("E604", f"there is no scenario `{name}`", help=f"did you mean `{near}`?" if near else known)
        findings.raise_if_errors()
    return rules.scenarios[name]
