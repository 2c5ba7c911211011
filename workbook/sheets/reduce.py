"""Which rules can be repeated in one column a scenario: single values, and both ends of vectors by stage.

Such a column holds one cell a quantity, so a rule that adds up all stages, or that walks over virtual stages, has no
place in it. Patterns of layers are the exception: each scenario has a row of its own for them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.expr.nodes import Call, Name, Node, children, substitute
from engine.expr.registry import FUNCTIONS
from engine.expr.symbols import DOMAINS
from engine.ruleset import RuleSet

FIRST, LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class Part:
    """One quantity of a column: a rule or input, and for a vector by stage which end of it."""

    id: str
    end: str | None = None


class NoPlace(Exception):
    """An expression reads something that has no place in a column."""


class Reduction:
    """Finds what a column needs for the quantities that are wanted.

    Attributes:
        parts: all that is needed, each after what it reads.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self._reads: dict[Part, tuple[Part, ...] | None] = {}
        self.parts: dict[Part, None] = {}

    def add(self, part: Part) -> bool:
        """Adds a quantity with all that it reads, or nothing if one of these has no place in a column."""
        if not self._fits(part):
            return False
        self._add(part)
        return True

    def _add(self, part: Part) -> None:
        if part not in self.parts:
            for other in self._reads[part] or ():
                self._add(other)
            self.parts[part] = None

    def _fits(self, part: Part) -> bool:
        if part not in self._reads:
            try:
                reads: tuple[Part, ...] | None = tuple(dict.fromkeys(self._direct(part)))
            except NoPlace:
                reads = None
            self._reads[part] = reads
            if reads is not None and not all(self._fits(other) for other in reads):
                self._reads[part] = None
        return self._reads[part] is not None

    def _direct(self, part: Part) -> Iterator[Part]:
        """Yields the quantities that one reads itself.

        Raises:
            NoPlace: it has no place in a column.
        """
        over = self._rules.symbols.types[part.id].over
        item = self._rules.slots.get(part.id)
        if item is not None:
            if over is not None and item.kind != "layer_vector":
                raise NoPlace
            if over is not None:
                yield Part("num_layers")
            siblings = self._rules.siblings(item)
            for expression in (item.default_formula, item.derived):
                if expression is not None:
                    yield from (each for each in self._names(expression.node, None) if each.id not in siblings)
            return
        if over is not None and (over != "stage" or part.end not in (FIRST, LAST)):
            raise NoPlace
        if part.end == LAST:
            yield Part("pipeline_model_parallel_size")
        for case in self._rules.computed[part.id].branches:
            for expression in (case.when, case.formula):
                if expression is not None:
                    yield from self._names(expression.node, part.end)

    def _names(self, node: Node, end: str | None) -> Iterator[Part]:
        """Yields what an expression reads; vectors by stage at the end at which the expression itself is taken."""
        yield from self._walk(substitute(node, at_end), end)

    def _walk(self, node: Node, end: str | None) -> Iterator[Part]:
        if isinstance(node, Name):
            if node.id not in DOMAINS:
                over = node.type.over
                yield Part(node.id, end if over == "stage" else over if over in (FIRST, LAST) else None)
            return
        for place, child in enumerate(children(node)):
            if isinstance(node, Call) and FUNCTIONS[node.function].parameter(place) != "number":
                yield self._whole(child)
            else:
                yield from self._walk(child, end)

    def _whole(self, vector: Node) -> Part:
        """Returns the part for a vector that is read as a whole."""
        if not isinstance(vector, Name) or vector.id not in self._rules.slots or vector.type.over != "layer":
            raise NoPlace
        return Part(vector.id)


def at_end(node: Node) -> Node | None:
    """Replaces `first(v)` and `last(v)` of a vector by stage by a name over `first` or `last`; see `substitute`."""
    if not isinstance(node, Call) or node.function not in (FIRST, LAST):
        return None
    vector = node.arguments[0]
    if not isinstance(vector, Name) or vector.type.over != "stage":
        return None
    return replace(vector, type=replace(vector.type, over=node.function))
