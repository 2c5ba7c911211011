"""Cited lines of a checkout as data of a page, and as blocks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from engine.audit.excerpts import Excerpt
from engine.render.blocks import Block, Listing, Part, Prose


def entries(found: Iterable[Excerpt]) -> list[dict[str, Any]]:
    """Returns excerpts as JSON-ready data."""
    return [
        {
            "case": one.cited.branch,
            "path": one.place.path,
            "in": one.place.symbol,
            "at": one.moment,
            "lines": [[number, text] for number, text in one.lines],
        }
        | ({"problem": one.problem} if one.problem else {})
        for one in found
    ]


def blocks(listed: Iterable[Mapping[str, Any]]) -> Iterator[Block]:
    """Yields a block for each excerpt."""
    for one in listed:
        inside = f" in {one['in']}" if one["in"] else ""
        parts: list[Part] = [Prose(one["problem"])] if "problem" in one else []
        if one["lines"]:
            parts.append(Listing([(number, text) for number, text in one["lines"]]))
        yield Block(f"{one['path']}{inside}, at {one['at']}", parts)
