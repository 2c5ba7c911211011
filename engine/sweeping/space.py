"""The lazy environment of a sweep: like `engine.evaluating.program.Scope`, with a lane for each configuration."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from engine.evaluating.program import constant_slots
from engine.expr.nodes import Call, Node, walk
from engine.expr.registry import FUNCTIONS
from engine.expr.to_numpy import numpy
from engine.inputs.parsers import PatternError, expand_layers
from engine.inputs.slots import LAYOUT_PARTS
from engine.rules import Computed, Expression, Input
from engine.ruleset import RuleSet
from engine.sweeping import lanes, rows
from engine.sweeping.columns import Column
from engine.sweeping.lanes import FAILED, UNAVAILABLE, Array, Branches, Lane, choose, lane
from engine.sweeping.rows import Factored, Row, expand

WORTHWHILE = 4
"""A rule is factored where the distinct placements are at least this many times fewer than the lanes."""

LONG_DOMAINS = ("layer", "virtual_stage")


class ArrayProgram:
    """The rules of a rule set as array code, compiled when first needed."""

    def __init__(self, rules: RuleSet) -> None:
        self.rules = rules
        self._tables = {table.id: table.cells for table in rules.tables.values()}
        self._names: dict[str, Any] = {**lanes.RUNTIME, **rows.RUNTIME}
        self._branches: dict[str, Branches] = {}
        self._codes: dict[tuple[str, tuple[str, ...]], Callable[[Any], Any]] = {}
        self._closures: dict[str, frozenset[str]] = {}
        self._factorable: dict[str, bool] = {}

    def branches(self, rule: Computed) -> Branches:
        """Returns a rule's cases as functions of an environment."""
        found = self._branches.get(rule.id)
        if found is None:
            found = self._branches[rule.id] = [
                (self._code(branch.when.node) if branch.when else None, self._code(branch.formula.node))
                for branch in rule.branches
            ]
        return found

    def expression(self, expression: Expression, siblings: tuple[str, ...] = ()) -> Callable[[Any], Any]:
        """Returns an input's formula as a function; siblings of its either-or group are read as given."""
        key = (expression.text, siblings)
        if key not in self._codes:
            self._codes[key] = self._code(expression.node, siblings)
        return self._codes[key]

    def _code(self, node: Node, siblings: tuple[str, ...] = ()) -> Callable[[Any], Any]:
        text = numpy(node, self._tables, name=lambda id: f'v.given("{id}")' if id in siblings else f'v["{id}"]')
        return eval(compile(f"lambda v: {text}", "<rule>", "eval"), self._names)  # type: ignore[no-any-return]

    def inputs_of(self, id: str) -> frozenset[str]:
        """Returns the inputs that a rule depends on, directly or not."""
        found = self._closures.get(id)
        if found is None:
            graph, slots = self.rules.graph, self.rules.slots
            todo, seen = [id], set[str]()
            while todo:
                name = todo.pop()
                if name not in seen:
                    seen.add(name)
                    todo.extend(graph.reads.get(name, ()))
                    if name in slots:
                        todo.extend(self.rules.siblings(slots[name]))
            found = self._closures[id] = frozenset(slots[name].id for name in seen if name in slots)
        return found

    def factorable(self, rule: Computed) -> bool:
        """Whether evaluating a rule costs more a lane than looking its placement up: long vectors and aggregates."""
        found = self._factorable.get(rule.id)
        if found is None:
            found = self._factorable[rule.id] = rule.type.over in LONG_DOMAINS or self._aggregates(rule)
        return found

    def _aggregates(self, rule: Computed) -> bool:
        parts = [part for branch in rule.branches for part in (branch.when, branch.formula) if part]
        nodes = [node for part in parts for node in walk(part.node)]
        return any(isinstance(node, Call) and FUNCTIONS[node.function].parameter(0) != "number" for node in nodes)


class Space(dict[str, Lane]):
    """Values by name, one lane a configuration; a name is computed on first use.

    Args:
        program: the compiled rules.
        columns: given inputs. Arrays have one axis for each axis of the sweep, of length 1 where they do not vary.
        axes: number of axes of the sweep.
        varied: inputs that differ between lanes of the one axis of a list of rows; empty for a grid.
    """

    def __init__(self, program: ArrayProgram, columns: Mapping[str, Column], axes: int, varied: frozenset[str]) -> None:
        super().__init__()
        self._program = program
        self._columns = columns
        self._axes = axes
        self._varied = varied
        self._factored: dict[str, Factored] = {}
        self._values_of: dict[str, list[tuple[int, Array]]] = {}
        self._spaces: dict[frozenset[str], tuple[Space, Array] | None] = {}
        self._in_order = False

    def __missing__(self, name: str) -> Lane:
        try:
            value = self[name] = self._compute(name)
        except RecursionError:
            value = self._compute_in_order(name)
        return value

    def _compute_in_order(self, name: str) -> Lane:
        """Computes a name after all that it reads; see `engine.evaluating.program.Scope`."""
        if self._in_order:
            raise RecursionError
        self._in_order = True
        try:
            for other in self._program.rules.graph.before(name):
                self[other]
            return self[name]
        finally:
            self._in_order = False

    def _compute(self, name: str) -> Lane:
        rule = self._program.rules.computed.get(name)
        if rule is None:
            value = self._input(self._program.rules.slots[name], name)
        elif (place := self._placement(rule)) is not None:
            space, inverse = place
            value = expand(space[name], inverse)
        else:
            value = self._settled(choose(self, self._program.branches(rule)), rule.type.over)
        return value

    def row(self, name: str) -> Row:
        """Returns a vector for an aggregate, by distinct placement where that is worthwhile."""
        rule = self._program.rules.computed.get(name)
        place = self._placement(rule) if rule else None
        if place is None:
            return self[name]
        if name not in self._factored:
            space, inverse = place
            self._factored[name] = Factored(space, space[name], inverse)
        return self._factored[name]

    def given(self, name: str) -> Lane:
        """Returns an input where it was given, and lanes without a value elsewhere."""
        column = self._columns.get(name)
        if column is None or name not in column.parts:
            return self._missing(name)
        bad = None if column.given is None else np.where(column.given, np.int8(0), UNAVAILABLE)
        return Lane(column.parts[name], bad)

    def size(self, domain: str) -> Lane:
        """Returns the number of indices of a domain in each lane."""
        key = f"#{domain}"
        if key not in self:
            self[key] = lane(self._program.expression(self._program.rules.sizes[domain])(self))
        return self[key]

    def width(self, domain: str) -> int:
        """Returns the length of a domain's axis: the largest size in any lane that has one."""
        size = self.size(domain)
        sizes = size.array if size.bad is None else np.where(size.bad == 0, size.array, 1)
        return int(sizes.max(initial=1))

    def index(self, domain: str) -> Lane:
        """Returns the indices of a domain."""
        return Lane(np.arange(self.width(domain), dtype=np.float64).reshape((1,) * self._axes + (-1,)), None, domain)

    def mask(self, domain: str) -> Array | None:
        """Returns which entries along a domain's axis count; None if all do."""
        size = self.size(domain).array[..., None]
        width = self.width(domain)
        return None if (size == width).all() else np.arange(width) < size

    def _missing(self, slot: str) -> Lane:
        type = self._program.rules.symbols.types[slot]
        number = 0.0 if type.kind == "text" else 1.0  # means nothing, but must be a position in the enumeration
        shape = (1,) * (self._axes + (type.over is not None))
        lead = () if type.over is None else (self.width(type.over),)
        return Lane(np.full((1,) * self._axes + lead, number), np.full(shape, UNAVAILABLE), type.over)

    def _full(self, value: Lane) -> Lane:
        """Gives a lane an axis for each axis of the sweep, a vector its last; numbers that are not finite fail."""
        rank = self._axes + (value.over is not None)

        def full(array: Array) -> Array:
            return array.reshape((1,) * (rank - array.ndim) + array.shape)

        finite = np.isfinite(value.array)
        bad = value.bad if finite.all() else lanes.join(value.bad, lanes.marked(~finite))
        return Lane(full(value.array), None if bad is None else full(bad), value.over)

    def _settled(self, value: Lane, over: str | None) -> Lane:
        """Gives a rule's value its full shape; a vector with trouble at any index has it at all."""
        if over is None:
            return self._full(value)
        size = self.size(over)
        if value.over is None:
            value = value.lifted()
            value.over = over
        value = self._full(value)
        array = np.broadcast_to(value.array, (*value.array.shape[:-1], self.width(over)))
        bad = value.bad
        if bad is not None:
            bad = np.broadcast_to(bad, (*bad.shape[:-1], self.width(over)))
            mask = self.mask(over)
            bad = bad if mask is None else np.where(mask, bad, np.int8(0))
            bad = np.take_along_axis(bad, (bad != 0).argmax(axis=-1)[..., None], axis=-1)
        return Lane(array, lanes.join(None if size.bad is None else size.bad[..., None], bad), over)

    # Inputs

    def _input(self, item: Input, slot: str) -> Lane:
        column = self._columns.get(item.id)
        if column is None:
            return self._stand_in(item, slot)
        if not column.parts and column.codes is None:  # no lane has a value
            return self._stand_in(item, slot)
        value = self._structured(column, slot) if column.codes is not None else Lane(column.parts[slot])
        if column.given is None:
            return value
        other = self._stand_in(item, slot)
        return lanes._where(Lane(column.given), value, other)

    def _stand_in(self, item: Input, slot: str) -> Lane:
        """The stand-in of an input that is not given; see `engine.evaluating.program.Program`."""
        fallback = self._fallback(item, slot)
        siblings = self._program.rules.siblings(item)
        columns = [self._columns[sibling] for sibling in siblings if sibling in self._columns]
        if item.derived is None or not columns:
            return fallback
        derived = self._full(lane(self._program.expression(item.derived, siblings)(self)))
        given = [column.given for column in columns]
        if any(one is None for one in given):
            return derived
        anywhere = np.logical_or.reduce(np.broadcast_arrays(*(one for one in given if one is not None)))
        return lanes._where(Lane(anywhere), derived, fallback)

    def _fallback(self, item: Input, slot: str) -> Lane:
        if item.default_formula is not None:
            return self._full(lane(self._program.expression(item.default_formula)(self)))
        value = item.default if item.default is not None else item.absent
        if value is None:
            return self._missing(slot)
        if item.kind in ("layer_vector", "layout"):
            codes = np.zeros((1,) * self._axes, dtype=np.intp)
            return self._structured(Column(item, patterns=(value,), codes=codes), slot)
        found = constant_slots(item, value)[slot]
        number = float(item.values.index(found)) if item.kind == "enum" else found
        return Lane(np.full((1,) * self._axes, number))

    def _structured(self, column: Column, slot: str) -> Lane:
        """Values of a layer vector or of a part of a layout, which depend on the size of the domain."""
        item, codes = column.item, column.codes
        assert codes is not None
        part = slot.removeprefix(f"{item.id}_")
        if item.kind == "layout" and part not in LAYOUT_PARTS:
            counts = [float(len(pattern)) for pattern in column.patterns]
            return Lane(np.array(counts if part == "stages" else [count > 0 for count in counts])[codes])
        domain = "layer" if item.kind == "layer_vector" else "virtual_stage"
        size = self.size(domain)
        both = np.broadcast_arrays(codes, size.array)
        pairs, inverse = np.unique(np.stack([array.ravel() for array in both]), axis=1, return_inverse=True)
        table = np.zeros((pairs.shape[1], self.width(domain)))
        failed = np.zeros(pairs.shape[1], dtype=np.int8)
        for position, (code, count) in enumerate(pairs.T):
            try:
                entries = _entries(column.patterns[int(code)], int(count), item, part)
                table[position, : len(entries)] = entries[: table.shape[1]]
            except PatternError:
                failed[position] = FAILED
        inverse = inverse.reshape(both[0].shape)
        bad = failed[inverse][..., None] if failed.any() else None
        return Lane(table[inverse], lanes.join(None if size.bad is None else size.bad[..., None], bad), domain)

    # Distinct placements

    def _placement(self, rule: Computed) -> tuple[Space, Array] | None:
        if not self._varied or not self._program.factorable(rule):
            return None
        key = self._program.inputs_of(rule.id) & self._varied
        if key == self._varied:
            return None
        if key not in self._spaces:
            self._spaces[key] = self._distinct(key)
        return self._spaces[key]

    def _positions(self, name: str) -> list[tuple[int, Array]]:
        """Returns for each array that tells lanes of a column apart its distinct values: how many, and each lane's."""
        found = self._values_of.get(name)
        if found is None:
            both = [np.unique(array, return_inverse=True) for array in self._columns[name].marks()]
            found = self._values_of[name] = [(len(values), position.ravel()) for values, position in both]
        return found

    def _distinct(self, key: frozenset[str]) -> tuple[Space, Array] | None:
        lanes_count = max(array.shape[0] for name in self._varied for array in self._columns[name].marks())
        if lanes_count < WORTHWHILE:
            return None
        code = np.zeros(lanes_count, dtype=np.int64)
        for name in sorted(key):
            for count, position in self._positions(name):
                found, code = np.unique(code * count + position, return_inverse=True)
                if len(found) * WORTHWHILE > lanes_count:
                    return None
        count = int(code.max()) + 1
        first = np.zeros(count, dtype=np.intp)
        first[code[::-1]] = np.arange(lanes_count - 1, -1, -1)
        columns = {
            name: column.taken(first) if name in key else column.taken(slice(0, 1)) if name in self._varied else column
            for name, column in self._columns.items()
        }
        return Space(self._program, columns, self._axes, key), code


def _entries(pattern: Any, count: int, item: Input, part: str) -> tuple[float, ...]:
    if item.kind == "layer_vector":
        return expand_layers(pattern, count)
    if not pattern:
        return (0.0,) * count
    if len(pattern) != count:
        raise PatternError(f"the layout has {len(pattern)} virtual stages, the configuration {count}")
    return tuple(float(stage[part]) for stage in pattern)
