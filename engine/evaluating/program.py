"""A rule set as scalar code: each rule a small function over a lazy environment, compiled when first needed.

Only what the wanted rules need is computed, and of a rule with cases only the branch that is selected, so a missing
input or a division by zero elsewhere does no harm.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from math import isfinite
from types import CodeType
from typing import TYPE_CHECKING, Any

from engine.expr.runtime import RUNTIME, DomainError
from engine.inputs.parsers import PatternError, expand_layers
from engine.inputs.slots import LAYOUT_PARTS, slots_of
from engine.rules import Computed, Expression, Input
from engine.ruleset import RuleSet
from engine.trouble import Failed, Trouble, Unavailable

if TYPE_CHECKING:
    from engine.expr.nodes import Node

Compute = Callable[["Scope"], tuple[Any, Any]]
"""From an environment to (branch taken, value); lists of both for a vector."""


_DERIVED, _DEFAULT = "<", "="
"""What an input's derivation and default are compiled under, before its id; no id can look like this."""

TOO_LARGE = "a number is too large"


def _finite(value: Any) -> bool:
    if value.__class__ is float:
        return isfinite(value)
    return value.__class__ is not list or not value or value[0].__class__ is not float or all(map(isfinite, value))


def size_name(domain: str) -> str:
    """Returns the name under which an environment keeps the size of a domain; no id can look like this."""
    return f"#{domain}"


class Scope(dict[str, Any]):
    """Values by name; a name that is not there yet is computed on first use.

    Attributes:
        branches: position of the branch taken by each rule computed so far; a list for a vector.
        troubles: why names have no value.
        missing: the inputs that names without a value lack, as far as somebody asked.
        given: inputs that were given a value.
        given_parts: how names follow from given layer vectors and layouts, which depend on other inputs.
    """

    def __init__(self, program: Program, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self._program = program
        self.given: Collection[str] = values.keys()
        self.given_parts: dict[str, Compute] = {}
        self.branches: dict[str, Any] = {}
        self.troubles: dict[str, Trouble] = {}
        self.missing: dict[str, tuple[str, ...]] = {}
        self._in_order = False

    def __missing__(self, name: str) -> Any:
        trouble = self.troubles.get(name)
        if trouble is None:
            try:
                branch, value = (self.given_parts.get(name) or self._program.compute(name))(self)
            except Trouble as caught:
                trouble = caught
            except ZeroDivisionError:
                trouble = Failed(name, self._program.explain_division(name, self), "E601")
            except DomainError as error:
                trouble = Failed(name, str(error), "E603")
            except PatternError as error:
                trouble = Failed(name, str(error), "E505")
            except (OverflowError, ValueError):  # ValueError: a difference of two infinities was rounded
                trouble = Failed(name, TOO_LARGE, "E603")
            except RecursionError:
                return self._compute_in_order(name)
            else:
                if _finite(value):
                    self.branches[name] = branch
                    self[name] = value
                    return value
                trouble = Failed(name, TOO_LARGE, "E603")
            self.troubles[name] = trouble
        raise trouble from None

    def _compute_in_order(self, name: str) -> Any:
        """Computes a name after all that it reads, since a chain of rules may be longer than the stack is deep.

        What stands in branches that are not taken is computed too, which changes no other value.
        """
        if self._in_order:
            raise RecursionError  # there is too little room even for this; the next name up the chain has more
        self._in_order = True
        try:
            for other in self._program.graph.before(name):
                if other not in self:
                    with suppress(Trouble):
                        self[other]
            return self[name]
        finally:
            self._in_order = False


class Program:
    """The compiled rules of a rule set."""

    def __init__(self, rules: RuleSet) -> None:
        self.graph = rules.graph
        self._rules = rules
        self._compiled: dict[str, Compute] = {}
        self._names: dict[str, Any] = {**RUNTIME, "_cell": self._cell, "float": float, "int": int}

    def function(self, want: str) -> Callable[[Mapping[str, Any]], Any]:
        """Returns a function from values of all needed inputs to the value of one rule; see `RuleSet.function`."""
        self.compute(want)

        def run(values: Mapping[str, Any]) -> Any:
            return Scope(self, values)[want]

        return run

    def compute(self, name: str) -> Compute:
        """Returns the compiled function of a rule, an input's stand-in, or the size of a domain."""
        compiled = self._compiled.get(name)
        if compiled is None:
            compiled = self._compiled[name] = self._make(name)
        return compiled

    def _make(self, name: str) -> Compute:
        rules = self._rules
        if name in rules.computed:
            return self._rule(rules.computed[name])
        return self._function(name) if name.startswith("#") else self._input(rules.slots[name], name)

    def _rule(self, rule: Computed) -> Compute:
        if rule.type.over is None:
            return self._function(rule.id)  # type: ignore[no-any-return]
        pairs: Callable[[Scope], list[tuple[int, Any]]] = self._function(rule.id)

        def vector(scope: Scope) -> tuple[list[int], list[Any]]:
            both = pairs(scope)
            return [branch for branch, _ in both], [value for _, value in both]

        return vector

    def _function(self, key: str) -> Any:
        """Returns the function of an environment behind a name of `names`."""
        kept = self._rules.codes.get(key)
        return eval(marshal.loads(kept) if kept else self.code(key), self._names)

    def names(self) -> Iterator[str]:
        """Yields the name of everything that is compiled: rules, checks, sizes of domains, inputs that stand in."""
        yield from self._rules.computed
        yield from map(size_name, self._rules.sizes)
        for item in self._rules.inputs.values():
            yield from (_DERIVED + item.id,) if item.derived else ()
            yield from (_DEFAULT + item.id,) if item.default_formula else ()

    def code(self, key: str) -> CodeType:
        """Compiles what is behind a name of `names` to an expression whose value is the function."""
        return compile("lambda v: " + self._text(key), "<rule>", "eval")

    def _text(self, key: str) -> str:
        from engine.expr.to_python import python

        rule = self._rules.computed.get(key)
        if rule is None:
            return f"(0, {python(self._formula(key).node)})"
        text = ""
        for position, branch in enumerate(rule.branches):
            text += f"({position}, {python(branch.formula.node)})"
            if branch.when is not None:
                text += f" if {python(branch.when.node)} else "
        if rule.type.over is None:
            return f"({text})"
        size = f'v["{size_name(rule.type.over)}"]'
        return f"[({text}) for i in range(int({size})) for {rule.type.over} in (float(i),)]"

    def _formula(self, key: str) -> Expression:
        kind, name = key[:1], key[1:]
        if kind == "#":
            return self._rules.sizes[name]
        item = self._rules.inputs[name]
        formula = item.derived if kind == _DERIVED else item.default_formula
        assert formula is not None
        return formula

    def _input(self, item: Input, slot: str) -> Compute:
        """The stand-in of an input that is not given: derived from its group, a default, or the absent value."""
        stand_in = self._stand_in(item, slot)
        if item.either is None or item.derived is None:
            return stand_in
        siblings = self._rules.siblings(item)
        derived: Compute = self._function(_DERIVED + item.id)
        names = " or ".join(sorted((item.id, *siblings)))  # the same words for each member of the group

        def either(scope: Scope) -> tuple[Any, Any]:
            if any(sibling in scope.given for sibling in siblings):
                return derived(scope)
            try:
                return stand_in(scope)
            except Unavailable as missing:
                raise Unavailable((names,)) from missing

        return either

    def _stand_in(self, item: Input, slot: str) -> Compute:
        if item.default_formula is not None:
            return self._function(_DEFAULT + item.id)  # type: ignore[no-any-return]
        value = item.default if item.default is not None else item.absent
        if value is None:

            def missing(scope: Scope) -> tuple[Any, Any]:
                raise Unavailable((item.id,))

            return missing
        return self.given_slots(item, value)[slot]

    def given_slots(self, item: Input, value: Any) -> Mapping[str, Compute]:
        """Returns how each name that an input provides follows from the input's accepted value."""
        if item.kind == "layer_vector":
            return {item.id: lambda scope: (0, list(expand_layers(value, int(scope["num_layers"]))))}
        if item.kind == "layout":
            return _layout(item, value)
        return {slot: _constant(content) for slot, content in constant_slots(item, value).items()}

    def evaluate(self, node: Node, scope: Scope, over: str | None = None, index: int = 0) -> Any:
        """Evaluates one checked expression, that of a vector at one index of its domain."""
        from engine.expr.to_python import python

        names = {"v": scope, "i": index} | ({over: float(index)} if over else {})
        return eval(python(node), {**self._names, **names})

    def explain_division(self, name: str, scope: Scope) -> str:
        """Says which division by zero happened in a rule, naming its operands."""
        from engine.evaluating.explain_failure import division

        return division(self._rules, scope, name)

    def _cell(self, table: str, column: str, key: str) -> float:
        value = self._rules.tables[table].cells[column][key]
        if value is None:
            raise Unavailable((f"{column} of {key} in table {table}",))
        return value


def constant_slots(item: Input, value: Any) -> Mapping[str, Any]:
    """Returns the values of the names that an input provides, for inputs whose names do not depend on other inputs."""
    if item.kind == "set":
        return {slot: member in value for slot, member in zip(slots_of(item), item.members, strict=True)}
    return {} if item.kind == "text" else {item.id: value}


def _constant(value: Any) -> Compute:
    return lambda scope: (0, value)


def _layout(item: Input, layout: Any) -> Mapping[str, Compute]:
    given = bool(layout)

    def part(kind: str) -> Compute:
        def counts(scope: Scope) -> tuple[Any, Any]:
            size = int(scope[size_name("virtual_stage")])
            if not given:
                return 0, [0.0] * size
            if len(layout) != size:
                raise PatternError(f"the layout has {len(layout)} virtual stages, the configuration {size}")
            return 0, [float(stage[kind]) for stage in layout]

        return counts

    parts = {f"{item.id}_{kind}": part(kind) for kind in LAYOUT_PARTS}
    return {**parts, f"{item.id}_stages": _constant(float(len(layout))), f"{item.id}_given": _constant(given)}
