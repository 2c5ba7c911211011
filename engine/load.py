"""Loads a rule set: declarations to inputs, rules, checks, tables and views; all findings at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import pairwise
from pathlib import Path

from engine import build_inputs, build_rules, paths
from engine.build import Builder
from engine.declare import Declaration, declarations
from engine.diagnostics import Diagnostic, Findings, nearest
from engine.domains import SIZES
from engine.expr.check import Symbols, check
from engine.expr.nodes import names
from engine.expr.parse import parse
from engine.graph import Graph
from engine.names import invalid_name
from engine.rules import Computed, Expression, Input, Table
from engine.ruleset import RuleSet
from engine.slots import slots_of


def load(path: str | Path | None = None) -> RuleSet:
    """Reads and checks a rule set; see `RuleSet.load`."""
    findings = Findings()
    root = Path(path) if path is not None else paths.shipped_rules()
    found = declarations(root, findings)
    ruleset = _assemble(root, found, findings)
    findings.raise_if_errors()
    assert ruleset is not None
    return ruleset


def _assemble(root: Path, found: list[Declaration], findings: Findings) -> RuleSet | None:
    sections: dict[str, list[Declaration]] = {}
    for declaration in found:
        sections.setdefault(declaration.section, []).append(declaration)
    sources = {
        section: {item.id: item.body for item in sections.get(section, [])}
        for section in ("sources", "papers", "documents", "datasets")
    }
    builder = Builder(findings, sources)
    tables = {item.id: build_rules.table(item, builder) for item in sections.get("tables", [])}
    inputs = {item.id: build_inputs.declared(item, builder) for item in sections.get("inputs", [])}
    types = {name: type for item in inputs.values() for name, type in slots_of(item).items()}
    headers = [*sections.get("rules", []), *sections.get("checks", [])]
    types |= {item.id: build_rules.declared_type(item, builder) for item in headers}
    builder.symbols = Symbols(
        types,
        {item.id: item.members for item in inputs.values() if item.kind == "set"},
        {item.id: (item.keys, item.columns) for item in tables.values()},
        lambda name, candidates: nearest(name, candidates),
    )
    inputs = {
        item.id: build_inputs.with_formulas(inputs[item.id], item, builder) for item in sections.get("inputs", [])
    }
    build_inputs.check_groups(inputs, builder)
    rules = {item.id: build_rules.rule(item, builder) for item in sections.get("rules", [])}
    checks = {item.id: build_rules.check(item, builder) for item in sections.get("checks", [])}
    _report_shared_names(inputs, tables, {*rules, *checks}, findings)
    known = {*types, *inputs}
    views = {item.id: build_rules.view(item, known, builder) for item in sections.get("views", [])}
    if findings.has_errors:
        return None
    sizes = _sizes(builder.symbols)
    graph = _graph(inputs, {**rules, **checks}, sizes)
    if not _report_cycle(graph, {**inputs, **rules, **checks}, findings):
        return RuleSet(
            root, inputs, rules, checks, tables, views, sources, builder.symbols, sizes, graph, _warnings(findings)
        )
    return None


def _report_shared_names(
    inputs: Mapping[str, Input], tables: Mapping[str, Table], ids: set[str], findings: Findings
) -> None:
    """Finds names that an input or table provides besides its id and that something else has, or that no name can be."""
    owners: dict[str, str] = {id.casefold(): id for id in (*ids, *inputs, *tables)}
    provided = [(slot, item.id, item.span) for item in inputs.values() for slot in slots_of(item) if slot != item.id]
    for table in tables.values():
        provided += [(f"{table.id}_{column}", table.id, table.span) for column in ("key", *table.columns)]
    for name, owner, span in provided:
        reason = invalid_name(name)
        first = owners.setdefault(name.casefold(), owner)
        if reason:
            findings.add("E205", f"`{owner}` provides `{name}`, which cannot be a name: {reason}", span)
        elif first != owner:
            findings.add("E206", f"`{owner}` provides the name `{name}`, which `{first}` has already", span)


def _warnings(findings: Findings) -> tuple[Diagnostic, ...]:
    return tuple(findings.sorted())


def _sizes(symbols: Symbols) -> Mapping[str, Expression]:
    sizes = {}
    for domain, text in SIZES.items():
        node = parse(text)
        if all(name in symbols.types for name in names(node)):
            sizes[domain] = Expression(text, check(node, symbols), None)
    return sizes


def _graph(inputs: Mapping[str, Input], computed: Mapping[str, Computed], sizes: Mapping[str, Expression]) -> Graph:
    reads: dict[str, tuple[str, ...]] = {}

    def edges(expressions: Iterable[Expression | None], over: str | None) -> dict[str, None]:
        found = {
            name: None for expression in expressions if expression for name in names(expression.node) if name != over
        }
        if over and over in sizes:
            found |= dict.fromkeys(names(sizes[over].node))
        return found

    for item in inputs.values():
        siblings = {other.id for other in inputs.values() if other.either and other.either == item.either}
        for slot, type in slots_of(item).items():
            reads[slot] = tuple(
                name for name in edges((item.default_formula, item.derived), type.over) if name not in siblings
            )
    for rule in computed.values():
        parts = [part for branch in rule.branches for part in (branch.when, branch.formula)]
        reads[rule.id] = tuple(edges(parts, rule.type.over))
    return Graph(reads)


def _report_cycle(graph: Graph, items: Mapping[str, Computed | Input], findings: Findings) -> bool:
    cycle = graph.cycle()
    if cycle is None:
        return False
    spans = [(items[id].span, f"`{id}` reads `{other}`") for id, other in pairwise(cycle) if id in items]
    findings.add(
        "E406",
        "these rules read each other in a circle: " + " → ".join(cycle),
        spans[0][0],
        related=spans[1:],
        help="one of them must be computed from something else",
    )
    return True
