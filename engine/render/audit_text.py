"""An audit as text: what fails in full, what merely moved in a list, then the counts."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from engine.audit.coverage import Coverage, spans
from engine.audit.findings import CODES, finding, mending
from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.verdict import GATE, State
from engine.cite import written
from engine.diagnostics import Diagnostic

if TYPE_CHECKING:
    from engine.audit.replay import Replayed

Paint = Callable[[str, str], str]

_STYLES = {State.BROKEN: "bold red", State.CHANGED: "bold red", State.MISSING: "bold red", State.AMBIGUOUS: "bold red"}
_MOST_PLACES = 15
_LISTED = (State.MOVED, State.COSMETIC, State.UNVERIFIED)


def audit_text(
    audit: Audit,
    gate: Collection[State],
    paint: Paint,
    more: Sequence[Diagnostic] = (),
    replays: Sequence[Replayed] | None = None,
    *,
    verbose: bool = False,
) -> str:
    """Returns the text.

    Args:
        audit: the outcome.
        gate: the states that fail.
        paint: puts a style on a text.
        more: findings that are not about one citation.
        replays: what replays came to.
        verbose: whether to list also what is ok.
    """
    failing = {State.BROKEN, *gate, *GATE}
    blocks = [_block(audit, group, gate, paint) for group in grouped(audit, failing)]
    listed = [state for state in _LISTED if state not in failing]
    blocks += [text for state in listed if (text := _listing(audit, state, paint))]
    if verbose:
        blocks.append(_listing(audit, State.OK, paint))
    if audit.coverage is not None:
        blocks.append(_coverage(audit.coverage, paint, verbose=verbose))
    if replays:
        blocks.append("\n".join([paint("replay", "bold"), *(f"   {_replay(one)}" for one in replays)]))
    blocks += [str(finding) for finding in more]
    return "\n\n".join([*filter(None, blocks), summary(audit)]) + "\n"


def _replay(one: Replayed) -> str:
    what = f"{one.replay.id}: {one.replay.function} at {one.label}"
    if one.problem:
        return f"{what}: not run"
    text = f"{what}: {one.count} configurations, {one.compared:,} values of {len(one.observed)} rules compared, "
    text += f"{len(one.departures)} differ" if one.departures else "no difference"
    text += f", {one.skipped} without a value" if one.skipped else ""
    return text + (f"; not known to the rules: {', '.join(one.unknown)}" if one.unknown else "")


def _coverage(found: Sequence[Coverage], paint: Paint, *, verbose: bool) -> str:
    lines = [paint("coverage", "bold")]
    for one in found:
        if one.problem:
            continue
        count = one.count
        how = f"{count.cited} cited" + (f", {count.waived} waived" if count.waived else "")
        lines.append(f"   {one.watch.id}: {one.watch.path}")
        lines.append(f"      {count.percent:.1f} % of {count.total} statements ({how})")
        for symbol, each in one.symbols.items():
            places = [f"{at}{' in part' if part else ''}" for name, at, part in spans(one) if name == symbol]
            if not verbose and len(places) > _MOST_PLACES:
                places = [*places[:_MOST_PLACES], f"{len(places) - _MOST_PLACES} more"]
            if verbose or each.cited + each.waived < each.total:
                missing = f", not cited: {', '.join(places)}" if places else ""
                lines.append(f"      {symbol}: {each.percent:.0f} %{missing}")
    return "\n".join(lines) if len(lines) > 1 else ""


def summary(audit: Audit) -> str:
    """Returns the counts, with what they were taken against."""
    counts = [f"{count} {state}" for state, count in audit.counts().items() if count]
    total = len(audit.code_citations)
    others = len(audit.citations) - total
    against = ", ".join(f"{alias} at {moment(audit, alias)}" for alias in audit.sources) or "no source"
    lines = [f"{total} citation{'s' if total != 1 else ''} of code against {against}: {', '.join(counts) or 'none'}"]
    if others:
        lines.append(f"papers and documents, which have nothing to compare with: {_times(others)}")
    return "\n".join(lines)


def moment(audit: Audit, alias: str) -> str:
    """Says in short at which moment a source was audited."""
    label, commit = audit.sources[alias], audit.commits.get(alias)
    if commit is None:
        return label
    return commit[:8] if commit.startswith(label) else f"{label} ({commit[:8]})"


def grouped(audit: Audit, states: Collection[State]) -> list[list[AuditedCitation]]:
    """Returns citations in some states, those of the same place with the same verdict together."""
    groups: dict[tuple[str, object, str], list[AuditedCitation]] = {}
    for one in audit.code_citations:
        if one.state in states and one.state is not State.OK:
            groups.setdefault((one.cited.citation.source, one.place, one.verdict.reason), []).append(one)
    return list(groups.values())


def _block(audit: Audit, group: list[AuditedCitation], gate: Collection[State], paint: Paint) -> str:
    first = group[0]
    found = finding(audit, first, gate)
    verdict = first.verdict
    where = f"{found.span}: " if found.span else ""
    kind = paint(f"{found.severity}[{found.code}]", _STYLES.get(first.state, "bold"))
    lines = [f"{paint(where, 'bold')}{kind}{paint(f': {found.message}', 'bold')}"]
    facts = [("cites", written(first.cited.citation, audit.rules.sources))]
    if verdict.now and verdict.now != first.place:
        alike = f", similar {verdict.similarity:.2f}" if verdict.similarity is not None else ""
        facts.append(("now", f"{verdict.now}{alike}"))
    if verdict.change:
        facts.append(("since", f"{verdict.change.commit[:8]} of {verdict.change.date}"))
    facts += [("perhaps", str(place)) for place in verdict.candidates]
    lines += [f"   {paint(f'{name:7}', 'dim')} {text}" for name, text in facts]
    lines += [f"   {_painted(line, paint)}" for line in verdict.diff if not line.startswith("@@")]
    if verdict.base == "lock":
        lines.append(
            f"   {paint('note   ', 'dim')} the pinned commit is not in the checkout; this rests on the lock alone"
        )
    lines += [f"   {paint('also   ', 'dim')} {other.cited.label}" for other in group[1:]]
    if mending(first):
        lines.append(f"   {paint('help   ', 'dim')} {mending(first)}")
    return "\n".join(lines)


def _painted(line: str, paint: Paint) -> str:
    plain = "".join(char if char.isprintable() or char == "\t" else "\N{REPLACEMENT CHARACTER}" for char in line)
    style = {"-": "red", "+": "green"}.get(line[:1], "")
    return paint(plain, style) if style else plain


def _listing(audit: Audit, state: State, paint: Paint) -> str:
    """Returns one line a place; those that could not be checked are counted by their reason."""
    found = [one for one in audit.code_citations if one.state is state]
    if not found:
        return ""
    if state is State.UNVERIFIED:
        reasons = [one.verdict.reason for one in found]
        head = paint(f"warning[{CODES[state]}]", "bold yellow")
        return "\n".join(
            f"{head}: {_times(reasons.count(reason))} not verified: {reason}" for reason in dict.fromkeys(reasons)
        )
    return "\n".join([paint(str(state), "bold"), *_places(found)])


def _places(found: Iterable[AuditedCitation]) -> Iterator[str]:
    path = ""
    places: dict[tuple[object, object], list[AuditedCitation]] = {}
    for one in found:
        places.setdefault((one.place, one.verdict.now), []).append(one)
    for group in sorted(places.values(), key=lambda group: (group[0].place.path, group[0].place.lines)):  # type: ignore[union-attr]
        place, now = group[0].place, group[0].verdict.now
        assert place is not None
        if place.path != path:
            path = place.path
            yield f"   {path}"
        target = ""
        if now and now.path != place.path:
            target = f" → {now}"
        elif now and now != place:
            target = f" → {now.lines}" + (f" in {now.symbol}" if now.symbol != place.symbol else "")
        labels = list(dict.fromkeys(one.cited.rule for one in group))
        more = f" and {len(labels) - 2} more" if len(labels) > 2 else ""
        yield f"      {place.lines}{target}  {', '.join(labels[:2])}{more}"


def _times(count: int) -> str:
    return f"{count} citation{'s' if count != 1 else ''}"
