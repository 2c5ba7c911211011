"""Numbers that stand in rules without a source."""

from __future__ import annotations

from collections.abc import Iterator

from engine.diagnostics import Span
from engine.expr.nodes import Node, Number, walk
from engine.rules import Input
from engine.ruleset import RuleSet

PLAIN = frozenset({0.0, 1.0, 2.0})
"""Numbers that say nothing by themselves: nothing, one, both."""


def uncited(rules: RuleSet) -> Iterator[tuple[str, str, Span]]:
    """Yields numbers other than 0, 1 and 2 without a citation or an assumption: what holds them, the number, where.

    Branches of rules cannot be without either; inputs and tables can.
    """
    for computed in rules.computed.values():
        for branch in computed.branches:
            if not branch.citations and not branch.assumption:
                parts = [part for part in (branch.when, branch.formula) if part]
                for number in dict.fromkeys(text for part in parts for text in _numbers(part.node)):
                    yield f"`{computed.id}`", number, computed.span
    for item in rules.inputs.values():
        if not item.citations and not item.assumption:
            yield from ((f"input `{item.id}`", number, item.span) for number in _of_input(item))
    for table in rules.tables.values():
        for column, cells in table.cells.items():
            for key, value in cells.items():
                known = table.cited(column, key) or key in table.assumptions or column in table.assumptions
                if value is not None and value not in PLAIN and not known:
                    yield f"cell `{column}` of `{key}` in table `{table.id}`", f"{value:.15g}", table.span


def _of_input(item: Input) -> list[str]:
    found = [text for part in (item.default_formula, item.derived) if part for text in _numbers(part.node)]
    for value in (item.default, item.absent):
        if isinstance(value, float) and value not in PLAIN:
            found.append(f"{value:.15g}")
    return list(dict.fromkeys(found))


def _numbers(node: Node) -> Iterator[str]:
    return (part.raw for part in walk(node) if isinstance(part, Number) and part.value not in PLAIN)
