"""Every citation of a rule set, once each, with what it supports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from engine.rules import Citation
from engine.ruleset import RuleSet

Branch = int | str | None


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation and what it supports.

    Attributes:
        rule: id of a rule, check or input; `section.id` for a table, slice, scenario, advice or watch.
        branch: number of the case, from 0, or of a waiver; the row or column of a table; None for an input.
        index: position among the citations of the branch.
        citation: the citation.
        only: whether the rule has no other case.
    """

    rule: str
    branch: Branch
    index: int
    citation: Citation
    only: bool = False

    @property
    def key(self) -> tuple[str, str, int]:
        """What the lock knows the citation by; keys are in the order of the lock."""
        branch = f"{self.branch:04}" if isinstance(self.branch, int) else str(self.branch or "")
        return self.rule, branch, self.index

    @property
    def label(self) -> str:
        """The rule, with the case where there is one to tell apart."""
        if self.branch is None or self.only:
            return self.rule
        return (
            f"{self.rule} [case {self.branch + 1}]" if isinstance(self.branch, int) else f"{self.rule} [{self.branch}]"
        )


def citations(rules: RuleSet) -> list[Cited]:
    """Returns all citations of a rule set; one that a slice gives to many rules stands once, under the slice."""
    seen: set[tuple[str, int, int]] = set()
    counts: dict[tuple[str, Branch], int] = {}
    found = []
    for rule, branch, cites in _all(rules):
        for citation in cites:
            span = citation.span
            if span is not None:
                place = (span.source.path, span.line, span.column)
                if place in seen:
                    continue
                seen.add(place)
            index = counts[rule, branch] = counts.get((rule, branch), -1) + 1
            computed = rules.computed.get(rule)
            found.append(Cited(rule, branch, index, citation, computed is not None and len(computed.branches) == 1))
    return found


def _all(rules: RuleSet) -> Iterator[tuple[str, Branch, Iterable[Citation]]]:
    for name, slice in rules.slices.items():
        yield f"slices.{name}", None, slice.citations
    for computed in rules.computed.values():
        made_by = getattr(computed, "slice", None)
        for position, branch in enumerate(computed.branches):
            if made_by is None:
                yield computed.id, position, branch.citations
            else:
                yield f"slices.{made_by}", None, branch.citations
    for item in rules.inputs.values():
        yield item.id, None, item.citations
    for table in rules.tables.values():
        for part, cites in table.citations.items():
            yield f"tables.{table.id}", part, cites
    for watch in rules.watch.values():
        for number, waiver in enumerate(watch.waivers):
            yield f"watch.{watch.id}", number, (waiver.citation,)
    for scenario in rules.scenarios.values():
        yield f"scenarios.{scenario.id}", None, scenario.citations
    for advice in rules.advice.values():
        yield f"advice.{advice.id}", None, advice.citations
        for position, action in enumerate(advice.actions):
            yield f"advice.{advice.id}", position, action.citations


def home(rules: RuleSet, cited: Cited) -> Path:
    """Returns the folder, of the rules or of an overlay, whose lock holds a citation."""
    roots = [root if root.is_dir() else root.parent for root in (*reversed(rules.overlays), rules.path)]
    span = cited.citation.span
    file = Path(span.source.path) if span else roots[-1]
    return next((root for root in roots if file.is_relative_to(root)), roots[-1])
