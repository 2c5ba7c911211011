"""What the Excel and the LaTeX printer share: branches, sizes of domains, and the slots of registry templates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from string import Formatter

from engine.domains import SIZES
from engine.expr.nodes import Call, Node
from engine.expr.parse import parse

Branch = tuple[Node | None, Node]
"""A case of a rule: its condition (None for `otherwise` and for a single formula) and its formula."""

DOMAIN_SIZES: Mapping[str, Node] = {domain: parse(size) for domain, size in SIZES.items()}
"""How many indices a domain has, as an expression over inputs."""

_TOKEN = re.compile(r"\\[A-Za-z]+|\S")


def check_branches(branches: Sequence[Branch]) -> None:
    """Refuses branches that are not cases followed by one `otherwise`.

    Raises:
        ValueError: there is no branch, or one without a condition is missing at the end or stands before it.
    """
    if not branches or branches[-1][0] is not None or any(when is None for when, _ in branches[:-1]):
        raise ValueError("the branches are not cases followed by one `otherwise`")


def vector_domain(call: Call) -> str:
    """Returns the domain of the vector that an aggregate reads.

    Raises:
        ValueError: the first argument is not a vector.
    """
    over = call.arguments[0].type.over
    if over is None:
        raise ValueError(f"`{call.function}` needs a vector, not `{call.arguments[0]}`")
    return over


@cache
def slots(template: str) -> Mapping[str, tuple[frozenset[str], frozenset[str]]]:
    """Returns what stands directly left and right of each slot of a template: single signs or LaTeX commands.

    A printer reads from these neighbours how tightly an argument must bind: between parentheses and commas anything may
    stand, beside a `/` only what binds more tightly. A slot that occurs twice gets the neighbours of both places.
    """
    pieces = list(Formatter().parse(template))  # pairs of literal text and the slot after it, literal braces unescaped
    found: dict[str, tuple[frozenset[str], frozenset[str]]] = {}
    for position, (_, slot, _, _) in enumerate(pieces):
        if slot is not None:
            left = "".join(text for text, _, _, _ in pieces[: position + 1])
            right = "".join(text for text, _, _, _ in pieces[position + 1 :])
            before = found.get(slot, (frozenset(), frozenset()))
            found[slot] = (before[0] | set(_TOKEN.findall(left)[-1:]), before[1] | set(_TOKEN.findall(right)[:1]))
    return found
