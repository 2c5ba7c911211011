"""Builds rules, checks, tables and views from their declarations."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from string import Formatter
from typing import Any

from engine.diagnostics import nearest
from engine.expr.nodes import Number, Type
from engine.expr.symbols import FLAG
from engine.expr.to_python import python
from engine.loading.build import Builder, plain
from engine.loading.declare import Declaration
from engine.loading.model import CaseBody, CheckBody, ColumnBody, RowBody, RuleBody, TableBody, ViewBody
from engine.rules import Branch, Check, Expression, Rule, Table, Test, View
from engine.units import parse_unit


def declared_type(item: Declaration, builder: Builder) -> Type:
    """Returns the type that a rule or check declares; an unknown unit is a finding (E312)."""
    body = item.body
    if isinstance(body, CheckBody):
        return FLAG
    if (body.unit is None) == (body.values is None):
        builder.findings.add(
            "E202" if body.unit is None else "E203",
            f"`{item.id}` needs either `unit` or `values`",
            item.span,
            help="`unit: flag` for true or false, `values: […]` for a rule that yields texts",
        )
    if body.values is not None:
        return Type("text", None, tuple(body.values), over=body.over)
    if body.unit == "flag":
        return Type("flag", None, over=body.over)
    try:
        return Type("number", parse_unit(body.unit or "1"), over=body.over)
    except ValueError as error:
        builder.findings.add(
            "E312",
            str(error),
            item.at("unit").span,
            help="units are 1, B, elem, flop, s, quotients such as B/elem, and flag",
        )
        return Type("number", None, over=body.over)


def rule(item: Declaration, builder: Builder) -> Rule:
    """Builds a rule; what is wrong with its branches is added to the findings."""
    body: RuleBody = item.body
    type = builder.symbols.types[item.id]
    bound = None if body.at_most is None else builder.expression(item.scalar("at_most"), replace(type, over=None))
    return Rule(
        id=item.id, title=body.title, type=type, branches=_branches(item, body, type, builder), symbol=body.symbol,
        note=body.note, evidence=builder.evidence(item), tests=_tests(item, builder), span=item.span, at_most=bound,
    )  # fmt: skip


def check(item: Declaration, builder: Builder) -> Check:
    """Builds a check."""
    body: CheckBody = item.body
    builder.require_citation(body, f"check `{item.id}`", item.span)
    condition = builder.expression(item.scalar("require"), FLAG)
    branch = Branch(None, condition, builder.citations(item), body.assumption)
    _placeholders(item, "message", builder)
    _placeholders(item, "hint", builder)
    for position, field in enumerate(body.fields):
        if field not in builder.symbols.types and field not in builder.inputs:  # a layout is no name in expressions
            _unknown(field, item.at("fields", position).span, builder)
    return Check(
        id=item.id, title=body.title, type=FLAG, branches=(branch,), note=body.note, evidence=builder.evidence(item),
        tests=_tests(item, builder), span=item.span, level=body.level, message=body.message, hint=body.hint,
        fields=tuple(body.fields),
    )  # fmt: skip


def _branches(item: Declaration, body: RuleBody, type: Type, builder: Builder) -> tuple[Branch, ...]:
    if (body.formula is None) == (body.cases is None):
        builder.findings.add(
            "E202" if body.formula is None else "E203", f"`{item.id}` needs either `formula` or `cases`", item.span
        )
        return ()
    if body.cases is None:
        builder.require_citation(body, f"rule `{item.id}`", item.span)
        return (
            Branch(None, builder.expression(item.scalar("formula"), type), builder.citations(item), body.assumption),
        )
    if body.cite or body.assumption:
        builder.findings.add(
            "E201",
            "a rule with cases is cited branch by branch",
            item.at("cite" if body.cite else "assumption").span,
            help="move this into the branches that it supports",
        )
    branches = [_case(item, position, case, type, builder) for position, case in enumerate(body.cases)]
    _order(item, body.cases, builder)
    _repeats(item, branches, builder)
    return tuple(branches)


def _case(item: Declaration, position: int, case: CaseBody, type: Type, builder: Builder) -> Branch:
    span = item.at("cases", position).span
    builder.require_citation(case, f"branch {position + 1} of `{item.id}`", span)
    last = case.otherwise is not None
    if last == (case.formula is not None) or last == (case.when is not None):
        builder.findings.add("E202", "a branch has `when` and `formula`, the last one `otherwise`", span)
        return Branch(None, Expression("0", Number(0.0, "0"), None), (), case.assumption)
    when = (
        None if last else builder.expression(item.scalar("cases", position, "when"), Type("flag", None, over=type.over))
    )
    formula = builder.expression(item.scalar("cases", position, "otherwise" if last else "formula"), type)
    return Branch(when, formula, builder.citations(item, "cases", position), case.assumption, case.note)


def _order(item: Declaration, cases: list[CaseBody], builder: Builder) -> None:
    for position, case in enumerate(cases[:-1]):
        if case.otherwise is not None:
            builder.findings.add(
                "E404",
                "a branch after `otherwise` is never reached",
                item.at("cases", position + 1).span,
                related=[(item.at("cases", position).span, "everything else ends here")],
                help="`otherwise` comes last",
            )
            return
    if cases[-1].otherwise is None:
        builder.findings.add(
            "E403",
            f"`{item.id}` does not say what holds otherwise",
            item.at("cases", len(cases) - 1).span,
            help="end the cases with `otherwise: …`",
        )


def _repeats(item: Declaration, branches: list[Branch], builder: Builder) -> None:
    seen: dict[str, int] = {}
    for position, branch in enumerate(branches):
        if branch.when is None:
            continue
        first = seen.setdefault(python(branch.when.node), position)
        if first != position:
            builder.findings.add(
                "E405",
                "this condition has been tried before, so the branch is never reached",
                item.at("cases", position, "when").span,
                related=[(item.at("cases", first, "when").span, "first here")],
            )


def _tests(item: Declaration, builder: Builder) -> tuple[Test, ...]:
    tests = []
    for position, test in enumerate(item.body.tests):
        span = item.at("tests", position).span
        for name in test.given:
            if name not in builder.symbols.types and name not in builder.inputs:
                _unknown(name, item.key_span("tests", position, "given", name), builder, code="E408")
        outcomes = ("pass", "fail", "unknown")
        if isinstance(item.body, CheckBody) and test.expect not in outcomes:
            builder.findings.add(
                "E408",
                f"a check is expected to be one of {', '.join(outcomes)}",
                item.at("tests", position, "expect").span,
            )
        tests.append(Test(test.given, test.expect, test.rel, span))
    return tuple(tests)


def _placeholders(item: Declaration, key: str, builder: Builder) -> None:
    if getattr(item.body, key) is None:
        return
    try:
        fields = [
            (field, spec, conversion)
            for _, field, spec, conversion in Formatter().parse(getattr(item.body, key))
            if field is not None
        ]
    except ValueError as error:
        builder.findings.add(
            "E203",
            f"the placeholders cannot be read: {error}",
            item.at(key).span,
            help="a placeholder is a name in braces: {num_layers}",
        )
        return
    for field, spec, conversion in fields:
        if spec or conversion or field not in builder.symbols.types:
            _unknown(field, item.at(key).span, builder)


def _unknown(name: str, span: Any, builder: Builder, code: str = "E303") -> None:
    builder.findings.add(
        code, f"unknown name `{name}`", span, help=builder.symbols.suggest(name, list(builder.symbols.types))
    )


def table(item: Declaration, builder: Builder) -> Table:
    """Builds a table; unknown or missing cells are findings (E410)."""
    body: TableBody = item.body
    columns: dict[str, Type] = {}
    for column, declared in body.columns.items():
        try:
            columns[column] = Type("number", parse_unit(declared.unit))
        except ValueError as error:
            builder.findings.add("E312", str(error), item.at("columns", column, "unit").span)
            columns[column] = Type()
        if (
            not declared.cite
            and not declared.assumption
            and not all(row.cite or row.assumption for row in body.rows.values())
        ):
            builder.require_citation(
                declared, f"column `{column}` of table `{item.id}`", item.at("columns", column).span
            )
    for key, row in body.rows.items():
        _row(item, key, row, columns, builder)
    cells = {column: {key: _cell(row, column) for key, row in body.rows.items()} for column in columns}
    parts: list[tuple[str, str, ColumnBody | RowBody]]
    parts = [("columns", name, column) for name, column in body.columns.items()]
    parts += [("rows", key, row) for key, row in body.rows.items()]
    return Table(
        id=item.id,
        title=body.title,
        keys=tuple(body.rows),
        columns=columns,
        cells=cells,
        citations={name: builder.citations(item, part, name) for part, name, content in parts if content.cite},
        assumptions={name: content.assumption for _, name, content in parts if content.assumption},
        titles={key: row.title or key for key, row in body.rows.items()},
        span=item.span,
    )


def _row(item: Declaration, key: str, row: RowBody, columns: Mapping[str, Type], builder: Builder) -> None:
    span = item.at("rows", key).span
    if key != key.casefold():
        builder.findings.add(
            "E410", f"`{key}` must be lower-case", span, help="a spreadsheet compares text without case"
        )
    cells = row.__pydantic_extra__ or {}
    for column in cells:
        if column not in columns:
            near = nearest(column, columns)
            builder.findings.add(
                "E410",
                f"the table has no column `{column}`",
                item.at("rows", key, column).span,
                help=f"did you mean `{near}`?" if near else None,
            )
    for column in columns:
        if column not in cells:
            builder.findings.add(
                "E410", f"row `{key}` has no cell `{column}`", span, help="write null where there is no value"
            )


def _cell(row: RowBody, column: str) -> float | None:
    value = (row.__pydantic_extra__ or {}).get(column)
    return None if value is None else float(value)


def view(item: Declaration, known: set[str], slices: Collection[str], builder: Builder) -> View:
    """Builds a view; ids that do not exist are findings (E407)."""
    body: ViewBody = item.body
    for position, name in enumerate(body.slices):
        if name not in slices:
            near = nearest(name, slices)
            builder.findings.add(
                "E407",
                f"there is no slice `{name}`",
                item.at("slices", position).span,
                help=f"did you mean `{near}`?" if near else None,
            )
    places: list[tuple[str, Any]] = [(id, item.at("rows", position)) for position, id in enumerate(body.rows)]
    places += [(id, item.at("configuration", position)) for position, id in enumerate(body.configuration)]
    for part, content in (("ledger", body.ledger), ("stages", body.stages)):
        places += [(id, item.at(part, "rows", position)) for position, id in enumerate(content.rows if content else ())]
    places += [(body.ledger.total, item.at("ledger", "total"))] if body.ledger else []
    single = ("capacity", "peak_stage", "verdict", "phase", "low", "high")
    places += [(getattr(body, key), item.at(key)) for key in single if getattr(body, key)]
    for place, account in enumerate(body.accounts):
        places += [(id, item.at("accounts", place, "rows", position)) for position, id in enumerate(account.rows)]
        places += [
            (id, item.at("accounts", place, key)) for key in ("total", "verdict") if (id := getattr(account, key))
        ]
    for id, node in places:
        if id not in known:
            builder.findings.add(
                "E407", f"there is no rule or input `{id}`", node.span, help=builder.symbols.suggest(id, sorted(known))
            )
    return View(item.id, body.title, body.kind, plain(body), item.span)
