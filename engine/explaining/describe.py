"""What the rules say about one id, as data: the page of a rule, check, input, table or view, and the lists of ids."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from engine.diagnostics import EngineError, Findings, nearest
from engine.evaluating.artifact import number
from engine.evaluating.excel_rules import branches_of, excel_text
from engine.explaining.describe_parts import briefs, cited, head, one_line, place
from engine.explaining.describe_plans import advice_page, brief, group_page, scenario_page, slice_page
from engine.expr.symbols import DOMAINS
from engine.expr.to_latex import latex_cases
from engine.rules import Check, Computed, Input, Table, View
from engine.ruleset import RuleSet

SCHEMA = "rank-ledger/page/1"

LISTS = ("inputs", "rules", "checks", "tables", "views", "slices", "groups", "scenarios", "advice")
"""Words that name a list instead of one id."""


def describe(rules: RuleSet, name: str) -> dict[str, Any]:
    """Returns the page of an id, or a list.

    Args:
        rules: a loaded rule set.
        name: id of a rule, check, input (or a name that a set or layout provides), table, view, slice, group of
            tensors, scenario or advice; where several have it, `kind:id` tells them apart; or one of `LISTS`.

    Returns:
        A JSON-ready dictionary with the key `kind`; keys that have nothing to say are left out.

    Raises:
        EngineError: there is nothing of this name (E604).
    """
    kind, _, id = name.rpartition(":")
    found = [one for one, items in _kinds(rules).items() if id in items and kind in ("", one)]
    if name in LISTS:
        page = {"kind": "list", "id": name, "entries": list(_listed(rules, name))}
    elif found:
        page = _page(rules, found.pop(0), id)
    else:
        raise _unknown(rules, name)
    page["see_also"] = [f"{other}:{id}" for other in found]
    return {"schema": SCHEMA} | {key: value for key, value in page.items() if _says_something(key, value)}


def _kinds(rules: RuleSet) -> dict[str, Collection[str]]:
    """Returns the ids of each kind of page."""
    return {
        "rule": rules.rules,
        "check": rules.checks,
        "input": {**rules.inputs, **rules.slots},
        "table": rules.tables,
        "view": rules.views,
        "slice": rules.slices,
        "group": rules.groups,
        "scenario": rules.scenarios,
        "advice": rules.advice,
    }


def _page(rules: RuleSet, kind: str, id: str) -> dict[str, Any]:
    match kind:
        case "rule" | "check":
            return _computed(rules, rules.computed[id])
        case "input":
            return _input(rules, rules.inputs.get(id) or rules.slots[id])
        case "table":
            return _table(rules, rules.tables[id])
        case "view":
            return _view(rules, rules.views[id])
        case "slice":
            return slice_page(rules, rules.slices[id])
        case "group":
            return group_page(rules, rules.groups[id])
        case "scenario":
            return scenario_page(rules, rules.scenarios[id])
    return advice_page(rules, rules.advice[id])


def _says_something(key: str, value: Any) -> bool:
    # an empty set may be what an input defaults to
    return value is not None and (value not in ("", [], {}) or key in ("default", "absent"))


def _unknown(rules: RuleSet, name: str) -> EngineError:
    known = [*(id for ids in _kinds(rules).values() for id in ids), *LISTS]
    near = nearest(name, known)
    findings = Findings()
    findings.add(
        "E604",
        f"there is nothing called `{name}`",
        help=f"did you mean `{near}`?" if near else f"`engine show WORD` lists what there is: {', '.join(LISTS)}",
    )
    return EngineError(findings.sorted())


def _computed(rules: RuleSet, rule: Computed) -> dict[str, Any]:
    page: dict[str, Any] = {
        **head(rules, "check" if isinstance(rule, Check) else "rule", rule),
        "unit": rule.unit,
        "values": list(rule.type.values),
        "over": rule.type.over,
        "symbol": rule.symbol,
        "cases": [
            cited(rules, branch.citations, branch.assumption, branch.note)
            | {"formula": one_line(branch.formula)}
            | ({"when": one_line(branch.when)} if branch.when else {})
            for branch in rule.branches
        ],
        "latex": _latex(rules, rule),
        **_excel(rules, rule),
        "provenance": rule.provenance,
        "evidence": [_dataset(rules, key) for key in rule.evidence],
        "note": rule.note,
        "tests": [_example(test.given, test.expect, test.rel) for test in rule.tests],
        "reads": briefs(rules, rules.graph.reads[rule.id]),
        "read_by": briefs(rules, rules.graph.read_by.get(rule.id, ())),
    }
    if isinstance(rule, Check):
        page |= {"level": rule.level, "message": rule.message, "hint": rule.hint, "fields": briefs(rules, rule.fields)}
    return page


def _latex(rules: RuleSet, rule: Computed) -> str:
    def symbol(id: str) -> str | None:
        if id in DOMAINS:
            return None
        found = rules.computed.get(id) or rules.slots.get(id)
        # a symbol belongs to the whole input, not to the flags and vectors that a set or layout provides
        return found.symbol if found and found.id == id else None

    printed = latex_cases(branches_of(rule), symbol=symbol)
    return f"{rule.symbol} = {printed}" if rule.symbol else printed


def _excel(rules: RuleSet, rule: Computed) -> dict[str, str]:
    try:
        return {"excel": "=" + excel_text(rules, rule)}
    except ValueError as error:
        return {"excel_problem": str(error)}


def _dataset(rules: RuleSet, key: str) -> dict[str, Any]:
    body = rules.sources["datasets"][key]
    return {"key": key, "title": body.title} | ({"records": body.records} if body.records else {})


def _example(given: Mapping[str, Any], expect: Any, rel: float | None) -> dict[str, Any]:
    return {"given": dict(given), "expect": expect} | ({"rel": rel} if rel is not None else {})


def _input(rules: RuleSet, item: Input) -> dict[str, Any]:
    slots = [slot for slot, owner in rules.slots.items() if owner is item]
    return {
        **head(rules, "input", item),
        "type": item.kind,
        "group": item.group,
        "unit": item.unit if item.kind in ("int", "number", "layer_vector") else None,
        "symbol": item.symbol,
        "min": number(item.minimum),
        "max": number(item.maximum),
        "values": list(item.values),
        "members": list(item.members),
        "parser": item.parser,
        "flag": item.flag,
        "from_flags": dict(item.from_flags),
        "names": [] if slots == [item.id] else slots,
        "required": item.required or None,
        "default": number(item.default),
        "default_formula": one_line(item.default_formula),
        "absent": number(item.absent),
        "either_with": list(rules.siblings(item)),
        "derived": one_line(item.derived),
        **cited(rules, item.citations, item.assumption, item.note),
        "reads": briefs(rules, _around(rules.graph.reads, slots)),
        "read_by": briefs(rules, _around(rules.graph.read_by, slots)),
    }


def _around(edges: Mapping[str, tuple[str, ...]], ids: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(other for id in ids for other in edges.get(id, ()))


def _table(rules: RuleSet, table: Table) -> dict[str, Any]:
    return {
        **head(rules, "table", table),
        "columns": {column: str(type.unit) for column, type in table.columns.items()},
        "sources": {
            column: cited(rules, table.citations.get(column, ()), table.assumptions.get(column), None)
            for column in table.columns
        },
        "rows": [
            {"key": key, "title": table.titles[key]}
            | {"cells": {column: number(table.cells[column][key]) for column in table.columns}}
            | cited(rules, table.citations.get(key, ()), table.assumptions.get(key), None)
            for key in table.keys
        ],
    }


def _view(rules: RuleSet, view: View) -> dict[str, Any]:
    from engine.explaining.select import shown_by

    return {
        **head(rules, "view", view),
        "layout": view.kind,
        "note": view.body.note,
        "entries": briefs(rules, shown_by(rules, view)),
    }


def _listed(rules: RuleSet, name: str) -> Iterator[dict[str, Any]]:
    """Yields id, title, what stands for a unit, and the group or file under which people look for it."""
    match name:
        case "inputs":
            for item in rules.inputs.values():
                yield {"id": item.id, "unit": item.kind, "title": item.title, "group": item.group.capitalize()}
        case "rules" | "checks":
            for rule in (rules.rules if name == "rules" else rules.checks).values():
                file = place(rules, rule.span).rpartition(":")[0]
                unit = rule.level if isinstance(rule, Check) else rule.unit
                yield {"id": rule.id, "unit": unit, "title": rule.title, "group": file}
        case "tables":
            for table in rules.tables.values():
                yield {"id": table.id, "unit": ", ".join(table.columns), "title": table.title, "group": ""}
        case "views":
            for view in rules.views.values():
                yield {"id": view.id, "unit": view.kind, "title": view.title, "group": ""}
        case "slices" | "groups" | "scenarios" | "advice":
            for item in getattr(rules, name).values():
                yield {"id": item.id, "unit": brief(item), "title": item.title, "group": ""}
