"""Which function or class the lines of a Python file are in."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from engine.audit.places import Lines

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")


@dataclass(frozen=True, slots=True)
class Symbol:
    """A function or class: its qualified name, and its lines from the first decorator on."""

    name: str
    lines: Lines
    node: ast.stmt


class Symbols:
    """The functions and classes of one file, outer ones before those inside them."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.all = tuple(_symbols(tree))

    def enclosing(self, lines: Lines) -> str:
        """Returns the qualified name of the innermost symbol that holds all of the lines, empty at module level."""
        inside = [one for one in self.all if one.lines.first <= lines.first and lines.last <= one.lines.last]
        return min(inside, key=lambda one: len(one.lines)).name if inside else ""

    def statements(self, lines: Lines) -> Lines:
        """Returns the whole statements around lines: of the innermost symbol that holds them, those that they touch."""
        inside = [one for one in self.all if one.lines.first <= lines.first and lines.last <= one.lines.last]
        holder = min(inside, key=lambda one: len(one.lines)) if inside else None
        body: list[ast.stmt] = getattr(holder.node if holder else self.tree, "body", [])
        spans = [Lines(_first_line(one), one.end_lineno or one.lineno) for one in body]
        touched = [span for span in spans if span.overlaps(lines)]
        last = max([lines.last, *(span.last for span in touched)])
        if holder and spans and lines.first < spans[0].first:  # the head of the symbol
            return Lines(holder.lines.first, last)
        return Lines(min([lines.first, *(span.first for span in touched)]), last)

    def named(self, name: str) -> list[Symbol]:
        """Returns the symbols of a qualified name; there are several where a name is defined in two branches."""
        return [one for one in self.all if one.name == name]


def parse_python(text: str) -> ast.Module | None:
    """Parses a Python file; None where this Python cannot read it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _first_line(node: ast.stmt) -> int:
    """Returns the first line of a statement, from its first decorator on."""
    decorators: list[ast.expr] = getattr(node, "decorator_list", [])
    return min([node.lineno, *(decorator.lineno for decorator in decorators)])


def _symbols(tree: ast.Module) -> Iterator[Symbol]:
    """Yields symbols in reading order, without recursion: files may be nested deeply."""
    pending: list[tuple[ast.AST, str]] = [(tree, "")]
    while pending:
        node, inside = pending.pop()
        if isinstance(node, _DEFINITIONS):
            name = f"{inside}.{node.name}" if inside else node.name
            first = _first_line(node)
            yield Symbol(name, Lines(first, node.end_lineno or first), node)
            inside = name
        parts = [part for body in _BODIES for part in getattr(node, body, ())]
        pending.extend((part, inside) for part in reversed(parts) if isinstance(part, ast.AST))
