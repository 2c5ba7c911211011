"""What the checks of expressions share: findings with a place, and words for types."""

from __future__ import annotations

from dataclasses import replace

from engine.expr.nodes import Node, Text, Type
from engine.expr.parse import ExpressionError
from engine.expr.symbols import Symbols
from engine.units import DIMENSIONLESS, Unit


def wrong(node: Node, code: str, message: str, help: str | None = None) -> ExpressionError:
    """Returns a finding about a part of an expression."""
    return ExpressionError(code, message, node.start, node.end, help)


def listed(values: tuple[str, ...]) -> str:
    """Joins members of an enumeration for a message."""
    return ", ".join(f"`{value}`" for value in values)


def described(kind: Type) -> str:
    """Says what a type is, for a message."""
    return {"number": "a number", "flag": "a condition (true or false)", "text": "a member of an enumeration"}[
        kind.kind
    ]


def cast_help(found: Unit | None, wanted: Unit | None) -> str | None:
    """Suggests a cast where a plain number stands in place of a unit."""
    if found == DIMENSIONLESS and wanted is not None and str(wanted) in ("B", "elem", "flop"):
        return f"a plain number becomes {wanted} with the cast {wanted}(…)"
    return None


def as_member(text: Text, values: tuple[str, ...], symbols: Symbols) -> Text:
    """Gives a text literal the type of the enumeration that it must belong to."""
    if text.value not in values:
        raise wrong(
            text,
            "E311",
            f"`{text.value}` is not one of {listed(values)}",
            symbols.suggest(text.value, list(values)),
        )
    return replace(text, type=Type("text", None, values))


def join(node: Node, *parts: Node) -> str | None:
    """Returns the domain of parts that are combined; vectors over different domains cannot be."""
    domains = {part.type.over for part in parts} - {None}
    if len(domains) > 1:
        raise wrong(
            node, "E308", f"vectors over {' and '.join(sorted(str(domain) for domain in domains))} cannot be combined"
        )
    return next(iter(domains), None)
