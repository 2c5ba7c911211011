"""Reads a folder of rule files into validated declarations, without yet knowing what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from engine.diagnostics import EngineError, Findings, Span, nearest
from engine.files.rule_files import rule_files
from engine.files.yaml_source import MappingNode, Node, ScalarNode, SequenceNode, describe, parse, read_text, to_plain
from engine.loading.names import invalid_name
from engine.loading.sections import NESTED, SECTIONS, SPECIAL_FILES

NAMESPACE = ("inputs", "rules", "checks", "tables")
"""Sections whose ids share one flat namespace."""


@dataclass(frozen=True, slots=True)
class Declaration:
    """One body of a rule file: its section, id, validated content, and the nodes that say where it stands."""

    section: str
    id: str
    body: Any
    node: MappingNode
    span: Span

    def at(self, *path: str | int) -> Node:
        """Returns the deepest node that exists along a path of keys and positions."""
        return _descend(self.node, path)[0]

    def key_span(self, *path: str | int) -> Span:
        """Returns the place of the last key of a path."""
        parent = self.at(*path[:-1])
        assert isinstance(parent, MappingNode)
        return parent.entries[str(path[-1])].key_span

    def scalar(self, *path: str | int) -> ScalarNode:
        """Returns the scalar at a path that validation has shown to exist."""
        node = self.at(*path)
        assert isinstance(node, ScalarNode)
        return node


def declarations(root: Path, findings: Findings) -> list[Declaration]:
    """Reads all rule files below a folder.

    Args:
        root: folder of `*.yaml` files, or one such file.
        findings: receives everything that is wrong; a body that is not valid is left out.

    Returns:
        The declarations in the order of files and lines.
    """
    found: list[Declaration] = []
    for path in rule_files(root, findings):
        shown = str(path)
        try:
            source = read_text(path)
        except EngineError as error:
            findings.diagnostics.extend(error.diagnostics)
            continue
        tree = parse(source, findings)
        if tree is None:
            continue
        if not isinstance(tree, MappingNode):
            findings.add("E203", f"a rule file is a mapping of sections, but {shown} is {describe(tree)}", tree.span)
            continue
        found.extend(_file(path.name, tree, findings))
    report_shared_ids(found, findings)
    return found


def _file(name: str, tree: MappingNode, findings: Findings) -> Iterable[Declaration]:
    allowed = SPECIAL_FILES.get(
        name,
        tuple(section for section in SECTIONS if not any(section in special for special in SPECIAL_FILES.values())),
    )
    for section, entry in tree.entries.items():
        if section not in SECTIONS:
            near = nearest(section, SECTIONS)
            findings.add(
                "E208",
                f"unknown section `{section}`",
                entry.key_span,
                help=f"did you mean `{near}`?" if near else "sections: " + " ".join(SECTIONS),
            )
            continue
        if section not in allowed:
            home = next(
                (file for file, sections in SPECIAL_FILES.items() if section in sections), "a rule file of its own"
            )
            findings.add(
                "E204", f"section `{section}` does not belong in {name}", entry.key_span, help=f"move it to {home}"
            )
            continue
        if not isinstance(entry.value, MappingNode):
            findings.add(
                "E203",
                f"section `{section}` is a mapping of ids to bodies, not {describe(entry.value)}",
                entry.value.span,
            )
            continue
        for id, item in entry.value.entries.items():
            reason = invalid_name(id) if section in NAMESPACE else None
            if reason:
                findings.add(
                    "E205",
                    f"`{id}` cannot be an id: {reason}",
                    item.key_span,
                    help="ids are snake_case words that a spreadsheet accepts as names",
                )
                findings.unusable.add(id)
            elif not isinstance(item.value, MappingNode):
                findings.add("E203", f"`{id}` must be a mapping, not {describe(item.value)}", item.value.span)
                findings.unusable.add(id)
            else:
                body = validate(SECTIONS[section], item.value, item.key_span, findings)
                if body is None:
                    findings.unusable.add(id)
                else:
                    yield Declaration(section, id, body, item.value, item.key_span)


def report_shared_ids(found: list[Declaration], findings: Findings) -> None:
    """Finds ids that are declared twice, or that a spreadsheet would take for the same name."""
    seen: dict[str, Declaration] = {}
    for declaration in found:
        if declaration.section not in NAMESPACE:
            continue
        first = seen.setdefault(declaration.id.casefold(), declaration)
        if first is declaration:
            continue
        related = [(first.span, "first declared here")]
        if first.id == declaration.id:
            findings.add(
                "E206",
                f"`{declaration.id}` is declared twice",
                declaration.span,
                related=related,
                help="give one of them another id",
            )
        else:
            findings.add(
                "E207",
                f"`{declaration.id}` and `{first.id}` differ only in case",
                declaration.span,
                related=related,
                help="a spreadsheet takes them for the same name",
            )


def validate(model: type[BaseModel], node: MappingNode, key_span: Span, findings: Findings) -> Any:
    """Validates a body; returns None, with findings added, where it is not valid."""
    try:
        return model.model_validate(to_plain(node))
    except ValidationError as error:
        problems: dict[tuple[int, int, str], tuple[Span, list[str], str | None]] = {}
        for item in error.errors(include_url=False):
            span, code, message, help = _explain(item, model, node, key_span)
            entry = problems.setdefault((span.line, span.column, code), (span, [], help))
            if message not in entry[1]:
                entry[1].append(message)
        for (_, _, code), (span, messages, help) in problems.items():
            findings.add(code, _combine(messages), span, help=help)
        return None


def _combine(messages: list[str]) -> str:
    """Joins what the members of a union ask for: `must be text, must be a number` becomes one sentence."""
    wanted = [message.removeprefix("this must be ") for message in messages]
    if len(messages) > 1 and all(message.startswith("this must be ") for message in messages):
        return "this must be " + " or ".join(wanted)
    return messages[0]


def _explain(item: Any, model: type[BaseModel], node: MappingNode, key_span: Span) -> tuple[Span, str, str, str | None]:
    at, rest = _descend(node, item["loc"])
    kind, context = item["type"], item.get("ctx", {})
    if kind == "extra_forbidden":
        key = str(item["loc"][-1])
        parent = _descend(node, item["loc"][:-1])[0]
        span = parent.entries[key].key_span if isinstance(parent, MappingNode) and key in parent.entries else at.span
        known = _keys(model, item["loc"][:-1])
        near = nearest(key, known)
        return (
            span,
            "E201",
            f"unknown key `{key}`",
            f"did you mean `{near}`?" if near else "known keys: " + " ".join(known),
        )
    if kind == "missing":
        span = key_span if at is node else at.span
        return span, "E202", f"key `{rest}` is missing", None
    if kind == "string_pattern_mismatch" and item["loc"][-1] == "at":
        cut = isinstance(item["input"], str) and "#" not in item["input"]
        help = "in YAML a space before # begins a comment: write alias:path#L10 without one" if cut else None
        return at.span, "E402", "source lines are cited as alias:path#L10 or alias:path#L10-L20", help
    message = _WORDS.get(kind, lambda context: item["msg"][:1].lower() + item["msg"][1:])(context)
    return at.span, "E203", message, _requoted(kind, at)


def _requoted(kind: str, node: Node) -> str | None:
    """Says that quotes are what is missing, or what is too much, where a value would else be of the wanted type."""
    if not isinstance(node, ScalarNode):
        return None
    if kind == "string_type":
        return f'put it in quotes: "{node.raw}"' if node.raw and not node.quoted else None
    is_number = kind in ("int_type", "float_type") and node.quoted and _NUMBER.fullmatch(node.raw)
    return f"write it without quotes: {node.raw}" if is_number else None


_NUMBER = re.compile(r"[-+]?[0-9.]+([eE][-+]?[0-9]+)?")


_WORDS: dict[str, Any] = {
    "string_type": lambda context: "this must be text",
    "int_type": lambda context: "this must be an integer",
    "int_from_float": lambda context: "this must be an integer",
    "float_type": lambda context: "this must be a number",
    "bool_type": lambda context: "this must be true or false",
    "list_type": lambda context: "this must be a list",
    "dict_type": lambda context: "this must be a mapping",
    "model_type": lambda context: "this must be a mapping",
    "none_required": lambda context: "this must be null",
    "finite_number": lambda context: "this must be a finite number",
    "literal_error": lambda context: f"this must be {_literals(context['expected'])}",
    "too_short": lambda context: "this must not be empty",
    "string_too_short": lambda context: "this must not be empty",
    "cite": lambda context: "a citation has one of the keys `at`, `paper` or `document`",
    "string_pattern_mismatch": lambda context: f"this does not have the required form {context['pattern']}",
    "greater_than": lambda context: f"this must be above {context['gt']:g}",
    "less_than_equal": lambda context: f"this must be at most {context['le']:g}",
}


def _literals(expected: str) -> str:
    """Shows pydantic's list of literals as they are written in YAML."""
    return expected.replace("'", "`").replace("True", "`true`").replace("False", "`false`")


def _descend(node: Node, path: Iterable[Any]) -> tuple[Node, str]:
    """Follows a path as far as it exists, past pydantic's union tags; returns the node and the last step not found.

    A tag may be a key as well, as in `{paper: …, where: …}`: what has no parts is not followed further.
    """
    steps, rest = list(path), ""
    for place, step in enumerate(steps, 1):
        if isinstance(node, MappingNode) and step in node.entries:
            below: Node = node.entries[step].value
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        else:
            rest = str(step)
            continue
        if place == len(steps) or not isinstance(below, ScalarNode):
            node, rest = below, ""
    return node, rest


def _keys(model: type[BaseModel], path: Iterable[Any]) -> list[str]:
    """Returns the keys that a body at a path may have; the path ends with the key or union tag that chose the model."""
    nested = [NESTED[step] for step in path if step in NESTED]
    return [field.alias or name for name, field in (nested[-1] if nested else model).model_fields.items()]
