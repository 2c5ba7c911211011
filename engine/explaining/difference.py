"""Why two evaluations differ: in which terms the difference arises, and which changes bring it about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from engine.diagnostics import Findings
from engine.explaining.substitution import Cause, causes
from engine.expr.nodes import Binary, Call, Name, Negate, Node
from engine.expr.printing import CASTS
from engine.result import Result
from engine.rules import Branch
from engine.trouble import Trouble

_DEEPEST = 12


@dataclass(frozen=True, slots=True)
class Part:
    """A term in which two evaluations differ.

    Attributes:
        rule: the rule that holds the term.
        text: the term: the rule's id, or an expression of its formula.
        old: value before, None without one.
        new: value after.
        change: what the term adds to the difference.
        note: why it was not taken apart further; empty where there was nothing to take apart.
    """

    rule: str
    text: str
    old: float | None
    new: float | None
    change: float
    note: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """The difference of one value between two evaluations.

    Attributes:
        id: the rule.
        unit: its unit.
        old: value before; of a vector the largest entry.
        new: value after.
        places: which entries of a vector these are, None for a single value.
        parts: terms that add up to the difference, largest first.
        causes: changed rules, inputs or tables, replaced one after another in the order of the graph; their changes
            add up to the difference too.
        idle: what differs as well, but changes nothing here.
    """

    id: str
    unit: str
    old: float
    new: float
    places: tuple[int, int] | None
    parts: tuple[Part, ...]
    causes: tuple[Cause, ...]
    idle: tuple[str, ...]

    @property
    def change(self) -> float:
        """What came on top."""
        return self.new - self.old


def difference(old: Result, new: Result, id: str) -> Difference:
    """Compares the value of a rule in two evaluations.

    Args:
        old: the evaluation before.
        new: the one after, of the same or of another rule set, for the same or for another preset.
        id: a rule with a number; of a vector the largest entries are compared.

    Raises:
        EngineError: there is no such rule (E604), or it has no value on one side (E602 and the like).
    """
    sides = _Side(old, id), _Side(new, id)
    parts = sorted(_merged(_parts(*sides, id, 1.0, 0)), key=lambda part: -abs(part.change))
    found, idle = causes(old, new, id)
    places = None if sides[0].index is None else (sides[0].index, sides[1].index or 0)
    return Difference(
        id, old[id].unit, sides[0].number(id), sides[1].number(id), places, tuple(parts), tuple(found), tuple(idle)
    )


class _Side:
    """One evaluation, looked at in one entry of the domain of the compared rule."""

    def __init__(self, result: Result, id: str) -> None:
        self.result = result
        self.over = result.rules.computed[id].type.over if id in result.rules.computed else None
        value = result[id].value
        self.index = value.index(max(value)) if isinstance(value, list) else None
        if not isinstance(value[0] if isinstance(value, list) else value, float):
            findings = Findings()
            findings.add("E604", f"`{id}` is not a number", help="differences are of numbers, such as bytes")
            findings.raise_if_errors()

    def number(self, id: str) -> float:
        """Returns a value at the entry that is looked at; raises Trouble where there is none."""
        found = self.result.resolved.scope[id]
        if isinstance(found, list):
            rule = self.result.rules.symbols.types[id]
            if rule.over != self.over or self.index is None or self.index >= len(found):
                raise Trouble
            return float(found[self.index])
        return float(found)

    def branch(self, id: str) -> Branch:
        self.number(id)
        taken = self.result.resolved.scope.branches[id]
        position: int = taken[self.index or 0] if isinstance(taken, list) else taken
        return self.result.rules.computed[id].branches[position]

    def term(self, node: Node) -> float:
        program, scope = self.result.rules.program, self.result.resolved.scope
        value = program.evaluate(node, scope, self.over, self.index or 0)
        if isinstance(value, bool | str | list):
            raise Trouble
        return float(value)


def _parts(old: _Side, new: _Side, id: str, sign: float, depth: int) -> Iterator[Part]:
    """Yields the terms of a rule that differ, taking sums apart down to what is no sum."""
    before, after = _number(old, id), _number(new, id)
    if before == after:
        return
    leaf = Part(id, id, before, after, sign * ((after or 0.0) - (before or 0.0)))
    if before is None or after is None:
        yield Part(id, id, before, after, leaf.change, "only on one side")
        return
    if id not in old.result.rules.computed or id not in new.result.rules.computed or depth > _DEEPEST:
        yield leaf
        return
    first, second = old.branch(id), new.branch(id)
    if _said(first) != _said(second):
        yield Part(id, id, before, after, leaf.change, "another formula, or another case of it")
        return
    terms = [term for whole in _terms(second.formula.node, 1.0) for term in _deciding(old, new, *whole)]
    inner = [_name(node) for node, _ in terms]
    if len(terms) < 2 and inner[0] is None:
        yield leaf
        return
    try:
        yield from _taken_apart(old, new, id, second, terms, sign, depth)
    except (Trouble, ZeroDivisionError, ArithmeticError, ValueError):
        yield leaf


def _merged(parts: Iterable[Part]) -> list[Part]:
    """Adds up what one term contributes in several places; what cancels out goes."""
    found: dict[tuple[str, str], Part] = {}
    for part in parts:
        before = found.get((part.rule, part.text))
        change = part.change + (before.change if before else 0.0)
        found[part.rule, part.text] = replace(part, change=change)
    return [part for part in found.values() if part.change]


def _taken_apart(
    old: _Side, new: _Side, id: str, branch: Branch, terms: list[tuple[Node, float]], sign: float, depth: int
) -> list[Part]:
    found: list[Part] = []
    for node, factor in terms:
        name = _name(node)
        if name is not None and name in new.result.rules.symbols.types:
            found += _parts(old, new, name, sign * factor, depth + 1)
            continue
        before, after = old.term(node), new.term(node)
        if before != after:
            text = " ".join(branch.formula.text[node.start : node.end].split())
            found.append(Part(id, text, before, after, sign * factor * (after - before)))
    return found


def _number(side: _Side, id: str) -> float | None:
    try:
        return side.number(id)
    except Trouble:
        return None


def _terms(node: Node, sign: float) -> Iterator[tuple[Node, float]]:
    match node:
        case Binary(op="+" | "-" as op):
            yield from _terms(node.left, sign)
            yield from _terms(node.right, sign if op == "+" else -sign)
        case Negate():
            yield from _terms(node.operand, -sign)
        case _:
            yield node, sign


def _deciding(old: _Side, new: _Side, node: Node, sign: float) -> Iterator[tuple[Node, float]]:
    """Takes the operand of a max or min that decides on both sides for the whole, and that apart in turn."""
    if isinstance(node, Call) and node.function in ("max", "min"):
        decide = max if node.function == "max" else min
        try:
            first, second = ([side.term(operand) for operand in node.arguments] for side in (old, new))
        except (Trouble, ZeroDivisionError, ArithmeticError, ValueError):
            yield node, sign
            return
        pairs = zip(first, second, strict=True)
        places = [place for place, pair in enumerate(pairs) if pair == (decide(first), decide(second))]
        if places:
            for term in _terms(node.arguments[places[0]], sign):
                yield from _deciding(old, new, *term)
            return
    yield node, sign


def _name(node: Node) -> str | None:
    """Returns the name that a term is, bare or in a cast."""
    while isinstance(node, Call) and node.function in CASTS:
        node = node.arguments[0]
    return node.id if isinstance(node, Name) else None


def _said(branch: Branch) -> tuple[str, str]:
    when = branch.when.text if branch.when else ""
    return " ".join(when.split()), " ".join(branch.formula.text.split())
