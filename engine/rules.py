"""What a loaded rule set consists of: inputs, rules, checks, tables, views, each with its place in a file."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from engine.diagnostics import Span
from engine.expr.types import Type

if TYPE_CHECKING:
    from engine.expr.nodes import Node

COMPONENTS = ("weights", "gradients", "optimizer", "activations")
"""The kinds of memory that slices cut, in the order in which tables show them."""


class Expression:
    """A checked expression and where it stands.

    A kept rule set (see `engine.loading.cache`) holds the tree as bytes until somebody asks for it: most commands ask
    for few.

    Attributes:
        text: as it stands in the rule.
        place: the scalar of the rule file, None for an expression that was made. Typed as Any so that evaluation does
            not depend on YAML.
    """

    __slots__ = ("_node", "place", "text")

    def __init__(self, text: str, node: Node | bytes, place: Any) -> None:
        self.text = text
        self.place = place
        self._node = node

    @property
    def node(self) -> Node:
        """The checked tree."""
        if isinstance(self._node, bytes):
            node: Node = pickle.loads(self._node)
            self._node = node
            return node
        return self._node

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Returns the place in the file of the characters from `start` to `end`."""
        from engine.files.yaml_source import scalar_span

        return scalar_span(self.place, start, len(self.text) if end is None else end)

    def __reduce__(self) -> tuple[Any, ...]:
        node = self._node if isinstance(self._node, bytes) else pickle.dumps(self._node, pickle.HIGHEST_PROTOCOL)
        return Expression, (self.text, node, self.place)


@dataclass(frozen=True, slots=True)
class Citation:
    """Where a formula comes from: lines of code, a place in a paper, or a section of a document.

    Attributes:
        kind: `code`, `paper` or `document`.
        source: alias in sources.yaml.
        where: `path#L1-L2`, an equation, or a section.
        symbol: enclosing function or class of cited code.
        note: why these lines.
    """

    kind: str
    source: str
    where: str
    symbol: str = ""
    note: str | None = None
    span: Span | None = field(default=None, compare=False, repr=False)


class Branch(NamedTuple):
    """One case of a rule: `when` is None for the only or the last branch."""

    when: Expression | None
    formula: Expression
    citations: tuple[Citation, ...]
    assumption: str | None
    note: str | None = None


class Test(NamedTuple):
    """A rule's own example."""

    given: Mapping[str, Any]
    expect: Any
    rel: float | None
    span: Span


@cache
def unit_text(type: Type) -> str:
    """Returns the unit of a type as text: `B`, `elem`, …, `flag`, or `enum`."""
    return {"flag": "flag", "text": "enum"}.get(type.kind) or str(type.unit)


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """Anything with a value that formulas yield: a rule or a check."""

    id: str
    title: str
    type: Type
    branches: tuple[Branch, ...]
    symbol: str | None = None
    note: str | None = None
    evidence: tuple[str, ...] = ()
    tests: tuple[Test, ...] = ()
    span: Span = field(repr=False)

    @property
    def unit(self) -> str:
        """Unit as text: `B`, `elem`, …, `flag`, or `enum`."""
        return unit_text(self.type)

    @property
    def provenance(self) -> str:
        """The strongest class of evidence: `code`, `paper`, `document` or `assumption`."""
        kinds = {citation.kind for branch in self.branches for citation in branch.citations}
        if any(branch.assumption for branch in self.branches):
            kinds.add("assumption")
        return next(kind for kind in ("code", "paper", "document", "assumption") if kind in kinds)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(Computed):
    """A formula of the memory model.

    Attributes:
        slice: the slice that the rule was made from; None for a rule that is written out.
        at_most: a bound that holds wherever no check fails.
    """

    slice: str | None = None
    at_most: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(Computed):
    """A condition that a sound configuration meets; its value is true where it holds."""

    level: str
    message: str
    hint: str | None
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Input:
    """A declared input.

    Attributes:
        default: value that stands where nothing is given; for a formula see `default_formula`.
        absent: value that null or nothing stands for.
        flag: launch flag that carries the value, or that sets a flag to true; `other_flags` are other spellings.
        off_flags: launch switches that set a flag to false.
        from_flags: switches by their input-like name, and the member of an enumeration that each sets.
        either: group of inputs of which one is given.
        derived: this input from the other members of its group.
    """

    id: str
    title: str
    kind: str
    group: str
    unit: str
    symbol: str | None = None
    minimum: float | None = None
    maximum: float | None = None
    values: tuple[str, ...] = ()
    members: tuple[str, ...] = ()
    parser: str | None = None
    flag: str | None = None
    other_flags: tuple[str, ...] = ()
    off_flags: tuple[str, ...] = ()
    from_flags: Mapping[str, str] = field(default_factory=dict)
    required: bool = False
    default: Any = None
    default_formula: Expression | None = None
    absent: Any = None
    either: str | None = None
    derived: Expression | None = None
    citations: tuple[Citation, ...] = ()
    assumption: str | None = None
    note: str | None = None
    span: Span = field(repr=False)


class LaunchFlags(NamedTuple):
    """Launch flags that no input stands for; where they move memory, a configuration with one is not modelled.

    Attributes:
        harmless: values, as text, with which a flag changes nothing.
    """

    id: str
    title: str
    names: tuple[str, ...]
    moves_memory: bool
    harmless: Mapping[str, str]
    note: str | None
    span: Span


class Table(NamedTuple):
    """A lookup table.

    Attributes:
        keys: the rows, in order.
        columns: type of each column.
        cells: number by column and key, None where there is no value.
        titles: title of each row.
        citations: where a row, or a column, comes from, by its name; rows go before columns.
        assumptions: why a row or column is assumed, by its name.
    """

    id: str
    title: str
    keys: tuple[str, ...]
    columns: Mapping[str, Type]
    cells: Mapping[str, Mapping[str, float | None]]
    citations: Mapping[str, tuple[Citation, ...]]
    assumptions: Mapping[str, str]
    titles: Mapping[str, str]
    span: Span

    def cited(self, column: str, key: str) -> tuple[Citation, ...]:
        """Returns where one cell comes from: its row's own citations, else its column's."""
        return self.citations.get(key) or self.citations.get(column, ())


class Group(NamedTuple):
    """Tensors that parallel dimensions cut alike, and the components that they carry.

    Attributes:
        tests: examples of the product over all dimensions, by component.
    """

    id: str
    title: str
    components: tuple[str, ...]
    symbol: str | None
    note: str | None
    tests: Mapping[str, tuple[Test, ...]]
    span: Span


class Slice(NamedTuple):
    """What one parallel dimension does to every group.

    Attributes:
        degree: how many ranks share.
        divides: for group and component the divisor's rule id; None where nothing is divided.
        multiplies: the same for factors.
        communication: id of the rule for the bytes sent, with how often and over which link; None if nothing is.
        notes: what is remarked about single groups.
    """

    id: str
    title: str
    degree: Expression
    divides: Mapping[tuple[str, str], str | None]
    multiplies: Mapping[tuple[str, str], str | None]
    communication: str | None
    per: str | None
    link: str | None
    citations: tuple[Citation, ...]
    note: str | None
    notes: Mapping[str, str]
    span: Span


class Scenario(NamedTuple):
    """A named change of a preset; `changes` are values as a preset would give them."""

    id: str
    title: str
    changes: Mapping[str, Any]
    citations: tuple[Citation, ...]
    assumption: str | None
    note: str | None
    span: Span


class Action(NamedTuple):
    """One thing to try for a symptom.

    Attributes:
        changes: new values of inputs.
        formulas: new values as formulas over the present ones.
        cost: what it costs, in words.
    """

    title: str
    changes: Mapping[str, Any]
    formulas: Mapping[str, Expression]
    cost: str | None
    citations: tuple[Citation, ...]
    assumption: str | None
    note: str | None


class Advice(NamedTuple):
    """A symptom with ordered actions, and the inputs to leave alone with the reason."""

    id: str
    title: str
    when: Expression | None
    actions: tuple[Action, ...]
    leave_alone: Mapping[str, str]
    citations: tuple[Citation, ...]
    assumption: str | None
    note: str | None
    span: Span


class View(NamedTuple):
    """A table of results; `body` is the validated declaration."""

    id: str
    title: str
    kind: str
    body: Any
    span: Span


class Override(NamedTuple):
    """A declaration of an overlay.

    Attributes:
        section: section of the declaration.
        id: its id.
        span: where the overlay declares it.
        replaced: where what it replaces stands; None where it adds to the rules.
    """

    section: str
    id: str
    span: Span
    replaced: Span | None
