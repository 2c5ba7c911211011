"""Builds scenarios and advice: named changes of inputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.diagnostics import nearest
from engine.expr.nodes import Type
from engine.expr.symbols import FLAG
from engine.inputs.accept import InputError, accept
from engine.inputs.slots import slots_of
from engine.loading.build import Builder
from engine.loading.declare import Declaration
from engine.loading.model import ActionBody, AdviceBody, ScenarioBody
from engine.rules import Action, Advice, Input, Scenario


def scenario(item: Declaration, inputs: Mapping[str, Input], builder: Builder) -> Scenario:
    """Builds a scenario; changes that do not fit their inputs are findings."""
    body: ScenarioBody = item.body
    builder.require_citation(body, f"scenario `{item.id}`", item.span)
    _fits(item, ("set",), body.set, inputs, builder)
    return Scenario(item.id, body.title, body.set, builder.citations(item), body.assumption, body.note, item.span)


def advice(item: Declaration, inputs: Mapping[str, Input], builder: Builder) -> Advice:
    """Builds a symptom with its actions."""
    body: AdviceBody = item.body
    builder.require_citation(body, f"advice `{item.id}`", item.span)
    actions = tuple(_action(item, position, action, inputs, builder) for position, action in enumerate(body.actions))
    for position, leave in enumerate(body.leave_alone):
        _known(item, ("leave_alone", position), leave.field, inputs, builder)
    return Advice(
        item.id, body.title, builder.expression(item.scalar("when"), FLAG) if body.when is not None else None, actions,
        {leave.field: leave.why for leave in body.leave_alone}, builder.citations(item), body.assumption, body.note,
        item.span,
    )  # fmt: skip


def _action(
    item: Declaration, position: int, body: ActionBody, inputs: Mapping[str, Input], builder: Builder
) -> Action:
    place = ("actions", position)
    _fits(item, (*place, "set"), body.set, inputs, builder)
    formulas = {}
    for name in body.set_formula:
        if _known(item, (*place, "set_formula", name), name, inputs, builder):
            types = list(slots_of(inputs[name]).values())
            formulas[name] = builder.expression(item.scalar(*place, "set_formula", name), types[0] if types else Type())
    cited = builder.citations(item, *place)
    return Action(body.title, body.set, formulas, body.cost, cited, body.assumption, body.note)


def _known(
    item: Declaration, path: tuple[str | int, ...], name: str, inputs: Mapping[str, Input], builder: Builder
) -> bool:
    if name in inputs:
        return True
    near = nearest(name, inputs)
    builder.findings.add(
        "E501", f"there is no input `{name}`", item.at(*path).span, help=f"did you mean `{near}`?" if near else None
    )
    return False


def _fits(
    item: Declaration,
    path: tuple[str | int, ...],
    changes: Mapping[str, Any],
    inputs: Mapping[str, Input],
    builder: Builder,
) -> None:
    for name, value in changes.items():
        if not _known(item, (*path, name), name, inputs, builder) or value is None:
            continue
        try:
            accept(inputs[name], value)
        except InputError as error:
            builder.findings.add(error.code, error.message, item.at(*path, name).span, help=error.help)
