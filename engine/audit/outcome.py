"""The outcome of an audit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.audit.collect import Cited
from engine.audit.coverage import Coverage
from engine.audit.places import Place
from engine.audit.verdict import GATE, State, Verdict
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class AuditedCitation:
    """A citation with what the audit says about it.

    Attributes:
        cited: the citation and what it supports.
        place: file, lines and symbol; None for a paper or a document.
        commit: the pinned commit; empty for a paper or a document.
        integrity: whether it is true at its own commit: `ok`, `broken`, or `unverified`.
        verdict: what has become of it; `broken` wins over all.
    """

    cited: Cited
    place: Place | None
    commit: str
    integrity: State
    verdict: Verdict

    @property
    def state(self) -> State:
        """The verdict's state."""
        return self.verdict.state

    @property
    def code(self) -> bool:
        """Whether lines of code are cited; papers and documents have nothing to compare with."""
        return self.place is not None


@dataclass(frozen=True)
class Audit:
    """The outcome of an audit.

    Attributes:
        rules: the rule set.
        citations: every citation, in the order of the rules.
        sources: alias to the moment that was audited, for the sources that are at hand.
        commits: alias to the audited commit, where it is one.
        coverage: how far the rules cite the watched files; None where nobody asked.
    """

    rules: RuleSet
    citations: tuple[AuditedCitation, ...]
    sources: Mapping[str, str] = field(default_factory=dict)
    commits: Mapping[str, str] = field(default_factory=dict)
    coverage: tuple[Coverage, ...] | None = None

    @property
    def code_citations(self) -> tuple[AuditedCitation, ...]:
        """The citations of code."""
        return tuple(one for one in self.citations if one.code)

    def counts(self) -> dict[str, int]:
        """Returns how many citations of code are in each state."""
        return {str(state): sum(one.state is state for one in self.code_citations) for state in State}

    def failing(self, states: Iterable[State] = GATE) -> tuple[AuditedCitation, ...]:
        """Returns the citations of code in one of the states; a broken citation always fails."""
        gate = {*states, State.BROKEN}
        return tuple(one for one in self.code_citations if one.state in gate)

    def states(self) -> dict[str, State]:
        """Returns for each rule, check or input the worst state of its citations of code."""
        worst: dict[str, State] = {}
        for one in self.code_citations:
            known = worst.setdefault(one.cited.rule, one.state)
            worst[one.cited.rule] = max(known, one.state, key=lambda state: state.rank)
        return worst

    def suspects(self, states: Iterable[State] = GATE) -> dict[str, tuple[str, ...]]:
        """Returns for each rule, other than the failing ones, which failing rules it depends on."""
        failing = {one.cited.rule for one in self.failing(states)}.intersection(self.rules.computed)
        found: dict[str, list[str]] = {}
        for id in sorted(failing):
            for other in self.rules.graph.descendants([id]):
                if other not in failing and other in self.rules.computed:
                    found.setdefault(other, []).append(id)
        return {id: tuple(causes) for id, causes in found.items()}
