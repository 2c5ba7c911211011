"""Where a stretch of code stands anew, whatever stood there before."""

from __future__ import annotations

from collections.abc import Iterator

from engine.audit.pair import Pair
from engine.audit.places import Lines, Place
from engine.audit.source_text import SourceText

ALIKE = 0.6
"""Stretches at least this similar are taken for the same place."""


def new_hits(anchor: Place, pair: Pair) -> list[Lines]:
    """Returns where the file says what was cited and did not say it before.

    Nearly half of the lines of a file of formulas have a twin in it. A twin that stood there all the time proves
    nothing about the cited lines, so it is left out, and so is a hit in a function that has no more of them than
    it had.
    """
    wanted = pair.old.said_text(anchor.lines)
    cited = pair.old.said(anchor.lines)
    own = Lines(cited[0], cited[-1])
    before = pair.old.find(wanted)
    twins = {pair.image(lines) for lines in before if lines != own}
    hits = pair.new.find(wanted)
    return [hit for hit in hits if hit not in twins and _more(anchor, pair, before, hits, pair.new.enclosing(hit))]


def _more(anchor: Place, pair: Pair, before: list[Lines], hits: list[Lines], symbol: str) -> bool:
    old, new = inside(pair.old, before, symbol), inside(pair.new, hits, symbol)
    return len(new) >= len(old) if symbol == anchor.symbol else len(new) > len(old)


def inside(text: SourceText, places: list[Lines], symbol: str) -> list[Lines]:
    """Returns those of some places that are in a symbol."""
    return [lines for lines in places if text.enclosing(lines) == symbol]


def new_elsewhere(anchor: Place, wanted: tuple[str, ...], old: SourceText | None, new: SourceText) -> list[Lines]:
    """Returns where another file says what was cited and did not say it before."""
    hits = new.find(wanted)
    if old is None or not hits:
        return hits
    pair = Pair(old, new)
    before = old.find(wanted)
    twins = {pair.image(lines) for lines in before}
    there = Place(new.path, anchor.lines, "\0")  # no symbol is the cited one's: it was in another file
    return [hit for hit in hits if hit not in twins and _more(there, pair, before, hits, new.enclosing(hit))]


def fresh_stretches(pair: Pair, lines: Lines, reach: int) -> Iterator[list[int]]:
    """Yields stretches of lines within some lines that came since, with a few of their neighbours."""
    said = pair.new.said(lines)
    fresh = [position for position, number in enumerate(said) if number not in pair.kept]
    start = 0
    while start < len(fresh):
        stop = start
        while stop + 1 < len(fresh) and fresh[stop + 1] - fresh[stop] <= reach:
            stop += 1
        yield said[max(0, fresh[start] - reach) : fresh[stop] + reach + 1]
        start = stop + 1
