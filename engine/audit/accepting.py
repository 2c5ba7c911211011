"""Accepts citations as read: the only way into the lock, with `bump`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from engine.audit import lock
from engine.audit.checkout import Checkout, open_checkout, require_known
from engine.audit.collect import Cited, citations, home
from engine.audit.integrity import differs_from_lock, problem
from engine.audit.lock import Accepted, Entry
from engine.audit.places import Place, parse_where
from engine.audit.rewrite import Rewriter
from engine.audit.trace import Tracer
from engine.audit.verdict import State
from engine.diagnostics import Diagnostic, Findings, nearest
from engine.ruleset import RuleSet

_FOLLOWED = (State.OK, State.MOVED, State.COSMETIC, State.CHANGED)


@dataclass(frozen=True, slots=True)
class Acceptance:
    """What `accept` did.

    Attributes:
        new: citations that were not in the lock.
        updated: citations whose text is the same as before, at another place or commit.
        reasoned: citations whose text differs, accepted with the reason.
        kept: citations that are in the lock as they stand.
        dropped: entries whose citation is no more.
        refused: why others were not accepted.
        files: the files that changed.
    """

    new: int
    updated: int
    reasoned: int
    kept: int
    dropped: int
    refused: tuple[Diagnostic, ...]
    files: tuple[Path, ...]


def accept(
    rules: RuleSet, checkouts: Mapping[str, str | Path], ids: Collection[str] = (), reason: str | None = None
) -> Acceptance:
    """Puts citations that are sound at their pinned commit into the lock.

    Where the pin has moved since a citation was accepted and the citation was not edited, it is followed to where its
    lines are now, and its line numbers are rewritten.

    Args:
        rules: a loaded rule set.
        checkouts: alias to checkout; citations of other sources stay as they are.
        ids: rules to accept; empty for all.
        reason: why lines that say something else than before are accepted; only for rules that are named.

    Raises:
        EngineError: an unknown rule (E604), a checkout that cannot be used (E810, E811), a lock that cannot be read
            (E814), files that cannot be rewritten (E816).
    """
    found = citations(rules)
    _known(ids, found)
    work = _Work(rules, ids, reason)
    with ExitStack() as closing:
        declared = rules.sources["sources"]
        require_known(checkouts, declared)
        for alias, path in checkouts.items():
            work.opened[alias] = open_checkout(alias, Path(path), declared[alias].commit, None, closing)
        for cited in found:
            work.one(cited)
        return work.finish(found)


def _known(ids: Collection[str], found: list[Cited]) -> None:
    known = {cited.rule for cited in found}
    findings = Findings()
    for id in ids:
        if id not in known:
            near = nearest(id, known)
            help = f"did you mean `{near}`?" if near else None
            findings.add("E604", f"nothing that is called `{id}` has a citation", help=help)
    findings.raise_if_errors()


class _Work:
    def __init__(self, rules: RuleSet, ids: Collection[str], reason: str | None) -> None:
        self.rules = rules
        self.ids = ids
        self.reason = reason
        self.opened: dict[str, Checkout] = {}
        self.locks: dict[Path, dict[lock.Key, Entry]] = {}
        self.rewriter = Rewriter()
        self.refused = Findings()
        self.counts = dict.fromkeys(("new", "updated", "reasoned", "kept"), 0)
        self.tracers: dict[tuple[str, str], Tracer] = {}

    def one(self, cited: Cited) -> None:
        citation = cited.citation
        entries = self.lock(home(self.rules, cited))
        checkout = self.opened.get(citation.source) if citation.kind == "code" else None
        if checkout is None or (self.ids and cited.rule not in self.ids):
            return
        path, lines = parse_where(citation.where)
        place = Place(path, lines, citation.symbol)
        commit = self.rules.sources["sources"][citation.source].commit
        entry = entries.get(cited.key)
        if checkout.pinned is None:
            self.refuse(cited, checkout.absent, "give a checkout that has the pinned commit")
            return
        if entry and entry.place == place and entry.commit != commit:
            followed = self.followed(cited, entry, checkout, commit)
            if followed is None:
                return
            place = followed
        wrong = problem(place, checkout.pinned)
        if wrong:
            self.refuse(cited, wrong, "mend the citation first")
            return
        self.take(cited, place, commit, checkout, entries)

    def followed(self, cited: Cited, entry: Entry, checkout: Checkout, commit: str) -> Place | None:
        """Returns where the accepted lines are at the pinned commit; where they cannot be followed, refuses."""
        key = (checkout.alias, entry.commit)
        if key not in self.tracers:
            accepted = checkout.at(entry.commit)
            if accepted is None or checkout.pinned is None:
                return entry.place
            self.tracers[key] = Tracer(accepted, checkout.pinned)
        if problem(entry.place, self.tracers[key].old):
            return entry.place
        verdict = self.tracers[key].trace(entry.place)
        if verdict.state not in _FOLLOWED or verdict.now is None:
            help = "cite what took their place, then accept that with a reason"
            self.refuse(cited, f"the lines accepted at {entry.commit[:8]} are {verdict.state}: {verdict.reason}", help)
            return None
        return verdict.now

    def take(self, cited: Cited, place: Place, commit: str, checkout: Checkout, entries: dict[lock.Key, Entry]) -> None:
        text = checkout.pinned.read(place.path) if checkout.pinned else None
        assert text is not None
        before = entries.get(cited.key)
        made = lock.entry(cited, commit, place, text, before.accepted if before else None)
        other = differs_from_lock(place, text, before) if before else None
        known = {one.digest for one in entries.values() if one.rule == cited.rule}
        if other and made.digest not in known:
            if not self.reason or not self.ids:
                help = f"read the lines, then: engine accept {cited.rule} --reason …"
                self.refuse(cited, other, help)
                return
            today = datetime.now(UTC).date().isoformat()
            made = lock.entry(cited, commit, place, text, Accepted(today, self.reason))
            self.counts["reasoned"] += 1
        elif before is None:
            self.counts["new"] += 1
        else:
            self.counts["kept" if made == before else "updated"] += 1
        entries[cited.key] = made
        path, lines = parse_where(cited.citation.where)
        if place != Place(path, lines, cited.citation.symbol):
            self.rewriter.cite(cited, place)

    def refuse(self, cited: Cited, reason: str, help: str) -> None:
        message = f"`{cited.label}` is not accepted: {reason}"
        self.refused.add("E815", message, cited.citation.span, help=help)

    def lock(self, folder: Path) -> dict[lock.Key, Entry]:
        if folder not in self.locks:
            self.locks[folder] = lock.read(folder)
        return self.locks[folder]

    def finish(self, found: list[Cited]) -> Acceptance:
        keys: dict[Path, set[lock.Key]] = {}
        for cited in found:
            if cited.citation.kind == "code":
                keys.setdefault(home(self.rules, cited), set()).add(cited.key)
        dropped = 0
        for folder, entries in self.locks.items():
            stale = set(entries) - keys.get(folder, set())
            dropped += len(stale)
            kept = [entry for key, entry in entries.items() if key not in stale]
            if kept or (folder / lock.FILE).is_file():
                self.rewriter.whole(folder / lock.FILE, lock.text(kept))
        files = self.rewriter.write()
        return Acceptance(**self.counts, dropped=dropped, refused=tuple(self.refused.sorted()), files=tuple(files))
