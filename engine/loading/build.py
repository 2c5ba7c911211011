"""What the builders of inputs and rules share: expressions, citations and findings with their places."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from pydantic import BaseModel

from engine.diagnostics import Findings, Span, nearest
from engine.expr.check import check_as, unknown_names
from engine.expr.nodes import Number, Type
from engine.expr.parse import ExpressionError, parse
from engine.expr.symbols import Symbols
from engine.files.yaml_source import ScalarNode, scalar_span
from engine.loading.declare import Declaration
from engine.loading.model_cite import CodeCite, PaperCite
from engine.rules import Citation, Expression


class Builder:
    """Carries the findings, the names and the sources while a rule set is put together.

    Attributes:
        findings: receives everything that is wrong.
        symbols: types of all names; set once all declarations have been read.
        inputs: ids of the declared inputs.
    """

    def __init__(self, findings: Findings, sources: Mapping[str, Mapping[str, Any]]) -> None:
        self.findings = findings
        self.symbols = Symbols({})
        self.inputs: frozenset[str] = frozenset()
        self._sources = sources

    def expression(self, node: ScalarNode, expected: Type) -> Expression:
        """Parses and checks an expression; where it is wrong, adds a finding and returns a placeholder."""
        text = node.value if isinstance(node.value, str) else node.raw
        try:
            tree = parse(text)
            unknown = unknown_names(tree, self.symbols)
            for error in unknown:
                self.findings.add(error.code, error.message, scalar_span(node, error.start, error.end), help=error.help)
            if unknown:
                return Expression(text, Number(0.0, "0"), node)
            return Expression(text, check_as(tree, expected, self.symbols), node)
        except ExpressionError as error:
            self.findings.add(error.code, error.message, scalar_span(node, error.start, error.end), help=error.help)
            return Expression(text, Number(0.0, "0"), node)

    def citations(self, item: Declaration, *path: str | int) -> tuple[Citation, ...]:
        """Reads the list of citations below a path of keys; unknown sources are findings."""
        body = _get(item.body, path)
        result = []
        for position, cite in enumerate(body.cite or ()):
            span = item.at(*path, "cite", position).span
            if isinstance(cite, CodeCite):
                citation = self.code(cite, span)
            elif isinstance(cite, PaperCite):
                citation = Citation("paper", cite.paper, cite.where, note=cite.note, span=span)
                self.known(cite.paper, "papers", span)
            else:
                citation = Citation("document", cite.document, cite.section, note=cite.note, span=span)
                self.known(cite.document, "documents", span)
            result.append(citation)
        return tuple(result)

    def require_citation(self, body: Any, what: str, span: Span) -> None:
        """Adds a finding where a body has neither a citation nor an assumption."""
        if not body.cite and not body.assumption:
            self.findings.add(
                "E401",
                f"{what} has no citation",
                span,
                help="add `cite:` with the source lines it comes from, or `assumption:` with the reason",
            )

    def evidence(self, item: Declaration) -> tuple[str, ...]:
        """Reads the recorded data that a rule names; unknown ones are findings."""
        for position, key in enumerate(item.body.evidence):
            self.known(key, "datasets", item.at("evidence", position).span)
        return tuple(item.body.evidence)

    def code(self, cite: CodeCite, span: Span) -> Citation:
        """Reads a citation of code; an unknown source is a finding."""
        alias, _, where = cite.at.partition(":")
        self.known(alias, "sources", span)
        self._lines(where, span)
        return Citation("code", alias, where, cite.symbol, cite.note, span)

    def known(self, key: str, section: str, span: Span) -> None:
        """Adds a finding where sources.yaml does not declare a key (E402)."""
        known = self._sources[section]
        if key not in known:
            near = nearest(key, known)
            self.findings.add(
                "E402",
                f"`{key}` is not declared under `{section}` in sources.yaml",
                span,
                help=f"did you mean `{near}`?" if near else None,
            )

    def _lines(self, where: str, span: Span) -> None:
        first, _, last = where.rpartition("#L")[2].partition("-L")
        if last and int(last) < int(first):
            self.findings.add("E402", f"the cited lines run backwards: {first} to {last}", span)


def plain(value: Any) -> Any:
    """Returns a validated body as plain objects with the same attributes, which need no pydantic to be read."""
    if isinstance(value, BaseModel):
        return SimpleNamespace(**{name: plain(getattr(value, name)) for name in type(value).model_fields})
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return {key: plain(entry) for key, entry in value.items()} if isinstance(value, dict) else value


def _get(body: Any, path: tuple[str | int, ...]) -> Any:
    for step in path:
        body = body[step] if isinstance(step, int) or isinstance(body, dict) else getattr(body, step)
    return body
