"""Which missing inputs keep a rule from having a value."""

from __future__ import annotations

from collections.abc import Iterator

from engine.evaluating.program import Scope
from engine.evaluating.reached import reached
from engine.expr.nodes import Name, names
from engine.ruleset import RuleSet
from engine.trouble import Trouble, Unavailable


def missing_inputs(rules: RuleSet, scope: Scope, id: str) -> tuple[str, ...]:
    """Returns the missing inputs behind an unavailable rule, in reading order.

    Only what the rule really needs counts: the conditions up to the branch that is selected, and that branch.
    """
    todo, deeper = [id], dict[str, list[str]]()
    while todo:  # a stack of our own: a chain of rules may be longer than Python's is deep
        name = todo[-1]
        if name in scope.missing:
            todo.pop()
            continue
        if name not in deeper:
            deeper[name] = [read for read in dict.fromkeys(_read(rules, scope, name)) if _unavailable(scope, read)]
            todo += deeper[name][::-1]
            continue
        below = dict.fromkeys(input for read in deeper[name] for input in scope.missing[read])
        trouble = scope.troubles.get(name)
        found = tuple(below) or (trouble.names if isinstance(trouble, Unavailable) else (name,))
        scope.missing[name] = _to_give(rules, scope, name, found)
    return scope.missing[id]


def _to_give(rules: RuleSet, scope: Scope, name: str, found: tuple[str, ...]) -> tuple[str, ...]:
    """Returns what to give where an input's default finds an empty cell of a table: the input, or what picks a row."""
    if name not in rules.slots or any(_names_input(rules, one) for one in found):
        return found
    picks = (rules.slots[other] for other in rules.graph.before(name) if other in rules.slots)
    rows = [item.id for item in picks if item.kind == "enum" and item.id not in scope.given]
    return (" or ".join([*rows, rules.slots[name].id]),)


def _names_input(rules: RuleSet, missing: str) -> bool:
    """Whether what is missing is an input, or one of several, and no cell of a table."""
    return all(part in rules.inputs for part in missing.split(" or "))


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
