"""Builds slices: each cell that cuts something becomes a rule, their products become the divisors of the groups."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.diagnostics import nearest
from engine.expr.check import check
from engine.expr.nodes import Name, Type, names
from engine.expr.parse import ExpressionError, parse
from engine.files.yaml_source import ScalarNode
from engine.loading.build import Builder
from engine.loading.declare import Declaration
from engine.loading.model import CellsBody, CommunicationBody, SliceBody
from engine.rules import Branch, Citation, Expression, Group, Rule, Slice, Test
from engine.units import DIMENSIONLESS, parse_unit


@dataclass(frozen=True, slots=True)
class Slicing:
    """All slices with the rules that they stand for."""

    groups: Mapping[str, Group]
    slices: Mapping[str, Slice]
    rules: Mapping[str, Rule]


def group(item: Declaration, builder: Builder) -> Group:
    """Builds a group of tensors; a test that expects something of a component that it lacks is a finding (E408)."""
    for position, test in enumerate(item.body.tests):
        for component in test.expect:
            if component not in item.body.components:
                _unknown(item, position, component, set(item.body.components), builder)
    tests = {component: tuple(_tests(item, component)) for component in item.body.components}
    body = item.body
    return Group(item.id, body.title, tuple(body.components), body.symbol, body.note, tests, item.span)


def cell_id(dimension: str, group: str, component: str) -> str:
    """Returns the id of the rule for what a dimension divides one component of a group by."""
    return f"slice_{dimension}_{group}_{component}"


def divisor_id(group: str, component: str) -> str:
    """Returns the id of the product over all dimensions."""
    return f"divisor_{group}_{component}"


def slicing(groups: Mapping[str, Group], items: list[Declaration], builder: Builder) -> Slicing:
    """Builds all slices; a group or component that a slice leaves out, or does not know, is a finding (E411)."""
    rules: dict[str, Rule] = {}
    slices = {item.id: _slice(item, groups, rules, builder) for item in items}
    _unknown_expectations(items, groups, builder)
    if slices:
        for one in groups.values():
            for component in one.components:
                product = _product(one, component, slices, rules, builder)
                rules[product.id] = product
    return Slicing(groups, slices, rules)


def with_symbols(made: Mapping[str, Rule], symbols: Mapping[str, str | None]) -> dict[str, Rule]:
    """Gives each cell whose formula is a single name the symbol of that name, so that products read as mathematics."""
    return {
        id: replace(rule, symbol=symbols.get(node.id))
        if rule.slice and isinstance(node := rule.branches[0].formula.node, Name)
        else rule
        for id, rule in made.items()
    }


def _slice(item: Declaration, groups: Mapping[str, Group], rules: dict[str, Rule], builder: Builder) -> Slice:
    body: SliceBody = item.body
    builder.require_citation(body, f"slice `{item.id}`", item.span)
    citations = builder.citations(item)
    made: dict[str, dict[tuple[str, str], str | None]] = {"divides": {}, "multiplies": {}}
    for part, table in (("divides", body.divides), ("multiplies", body.multiplies)):
        for name, cells in table.items():
            if name not in groups:
                near = nearest(name, groups)
                builder.findings.add(
                    "E411",
                    f"there is no group `{name}`",
                    item.at(part, name).span,
                    help=f"did you mean `{near}`?" if near else None,
                )
                continue
            _complete(item, part, groups[name], cells, builder)
            own = builder.citations(item, part, name) if cells.cite else citations
            for component in groups[name].components:
                rule = _cell(item, part, groups[name], component, own, cells.assumption or body.assumption, builder)
                made[part][name, component] = rule.id if rule else None
                if rule:
                    rules[rule.id] = rule
    for name in groups:
        if name not in body.divides:
            builder.findings.add(
                "E411", f"slice `{item.id}` says nothing about group `{name}`", item.at("divides").span,
                help="every group appears in every slice; write 1 where nothing is divided",
            )  # fmt: skip
    communication = _communication(item, body.communication, builder) if body.communication else None
    if communication:
        rules[communication.id] = communication
    return Slice(
        item.id, body.title, builder.expression(item.scalar("degree"), Type()), made["divides"], made["multiplies"],
        communication.id if communication else None,
        body.communication.per if body.communication else None,
        body.communication.link if body.communication else None,
        citations, body.note,
        {name: cells.note for part in (body.divides, body.multiplies) for name, cells in part.items() if cells.note},
        item.span,
    )  # fmt: skip


def _complete(item: Declaration, part: str, one: Group, cells: CellsBody, builder: Builder) -> None:
    given = cells.__pydantic_extra__ or {}
    for component in given:
        if component not in one.components:
            builder.findings.add(
                "E411", f"group `{one.id}` has no component `{component}`", item.at(part, one.id, component).span,
                help="its components are " + ", ".join(one.components),
            )  # fmt: skip
    for component in one.components:
        if component not in given and part == "divides":
            builder.findings.add(
                "E411",
                f"slice `{item.id}` says nothing about the {component} of group `{one.id}`",
                item.at(part, one.id).span,
                help="write 1 where nothing is divided, `same` where it is as for the weights",
            )  # fmt: skip


def _cell(
    item: Declaration,
    part: str,
    one: Group,
    component: str,
    citations: tuple[Citation, ...],
    assumption: str | None,
    builder: Builder,
) -> Rule | None:
    given = getattr(item.body, part)[one.id].__pydantic_extra__ or {}
    source = "weights" if given.get(component) == "same" and component != "weights" else component
    if source not in given or str(given[source]) == "1":
        return None
    node = item.scalar(part, one.id, source)
    expression = _number(node, builder)
    id = cell_id(item.id, one.id, component) if part == "divides" else f"{cell_id(item.id, one.id, component)}_factor"
    verb = "divided" if part == "divides" else "multiplied"
    return Rule(
        id=id, title=f"{item.body.title} · {one.title} · {component} {verb} by",
        type=Type("number", DIMENSIONLESS, over=expression.node.type.over),
        branches=(Branch(None, expression, citations, assumption),),
        tests=tuple(_tests(item, id.removeprefix(f"slice_{item.id}_"))), span=node.span, slice=item.id,
    )  # fmt: skip


def _number(node: ScalarNode, builder: Builder) -> Expression:
    """Checks a plain number that may be a vector over stages."""
    text = node.value if isinstance(node.value, str) else node.raw
    try:
        used = [builder.symbols.types[name] for name in names(parse(text)) if name in builder.symbols.types]
    except ExpressionError:
        used = []
    return builder.expression(
        node, Type("number", DIMENSIONLESS, over="stage" if any(one.over == "stage" for one in used) else None)
    )


def _tests(item: Declaration, cell: str) -> Iterator[Test]:
    for position, test in enumerate(item.body.tests):
        if cell in test.expect:
            yield Test(test.given, test.expect[cell], None, item.at("tests", position).span)


def _communication(item: Declaration, body: CommunicationBody, builder: Builder) -> Rule:
    builder.require_citation(body, f"what slice `{item.id}` sends", item.at("communication").span)
    node = item.scalar("communication", "formula")
    branch = Branch(
        None,
        builder.expression(node, Type("number", parse_unit("B"))),
        builder.citations(item, "communication"),
        body.assumption,
    )
    tests = tuple(
        Test(test.given, test.expect, test.rel, item.at("communication", "tests", position).span)
        for position, test in enumerate(body.tests)
    )
    return Rule(
        id=f"communication_{item.id}", title=body.title, type=Type("number", parse_unit("B")), branches=(branch,),
        note=body.note, tests=tests, span=item.at("communication").span, slice=item.id,
    )  # fmt: skip


def _product(
    one: Group, component: str, slices: Mapping[str, Slice], rules: Mapping[str, Rule], builder: Builder
) -> Rule:
    over = [cell for item in slices.values() if (cell := item.divides.get((one.id, component)))]
    under = [cell for item in slices.values() if (cell := item.multiplies.get((one.id, component)))]
    text = " * ".join(over) or "1"
    text = text if not under else f"{text} / ({' * '.join(under)})"
    types = {**builder.symbols.types, **{id: rules[id].type for id in (*over, *under)}}
    domain = "stage" if any(rules[id].type.over for id in (*over, *under)) else None
    node = check(parse(text), replace(builder.symbols, types=types), over=domain)
    cited: dict[Citation, None] = {cite: None for id in (*over, *under) for cite in rules[id].branches[0].citations}
    assumption = None if cited else "no dimension cuts this"
    return Rule(
        id=divisor_id(one.id, component), title=f"All dimensions · {one.title} · {component} divided by",
        type=Type("number", DIMENSIONLESS, over=domain),
        branches=(Branch(None, Expression(text, node, None), tuple(cited), assumption),),
        symbol=f"d^{{{component[0]}}}_{{{one.symbol}}}" if one.symbol else None,
        tests=one.tests[component], span=one.span, slice="",
    )  # fmt: skip


def _unknown_expectations(items: list[Declaration], groups: Mapping[str, Group], builder: Builder) -> None:
    """Finds tests of slices that expect something of a cell that does not exist (E408)."""
    for item in items:
        known = {
            f"{one.id}_{component}{end}"
            for one in groups.values()
            for component in one.components
            for end in ("", "_factor")
        }
        for position, test in enumerate(item.body.tests):
            for cell in test.expect:
                if cell not in known:
                    _unknown(item, position, cell, known, builder)


def _unknown(item: Declaration, position: int, cell: str, known: set[str], builder: Builder) -> None:
    near = nearest(cell, known)
    span: Any = item.at("tests", position, "expect", cell).span
    builder.findings.add("E408", f"there is no cell `{cell}`", span, help=f"did you mean `{near}`?" if near else None)
