"""Prints a checked expression as scalar Python over an environment `v`; `engine.expr.runtime` has what it calls."""

from __future__ import annotations

from collections.abc import Callable

from engine.expr.nodes import (
    And,
    Binary,
    Call,
    Compare,
    Lookup,
    Member,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Or,
    Power,
    Text,
)
from engine.expr.registry import FUNCTIONS


def python(node: Node, *, name: Callable[[str], str] = lambda id: f'v["{id}"]') -> str:
    """Prints an expression as Python.

    Args:
        node: a checked tree.
        name: how an input or rule is read from the environment.

    Returns:
        Python text, fully parenthesised; one index of a vector is read with `[i]`, the domain's index is the name
        itself.
    """

    def row(part: Node) -> str:
        assert isinstance(part, Name)
        return name(part.id)

    def show(part: Node) -> str:
        match part:
            case Number():
                return repr(part.value)
            case Text():
                return repr(part.value)
            case Name():
                if part.id == part.type.over:
                    return part.id
                return name(part.id) + ("[i]" if part.type.over else "")
            case Negate():
                return f"(-{show(part.operand)})"
            case Binary() | Compare():
                return f"({show(part.left)} {part.op} {show(part.right)})"
            case Power():
                return f"({show(part.base)} ** {part.exponent})"
            case Member():
                return f"({show(part.left)} in ({', '.join(show(item) for item in part.items)},))"
            case And():
                return "(" + " and ".join(show(operand) for operand in part.operands) + ")"
            case Or():
                return "(" + " or ".join(show(operand) for operand in part.operands) + ")"
            case Not():
                return f"(not {show(part.operand)})"
            case Lookup():
                return f'_cell("{part.table}", "{part.column}", {show(part.key)})'
            case Call():
                function = FUNCTIONS[part.function]
                texts = [
                    row(argument) if function.parameter(position) != "number" else show(argument)
                    for position, argument in enumerate(part.arguments)
                ]
                return function.python.format(**dict(zip("abc", texts, strict=False)), args=", ".join(texts))
        raise AssertionError(f"unexpected node {part!r}")

    return show(node)
