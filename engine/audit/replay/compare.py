"""Compares what a function computed with what the rules compute, and names the first rule that departs."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engine.audit.replay.cases import Case
from engine.result import Result
from engine.ruleset import RuleSet
from engine.watch import Replay

RELATIVE = 1e-12
"""How far apart two numbers may be that are not both whole and below 2^53."""


@dataclass(frozen=True, slots=True)
class Root:
    """A rule whose value differs although nothing that it reads is known to differ.

    Attributes:
        rule: the rule.
        found: its value.
        expected: what the function computed.
        suspects: rules that it reads, directly or not, and that no variable of the function shows.
    """

    rule: str
    found: Any
    expected: Any
    suspects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Departure:
    """A configuration for which function and rules differ.

    Attributes:
        preset: name of the preset.
        values: its values.
        roots: where the difference begins, in the order of the graph; empty where the function stopped.
        error: what the function stopped with.
    """

    preset: str
    values: Mapping[str, Any]
    roots: tuple[Root, ...]
    error: str = ""

    @property
    def rule(self) -> str:
        """The first rule that departs, empty where the function stopped."""
        return self.roots[0].rule if self.roots else ""


@dataclass(frozen=True, slots=True)
class Replayed:
    """What a replay came to.

    Attributes:
        replay: the declaration.
        label: the audited moment.
        count: configurations that were run.
        compared: numbers that were compared.
        observed: rules whose values were compared.
        departures: configurations that differ.
        skipped: configurations for which the rules have no value.
        unknown: attributes of the arguments that are neither input nor rule; the function was given None for them.
        branches: conditions of the file: line, kind, how often each held and did not.
        problem: why the function could not be run; empty if it could.
    """

    replay: Replay
    label: str
    count: int = 0
    compared: int = 0
    observed: tuple[str, ...] = ()
    departures: tuple[Departure, ...] = ()
    skipped: int = 0
    unknown: tuple[str, ...] = ()
    branches: tuple[tuple[int, str, int, int], ...] = ()
    problem: str = ""

    def by_rule(self) -> dict[str, list[tuple[Departure, Root]]]:
        """Returns the departures by the rules in which they begin, the most frequent first."""
        groups: dict[str, list[tuple[Departure, Root]]] = {}
        for one in self.departures:
            for root in one.roots:
                groups.setdefault(root.rule, []).append((one, root))
        return dict(sorted(groups.items(), key=lambda group: -len(group[1])))


class Comparer:
    """Compares the cases of one replay."""

    def __init__(self, rules: RuleSet, replay: Replay) -> None:
        self.rules = rules
        self.replay = replay
        self.order = {id: position for position, id in enumerate(rules.graph.order)}
        self.compared = 0
        self.observed: dict[str, None] = {}
        self.skipped = 0

    def compare(self, case: Case, told: Mapping[str, Any]) -> Departure | None:
        """Returns how a case differs, None if it does not."""
        result = case.result
        values = dict(result.preset.values)
        if any(result[id].status == "unavailable" for id in self.replay.returns):
            self.skipped += 1
            return None
        if "error" in told:
            return Departure(result.preset.path, values, (), str(told["error"]))
        pairs = dict(self._pairs(result, told))
        self.compared += len(pairs)
        self.observed |= dict.fromkeys(pairs)
        wrong = [id for id, (found, expected) in pairs.items() if not same(found, expected)]
        if not wrong:
            return None
        equal = {id for id in pairs if id not in wrong}
        roots = []
        for id in sorted(wrong, key=lambda id: self.order[id]):
            if not (self.rules.graph.ancestors([id]) - {id}).intersection(wrong):
                roots.append(Root(id, *pairs[id], self._suspects(id, equal)))
        return Departure(result.preset.path, values, tuple(roots))

    def _pairs(self, result: Result, told: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
        """Yields rules with their own value and the function's; of two for a rule, the later one counts."""
        seen: Mapping[str, Mapping[str, Any]] = told["seen"]
        for variables in seen.values():
            for name, expected in variables.items():
                if name in self.rules.rules and self._has_number(result, name):
                    yield name, (result.get(name), expected)
        for function, declared in self.replay.variables.items():
            for name, id in declared.items():
                if name in seen.get(function, {}) and self._has_number(result, id):
                    yield id, (result.get(id), seen[function][name])
        for id, expected in zip(self.replay.returns, told["returned"], strict=False):
            yield id, (result.get(id), expected)

    def _has_number(self, result: Result, id: str) -> bool:
        """Whether a rule is one number, or has failed to be one: a division by zero departs as well."""
        return result[id].status == "failed" or isinstance(result.get(id), float)

    def _suspects(self, rule: str, equal: set[str]) -> tuple[str, ...]:
        found: list[str] = []
        pending = list(self.rules.graph.reads.get(rule, ()))
        while pending:
            id = pending.pop(0)
            if id in self.rules.rules and id not in equal and id not in found:
                found.append(id)
                pending.extend(self.rules.graph.reads[id])
        return tuple(found)


def same(found: Any, expected: Any) -> bool:
    """Whether two numbers agree: whole ones exactly, others but for rounding."""
    if not isinstance(expected, int | float) or not isinstance(found, int | float):
        return False
    if float(expected).is_integer() and abs(expected) < 2**53:
        return float(found) == float(expected)
    return math.isclose(found, expected, rel_tol=RELATIVE, abs_tol=0.0)


def departures(comparer: Comparer, cases: Sequence[Case], told: Sequence[Mapping[str, Any]]) -> list[Departure]:
    """Compares all cases."""
    found = [comparer.compare(case, one) for case, one in zip(cases, told, strict=True)]
    return [one for one in found if one is not None]
