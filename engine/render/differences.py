"""Differences between evaluations, for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from engine.evaluating.artifact import number
from engine.explaining.difference import Difference, Part
from engine.explaining.substitution import Cause
from engine.render.markdown import escaped, table
from engine.render.numbers import plain
from engine.render.table import aligned, fitted
from engine.render.text import Paint, unpainted

SCHEMA = "rank-ledger/difference/1"
_LONGEST = 60


def text(found: Sequence[Difference], paint: Paint = unpainted) -> str:
    """Returns differences for a terminal."""
    return "\n\n".join("\n".join(_lines(one, paint)) for one in found) + "\n"


def _lines(one: Difference, paint: Paint) -> Iterator[str]:
    head = f"{one.id}: {plain(one.old)} → {plain(one.new)}{_unit(one)}, {signed(one.change)}{_unit(one)}"
    yield paint(head, "bold") + (f"  (entry {one.places[0]} → {one.places[1]})" if one.places else "")
    if not one.change:
        yield "  no difference"
        return
    yield ""
    yield "Where it arises"
    yield from _rows([_part(part) for part in one.parts])
    if one.causes:
        yield ""
        yield "What brings it about, one change after another"
        yield from _rows([_cause(cause) for cause in one.causes])
    if one.idle:
        yield ""
        yield f"Differs as well, without effect here: {', '.join(one.idle)}"


def _rows(rows: list[list[str]]) -> Iterator[str]:
    for row in aligned(rows, "><<") if rows else []:
        yield ("  " + "  ".join(row)).rstrip()


def _part(part: Part) -> list[str]:
    name = part.rule if part.text == part.rule else f"{part.rule}: {fitted(part.text, _LONGEST)}"
    note = f"  ({part.note})" if part.note else ""
    return [signed(part.change), name, f"{plain(part.old)} → {plain(part.new)}{note}"]


def _cause(cause: Cause) -> list[str]:
    old, new = fitted(cause.old, _LONGEST) or "–", fitted(cause.new, _LONGEST) or "–"
    formulas = cause.kind not in ("value", "input")
    return [signed(cause.change), cause.id, "another formula" if formulas and cause.old else f"{old} → {new}"]


def signed(value: float) -> str:
    """Returns a number with its sign."""
    return f"{'+' if value > 0 else '−' if value < 0 else '±'}{plain(abs(value))}"


def _unit(one: Difference) -> str:
    return f" {one.unit}" if one.unit != "1" else ""


def json_text(found: Sequence[Difference]) -> str:
    """Returns differences as JSON."""
    entries = [
        {
            "id": one.id,
            "unit": one.unit,
            "old": number(one.old),
            "new": number(one.new),
            "change": number(one.change),
            "entries": list(one.places) if one.places else None,
            "parts": [
                {
                    "rule": part.rule,
                    "term": part.text,
                    "old": number(part.old),
                    "new": number(part.new),
                    "change": number(part.change),
                    "note": part.note,
                }
                for part in one.parts
            ],
            "causes": [
                {
                    "kind": cause.kind,
                    "id": cause.id,
                    "old": cause.old,
                    "new": cause.new,
                    "change": number(cause.change),
                }
                for cause in one.causes
            ],
            "without_effect": list(one.idle),
        }
        for one in found
    ]
    return json.dumps({"schema": SCHEMA, "differences": entries}, indent=2, ensure_ascii=False, allow_nan=False)


def markdown(found: Sequence[Difference]) -> str:
    """Returns differences as Markdown."""
    lines: list[str] = []
    for one in found:
        head = f"`{one.id}`: {plain(one.old)} → {plain(one.new)}{_unit(one)}, {signed(one.change)}{_unit(one)}"
        lines += [f"# {head}", ""]
        if one.parts:
            rows = [[cell if at == 0 else escaped(cell) for at, cell in enumerate(_part(part))] for part in one.parts]
            lines += ["## Where it arises", "", *table(["change", "term", "from → to"], "><<", rows), ""]
        if one.causes:
            rows = [
                [signed(cause.change), f"`{cause.id}`", escaped(cause.old or "–"), escaped(cause.new or "–")]
                for cause in one.causes
            ]
            heads = ["change", "what", "from", "to"]
            lines += ["## What brings it about, one change after another", "", *table(heads, "><<<", rows), ""]
        if one.idle:
            lines += [f"Differs as well, without effect here: {', '.join(f'`{id}`' for id in one.idle)}", ""]
    return "\n".join(lines)
