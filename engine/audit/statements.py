"""The statements of a Python file that say how something is computed."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase

from engine.audit.places import Lines
from engine.audit.source_text import SourceText

MODULE = "<module>"
"""Stands for what is outside of all functions and classes."""

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SPOKEN = frozenset({"print", "warn", "warning", "info", "debug", "error", "exception", "log", "print_rank_0"})
_SAYING = ("log_", "print_", "warn_")


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement, or the head of one that holds others, and the symbol that it is in."""

    lines: Lines
    symbol: str


def statements(text: SourceText, patterns: Iterable[str]) -> list[Statement]:
    """Returns the statements of the symbols that match patterns.

    Left out is what computes nothing: heads of functions and classes, docstrings, imports, `pass`, what prints, logs or
    warns, asserts on types, and branches that hold nothing else.
    """
    if text.symbols is None:
        return []
    wanted = list(patterns)
    found: list[Statement] = []
    if any(fnmatchcase(MODULE, pattern) for pattern in wanted):
        found += _in_body(text.symbols.tree.body, MODULE)
    for symbol in text.symbols.all:
        if any(fnmatchcase(symbol.name, pattern) for pattern in wanted):
            found += _in_body(getattr(symbol.node, "body", []), symbol.name)
    return sorted(set(found), key=lambda one: one.lines)


def fields(text: SourceText, patterns: Iterable[str]) -> dict[str, Lines]:
    """Returns the attributes that classes declare, as `Class.name`, of classes that match patterns."""
    wanted = list(patterns)
    found: dict[str, Lines] = {}
    for symbol in text.symbols.all if text.symbols else ():
        if isinstance(symbol.node, ast.ClassDef) and any(fnmatchcase(symbol.name, pattern) for pattern in wanted):
            for node in symbol.node.body:
                targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
                for target in targets:
                    if isinstance(target, ast.Name):
                        name = f"{symbol.name}.{target.id}"
                        found.setdefault(name, Lines(node.lineno, node.end_lineno or node.lineno))
    return found


def matching(text: SourceText, patterns: Iterable[str]) -> list[str]:
    """Returns the names of the symbols that match patterns."""
    wanted = list(patterns)
    names = [MODULE, *(symbol.name for symbol in text.symbols.all)] if text.symbols else []
    return [name for name in dict.fromkeys(names) if any(fnmatchcase(name, pattern) for pattern in wanted)]


def _in_body(body: list[ast.stmt], symbol: str) -> Iterator[Statement]:
    pending = list(reversed(body))
    while pending:
        node = pending.pop()
        if isinstance(node, _DEFINITIONS) or not _computes(node):
            continue
        head = _head(node)
        if head is not None:
            yield Statement(head, symbol)
        for part in ("finalbody", "orelse", "handlers", "body"):
            for inner in reversed(getattr(node, part, [])):
                if isinstance(inner, ast.ExceptHandler):
                    pending.extend(reversed(inner.body))
                elif isinstance(inner, ast.stmt):
                    pending.append(inner)
        for case in reversed(getattr(node, "cases", [])):
            pending.extend(reversed(case.body))


def _head(node: ast.stmt) -> Lines | None:
    """Returns the lines of a statement without those of the statements in it; None for `try`, which says nothing."""
    if isinstance(node, ast.Try):
        return None
    inner: list[ast.stmt] = getattr(node, "body", [])
    if isinstance(node, ast.Match):
        return Lines(node.lineno, node.subject.end_lineno or node.lineno)
    last = node.end_lineno or node.lineno
    if inner:
        last = max(node.lineno, min(last, inner[0].lineno - 1 if inner[0].lineno > node.lineno else node.lineno))
        ends = [end for child in _expressions(node) if (end := getattr(child, "end_lineno", None))]
        last = max([node.lineno, *ends]) if ends else last
    return Lines(node.lineno, last)


def _expressions(node: ast.stmt) -> Iterator[ast.AST]:
    for name, value in ast.iter_fields(node):
        if name not in ("body", "orelse", "finalbody", "handlers", "cases"):
            for one in value if isinstance(value, list) else [value]:
                if isinstance(one, ast.withitem):
                    yield one.context_expr
                elif isinstance(one, ast.AST):
                    yield one


def _computes(node: ast.stmt) -> bool:
    """Whether a statement, or one in it, computes something."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Global() | ast.Nonlocal():
            return False
        case ast.Expr(value=ast.Constant()):
            return False
        case ast.Expr(value=ast.Call() as call):
            return not _speaks(call)
        case ast.Assert(test=test):
            return not _tests_a_type(test)
        case ast.If(body=body, orelse=orelse):
            return any(_computes(one) for one in (*body, *orelse))
    return True


def _speaks(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    return name in _SPOKEN or str(name).startswith(_SAYING)


def _tests_a_type(test: ast.expr) -> bool:
    return any(
        isinstance(one, ast.Call) and getattr(one.func, "id", "") in ("isinstance", "issubclass", "callable")
        for one in ast.walk(test)
    )
