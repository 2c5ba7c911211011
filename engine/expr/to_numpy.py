"""Prints a checked expression as array code over a lazy environment `v` of lanes.

`engine.sweeping.lanes` defines what that code calls.

Members of an enumeration travel as their position in it, so that comparisons stay numeric.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
    walk,
)
from engine.expr.registry import FUNCTIONS

Cells = Mapping[str, Mapping[str, Mapping[str, float | None]]]
"""Values of tables: table, column, key."""


def numpy(node: Node, tables: Cells, *, name: Callable[[str], str] = lambda id: f'v["{id}"]') -> str:
    """Prints an expression as array code.

    Args:
        node: a checked tree.
        tables: values of the tables, which are printed as constants in the order of the key's enumeration.
        name: how an input or rule is read from the environment.

    Returns:
        Python text whose operators work on lanes; later operands of `and` and `or` are lambdas.
    """

    def row(part: Node) -> str:
        assert isinstance(part, Name)
        return f'v.row("{part.id}")'

    def operand(part: Node) -> str:
        # plain numbers would raise what lanes mark as trouble
        plain = not any(isinstance(below, Name | Lookup) for below in walk(part))
        return f"_lane({show(part)})" if plain else show(part)

    def show(part: Node) -> str:
        match part:
            case Number():
                return repr(part.value)
            case Text():
                return repr(float(part.type.values.index(part.value)))
            case Name():
                return f'v.index("{part.id}")' if part.id == part.type.over else name(part.id)
            case Negate():
                return f"(-{show(part.operand)})"
            case Binary(op="/" | "//" | "%"):
                return f"({operand(part.left)} {part.op} {show(part.right)})"
            case Binary() | Compare():
                return f"({show(part.left)} {part.op} {show(part.right)})"
            case Power():
                return f"({operand(part.base)} ** {part.exponent})"
            case Member():
                return f"_in({show(part.left)}, ({', '.join(show(item) for item in part.items)},))"
            case And() | Or():
                first, *rest = (show(operand) for operand in part.operands)
                later = ", ".join(f"lambda: {text}" for text in rest)
                return f"_{'and' if isinstance(part, And) else 'or'}({first}, {later})"
            case Not():
                return f"_not({show(part.operand)})"
            case Lookup():
                column = tables[part.table][part.column]
                return f"_lookup({show(part.key)}, ({', '.join(repr(column[key]) for key in part.key.type.values)},))"
            case Call():
                function = FUNCTIONS[part.function]
                texts = [
                    show(argument) if function.parameter(position) == "number" else row(argument)
                    for position, argument in enumerate(part.arguments)
                ]
                return function.numpy.format(**dict(zip("abc", texts, strict=False)), args=", ".join(texts))
        raise AssertionError(f"unexpected node {part!r}")

    return show(node)
