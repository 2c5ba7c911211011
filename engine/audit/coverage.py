"""Code that the rules must follow: which of its statements no rule cites, and what came to it since."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.audit.collect import Cited
from engine.audit.pair import Pair
from engine.audit.places import Lines, parse_where
from engine.audit.source_text import SourceText, Unreadable
from engine.audit.statements import MODULE, Statement, fields, matching, statements
from engine.audit.trees import Tree
from engine.diagnostics import Diagnostic, Findings, nearest
from engine.watch import Watch

_MOST_NEW = 40


@dataclass(frozen=True, slots=True)
class Count:
    """Statements of a file or symbol.

    Attributes:
        total: all that compute something.
        cited: those that rules cite, whole.
        waived: those that are waived and not cited.
    """

    total: int
    cited: int
    waived: int

    @property
    def percent(self) -> float:
        """Share that is cited or waived; 100 where there is nothing to cite."""
        return 100.0 * (self.cited + self.waived) / self.total if self.total else 100.0


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far rules cite a watched file.

    Attributes:
        watch: the declaration.
        count: of all watched symbols.
        symbols: by symbol.
        uncovered: statements that no rule cites and nobody waives, with their symbols.
        partial: which of them are cited in part.
        unused: waivers whose lines hold nothing that needs one.
        new_symbols: watched symbols, and attributes of watched classes, that the pinned file had not.
        new_calls: watched calls on lines that came since: line, symbol and text of the call.
        problem: why nothing can be said, empty if something can.
    """

    watch: Watch
    count: Count
    symbols: Mapping[str, Count]
    uncovered: tuple[Statement, ...] = ()
    partial: frozenset[Statement] = frozenset()
    unused: tuple[str, ...] = ()
    new_symbols: tuple[tuple[str, Lines], ...] = ()
    new_calls: tuple[tuple[int, str, str], ...] = ()
    problem: str = ""


def coverage(watch: Watch, cited: Iterable[Cited], pinned: Tree, target: Tree) -> Coverage:
    """Counts which statements of a watched file the rules cite at the pinned commit, and what came to it since."""
    nothing = Count(0, 0, 0)
    try:
        text = pinned.read(watch.path)
    except Unreadable as error:
        return Coverage(watch, nothing, {}, problem=f"`{watch.path}` cannot be read: {error}")
    if text is None or text.symbols is None:
        what = (
            "there is no such file at the pinned commit" if text is None else "it is not Python that can be read here"
        )
        return Coverage(watch, nothing, {}, problem=f"`{watch.path}`: {what}")
    for pattern in watch.symbols:
        if not matching(text, [pattern]):
            near = nearest(pattern, [MODULE, *(symbol.name for symbol in text.symbols.all)])
            hint = f"; did you mean `{near}`?" if near else ""
            return Coverage(watch, nothing, {}, problem=f"`{pattern}` matches no symbol of `{watch.path}`{hint}")
    ranges = _ranges(watch, cited)
    waived = _lines(parse_where(waiver.citation.where)[1] for waiver in watch.waivers)
    counts: dict[str, list[int]] = {}
    uncovered: list[Statement] = []
    partial: set[Statement] = set()
    all_found = statements(text, watch.symbols)
    for one in all_found:
        said = set(text.said(one.lines))
        count = counts.setdefault(one.symbol, [0, 0, 0])
        count[0] += 1
        if said <= ranges:
            count[1] += 1
        elif said <= ranges | waived:
            count[2] += 1
        else:
            uncovered.append(one)
            if said & (ranges | waived):
                partial.add(one)
    totals = [sum(column) for column in zip(*counts.values(), strict=True)] or [0, 0, 0]
    return Coverage(
        watch, Count(*totals), {name: Count(*count) for name, count in counts.items()}, tuple(uncovered),
        frozenset(partial), _unused(watch, all_found, ranges, text), *_since(watch, text, target),
    )  # fmt: skip


def _ranges(watch: Watch, cited: Iterable[Cited]) -> set[int]:
    found: list[Lines] = []
    for one in cited:
        citation = one.citation
        if citation.kind == "code" and citation.source == watch.source and not one.rule.startswith("watch."):
            path, lines = parse_where(citation.where)
            if path == watch.path:
                found.append(lines)
    return _lines(found)


def _lines(ranges: Iterable[Lines]) -> set[int]:
    return {number for lines in ranges for number in lines.numbers()}


def _unused(watch: Watch, found: list[Statement], ranges: set[int], text: SourceText) -> tuple[str, ...]:
    needed = [one.lines for one in found if not set(text.said(one.lines)) <= ranges]
    return tuple(
        waiver.citation.where
        for waiver in watch.waivers
        if not any(parse_where(waiver.citation.where)[1].overlaps(lines) for lines in needed)
    )


def _since(
    watch: Watch, old: SourceText, target: Tree
) -> tuple[tuple[tuple[str, Lines], ...], tuple[tuple[int, str, str], ...]]:
    try:
        new = target.read(watch.path)
    except Unreadable:
        return (), ()
    if new is None or new.symbols is None or new.data == old.data:
        return (), ()
    known = set(matching(old, watch.symbols))
    symbols = [name for name in matching(new, watch.symbols) if name not in known]
    declared = fields(old, watch.symbols)
    places = (
        *((name, new.symbols.named(name)[0].lines) for name in symbols),
        *((name, lines) for name, lines in fields(new, watch.symbols).items() if name not in declared),
    )
    pair = Pair(old, new)
    watched = set(matching(new, watch.symbols))
    calls = []
    for number, line in enumerate(new.norm, 1):
        for call in watch.calls:
            if call in line and number not in pair.kept:
                symbol = new.enclosing(Lines(number, number)) or MODULE
                if symbol in watched:
                    calls.append((number, symbol, call))
    return places, tuple(calls)


def coverage_findings(found: Iterable[Coverage], least: float | None) -> list[Diagnostic]:
    """Returns what is wrong with coverage.

    Args:
        found: coverage of the watched files.
        least: least share in percent for every watched file, besides the one that each declares.
    """
    findings = Findings()
    for one in found:
        watch = one.watch
        if one.problem:
            findings.add("E822", f"watch `{watch.id}`: {one.problem}", watch.span)
            continue
        wanted = max(watch.min_coverage, least or 0.0)
        if one.count.percent < wanted:
            share = f"{one.count.percent:.1f} % of its statements are cited or waived, {wanted:g} % must be"
            help = "cite the statements that the audit lists, or waive them with a reason"
            findings.add("E821", f"watch `{watch.id}`: {share}", watch.span, help=help)
        for where in one.unused:
            message = f"watch `{watch.id}` waives {where.rpartition('#')[2]}, where nothing needs it"
            findings.add("W824", message, watch.span, help="remove the waiver")
        new = [f"`{symbol}` ({lines})" for symbol, lines in one.new_symbols]
        new += [f"`{call}` in {symbol} (L{number})" for number, symbol, call in one.new_calls]
        if new:
            shown = ", ".join(new[:_MOST_NEW]) + (f" and {len(new) - _MOST_NEW} more" if len(new) > _MOST_NEW else "")
            message = f"new in {watch.path}: {shown}"
            findings.add("W823", message, watch.span, help="see whether the rules must know it")
    return findings.sorted()


def spans(one: Coverage) -> list[tuple[str, Lines, bool]]:
    """Returns the uncovered stretches: symbol, lines, and whether a part of them is cited; neighbours are joined."""
    joined: list[tuple[str, Lines, bool]] = []
    for statement in one.uncovered:
        part = statement in one.partial
        if joined and joined[-1][0] == statement.symbol and statement.lines.first - joined[-1][1].last <= 1:
            symbol, lines, before = joined.pop()
            joined.append((symbol, Lines(lines.first, max(lines.last, statement.lines.last)), before or part))
        else:
            joined.append((statement.symbol, statement.lines, part))
    return joined
