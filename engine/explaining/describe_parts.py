"""What the pages of ids are put together from: other ids in brief, citations, formulas in one line, places."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

from engine.cite import references
from engine.diagnostics import Span
from engine.rules import Citation, Expression, Input
from engine.ruleset import RuleSet


class Headed(Protocol):
    """Whatever has a page."""

    @property
    def id(self) -> str:
        """Its id."""

    @property
    def title(self) -> str:
        """What it is, in a few words."""

    @property
    def span(self) -> Span:
        """Where it is declared."""


def briefs(rules: RuleSet, ids: Iterable[str]) -> list[dict[str, str]]:
    """Returns id, unit and title of other ids."""
    found = []
    for id in ids:
        item = rules.computed.get(id) or rules.slots.get(id) or rules.inputs[id]
        type = rules.symbols.types.get(id)
        unit = item.kind if isinstance(item, Input) and type is None else item.unit
        if type is not None and type.kind != "number":
            unit = "flag" if type.kind == "flag" else "enum"
        found.append(
            {"id": id, "unit": unit, "title": item.title} | ({"over": type.over} if type and type.over else {})
        )
    return found


def cited(rules: RuleSet, citations: Iterable[Citation], assumption: str | None, note: str | None) -> dict[str, Any]:
    """Returns where something comes from, why it is assumed, and a remark, as far as there are any."""
    entry = {
        "citations": [reference.to_dict() for reference in references(citations, rules.sources)],
        "assumption": assumption,
        "note": note,
    }
    return {key: value for key, value in entry.items() if value}


def head(rules: RuleSet, kind: str, item: Headed) -> dict[str, Any]:
    """Returns what every page begins with."""
    return {"kind": kind, "id": item.id, "title": item.title, "place": place(rules, item.span)}


def one_line(expression: Expression | None) -> str | None:
    """Returns the text of an expression without its line breaks."""
    return " ".join(expression.text.split()) if expression else None


def place(rules: RuleSet, span: Span) -> str:
    """Returns file and line, from the folder of the rules on: the same wherever the rules are installed."""
    path = span.source.path
    root = str(rules.path.parent)
    shown = path[len(root) :].lstrip("/\\") if root != "." and path.startswith(root) else path
    return f"{shown}:{span.line}"
