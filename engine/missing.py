"""Which missing inputs keep a rule from having a value."""

from __future__ import annotations

from collections.abc import Iterator

from engine.expr.nodes import Name, names
from engine.program import Scope
from engine.reached import reached
from engine.ruleset import RuleSet
from engine.trouble import Trouble, Unavailable


def missing_inputs(rules: RuleSet, scope: Scope, id: str) -> tuple[str, ...]:
    """Returns the missing inputs behind an unavailable rule, in reading order.

    Only what the rule really needs counts: the conditions up to the branch that is selected, and that branch.
    """
    found = scope.missing.get(id)
    if found is None:
        deeper = [name for name in dict.fromkeys(_read(rules, scope, id)) if _unavailable(scope, name)]
        below = dict.fromkeys(name for other in deeper for name in missing_inputs(rules, scope, other))
        trouble = scope.troubles.get(id)
        found = tuple(below) or (trouble.names if isinstance(trouble, Unavailable) else (id,))
        scope.missing[id] = found
    return found


def _unavailable(scope: Scope, name: str) -> bool:
    try:
        scope[name]
    except Unavailable:
        return True
    except Trouble:
        return False
    return False


def _read(rules: RuleSet, scope: Scope, id: str) -> Iterator[str]:
    """Yields the names that the evaluation of a rule came to read."""
    rule = rules.computed.get(id)
    if rule is not None and rule.type.over is not None:
        size = names(rules.sizes[rule.type.over].node)
        yield from size
        if any(_unavailable(scope, name) for name in size):
            return
    for part in reached(rules, scope, id):
        if isinstance(part.node, Name) and part.node.id != part.over:
            yield part.node.id
