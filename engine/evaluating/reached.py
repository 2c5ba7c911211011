"""Which parts of a rule its evaluation comes to: conditions up to the branch that is selected, and that branch.

Of `and` and `or` only the operands count that are tried. This explains after the fact why a rule has no value.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from engine.evaluating.program import Scope, size_name
from engine.expr.nodes import And, Node, Or, children
from engine.rules import Expression
from engine.ruleset import RuleSet
from engine.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Part:
    """A part of an expression that was evaluated, for a vector at one index of its domain."""

    expression: Expression
    node: Node
    over: str | None
    index: int


def reached(rules: RuleSet, scope: Scope, name: str) -> Iterator[Part]:
    """Yields the parts of a rule, or of an input's stand-in, that are evaluated, operands before what combines them."""
    if name in rules.computed:
        over = rules.computed[name].type.over
        for index in range(int(scope[size_name(over)]) if over else 1):
            yield from _rule(rules, scope, name, over, index)
    elif name in rules.slots:
        expression = _stand_in(rules, scope, name)
        if expression is not None:
            yield from _walk(rules, scope, Part(expression, expression.node, None, 0))


def value_of(rules: RuleSet, scope: Scope, part: Part) -> Any:
    """Returns what a part comes to, None if it has no value."""
    try:
        return rules.program.evaluate(part.node, scope, part.over, part.index)
    except (Trouble, ArithmeticError, ValueError):
        return None


def _rule(rules: RuleSet, scope: Scope, name: str, over: str | None, index: int) -> Iterator[Part]:
    for branch in rules.computed[name].branches:
        if branch.when is not None:
            condition = Part(branch.when, branch.when.node, over, index)
            yield from _walk(rules, scope, condition)
            holds = value_of(rules, scope, condition)
            if holds is None:
                return
            if not holds:
                continue
        yield from _walk(rules, scope, Part(branch.formula, branch.formula.node, over, index))
        return


def _stand_in(rules: RuleSet, scope: Scope, name: str) -> Expression | None:
    item = rules.slots[name]
    given = any(sibling in scope.given for sibling in rules.siblings(item))
    return item.derived if given else item.default_formula


def _walk(rules: RuleSet, scope: Scope, part: Part) -> Iterator[Part]:
    for child in children(part.node):
        operand = Part(part.expression, child, part.over, part.index)
        yield from _walk(rules, scope, operand)
        if isinstance(part.node, And | Or) and value_of(rules, scope, operand) in (None, isinstance(part.node, Or)):
            break
    yield part
