"""One expression of a rule, evaluated while it is watched: what it reads, and its text with values in place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, SupportsIndex, overload

from engine.evaluating.program import Scope
from engine.expr.nodes import Call, Lookup, Name, Node, Number, children, names, walk
from engine.expr.registry import FUNCTIONS
from engine.rules import Expression
from engine.ruleset import RuleSet
from engine.trouble import Trouble

_PICKS = ("at", "first", "last")  # functions that read one entry of a vector
_MOST_RUNS = 8


@dataclass(frozen=True, slots=True)
class Substituted:
    """An expression as it is written, and with values in place of the names that were read."""

    text: str
    values: str


@dataclass(frozen=True, slots=True)
class Traced:
    """What watching one expression came to.

    Attributes:
        value: its value, None if it has none.
        written: its text.
        reads: keys of what it read, in order: `id`, `id[2]` for one entry of a vector, `table[key].column` for a cell.
    """

    value: Any
    written: Substituted
    reads: tuple[str, ...]


class Tracer:
    """Evaluates expressions in the environment of one evaluation and records what they read."""

    def __init__(self, rules: RuleSet, scope: Scope) -> None:
        self._rules = rules
        self._scope = scope

    def single(self, expression: Expression, over: str | None = None, index: int | None = None) -> Traced:
        """Traces an expression that yields one value: of a scalar rule, or at one index of a vector.

        What `and` and `or` leave out, because the outcome is clear before, counts as not read and keeps its name.
        """
        watched = _Watched(self._rules, self._scope)
        value = self._value(_at_index(expression.node, over, index), watched)
        return self._traced(expression, value, _Reading(over, index, tuple(watched.read)))

    def whole(self, expression: Expression, over: str) -> Traced:
        """Traces an expression of a vector for all indices at once: what varies with the index keeps its name."""
        read = tuple(name for name in names(expression.node) if name != over)
        return self._traced(expression, None, _Reading(over, None, read))

    def _traced(self, expression: Expression, value: Any, reading: _Reading) -> Traced:
        written = _replace(expression.text, set(self._replacements(expression.node, reading)))
        return Traced(value, written, (*reading.keys, *self._cells(expression.node, reading)))

    def _value(self, node: Node, scope: Scope) -> Any:
        try:
            return self._rules.program.evaluate(node, scope)
        except (Trouble, ArithmeticError, ValueError, IndexError):
            return None

    def _replacements(self, node: Node, reading: _Reading) -> Iterator[tuple[int, int, str]]:
        """Yields the stretches of an expression's text that a value takes the place of."""
        value: Any = None
        if isinstance(node, Name):
            value = self._named(node, reading)
        elif (isinstance(node, Lookup) or (isinstance(node, Call) and node.function in _PICKS)) and reading.covers(
            node
        ):
            value = self._value(_at_index(node, reading.over, reading.index), self._scope)
        if value is not None:
            yield node.start, node.end, shown(value)
            return
        for position, child in enumerate(children(node)):
            if not _is_vector(node, position):
                yield from self._replacements(child, reading)
            elif isinstance(child, Name) and child.id in reading.keys and (row := self._read(child.id)) is not None:
                yield child.start, child.end, shown(row)

    def _named(self, node: Name, reading: _Reading) -> Any:
        if node.id == reading.over:
            return reading.index
        if node.type.over is None:
            return self._read(node.id) if node.id in reading.keys else None
        if reading.index is None or f"{node.id}[{reading.index}]" not in reading.keys:
            return None
        row = self._read(node.id)
        return None if row is None else row[reading.index]

    def _read(self, name: str) -> Any:
        try:
            return self._scope[name]
        except Trouble:
            return None

    def _cells(self, node: Node, reading: _Reading) -> Iterator[str]:
        for part in walk(node):
            if isinstance(part, Lookup) and reading.covers(part):
                key = self._value(_at_index(part.key, reading.over, reading.index), self._scope)
                if key is not None:
                    yield f"{part.table}[{key}].{part.column}"


@dataclass(frozen=True, slots=True)
class _Reading:
    """What was read at which index of a domain; no index stands for all of them."""

    over: str | None
    index: int | None
    keys: tuple[str, ...]

    def covers(self, node: Node) -> bool:
        """Whether a part of an expression has one value and all its names were read."""
        if self.index is None and self.over is not None and node.type.over == self.over:
            return False
        read = {key.partition("[")[0] for key in self.keys} | {self.over}
        return read.issuperset(names(node))


class _Watched(Scope):
    """An environment that notes which names, and which entries of vectors, are read."""

    def __init__(self, rules: RuleSet, scope: Scope) -> None:
        super().__init__(rules.program, {})
        self._scope = scope
        self.read: dict[str, None] = {}

    def __missing__(self, name: str) -> Any:
        try:
            value = self._scope[name]
        except Trouble:
            self.read[name] = None
            raise
        if isinstance(value, list):
            return _Row(value, name, self.read)
        self.read[name] = None
        return value


class _Row(list[Any]):
    """A vector that notes whether one of its entries is read or all of them."""

    def __init__(self, values: Sequence[Any], name: str, read: dict[str, None]) -> None:
        super().__init__(values)
        self._name = name
        self._note = read

    def __iter__(self) -> Iterator[Any]:
        self._note[self._name] = None
        return super().__iter__()

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if not isinstance(index, slice):
            self._note[f"{self._name}[{range(len(self))[index]}]"] = None
        return super().__getitem__(index)


def _at_index(node: Node, over: str | None, index: int | None) -> Node:
    """Returns the expression of a vector as that of one index: scalar, and free of the domain's own name."""
    if over is None or index is None:
        return node
    if isinstance(node, Name):
        if node.id == over:
            return Number(float(index), str(index))
        return Call("at", (node, Number(float(index), str(index)))) if node.type.over == over else node
    changed: dict[str, Any] = {}
    for item in fields(node):
        value = getattr(node, item.name)
        if isinstance(value, Node):
            changed[item.name] = _at_index(value, over, index)
        elif isinstance(value, tuple):
            changed[item.name] = tuple(
                entry if _is_vector(node, position) else _at_index(entry, over, index)
                for position, entry in enumerate(value)
            )
    return replace(node, **changed)


def _is_pick(node: Node) -> bool:
    """Whether a node reads one cell of a table or one entry of a vector; its value says more than the key or index."""
    return isinstance(node, Lookup) or (isinstance(node, Call) and node.function in _PICKS)


def _is_vector(node: Node, position: int) -> bool:
    """Whether an operand of a node is the name of a vector that is read as a whole."""
    return isinstance(node, Call) and FUNCTIONS[node.function].parameter(position) != "number"


def _replace(text: str, found: set[tuple[int, int, str]]) -> Substituted:
    values, end = "", 0
    for start, stop, value in sorted(found):
        values += text[end:start] + value
        end = stop
    return Substituted(_on_one_line(text), _on_one_line(values + text[end:]))


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def shown(value: Any) -> str:
    """Shows a value as it could stand in a formula; a vector as runs of equal entries."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, list | tuple):
        return f"[{runs([digits(entry) for entry in value])}]"
    text = digits(value)
    return f"({text})" if text.startswith("-") else text


def runs(entries: Sequence[str]) -> str:
    """Joins the entries of a vector: `0 ×3, 1 ×58`; of many different ones the middle is left out."""
    found: list[tuple[str, int]] = []
    for entry in entries:
        if found and found[-1][0] == entry:
            found[-1] = entry, found[-1][1] + 1
        else:
            found.append((entry, 1))
    texts = [entry if count == 1 else f"{entry} ×{count}" for entry, count in found]
    if len(texts) > _MOST_RUNS:
        texts = [*texts[: _MOST_RUNS - 2], "…", texts[-1]]
    return ", ".join(texts)


def digits(value: Any) -> str:
    """Shows one entry: whole numbers with all their digits, others with ten."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return shown(value) if isinstance(value, bool | str) else str(value)
    return f"{value:.0f}" if float(value).is_integer() and abs(value) < 1e17 else f"{value:.10g}"
