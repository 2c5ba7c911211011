"""Finds the division by zero behind a failed rule and names its operands."""

from __future__ import annotations

from dataclasses import dataclass, replace

from engine.evaluating.program import Scope
from engine.evaluating.reached import reached, value_of
from engine.expr.nodes import Binary, Call, Node
from engine.rules import Expression
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class ZeroDivisor:
    """A division whose divisor is zero: the expression it stands in and the divisor."""

    expression: Expression
    divisor: Node
    dividend: Node

    @property
    def reason(self) -> str:
        """One sentence with the texts of both operands."""
        text = self.expression.text
        over, under = text[self.dividend.start : self.dividend.end], text[self.divisor.start : self.divisor.end]
        return f"`{over}` is divided by `{under}`, which is 0"


def division(rules: RuleSet, scope: Scope, name: str) -> str:
    """Returns a sentence that says which division of a rule has a zero divisor."""
    found = find_division(rules, scope, name)
    return found.reason if found else "a division by zero"


def find_division(rules: RuleSet, scope: Scope, name: str) -> ZeroDivisor | None:
    """Finds the division of a rule, or of an input's stand-in, that failed because its divisor is zero."""
    for part in reached(rules, scope, name):
        operands = _operands(part.node)
        if operands and value_of(rules, scope, replace(part, node=operands[1])) == 0:
            return ZeroDivisor(part.expression, operands[1], operands[0])
    return None


def _operands(part: Node) -> tuple[Node, Node] | None:
    if isinstance(part, Binary) and part.op in ("/", "//", "%"):
        return part.left, part.right
    if isinstance(part, Call) and part.function in ("ceil_div", "ceil_to"):
        return part.arguments[0], part.arguments[1]
    return None
