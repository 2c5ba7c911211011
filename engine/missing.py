"""Which missing inputs keep a rule from having a value."""

from __future__ import annotations

from collections.abc import Iterator

from engine.domains import SIZES
from engine.expr.nodes import names
from engine.expr.parse import parse
from engine.program import Scope
from engine.rules import Expression
from engine.ruleset import RuleSet
from engine.trouble import Trouble, Unavailable


def missing_inputs(rules: RuleSet, scope: Scope, id: str) -> tuple[str, ...]:
    """Returns the missing inputs behind an unavailable rule, in reading order.

    Only what the rule really needs counts: the conditions up to the branch that is selected, and that branch.
    """
    found: dict[str, None] = {}
    _collect(rules, scope, id, found, set())
    return tuple(found)


def _collect(rules: RuleSet, scope: Scope, id: str, found: dict[str, None], seen: set[str]) -> None:
    if id in seen:
        return
    seen.add(id)
    deeper = [name for name in _blocking(rules, scope, id) if _unavailable(scope, name)]
    for name in deeper:
        _collect(rules, scope, name, found, seen)
    if not deeper:
        trouble = scope.troubles.get(id)
        found.update(dict.fromkeys(trouble.names if isinstance(trouble, Unavailable) else (id,)))


def _unavailable(scope: Scope, name: str) -> bool:
    try:
        scope[name]
    except Unavailable:
        return True
    except Trouble:
        return False
    return False


def _blocking(rules: RuleSet, scope: Scope, id: str) -> Iterator[str]:
    """Yields the names that the evaluation of a rule came to read."""
    rule = rules.computed.get(id)
    if rule is None:
        item = rules.slots.get(id)
        if (
            item is not None
            and item.default_formula is not None
            and not (item.either and _group_given(rules, scope, id))
        ):
            yield from names(item.default_formula.node)
        elif item is not None and item.derived is not None and _group_given(rules, scope, id):
            yield from names(item.derived.node)
        return
    if rule.type.over is not None:
        yield from names(parse(SIZES[rule.type.over]))
    for branch in rule.branches:
        if branch.when is not None:
            read = _readable(branch.when, rule.type.over)
            yield from read
            if any(_unavailable(scope, name) for name in read):
                return
            if rule.type.over is None and not _holds(rules, scope, branch.when):
                continue
        yield from _readable(branch.formula, rule.type.over)
        if branch.when is None or rule.type.over is None:
            return


def _group_given(rules: RuleSet, scope: Scope, id: str) -> bool:
    return any(sibling in scope.given for sibling in rules.siblings(rules.slots[id]))


def _readable(expression: Expression, over: str | None) -> list[str]:
    return [name for name in names(expression.node) if name != over]


def _holds(rules: RuleSet, scope: Scope, condition: Expression) -> bool:
    try:
        return bool(rules.program.evaluate(condition.node, scope))
    except (Trouble, ArithmeticError, ValueError):
        return False
