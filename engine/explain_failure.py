"""Finds the division by zero behind a failed rule and names its operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.expr.nodes import Binary, Call, Node, walk
from engine.expr.to_python import python
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


def division(rules: RuleSet, name: str, scope: Mapping[str, Any], runtime: Mapping[str, Any]) -> str:
    """Returns a sentence that says which division of a rule has a zero divisor."""
    found = find_division(rules, name, scope, runtime)
    return found.reason if found else "a division by zero"


def find_division(
    rules: RuleSet, name: str, scope: Mapping[str, Any], runtime: Mapping[str, Any]
) -> ZeroDivisor | None:
    """Finds the first division of a rule, or of an input's stand-in, whose divisor is zero."""
    for expression, over in _expressions(rules, name):
        size = int(scope[f"#{over}"]) if over else 1
        for part in walk(expression.node):
            operands = _operands(part)
            if operands and any(_is_zero(operands[1], scope, runtime, over, index) for index in range(size)):
                return ZeroDivisor(expression, operands[1], operands[0])
    return None


def _expressions(rules: RuleSet, name: str) -> Iterator[tuple[Expression, str | None]]:
    if name in rules.computed:
        rule = rules.computed[name]
        for branch in rule.branches:
            yield from ((expression, rule.type.over) for expression in (branch.when, branch.formula) if expression)
    elif name in rules.slots:
        item = rules.slots[name]
        yield from ((expression, None) for expression in (item.derived, item.default_formula) if expression)


def _operands(part: Node) -> tuple[Node, Node] | None:
    if isinstance(part, Binary) and part.op in ("/", "//", "%"):
        return part.left, part.right
    if isinstance(part, Call) and part.function in ("ceil_div", "ceil_to"):
        return part.arguments[0], part.arguments[1]
    return None


def _is_zero(node: Node, scope: Mapping[str, Any], runtime: Mapping[str, Any], over: str | None, index: int) -> bool:
    names = {"v": scope, "i": index, **({over: float(index)} if over else {})}
    try:
        return bool(eval(python(node), {**runtime, **names}) == 0)
    except Exception:  # an operand without a value is not the zero we look for
        return False
