"""What has become of cited lines since they were cited: diff first, then exact text, then likeness, then the symbol."""

from __future__ import annotations

from dataclasses import replace

from engine.audit.compare import Sameness, best_window, compare, difference
from engine.audit.edited import MOST_LINES, by_change, changed, place_of, replaced
from engine.audit.pair import Pair
from engine.audit.places import Lines, Place
from engine.audit.search import ALIKE, inside, new_elsewhere, new_hits
from engine.audit.source_text import SourceText, Unreadable
from engine.audit.trees import Tree
from engine.audit.verdict import State, Verdict

NESTED = "the statements are nested in another way"

_MOST_FILES = 40
_MOST_CANDIDATES = 5
_SHORT = 12
_NEAR = 0.3


class Tracer:
    """Traces citations from one tree of a source to another."""

    def __init__(self, old: Tree, new: Tree) -> None:
        self.old = old
        self.new = new
        self._pairs: dict[tuple[int, int], Pair] = {}
        self._files: dict[tuple[str, str], list[str]] = {}

    def trace(self, anchor: Place) -> Verdict:
        """Returns what has become of lines that are true in the old tree."""
        base = self.old.read(anchor.path)
        assert base is not None
        if base.symbols is not None or not anchor.symbol:
            return self._trace(anchor, base)
        # what `in` names cannot be looked up in this language; it stays as the author wrote it
        verdict = self._trace(replace(anchor, symbol=""), base)
        now = replace(verdict.now, symbol=anchor.symbol) if verdict.now else None
        return replace(verdict, now=now)

    def _trace(self, anchor: Place, base: SourceText) -> Verdict:
        try:
            found = self.new.read(anchor.path)
        except Unreadable as error:
            return Verdict(State.MISSING, f"`{anchor.path}` cannot be audited: {error}")
        if found is not None and found.data == base.data:
            return Verdict(State.OK, now=anchor, method="same file")
        path = anchor.path
        if found is None:
            path = self.new.renamed_from(self.old, anchor.path) or ""
            found = _read(self.new, path) if path else None
        if found is None:
            return self._elsewhere(anchor, base) or self._symbol_elsewhere(anchor, base) or self._missing(anchor, None)
        pair = self._pair(base, found)
        verdict = self._by_diff(anchor, pair) or self._by_text(anchor, pair) or self._in_order(anchor, pair)
        if verdict.now and verdict.now.path != anchor.path and verdict.state is State.MOVED:
            verdict = replace(verdict, kind="file", reason=f"the file is now `{verdict.now.path}`")
        return verdict

    def _in_order(self, anchor: Place, pair: Pair) -> Verdict:
        """Looks for edited lines first where the symbol is still there, and first in other files where it is not."""
        here = not anchor.symbol or pair.new.symbols is None or bool(pair.new.symbols.named(anchor.symbol))
        if here:
            found = by_change(anchor, pair) or self._elsewhere(anchor, pair.old) or replaced(anchor, pair)
        else:
            found = self._elsewhere(anchor, pair.old) or by_change(anchor, pair)
            found = found or self._symbol_elsewhere(anchor, pair.old) or replaced(anchor, pair)
        return found or self._missing(anchor, pair)

    def _by_diff(self, anchor: Place, pair: Pair) -> Verdict | None:
        image = pair.image(anchor.lines)
        if image is None:
            return None
        wanted = pair.old.said_text(anchor.lines)
        symbol = pair.new.enclosing(image)
        before = inside(pair.old, pair.old.find(wanted), anchor.symbol)
        after = inside(pair.new, pair.new.find(wanted), symbol)
        now = Place(pair.new.path, image, symbol)
        if symbol == anchor.symbol or pair.old.symbols is None or pair.new.symbols is None:
            if len(after) < len(before) and not pair.held(anchor.lines, image):
                reason = f"one of {len(before)} equal stretches in `{anchor.symbol}` is gone, and nothing tells which"
                return Verdict(State.AMBIGUOUS, reason, candidates=_places(pair.new, after))
            return self._same_or_changed(anchor, pair, now, "diff")
        if pair.new.symbols.named(anchor.symbol):
            return None  # the symbol stands elsewhere: another function's twin may have been aligned
        was_there = inside(pair.old, pair.old.find(wanted), symbol)
        return None if len(after) <= len(was_there) else self._same_or_changed(anchor, pair, now, "diff")

    def _by_text(self, anchor: Place, pair: Pair) -> Verdict | None:
        hits = new_hits(anchor, pair)
        chosen = inside(pair.new, hits, anchor.symbol) or hits
        if not chosen:
            return None
        if len(chosen) > 1:
            reason = f"the same lines came in {len(chosen)} places of `{pair.new.path}`"
            return Verdict(State.AMBIGUOUS, reason, method="text", candidates=_places(pair.new, chosen))
        return self._same_or_changed(anchor, pair, place_of(pair.new, chosen[0]), "text")

    def _same_or_changed(self, anchor: Place, pair: Pair, now: Place, method: str) -> Verdict:
        if compare(pair.old, anchor.lines, pair.new, now.lines) is Sameness.DIFFERENT:
            return changed(anchor, pair.old, pair.new, now, NESTED, method)
        if now == anchor:
            return Verdict(State.OK, now=now, method=method)
        if now.symbol != anchor.symbol:
            what, kind = f"now in {_symbol(now.symbol)}, was in {_symbol(anchor.symbol)}", "symbol"
        else:
            what, kind = f"now {now.lines}, was {anchor.lines}", "lines"
        return Verdict(State.MOVED, what, now, kind, method)

    def _elsewhere(self, anchor: Place, base: SourceText) -> Verdict | None:
        """Looks for the cited text in other files, by its longest line."""
        wanted = base.said_text(anchor.lines)
        numbers = base.said(anchor.lines)
        needle = max((base.lines[number - 1].strip() for number in numbers), key=len)
        if len(" ".join(wanted)) < _SHORT:
            return None
        hits: list[tuple[SourceText, Lines]] = []
        for path in self._containing(needle, base.suffix):
            text = _read(self.new, path) if path != anchor.path else None
            if text:
                hits += [(text, lines) for lines in new_elsewhere(anchor, wanted, _read(self.old, path), text)]
        name = anchor.symbol.rpartition(".")[2]
        alike = [(text, lines) for text, lines in hits if text.enclosing(lines).rpartition(".")[2] == name]
        if len(alike) > 1:
            alike = [one for one in alike if one[0].enclosing(one[1]) == anchor.symbol] or alike
        chosen = alike or (hits if len(wanted) > 1 else [])
        if len(chosen) > 1:
            places = tuple(place_of(text, lines) for text, lines in chosen[:_MOST_CANDIDATES])
            return Verdict(State.AMBIGUOUS, "the same lines came in several files", method="text", candidates=places)
        if not chosen:
            return None
        return self._in_other_file(anchor, base, *chosen[0], "text")

    def _in_other_file(self, anchor: Place, base: SourceText, text: SourceText, lines: Lines, method: str) -> Verdict:
        now = place_of(text, lines)
        if compare(base, anchor.lines, text, lines) is Sameness.DIFFERENT:
            return changed(anchor, base, text, now, NESTED, method)
        return Verdict(State.MOVED, f"the lines are now in `{now.path}`", now, "file", method)

    def _symbol_elsewhere(self, anchor: Place, base: SourceText) -> Verdict | None:
        """Looks for the symbol in other files, once it is gone from its own."""
        if not anchor.symbol or not base.symbols:
            return None
        name = anchor.symbol.partition(".")[0]
        node = base.symbols.named(name)
        word = "class" if node and type(node[0].node).__name__ == "ClassDef" else "def"
        found = []
        for path in self._containing(f"{word} {name}", base.suffix):
            text, before = _read(self.new, path), _read(self.old, path)
            known = before.symbols.named(anchor.symbol) if before and before.symbols else []
            if text and text.symbols and path != anchor.path and not known:
                found += [(text, symbol) for symbol in text.symbols.named(anchor.symbol)]
        if len(found) != 1:
            return None
        text, symbol = found[0]
        exact = inside(text, text.find(base.said_text(anchor.lines)), anchor.symbol)
        if len(exact) == 1:
            return self._in_other_file(anchor, base, text, exact[0], "symbol")
        best = best_window(list(base.said_text(anchor.lines)), text, text.said(symbol.lines)[:MOST_LINES], ALIKE)
        lines = best[0] if best else symbol.lines
        now = Place(text.path, lines, anchor.symbol)
        return changed(anchor, base, text, now, f"`{anchor.symbol}` is now in `{text.path}`", "symbol")

    def _missing(self, anchor: Place, pair: Pair | None) -> Verdict:
        if pair is None:
            return Verdict(State.MISSING, f"there is no `{anchor.path}` any more, and its lines are nowhere else")
        symbols = pair.new.symbols.named(anchor.symbol) if pair.new.symbols and anchor.symbol else []
        if symbols:
            reason = f"the lines are gone from `{anchor.symbol}`"
        elif anchor.symbol and pair.new.symbols:
            reason = f"there is no `{anchor.symbol}` any more"
        else:
            reason = "the lines are gone"
        region, _ = pair.between(anchor.lines)
        near = pair.new.said(region)[:MOST_LINES] if region else []
        best = best_window(list(pair.old.said_text(anchor.lines)), pair.new, near, _NEAR)
        candidates = tuple(Place(pair.new.path, symbol.lines, symbol.name) for symbol in symbols)
        if best:
            candidates = (place_of(pair.new, best[0]), *candidates)
        diff = difference(pair.old, anchor.lines, pair.new, None)
        return Verdict(State.MISSING, reason, candidates=candidates, diff=diff)

    def _pair(self, old: SourceText, new: SourceText) -> Pair:
        key = (id(old), id(new))
        if key not in self._pairs:
            self._pairs[key] = Pair(old, new)
        return self._pairs[key]

    def _containing(self, text: str, suffix: str) -> list[str]:
        key = (text, suffix)
        if key not in self._files:
            self._files[key] = self.new.containing(text, f".{suffix}")[:_MOST_FILES]
        return self._files[key]


def _read(tree: Tree, path: str) -> SourceText | None:
    try:
        return tree.read(path)
    except Unreadable:
        return None


def _symbol(name: str) -> str:
    return f"`{name}`" if name else "no symbol"


def _places(text: SourceText, found: list[Lines]) -> tuple[Place, ...]:
    return tuple(place_of(text, lines) for lines in found[:_MOST_CANDIDATES])
