"""Moves the pinned commit of a source, and with it the citations whose code is the same."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from engine.audit import lock
from engine.audit.checkout import open_checkout
from engine.audit.collect import Cited, citations, home
from engine.audit.integrity import differs_from_lock, problem
from engine.audit.lock import Entry
from engine.audit.places import Place, parse_where
from engine.audit.rewrite import Rewriter
from engine.audit.trace import Tracer
from engine.audit.verdict import State, Verdict
from engine.diagnostics import Findings
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Bump:
    """What `bump` did.

    Attributes:
        alias: the source.
        old: the commit that was pinned.
        new: the commit that is.
        same: citations whose lines are where they were.
        moved: citations whose line numbers were rewritten.
        left: citations that were not touched, with what became of their lines; they stay red until they are read.
        files: the files that changed.
    """

    alias: str
    old: str
    new: str
    same: int
    moved: int
    left: tuple[tuple[Cited, Verdict], ...]
    files: tuple[Path, ...]


def bump(rules: RuleSet, alias: str, revision: str, checkouts: Mapping[str, str | Path]) -> Bump:
    """Moves the pin of a source to a revision.

    Citations whose code is the same get their new line numbers, by exact edits of the rule files; the lock follows.
    For the others the lock keeps what was accepted, so that they are `broken` until somebody accepts their new lines.

    Args:
        rules: a loaded rule set.
        alias: the source.
        revision: a commit, branch or tag of the checkout.
        checkouts: alias to checkout; `alias` must be among them.

    Raises:
        EngineError: no checkout (E810), git or a revision that cannot be used (E811, E812), a citation that is broken
            at the present pin (E815), files that cannot be rewritten (E816). No file is changed then.
    """
    findings = Findings()
    declared = rules.sources["sources"]
    if alias not in declared or alias not in checkouts:
        help = f"give its checkout: --source {alias}=CHECKOUT" if alias in declared else None
        findings.add("E810", f"there is no checkout of a source `{alias}`", help=help)
        findings.raise_if_errors()
    old: str = declared[alias].commit
    cited_here = [one for one in citations(rules) if one.citation.kind == "code" and one.citation.source == alias]
    with ExitStack() as closing:
        checkout = open_checkout(alias, Path(checkouts[alias]), old, revision, closing)
        new = str(checkout.target.commit)
        if checkout.pinned is None:
            findings.add("E811", f"source `{alias}`: {checkout.absent}")
            findings.raise_if_errors()
        assert checkout.pinned is not None
        tracer = Tracer(checkout.pinned, checkout.target)
        work = _Work(rules, old, new, findings)
        paths = [one.citation.where.rpartition("#")[0] for one in cited_here]
        checkout.pinned.prefetch(paths)
        checkout.target.prefetch(paths)
        for cited in cited_here:
            work.one(cited, tracer)
        findings.raise_if_errors()
        work.rewriter.commit(rules, alias, new)
        for folder, entries in work.locks.items():
            work.rewriter.whole(folder / lock.FILE, lock.text(entries.values()))
        files = work.rewriter.write()
    return Bump(alias, old, new, work.same, work.moved, tuple(work.left), tuple(files))


class _Work:
    def __init__(self, rules: RuleSet, old: str, new: str, findings: Findings) -> None:
        self.rules = rules
        self.old = old
        self.new = new
        self.findings = findings
        self.rewriter = Rewriter()
        self.locks: dict[Path, dict[lock.Key, Entry]] = {}
        self.same = self.moved = 0
        self.left: list[tuple[Cited, Verdict]] = []

    def one(self, cited: Cited, tracer: Tracer) -> None:
        path, lines = parse_where(cited.citation.where)
        place = Place(path, lines, cited.citation.symbol)
        folder = home(self.rules, cited)
        entries = self.locks[folder] = self.locks.get(folder) or lock.read(folder)
        entry = entries.get(cited.key)
        wrong = problem(place, tracer.old)
        text = None if wrong else tracer.old.read(path)
        if entry and (text is None or differs_from_lock(place, text, entry)):
            # not yet accepted since the last bump: what was accepted then stays in the lock
            self.left.append((cited, Verdict(State.BROKEN, wrong or "these lines were not accepted yet")))
            return
        if text is None:
            help = "mend the citation first: after the bump nothing would tell that it was wrong"
            self.findings.add("E815", f"`{cited.label}` is broken: {wrong}", cited.citation.span, help=help)
            return
        verdict = tracer.trace(place)
        if verdict.state in (State.OK, State.MOVED) and verdict.now:
            new_text = tracer.new.read(verdict.now.path)
            assert new_text is not None
            accepted = entry.accepted if entry else None
            entries[cited.key] = lock.entry(cited, self.new, verdict.now, new_text, accepted)
            if verdict.now != place:
                self.rewriter.cite(cited, verdict.now)
                self.moved += 1
            else:
                self.same += 1
            return
        self.left.append((cited, verdict))
        if entry is None:
            entries[cited.key] = lock.entry(cited, self.old, place, text)
