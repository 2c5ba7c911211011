"""Loads a rule set: declarations to inputs, rules, checks, tables and views; all findings at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from engine.diagnostics import Findings, nearest
from engine.domains import SIZES
from engine.expr.check import check
from engine.expr.nodes import names
from engine.expr.parse import parse
from engine.expr.symbols import Symbols
from engine.graph import Graph
from engine.inputs.slots import slots_of
from engine.loading import build_inputs, build_plans, build_rules, build_slices, build_watch
from engine.loading.build import Builder, plain
from engine.loading.declare import Declaration
from engine.loading.names import invalid_name
from engine.loading.overlay import layered
from engine.loading.sections import SECTIONS
from engine.rules import Computed, Expression, Input, Rule, Table
from engine.ruleset import RuleSet


def load(root: Path, overlays: Sequence[Path] = ()) -> RuleSet:
    """Reads and checks a rule set; see `RuleSet.load`."""
    findings = Findings()
    found, overrides = layered(root, overlays, findings)
    ruleset = _assemble(root, found, findings)
    findings.raise_if_errors()
    assert ruleset is not None
    return replace(ruleset, overlays=tuple(overlays), overrides=overrides)


def _assemble(root: Path, found: list[Declaration], findings: Findings) -> RuleSet | None:
    sections: dict[str, list[Declaration]] = {section: [] for section in SECTIONS}
    for declaration in found:
        sections[declaration.section].append(declaration)
    sources = {
        section: {item.id: plain(item.body) for item in sections[section]}
        for section in ("sources", "papers", "documents", "datasets")
    }
    builder = Builder(findings, sources)
    tables = {item.id: build_rules.table(item, builder) for item in sections["tables"]}
    inputs = {item.id: build_inputs.declared(item, builder) for item in sections["inputs"]}
    builder.inputs = frozenset(inputs)
    builder.symbols = _symbols(sections, inputs, tables, builder)
    groups = {item.id: build_slices.group(item, builder) for item in sections["groups"]}
    slicing = build_slices.slicing(groups, sections["slices"], builder)
    made = {id: rule.type for id, rule in slicing.rules.items()}
    builder.symbols = replace(builder.symbols, types={**builder.symbols.types, **made})
    inputs = {item.id: build_inputs.with_formulas(inputs[item.id], item, builder) for item in sections["inputs"]}
    build_inputs.check_groups(inputs, builder)
    rules = {item.id: build_rules.rule(item, builder) for item in sections["rules"]}
    checks = {item.id: build_rules.check(item, builder) for item in sections["checks"]}
    _report_shared_names(inputs, tables, slicing.rules, {*rules, *checks}, findings)
    known = {*builder.symbols.types, *inputs}
    views = {item.id: build_rules.view(item, known, slicing.slices, builder) for item in sections["views"]}
    scenarios = {item.id: build_plans.scenario(item, inputs, builder) for item in sections["scenarios"]}
    advice = {item.id: build_plans.advice(item, inputs, builder) for item in sections["advice"]}
    flags = build_inputs.launch_flags(sections["launch_flags"], builder)
    watch = {item.id: build_watch.watch(item, builder) for item in sections["watch"]}
    replays = {item.id: build_watch.replay(item, inputs, builder) for item in sections["replays"]}
    sizes = _sizes(builder.symbols)
    _report_sizes([*inputs.values(), *rules.values(), *slicing.rules.values()], sizes, findings)
    graph = _graph(inputs, {**rules, **slicing.rules, **checks}, sizes)
    _report_cycles(graph, {**inputs, **rules, **slicing.rules, **checks}, findings)
    if findings.has_errors:
        return None
    symbols = {id: item.symbol for id, item in inputs.items()} | {id: rule.symbol for id, rule in rules.items()}
    rules |= build_slices.with_symbols(slicing.rules, symbols)
    return RuleSet(
        path=root, inputs=inputs, rules=rules, checks=checks, tables=tables, views=views, sources=sources,
        groups=slicing.groups, slices=slicing.slices, scenarios=scenarios, advice=advice, launch_flags=flags,
        watch=watch, replays=replays,
        symbols=builder.symbols, sizes=sizes, graph=graph, warnings=tuple(findings.sorted()),
    )  # fmt: skip


def _symbols(
    sections: Mapping[str, list[Declaration]],
    inputs: Mapping[str, Input],
    tables: Mapping[str, Table],
    builder: Builder,
) -> Symbols:
    types = {name: type for item in inputs.values() for name, type in slots_of(item).items()}
    types |= {item.id: build_rules.declared_type(item, builder) for item in (*sections["rules"], *sections["checks"])}
    return Symbols(
        types,
        {item.id: item.members for item in inputs.values() if item.kind == "set"},
        {item.id: (item.keys, item.columns) for item in tables.values()},
        {flag: f'{item.id} == "{member}"' for item in inputs.values() for flag, member in item.from_flags.items()},
        nearest,
    )


def _report_shared_names(
    inputs: Mapping[str, Input],
    tables: Mapping[str, Table],
    sliced: Mapping[str, Rule],
    ids: set[str],
    findings: Findings,
) -> None:
    """Finds names that an input, table or slice provides and that something else has, or that no name can be."""
    owners: dict[str, str] = {id.casefold(): id for id in (*ids, *inputs, *tables)}
    provided = [(slot, item.id, item.span) for item in inputs.values() for slot in slots_of(item) if slot != item.id]
    for table in tables.values():
        provided += [(f"{table.id}_{column}", table.id, table.span) for column in ("key", *table.columns)]
    provided += [(id, f"slice {rule.slice}", rule.span) for id, rule in sliced.items()]
    for name, owner, span in provided:
        reason = invalid_name(name)
        first = owners.setdefault(name.casefold(), owner)
        if reason:
            findings.add("E205", f"`{owner}` provides `{name}`, which cannot be a name: {reason}", span)
        elif first != owner:
            findings.add("E206", f"`{owner}` provides the name `{name}`, which `{first}` has already", span)


def _report_sizes(items: Iterable[Input | Rule], sizes: Mapping[str, Expression], findings: Findings) -> None:
    """Finds vectors over domains whose sizes no inputs say."""
    for item in items:
        types = slots_of(item).values() if isinstance(item, Input) else (item.type,)
        for domain in sorted({type.over for type in types if type.over} - sizes.keys()):
            findings.add(
                "E308",
                f"`{item.id}` is a vector over {domain}, but nothing says how many entries it has",
                item.span,
                help=f"declare the inputs of its size: {SIZES[domain]}",
            )


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
            # of a derivation, siblings are given; a default that reads one could go round in circles
            derived = [name for name in edges((item.derived,), type.over) if name not in siblings]
            reads[slot] = tuple(edges((item.default_formula,), type.over) | dict.fromkeys(derived))
    for rule in computed.values():
        parts = [part for branch in rule.branches for part in (branch.when, branch.formula)]
        reads[rule.id] = tuple(edges(parts, rule.type.over))
    return Graph(reads)


def _report_cycles(graph: Graph, items: Mapping[str, Computed | Input], findings: Findings) -> None:
    for cycle in graph.cycles():
        spans = [(items[id].span, f"`{id}` reads `{other}`") for id, other in pairwise(cycle) if id in items]
        findings.add(
            "E406",
            "these rules read each other in a circle: " + " → ".join(cycle),
            spans[0][0],
            related=spans[1:],
            help="one of them must be computed from something else",
        )
