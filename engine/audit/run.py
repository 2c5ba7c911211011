"""Audits the citations of a rule set against checkouts of the sources."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from engine import collector
from engine.audit import lock
from engine.audit.checkout import Checkout, open_checkout, require_known
from engine.audit.collect import Cited, citations, home
from engine.audit.coverage import Coverage, coverage
from engine.audit.from_lock import trace_locked
from engine.audit.git import GitError
from engine.audit.history import with_history
from engine.audit.integrity import differs_from_lock, out_of_date, problem
from engine.audit.lock import Entry
from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.places import Place, parse_where
from engine.audit.trace import Tracer
from engine.audit.trees import Tree
from engine.audit.verdict import State, Verdict
from engine.diagnostics import Findings
from engine.ruleset import RuleSet


def audit(
    rules: RuleSet,
    checkouts: Mapping[str, str | Path],
    *,
    at: str | Mapping[str, str] | None = None,
    locked: bool = False,
    history: bool = True,
    with_coverage: bool = False,
) -> Audit:
    """Audits all citations of a rule set.

    Args:
        rules: a loaded rule set.
        checkouts: alias of a source to the folder of its checkout; citations of other sources are `unverified`.
        at: revision to compare with, one for all sources or by alias; without it the files as they lie there.
        locked: whether each citation must be in the lock as it stands; otherwise it is `broken`.
        history: whether to look up which commit changed the lines.
        with_coverage: whether to count which statements of watched files the rules cite.

    Raises:
        EngineError: an alias that is not declared or a folder that is not there (E810), git or a revision that cannot
            be used (E811, E812), a lock that cannot be read (E814).
    """
    declared = rules.sources["sources"]
    require_known(checkouts, declared)
    with collector.paused():  # the texts and trees of the sources go before it starts again: they are not walked
        by_alias = at if isinstance(at, Mapping) else dict.fromkeys(checkouts, at)
        return _audit(rules, checkouts, by_alias, locked, history, with_coverage)


def _audit(
    rules: RuleSet,
    checkouts: Mapping[str, str | Path],
    at: Mapping[str, str | None],
    locked: bool,
    history: bool,
    with_coverage: bool,
) -> Audit:
    declared = rules.sources["sources"]
    with ExitStack() as closing:
        opened = {
            alias: open_checkout(alias, Path(path), declared[alias].commit, at.get(alias), closing)
            for alias, path in checkouts.items()
        }
        auditor = _Auditor(rules, opened, locked)
        try:
            audited = auditor.run()
            covered = _coverage(rules, opened) if with_coverage else None
            if history:
                audited = with_history(audited, opened)
        except GitError as error:
            findings = Findings()
            findings.add("E811", f"the history cannot be read: {error}")
            findings.raise_if_errors()
            raise
    return Audit(
        rules,
        tuple(audited),
        {alias: one.label for alias, one in opened.items()},
        {alias: one.target.commit for alias, one in opened.items() if one.target.commit},
        covered,
    )


def _coverage(rules: RuleSet, opened: Mapping[str, Checkout]) -> tuple[Coverage, ...]:
    """Counts coverage of the watched files of sources at hand, at the pinned commit if it is there."""
    cited = citations(rules)
    found = []
    for watch in rules.watch.values():
        checkout = opened.get(watch.source)
        if checkout is not None:
            pinned: Tree = checkout.pinned or checkout.target
            found.append(coverage(watch, cited, pinned, checkout.target))
    return tuple(found)


class _Auditor:
    def __init__(self, rules: RuleSet, opened: Mapping[str, Checkout], locked: bool) -> None:
        self.rules = rules
        self.opened = opened
        self.locked = locked
        self.tracers = {
            alias: Tracer(one.pinned, one.target) for alias, one in opened.items() if one.pinned is not None
        }
        self.locks: dict[Path, dict[lock.Key, Entry]] = {}
        self.verdicts: dict[tuple[str, Place], Verdict] = {}

    def run(self) -> list[AuditedCitation]:
        found = citations(self.rules)
        paths: dict[str, list[str]] = {}
        for cited in found:
            if cited.citation.kind == "code":
                paths.setdefault(cited.citation.source, []).append(cited.citation.where.rpartition("#")[0])
        for alias, one in self.opened.items():
            for tree in filter(None, (one.pinned, one.target)):
                tree.prefetch(paths.get(alias, ()))
        return [self.one(cited) for cited in found]

    def one(self, cited: Cited) -> AuditedCitation:
        citation = cited.citation
        if citation.kind != "code":
            reason = f"a {citation.kind} has nothing to compare with"
            return AuditedCitation(cited, None, "", State.UNVERIFIED, Verdict(State.UNVERIFIED, reason, base=""))
        commit: str = self.rules.sources["sources"][citation.source].commit
        path, lines = parse_where(citation.where)
        place = Place(path, lines, citation.symbol)
        folder = home(self.rules, cited)
        if folder not in self.locks:
            self.locks[folder] = lock.read(folder)
        entry = self.locks[folder].get(cited.key)
        integrity, verdict = self.verdict(citation.source, place, commit, entry)
        return AuditedCitation(cited, place, commit, integrity, verdict)

    def verdict(self, alias: str, place: Place, commit: str, entry: Entry | None) -> tuple[State, Verdict]:
        stale = out_of_date(place, commit, entry)
        if self.locked and stale:
            return State.BROKEN, Verdict(State.BROKEN, stale)
        checkout = self.opened.get(alias)
        if checkout is None:
            return State.UNVERIFIED, Verdict(State.UNVERIFIED, f"no checkout of `{alias}` was given", base="")
        if checkout.pinned is None:
            return State.UNVERIFIED, self.unpinned(checkout, place, entry, stale)
        wrong = problem(place, checkout.pinned)
        if wrong and entry and entry.commit != commit:
            return State.BROKEN, self.since_accepted(checkout, entry, wrong)
        if wrong:
            return State.BROKEN, Verdict(State.BROKEN, wrong)
        text = checkout.pinned.read(place.path)
        assert text is not None
        other = differs_from_lock(place, text, entry) if entry else None
        if entry and other:
            return State.BROKEN, self.since_accepted(checkout, entry, other)
        key = (alias, place)
        if key not in self.verdicts:
            self.verdicts[key] = self.tracers[alias].trace(place)
        return State.OK, self.verdicts[key]

    def unpinned(self, checkout: Checkout, place: Place, entry: Entry | None, stale: str | None) -> Verdict:
        if entry is None or stale:
            return Verdict(State.UNVERIFIED, f"{checkout.absent}, and {stale}", base="")
        return trace_locked(entry, checkout.target)

    def since_accepted(self, checkout: Checkout, entry: Entry, reason: str) -> Verdict:
        """Says what became of the accepted lines up to the pinned commit: after a bump, the ones to read again."""
        broken = Verdict(State.BROKEN, reason)
        accepted = checkout.at(entry.commit)
        if accepted is None or checkout.pinned is None or problem(entry.place, accepted):
            return broken
        since = Tracer(accepted, checkout.pinned).trace(entry.place)
        if since.state is State.OK:
            return broken
        reason = f"{reason}; the lines accepted at {entry.commit[:8]} are {since.state}: {since.reason}"
        return replace(since, state=State.BROKEN, reason=reason)
