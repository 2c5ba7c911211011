"""The pages of what rules are made of or used for: slices, groups of tensors, scenarios, advice."""

from __future__ import annotations

from typing import Any

from engine.evaluating.artifact import number
from engine.explaining.describe_parts import briefs, cited, head, one_line
from engine.explaining.slice_matrix import divisors
from engine.rules import Action, Advice, Group, Scenario, Slice
from engine.ruleset import RuleSet


def slice_page(rules: RuleSet, item: Slice) -> dict[str, Any]:
    """Returns the page of a slice: what it does to each group of tensors, and what it sends."""
    sent = rules.rules[item.communication] if item.communication else None
    return {
        **head(rules, "slice", item),
        "degree": one_line(item.degree),
        "cells": [
            {"group": group, "component": component, "divided_by": _formula(rules, id)}
            | ({"multiplied_by": _formula(rules, item.multiplies[group, component])} if more else {})
            | ({"rule": id} if id else {})
            for (group, component), id in item.divides.items()
            for more in [item.multiplies.get((group, component))]
        ],
        "notes": dict(item.notes),
        "sends": {"rule": sent.id, "title": sent.title, "per": item.per, "link": item.link} if sent else None,
        **cited(rules, item.citations, None, item.note),
        "makes": briefs(rules, [rule.id for rule in rules.rules.values() if rule.slice == item.id]),
    }


def _formula(rules: RuleSet, id: str | None) -> str:
    return "1" if id is None else one_line(rules.rules[id].branches[0].formula) or "1"


def group_page(rules: RuleSet, item: Group) -> dict[str, Any]:
    """Returns the page of a group of tensors: what all dimensions together divide it by, and which ones do."""
    return {
        **head(rules, "group", item),
        "components": list(item.components),
        "note": item.note,
        "cut_by": [
            {"slice": one.id, "title": one.title, "components": [part for part in item.components if cells[part]]}
            for one in rules.slices.values()
            for cells in [{part: one.divides.get((item.id, part)) for part in item.components}]
            if any(cells.values())
        ],
        "divisors": briefs(rules, dict(divisors(rules))[item.id].values()),
    }


def scenario_page(rules: RuleSet, item: Scenario) -> dict[str, Any]:
    """Returns the page of a scenario: what it changes."""
    return {
        **head(rules, "scenario", item),
        "changes": {name: number(value) for name, value in item.changes.items()},
        **cited(rules, item.citations, item.assumption, item.note),
        "inputs": briefs(rules, item.changes),
    }


def advice_page(rules: RuleSet, item: Advice) -> dict[str, Any]:
    """Returns the page of a symptom: what to try, in order, and what to leave alone."""
    return {
        **head(rules, "advice", item),
        "when": one_line(item.when),
        "actions": [_action(rules, action) for action in item.actions],
        "leave_alone": dict(item.leave_alone),
        **cited(rules, item.citations, item.assumption, item.note),
    }


def _action(rules: RuleSet, action: Action) -> dict[str, Any]:
    page = {
        "title": action.title,
        "changes": {name: number(value) for name, value in action.changes.items()},
        "formulas": {name: one_line(formula) for name, formula in action.formulas.items()},
        "cost": action.cost,
    }
    return {key: value for key, value in page.items() if value} | cited(
        rules, action.citations, action.assumption, action.note
    )


def brief(item: Slice | Group | Scenario | Advice) -> str:
    """Says in a list what an id is about, in a word or two."""
    match item:
        case Slice():
            parts = {"cuts": item.divides, "multiplies": item.multiplies}
            counts = {verb: len({group for (group, _), id in cells.items() if id}) for verb, cells in parts.items()}
            return ", ".join(f"{verb} {_count(count, 'group')}" for verb, count in counts.items() if count)
        case Group():
            return ", ".join(item.components)
        case Scenario():
            return _count(len(item.changes), "change")
    return _count(len(item.actions), "action")


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
