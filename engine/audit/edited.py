"""Finds cited lines that were edited, and says how they differ."""

from __future__ import annotations

import itertools

from engine.audit.compare import Sameness, best_window, compare, difference, similarity
from engine.audit.pair import Pair
from engine.audit.places import Lines, Place
from engine.audit.search import ALIKE, fresh_stretches
from engine.audit.source_text import SourceText
from engine.audit.tokens import code
from engine.audit.verdict import State, Verdict

MOST_LINES = 1000
_MOST_STRETCHES = 5
_MOST_PARTS = 60
_SHORTEST = 12


def by_change(anchor: Place, pair: Pair) -> Verdict | None:
    """Looks for edited lines: between the neighbours that are still there, then among what came to the symbol.

    Where nothing is like them as a whole, the place is where half of the lines are still there, or the statement that
    begins with the same line.
    """
    wanted = list(pair.old.said_text(anchor.lines))
    region, exact = pair.between(anchor.lines)
    if region and exact and similarity(wanted, list(pair.new.said_text(region))) >= ALIKE:
        return _edited(anchor, pair, _with_ends(anchor, pair, region))
    found = _window(anchor, pair, region, wanted)
    if found is None:  # a long docstring that was rewritten hides the code that it belongs to
        coded = [pair.old.norm[number - 1] for number in pair.old.coded(anchor.lines)]
        found = _window(anchor, pair, region, coded) if coded and coded != wanted else None
    survivors = pair.survivors(anchor.lines)
    if found is None and 2 * len(survivors) >= len(wanted):
        found = Lines(survivors[0], survivors[-1])
    elif found:
        found = _with_ends(anchor, pair, found)
    found = found or _statement(anchor, pair, wanted[0])
    return _edited(anchor, pair, found) if found else None


def _with_ends(anchor: Place, pair: Pair, found: Lines) -> Lines:
    """Returns a stretch with the first and last cited lines where they are still there: more may stand between them."""
    said = pair.old.said(anchor.lines)
    first, last = (pair.survivors(Lines(number, number)) for number in (said[0], said[-1]))
    start, stop = min([found.first, *first]), max([found.last, *last])
    if first == [start]:  # with the comments before it
        old, new = pair.old.lines, pair.new.lines
        above = range(1, min(said[0] - anchor.lines.first, start - 1) + 1)
        same = itertools.takewhile(lambda n: old[said[0] - 1 - n] == new[start - 1 - n], above)
        start -= sum(1 for _ in same)
    return Lines(start, stop)


def replaced(anchor: Place, pair: Pair) -> Verdict | None:
    """Takes what stands between the very neighbours of the cited lines, however little it is like them."""
    region, exact = pair.between(anchor.lines)
    few = 3 * len(pair.old.said(anchor.lines)) + 6
    return _edited(anchor, pair, region) if region and exact and len(pair.new.said(region)) <= few else None


def changed(anchor: Place, old: SourceText, new: SourceText, now: Place, reason: str, method: str) -> Verdict:
    """Returns the verdict that a place was found whose code differs."""
    alike = similarity(list(old.said_text(anchor.lines)), list(new.said_text(now.lines)))
    diff = difference(old, anchor.lines, new, now.lines)
    return Verdict(State.CHANGED, reason, now, method=method, similarity=round(alike, 2), diff=diff)


def place_of(text: SourceText, lines: Lines) -> Place:
    """Returns lines of a file with the symbol that they are in."""
    return Place(text.path, lines, text.enclosing(lines))


def _window(anchor: Place, pair: Pair, region: Lines | None, wanted: list[str]) -> Lines | None:
    """Returns the stretch that is most like the wanted lines, if it is like them enough."""
    best = best_window(wanted, pair.new, pair.new.said(region)[:MOST_LINES], ALIKE) if region else None
    if best is None:
        stretches = _fresh(anchor, pair, len(wanted))
        others = [best_window(wanted, pair.new, stretch, ALIKE, pair.kept) for stretch in stretches]
        best = max((one for one in others if one), key=lambda one: one[1], default=best)
    if best is None or similarity(wanted, list(pair.new.said_text(best[0]))) < ALIKE:
        return None
    return best[0]


def _statement(anchor: Place, pair: Pair, first: str) -> Lines | None:
    """Returns the statement that begins as the cited lines do, if the symbol has one such line and had one."""
    if len(first) < _SHORTEST or not pair.new.symbols or not pair.old.symbols:
        return None
    before, after = (_lines_of(text, anchor.symbol, first) for text in (pair.old, pair.new))
    if len(before) != 1 or len(after) != 1:
        return None
    around = pair.new.symbols.statements(Lines(after[0], after[0]))
    return Lines(after[0], min(around.last, after[0] + 3 * len(anchor.lines) + 6))


def _lines_of(text: SourceText, symbol: str, said: str) -> list[int]:
    """Returns the lines of a symbol, or of the whole file at module level, that say something."""
    symbols = text.symbols.named(symbol) if text.symbols else []
    ranges = [one.lines for one in symbols] if symbol else [Lines(1, max(1, len(text.lines)))]
    return [number for lines in ranges for number in lines.numbers() if text.norm[number - 1] == said]


def _fresh(anchor: Place, pair: Pair, size: int) -> list[list[int]]:
    symbols = pair.new.symbols.named(anchor.symbol) if pair.new.symbols and anchor.symbol else []
    found = [stretch for symbol in symbols for stretch in fresh_stretches(pair, symbol.lines, size)]
    return [stretch[:MOST_LINES] for stretch in found[:_MOST_STRETCHES]]


def _edited(anchor: Place, pair: Pair, lines: Lines) -> Verdict:
    if compare(pair.old, anchor.lines, pair.new, lines) is Sameness.DIFFERENT:
        alike = _cosmetic_part(anchor, pair, lines)
        if alike is None:
            return changed(anchor, pair.old, pair.new, place_of(pair.new, lines), "the code differs", "diff")
        lines = alike
    return Verdict(
        State.COSMETIC, "only comments, docstrings or layout differ", place_of(pair.new, lines), method="diff",
        diff=difference(pair.old, anchor.lines, pair.new, lines),
    )  # fmt: skip


def _cosmetic_part(anchor: Place, pair: Pair, lines: Lines) -> Lines | None:
    """Returns the part of some lines, at their beginning or end, that says the same as code: more may have come."""
    before, after = pair.old.tokens(anchor.lines), pair.new.tokens(lines)
    if before is None or after is None:
        return None
    wanted = code(before, anchor.lines)
    said = pair.new.said(lines)[:_MOST_PARTS]
    parts = [Lines(said[0], last) for last in reversed(said[:-1])] + [Lines(first, said[-1]) for first in said[1:]]
    return next((part for part in parts if code(after, part) == wanted), None)
