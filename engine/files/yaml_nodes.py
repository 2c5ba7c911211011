"""Values of a YAML text that know where they stand."""

from __future__ import annotations

from typing import Any

from engine.diagnostics import Source, Span
from engine.files.yaml_scalar import value_offsets

Scalar = bool | int | float | str | None


class Node:
    """A value in a YAML text; `start` and `end` are character offsets in `source.text`."""

    __slots__ = ("end", "source", "start")

    def __init__(self, source: Source, start: int, end: int) -> None:
        self.source = source
        self.start = start
        self.end = end

    @property
    def span(self) -> Span:
        """Where the value stands."""
        return self.source.span(self.start, self.end)


class ScalarNode(Node):
    """A single value.

    Attributes:
        value: None, a flag, a number or a text. A number too large for a float is infinite.
        raw: the text without quotes, lines folded.
        style: "" plain, `'` or `"` quoted, `|` or `>` block.
    """

    __slots__ = ("raw", "style", "value")

    def __init__(self, source: Source, start: int, end: int, value: Scalar, raw: str, style: str) -> None:
        self.source = source
        self.start = start
        self.end = end
        self.value = value
        self.raw = raw
        self.style = style

    @property
    def quoted(self) -> bool:
        """Whether the value is text because of how it is written (in quotes or as a block)."""
        return bool(self.style)


class SequenceNode(Node):
    """A list."""

    __slots__ = ("items",)

    def __init__(self, source: Source, start: int, end: int) -> None:
        super().__init__(source, start, end)
        self.items: list[Node] = []


class MappingNode(Node):
    """A mapping with text keys, in the order of the file."""

    __slots__ = ("entries",)

    def __init__(self, source: Source, start: int, end: int) -> None:
        super().__init__(source, start, end)
        self.entries: dict[str, Entry] = {}


class Entry:
    """A key's place and its value."""

    __slots__ = ("key", "value")

    def __init__(self, key: ScalarNode, value: Node) -> None:
        self.key = key
        self.value = value

    @property
    def key_span(self) -> Span:
        """Where the key stands."""
        return self.key.span


def scalar_span(node: ScalarNode, start: int, end: int) -> Span:
    """Returns where the characters [start, end) of a scalar's `raw` text stand in the file.

    Exact for all styles that occur; the span of the whole scalar where it cannot be told.
    """
    offsets = value_offsets(node.source.text, node.start, node.end, node.raw, node.style)
    if offsets is None or not offsets:
        return node.span
    last = len(offsets)
    start, end = max(0, min(start, last)), max(0, min(end, last))
    first = offsets[start][0] if start < last else offsets[-1][1]
    return node.source.span(first, offsets[end - 1][1] if end > start else first)


def to_plain(node: Node) -> Any:
    """Returns the node as plain Python data: dict, list, str, int, float, bool, None."""
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, SequenceNode):
        return [to_plain(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return {key: to_plain(entry.value) for key, entry in node.entries.items()}


def describe(node: Node) -> str:
    """Returns what a node is, for messages: `a mapping`, `a list`, `the text "x"`, `the number 8`, `null` and so on."""
    if isinstance(node, MappingNode):
        return "a mapping"
    if isinstance(node, SequenceNode):
        return "a list"
    assert isinstance(node, ScalarNode)
    if node.value is None:
        return "null" if node.raw else "nothing"
    shown = node.raw if len(node.raw) <= 40 else node.raw[:37] + "..."
    if isinstance(node.value, str):
        return f'the text "{shown}"'
    return f"the flag {shown}" if isinstance(node.value, bool) else f"the number {shown}"
