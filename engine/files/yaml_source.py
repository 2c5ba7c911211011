"""Reads YAML into nodes that know where they stand.

A strict part of YAML 1.2 (core schema): no anchors, aliases, merge keys, tags, directives or second documents, no
duplicate keys, text keys only. The parser's events become nodes directly, without recursion, and positions are worked
out only when asked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

import yaml

from engine.diagnostics import Findings, Source, Span
from engine.files.text_file import LIMIT_BYTES, decode, read_stream, read_text
from engine.files.yaml_nodes import (
    Entry,
    MappingNode,
    Node,
    Scalar,
    ScalarNode,
    SequenceNode,
    describe,
    scalar_span,
    to_plain,
)
from engine.files.yaml_syntax import CHECK_FILE, report_hidden_characters, report_syntax_error

__all__ = [
    "LIMIT_BYTES",
    "Entry",
    "MappingNode",
    "Node",
    "ScalarNode",
    "SequenceNode",
    "decode",
    "describe",
    "parse",
    "read_stream",
    "read_text",
    "scalar_span",
    "to_plain",
]

MAX_DEPTH = 20
MAX_NODES = 200_000

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_WORDS: dict[str, Scalar] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), math.nan),
    **dict.fromkeys((sign + word for sign in ("", "+") for word in (".inf", ".Inf", ".INF")), math.inf),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), -math.inf),
}
_MOST_DIGITS = 300  # a number with more is beyond what a float holds
_PROPERTIES = re.compile(r"(?:(?P<anchor>&[^\s\[\]{},]+)|(?P<tag>!\S*)|\s)+")
_INSTEAD = {
    "anchor": "remove it; to share a quantity, make it a rule",
    "alias": "write the value out here; to share a quantity, make it a rule",
    "merge key": "write the keys out here",
    "tag": "remove it; what a value is follows from how it is written",
    "directive": "remove the line",
}
_NUMBER_START = frozenset("+-.0123456789")
_INTEGER = re.compile(r"[-+]?[0-9]+\Z")
_BASED = re.compile(r"0o[0-7]+\Z|0x[0-9a-fA-F]+\Z")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?\Z")


def parse(source: Source, findings: Findings, *, repeated: list[tuple[Entry, Entry]] | None = None) -> Node | None:
    """Parses a text into nodes and adds all that is wrong to `findings`.

    Args:
        source: the text.
        findings: receives what is wrong.
        repeated: where a list is given, a key that is given twice is not wrong: the last value holds, and the list gets
            both.

    Returns:
        The root; None if there is none or if what it holds is not what the text says (a syntax error, an alias, too
        deep). Where a key is given twice the first value is kept.
    """
    if report_hidden_characters(source, findings):
        return None
    builder = _Builder(source, findings, repeated)
    loader = _LOADER(source.text)
    try:
        builder.run(loader.get_event)
    except yaml.YAMLError as error:
        report_syntax_error(source, error, findings)
        builder.usable = False
    finally:
        loader.dispose()
    builder.report_refused()
    if not builder.usable:
        return None
    root = builder.root
    if root is None or (isinstance(root, ScalarNode) and root.start == root.end and not root.quoted):
        findings.add("E107", "the file holds nothing", source.whole(), help="fill it in, or delete it")
        return None
    return root


class _Builder:
    """Turns parser events into nodes."""

    def __init__(self, source: Source, findings: Findings, repeated: list[tuple[Entry, Entry]] | None) -> None:
        self.source = source
        self.findings = findings
        self.repeated = repeated
        self.root: Node | None = None
        self.usable = True
        self.refused: dict[str, list[Span]] = {}
        self.nodes = 0
        self.documents = 0
        self.top: MappingNode | SequenceNode | None = None  # the innermost open collection
        self.key: Node | None = None  # its key that waits for a value
        self.outer: list[tuple[MappingNode | SequenceNode | None, Node | None]] = []

    def run(self, get_event: Callable[[], Any]) -> None:
        """Consumes events to the end of the text, or until something makes reading on pointless."""
        handlers: dict[type, Callable[[Any], bool | None]] = {
            yaml.ScalarEvent: self.scalar,
            yaml.MappingStartEvent: self.open,
            yaml.SequenceStartEvent: self.open,
            yaml.MappingEndEvent: self.close,
            yaml.SequenceEndEvent: self.close,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document,
            yaml.DocumentEndEvent: lambda event: None,
            yaml.StreamStartEvent: lambda event: None,
            yaml.StreamEndEvent: lambda event: True,
        }
        while True:
            event = get_event()
            if handlers[event.__class__](event):
                return

    def scalar(self, event: Any) -> bool | None:
        start, end, raw, style = event.start_mark.index, event.end_mark.index, event.value, event.style or ""
        if event.anchor or event.tag:
            self.refuse_properties(event)
        if style and style in "|>":
            end = start + len(self.source.text[start:end].rstrip())
        return self.attach(ScalarNode(self.source, start, end, raw if style else _resolve(raw), raw, style))

    def open(self, event: Any) -> bool | None:
        start, end = event.start_mark.index, event.end_mark.index
        if event.anchor or event.tag:
            self.refuse_properties(event)
        make = MappingNode if event.__class__ is yaml.MappingStartEvent else SequenceNode
        node = make(self.source, start, end)
        if self.attach(node):
            return True
        self.outer.append((self.top, self.key))
        self.top, self.key = node, None
        if len(self.outer) > MAX_DEPTH:
            return self.stop("E103", f"values are nested more than {MAX_DEPTH} deep", node)
        return None

    def close(self, event: Any) -> None:
        node = self.top
        assert node is not None
        if event.end_mark.index > event.start_mark.index:  # flow style: the bracket that closes
            node.end = event.end_mark.index
        elif isinstance(node, SequenceNode):
            node.end = node.items[-1].end if node.items else node.end
        elif node.entries:
            node.end = next(reversed(node.entries.values())).value.end
        self.top, self.key = self.outer.pop()

    def alias(self, event: Any) -> bool | None:
        self.refuse("alias", event.start_mark.index, event.end_mark.index)
        self.usable = False
        return self.attach(ScalarNode(self.source, event.start_mark.index, event.end_mark.index, None, "", ""))

    def document(self, event: Any) -> bool | None:
        self.documents += 1
        start = event.start_mark.index
        if self.documents > 1:
            span = self.source.span(start, start + 3)
            help_text = "remove the `---` line, or move what follows to a file of its own"
            self.findings.add("E110", "a second document begins here", span, help=help_text)
            self.usable = False
            return True
        if event.version or event.tags:
            self.refuse("directive", start, self.source.text.find("\n", start))
        return None

    def attach(self, node: Node) -> bool | None:
        """Puts a node where it belongs; returns True if reading must stop."""
        self.nodes += 1
        if self.nodes > MAX_NODES:
            return self.stop("E103", f"the file holds more than {MAX_NODES:,} values", node)
        top = self.top
        if top is None:
            self.root = node
        elif isinstance(top, SequenceNode):
            top.items.append(node)
        elif self.key is None:
            self.key = node
        else:
            key, self.key = self.key, None
            self.add_entry(top, key, node)
        return None

    def add_entry(self, mapping: MappingNode, key: Node, value: Node) -> None:
        if not isinstance(key, ScalarNode) or not isinstance(key.value, str):
            self.findings.add(
                "E109",
                f"a key must be text, this is {describe(key)}",
                key.span,
                help="write it in quotes if it is meant as a name" if isinstance(key, ScalarNode) and key.raw else None,
            )
        elif key.value == "<<" and not key.style:
            self.refuse("merge key", key.start, key.end)
            self.usable = False
        elif (
            isinstance(value, ScalarNode)
            and value.start == value.end
            and not value.style
            and ":" not in self.source.text[key.end : value.start + 1]
        ):
            help_text = "a `,` ends a text in `{}` and `[]`: put a text that holds one in quotes"
            self.findings.add("E104", f"`{key.raw}` has no value", key.span, help=help_text)
        elif key.value in mapping.entries and self.repeated is not None:
            last = Entry(key, value)
            self.repeated.append((mapping.entries[key.value], last))
            mapping.entries[key.value] = last
        elif key.value in mapping.entries:
            first = mapping.entries[key.value].key_span
            self.findings.add(
                "E105",
                f"key `{key.value}` is given twice",
                key.span,
                help="remove or rename one of the two",
                related=((first, "first given here"),),
            )
        else:
            mapping.entries[key.value] = Entry(key, value)

    def refuse_properties(self, event: Any) -> None:
        start = event.start_mark.index
        match = _PROPERTIES.match(self.source.text, start)
        for kind, name in (("anchor", "anchor"), ("tag", "tag")):
            if match and match[name]:
                self.refuse(kind, *match.span(name))

    def refuse(self, kind: str, start: int, end: int) -> None:
        self.refused.setdefault(kind, []).append(self.source.span(start, end))

    def report_refused(self) -> None:
        """Adds one finding for each kind of refused construct, with the next few places: a bomb holds very many."""
        for kind, spans in self.refused.items():
            often = f" ({len(spans)} in this file)" if len(spans) > 1 else ""
            plural = f"{kind}es" if kind == "alias" else f"{kind}s"
            self.findings.add(
                "E106",
                f"{plural} are not allowed here{often}",
                spans[0],
                help=_INSTEAD[kind],
                related=[(span, f"{kind} here too") for span in spans[1:4]],
            )

    def stop(self, code: str, message: str, node: Node) -> bool:
        span = self.source.span(node.start, node.start + 1)
        self.findings.add(code, message, span, help=CHECK_FILE)
        self.usable = False
        return True


def _resolve(raw: str) -> Scalar:
    """Returns the value of a plain scalar by the YAML 1.2 core schema."""
    if raw in _WORDS:
        return _WORDS[raw]
    if raw[0] not in _NUMBER_START:
        return raw
    if _INTEGER.match(raw):
        return int(raw) if len(raw) < _MOST_DIGITS else float(raw)
    if _BASED.match(raw):
        return int(raw, 0) if len(raw) < _MOST_DIGITS else math.inf
    return float(raw) if _FLOAT.match(raw) else raw
