"""An explanation as a tree for a terminal, and as data."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import Any

from engine.cite import Reference
from engine.evaluating.artifact import number
from engine.evaluating.trace import digits, runs
from engine.explaining.explain import Explanation, Part, Step
from engine.render.blocks import folded

SCHEMA = "rank-ledger/explanation/1"

_NARROWEST = 40  # columns that a deep branch keeps, even where it passes the width
_LARGE = 1e7  # bytes from which they are shown in larger units too


def text(explanation: Explanation, width: int = 100) -> str:
    """Returns the tree, each step in full where it first appears, then the sources that it cites.

    Args:
        explanation: what to show.
        width: columns to fill.
    """
    return "\n".join(_Tree(explanation, width).lines()) + "\n"


class _Tree:
    """Lays out the lines of one tree; without recursion, since rules may read each other many levels deep."""

    def __init__(self, explanation: Explanation, width: int) -> None:
        self._explanation = explanation
        self._width = width
        self._sources: dict[tuple[str, str | None], tuple[int, Reference]] = {}

    def lines(self) -> Iterator[str]:
        """Yields all lines."""
        shown: set[tuple[str, bool]] = set()
        todo = [(self._explanation.root, 0, "", "")]
        while todo:
            key, level, first, rest = todo.pop()
            step = self._explanation.steps[key]
            cut = self._explanation.depth is not None and level >= self._explanation.depth and bool(step.reads)
            if (key, cut) in shown or (key, False) in shown:  # what was cut off is shown in full where there is room
                yield from self._wrapped(_header(step) + ("  (see above)" if step.reads else ""), first, rest)
                continue
            shown.add((key, cut))
            yield from self._step(step, first, rest, cut)
            for place, read in enumerate(reversed(step.reads if not cut else ())):
                branch, below = ("├─ ", "│  ") if place else ("└─ ", "   ")
                todo.append((read, level + 1, rest + branch, rest + below))
        yield from self._bibliography()

    def _step(self, step: Step, first: str, rest: str, cut: bool) -> Iterator[str]:
        header = _header(step) + _origin(step)
        side = rest + ("│ " if step.reads else "  ")
        if step.kind != "rule" and len(first + header) + len(step.title) + 2 <= self._width:
            yield f"{first}{header}  {step.title}"
        else:
            yield from self._wrapped(header, first, side)
            yield from self._wrapped(step.title, side, side)
        if step.origin != "given":
            for part in step.parts:
                for line in self._part(step, part, self._width - len(side)):
                    yield from self._wrapped(line, side, side)
                for line in self._citations(part, self._width - len(side)):
                    yield side + line
        if cut:
            yield from self._wrapped(f"… {', '.join(step.reads)}", rest + "└─ ", rest + "   ")

    def _part(self, step: Step, part: Part, room: int) -> Iterator[str]:
        if part.indices and step.cases:
            yield f"{step.over} {_ranges(part.indices)}:"
        for tried in part.tried:
            outcome = {True: "yes", False: "no", None: "if" if part.formula else "no value"}[tried.holds]
            line = f"case {tried.case} of {step.cases}  {outcome:3}  {tried.condition.text}"
            values = tried.condition.values if tried.condition.values != tried.condition.text else ""
            if values and len(line) + len(values) + 4 <= room:
                line += f"  → {values}"
                values = ""
            yield line
            if values:
                yield f"  → {values}"
        if part.case is not None and (not part.tried or part.tried[-1].case != part.case):
            yield f"case {part.case} of {step.cases}  otherwise"
        if part.formula:
            yield f"= {part.formula.text}"
            if part.formula.values not in (part.formula.text, digits(step.value)):
                yield f"= {part.formula.values}"
        if part.assumption:
            yield f"assumption: {part.assumption}"
        if part.note:
            yield f"note: {part.note}"

    def _citations(self, part: Part, room: int) -> Iterator[str]:
        for reference in part.citations:
            key = reference.text, reference.note
            position, _ = self._sources.setdefault(key, (len(self._sources) + 1, reference))
            yield from folded(f"[{position}] {reference.short}", max(room, _NARROWEST))

    def _bibliography(self) -> Iterator[str]:
        if self._sources:
            yield ""
            yield "Sources"
        margin = len(f"[{len(self._sources)}] ")
        for position, reference in self._sources.values():
            first, *more = folded(reference.text, self._width - margin)
            yield f"[{position}]".ljust(margin) + first
            yield from (" " * margin + line for line in more)
            if reference.note:
                yield from self._wrapped(reference.note, " " * margin, " " * margin)
            if reference.url:
                yield " " * margin + reference.url  # kept whole, so that a terminal makes it a link

    def _wrapped(self, line: str, first: str, rest: str) -> Iterator[str]:
        room = max(self._width - len(rest), _NARROWEST)
        hanging = " " * (len(line) - len(line.lstrip()) + 2)
        pieces = textwrap.wrap(line, room, subsequent_indent=hanging, break_on_hyphens=False) or [""]
        for position, piece in enumerate(pieces):
            yield (rest if position else first) + piece


def _header(step: Step) -> str:
    name = step.key if step.over is None or step.key.endswith("]") else f"{step.key} over {step.over}"
    if step.status == "unavailable":
        return f"{name}: no value without {step.why}" if step.why != step.key else f"{name}: missing"
    if step.status == "failed":
        within = "" if step.culprit == step.id else f"in {step.culprit} "
        return f"{name}: no value, {within}{step.why}"
    if step.kind == "check":
        return f"{name}: {'holds' if step.value else 'does not hold'}"
    return f"{name} = {figure(step.value, step.unit)}"


def _origin(step: Step) -> str:
    if step.origin in ("", "missing"):
        return ""
    place = f", {step.place}" if step.place else ""
    written = f" as {step.written}" if step.written is not None and step.written != step.value else ""
    return f"  ({step.origin}{written}{place})"


def figure(value: Any, unit: str) -> str:
    """Shows a value with its unit: thousands set apart, large byte counts in GB and GiB too."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset | set):
        return "{" + ", ".join(sorted(value)) + "}"
    tail = "" if unit in ("1", "flag", "enum", "set", "layout", "text") else f" {unit}"
    if isinstance(value, list | tuple):
        if not value and unit == "layout":
            return "none"
        entries = [entry if isinstance(entry, str) else digits(entry) for entry in value]
        return f"[{runs(entries)}]{tail}{_larger(value, unit)}"
    if not isinstance(value, int | float):
        return str(value)
    plain = f"{value:,.0f}" if float(value).is_integer() and abs(value) < 1e17 else f"{value:,.10g}"
    return f"{plain}{tail}{_larger([value], unit)}"


def _larger(values: list[Any] | tuple[Any, ...], unit: str) -> str:
    if unit != "B" or not values or max(map(abs, values)) < _LARGE:
        return ""
    decimal = runs([f"{value / 1e9:,.2f}" for value in values])
    return f" ({decimal} GB)" if len(values) > 1 else f" ({decimal} GB, {values[0] / 2**30:,.2f} GiB)"


def _ranges(indices: tuple[int, ...]) -> str:
    found: list[list[int]] = []
    for index in indices:
        if found and found[-1][1] == index - 1:
            found[-1][1] = index
        else:
            found.append([index, index])
    return ", ".join(str(low) if low == high else f"{low} to {high}" for low, high in found)


def to_dict(explanation: Explanation) -> dict[str, Any]:
    """Returns the explanation as a versioned, JSON-ready dictionary; each step stands once, under its key."""
    return {
        "schema": SCHEMA,
        "rules_digest": explanation.digest,
        "preset": explanation.preset,
        "root": explanation.root,
        "depth": explanation.depth,
        "steps": {key: _step_entry(step) for key, step in explanation.steps.items()},
    }


def _step_entry(step: Step) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "kind": step.kind,
        "title": step.title,
        "unit": step.unit,
        "status": step.status,
        "value": number(step.value),
        "reads": list(step.reads),
        "parts": [_part_entry(part) for part in step.parts],
    }
    optional = {
        "over": step.over, "cases": step.cases, "why": step.why, "failed_in": step.culprit,
        "origin": step.origin, "place": step.place, "given_as": step.written,
    }  # fmt: skip
    return entry | {key: value for key, value in optional.items() if value}


def _part_entry(part: Part) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "case": part.case,
        "indices": list(part.indices),
        "tried": [
            {"case": tried.case, "when": tried.condition.text, "values": tried.condition.values, "holds": tried.holds}
            for tried in part.tried
        ],
        "formula": part.formula.text if part.formula else None,
        "values": part.formula.values if part.formula else None,
        "assumption": part.assumption,
        "note": part.note,
        "citations": [reference.to_dict() for reference in part.citations],
    }
    return {key: value for key, value in entry.items() if value or key == "citations"}
