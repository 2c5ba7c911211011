"""What the Excel and the LaTeX printer share: branches, sizes of domains, and the slots of registry templates."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from string import Formatter

from engine.domains import SIZES
from engine.expr.nodes import Call, Node, Number
from engine.expr.parse import parse

Branch = tuple[Node | None, Node]
"""A case of a rule: its condition (None for `otherwise` and for a single formula) and its formula."""

DOMAIN_SIZES: Mapping[str, Node] = {domain: parse(size) for domain, size in SIZES.items()}
"""How many indices a domain has, as an expression over inputs."""

CASTS = frozenset({"B", "elem", "flop"})
"""Functions that change only the unit."""

_TOKEN = re.compile(r"\\[A-Za-z]+|\S")


def check_branches(branches: Sequence[Branch]) -> None:
    """Refuses branches that are not cases followed by one `otherwise`.

    Raises:
        ValueError: there is no branch, or one without a condition is missing at the end or stands before it.
    """
    if not branches or branches[-1][0] is not None or any(when is None for when, _ in branches[:-1]):
        raise ValueError("the branches are not cases followed by one `otherwise`")


def is_one(node: Node) -> bool:
    """Whether a node is the literal 1, bare or in a cast; dividing by `elem(1)` mends a unit and is not printed."""
    if isinstance(node, Call) and node.function in CASTS:
        return is_one(node.arguments[0])
    return isinstance(node, Number) and node.value == 1


def vector_domain(call: Call) -> str:
    """Returns the domain of the vector that an aggregate reads.

    Raises:
        ValueError: the first argument is not a vector.
    """
    over = call.arguments[0].type.over
    if over is None:
        raise ValueError(f"`{call.function}` needs a vector, not `{call.arguments[0]}`")
    return over


def fill(template: str, render: Callable[[str, str, str], str]) -> str:
    """Fills the slots of a template.

    Args:
        template: a printing from the registry, in the syntax of `str.format`.
        render: gives the text for a slot from its name and from what stands directly left and right of it: a single
            sign, a LaTeX command or nothing. From these a printer knows how tightly an argument must bind: between
            parentheses and commas anything may stand, beside a `/` only what binds more tightly.

    Returns:
        The filled template.
    """
    return "".join(
        literal + (render(slot, left, right) if slot else "") for literal, slot, left, right in _pieces(template)
    )


@cache
def _pieces(template: str) -> tuple[tuple[str, str, str, str], ...]:
    """Returns pieces of literal text, the slot after it or "", and the slot's neighbours."""
    parsed = [(literal, slot or "") for literal, slot, _, _ in Formatter().parse(template)]
    pieces = []
    for position, (literal, slot) in enumerate(parsed):
        left = _TOKEN.findall("".join(text for text, _ in parsed[: position + 1]))[-1:]
        right = _TOKEN.findall("".join(text for text, _ in parsed[position + 1 :]))[:1]
        pieces.append((literal, slot, "".join(left), "".join(right)))
    return tuple(pieces)
