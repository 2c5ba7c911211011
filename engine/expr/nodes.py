"""The typed syntax tree of the rule language's expressions.

Nodes are immutable. `start` and `end` are character offsets in the expression's text, so that a finding can point at
the part that is wrong. The checker (`engine.expr.check`) returns the same tree with every `type` filled in; printers
rely on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from engine.expr.types import Type as Type


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """Base of all nodes."""

    start: int = 0
    end: int = 0
    type: Type = field(default_factory=Type, compare=False)


@dataclass(frozen=True, slots=True)
class Number(Node):
    """A numeric literal; `raw` is its text in the rule."""

    value: float
    raw: str


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string literal: a member of an enumeration."""

    value: str


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A rule, an input, or the index of a domain (`stage`, `layer`, `virtual_stage`)."""

    id: str


@dataclass(frozen=True, slots=True)
class Negate(Node):
    """Unary minus."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary(Node):
    """Arithmetic: `op` is one of + - * / // %."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Power(Node):
    """`base ** exponent` with a literal non-negative integer exponent."""

    base: Node
    exponent: int


@dataclass(frozen=True, slots=True)
class Compare(Node):
    """One comparison: `op` is one of == != < <= > >=. A chain becomes an `And` of comparisons."""

    op: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Member(Node):
    """`left in (a, b, …)` with literal items, all numbers or all texts."""

    left: Node
    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class And(Node):
    """Conjunction, evaluated from left to right, stopping at the first false operand."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Or(Node):
    """Disjunction, evaluated from left to right, stopping at the first true operand."""

    operands: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    """Negation of a flag."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Call(Node):
    """Call of a registered function.

    `has(recompute_modules, "mlp")` arrives in the checked tree as a plain `Name` of the member's flag
    (`recompute_modules_mlp`), `lookup(table, key, column)` as a `Lookup`; all other functions stay calls. Arguments
    that must name a vector (aggregates) are `Name` nodes.
    """

    function: str
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Lookup(Node):
    """The value in `column` of the row of `table` that the text `key` names."""

    table: str
    key: Node
    column: str


def children(node: Node) -> Iterator[Node]:
    """Yields the direct sub-expressions of a node, left to right."""
    own: tuple[str, ...] = type(node).__match_args__  # the fields of its kind, without those of all nodes
    for name in own:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, tuple):
            yield from (entry for entry in value if isinstance(entry, Node))


def substitute(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Returns the tree with parts replaced; what `change` returns for a part stands in its place, None keeps it."""
    changed = change(node)
    if changed is not None:
        return changed
    parts: dict[str, Any] = {}
    own: tuple[str, ...] = type(node).__match_args__
    for name in own:
        value = getattr(node, name)
        if isinstance(value, Node):
            parts[name] = substitute(value, change)
        elif isinstance(value, tuple) and any(isinstance(entry, Node) for entry in value):
            parts[name] = tuple(substitute(entry, change) for entry in value)
    return replace(node, **parts) if parts else node


def walk(node: Node) -> Iterator[Node]:
    """Yields the node and everything below it, in reading order."""
    yield node
    for child in children(node):
        yield from walk(child)


def names(node: Node) -> list[str]:
    """Returns the names that an expression reads, in reading order, each once."""
    return list(dict.fromkeys(part.id for part in walk(node) if isinstance(part, Name)))
