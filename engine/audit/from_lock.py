"""What has become of cited lines when only their digests are known: the pinned commit is not at hand."""

from __future__ import annotations

from engine.audit.integrity import wrong_lines
from engine.audit.lock import Entry
from engine.audit.places import Lines, Place
from engine.audit.source_text import SourceText, Unreadable, digest
from engine.audit.trees import Tree
from engine.audit.verdict import State, Verdict

_MOST_CANDIDATES = 5


def trace_locked(entry: Entry, new: Tree) -> Verdict:
    """Returns what has become of the lines of an entry; a verdict from digests alone says so in its `base`."""
    place = entry.place
    try:
        text = new.read(place.path)
    except Unreadable as error:
        return Verdict(State.MISSING, f"`{place.path}` cannot be audited: {error}", base="lock")
    if text is None:
        return Verdict(State.MISSING, f"there is no `{place.path}`", base="lock")
    if text.blob == entry.blob and wrong_lines(place, text) is None:
        return Verdict(State.OK, now=place, method="same file", base="lock")
    if text.has(place.lines) and text.digest(place.lines) == entry.digest and wrong_lines(place, text) is None:
        return Verdict(State.OK, now=place, method="lock", base="lock")
    known = text.symbols is not None
    hits = [
        Place(place.path, lines, text.enclosing(lines) if known else place.symbol) for lines in _stretches(text, entry)
    ]
    chosen = [hit for hit in hits if hit.symbol == place.symbol] or hits
    if len(chosen) > 1:
        reason = f"the same lines stand in {len(chosen)} places, and the pinned commit is not at hand to tell which"
        return Verdict(State.AMBIGUOUS, reason, method="lock", base="lock", candidates=tuple(chosen[:_MOST_CANDIDATES]))
    if chosen:
        now = chosen[0]
        kind = "lines" if now.symbol == place.symbol else "symbol"
        return Verdict(State.MOVED, f"now {now.lines}, was {place.lines}", now, kind, "lock", "lock")
    symbols = text.symbols.named(place.symbol) if text.symbols and place.symbol else []
    if len(symbols) == 1:
        now = Place(place.path, symbols[0].lines, place.symbol)
        return Verdict(
            State.CHANGED, f"the lines of `{place.symbol}` have another digest", now, method="lock", base="lock"
        )
    return Verdict(State.MISSING, "no lines with the digest of the lock", base="lock")


def _stretches(text: SourceText, entry: Entry) -> list[Lines]:
    """Returns the stretches of a file that have the digest of an entry."""
    said = text.said(Lines(1, max(1, len(text.lines))))
    digests = {line: digest([line]) for line in {text.norm[number - 1] for number in said}}
    most = 2 * len(entry.place.lines) + 20
    found = []
    for start, number in enumerate(said):
        if digests[text.norm[number - 1]] != entry.first:
            continue
        for stop in range(start, min(start + most, len(said))):
            lines = Lines(number, said[stop])
            if digests[text.norm[said[stop] - 1]] == entry.last and text.digest(lines) == entry.digest:
                found.append(lines)
    return found
