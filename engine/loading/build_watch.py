"""Builds what `watch.yaml` declares."""

from __future__ import annotations

from collections.abc import Mapping

from engine.diagnostics import Span, nearest
from engine.expr.symbols import FLAG
from engine.inputs.accept import InputError, accept
from engine.loading.build import Builder
from engine.loading.declare import Declaration
from engine.loading.model_watch import ReplayBody, WatchBody
from engine.rules import Expression, Input
from engine.watch import Keyword, Replay, Waiver, Watch

DRAWN_PATTERN = "drawn_pattern"
"""Among the values that a layer vector is drawn from: an entry for each layer, 0 or 1 at random."""


def watch(item: Declaration, builder: Builder) -> Watch:
    """Builds a watched file; a waiver of lines elsewhere is a finding (E402)."""
    body: WatchBody = item.body
    builder.known(body.source, "sources", item.at("source").span)
    waivers = []
    for position, one in enumerate(body.waive):
        span = item.at("waive", position).span
        citation = builder.code(one, span)
        if (citation.source, citation.where.rpartition("#")[0]) != (body.source, body.path):
            message = f"the waived lines are not in {body.source}:{body.path}"
            builder.findings.add("E402", message, span, help="waive only lines of the watched file")
        waivers.append(Waiver(citation, one.reason))
    return Watch(
        item.id, body.title, body.source, body.path, tuple(body.symbols), tuple(body.calls), body.min_coverage,
        tuple(waivers), body.note, item.span,
    )  # fmt: skip


def replay(item: Declaration, inputs: Mapping[str, Input], builder: Builder) -> Replay:
    """Builds a function that can be run; unknown rules and inputs are findings (E303), unfit values too (E502 …)."""
    body: ReplayBody = item.body
    builder.known(body.source, "sources", item.at("source").span)
    for position, id in enumerate(body.returns):
        _name(id, item.at("returns", position).span, builder)
    for function, variables in body.variables.items():
        for variable, id in variables.items():
            _name(id, item.at("variables", function, variable).span, builder)
    keywords = {}
    for name, one in body.keywords.items():
        if one.rule is not None:
            _name(one.rule, item.at("keywords", name, "rule").span, builder)
        omit = _flag(item, builder, "keywords", name, "omit_when") if one.omit_when is not None else None
        keywords[name] = Keyword(one.rule, omit, tuple(one.values))
    for id in body.as_none:
        _name(id, item.at("as_none", id).span, builder)
    _drawn(item, body, inputs, builder)
    return Replay(
        item.id, body.title, body.source, body.path, body.function, body.arguments, keywords, tuple(body.returns),
        body.variables, body.spelling, body.as_none, {name: tuple(values) for name, values in body.draw.items()},
        _flag(item, builder, "require") if body.require is not None else None, body.note, item.span,
    )  # fmt: skip


def _flag(item: Declaration, builder: Builder, *path: str) -> Expression:
    return builder.expression(item.scalar(*path), FLAG)


def _name(id: str, span: Span, builder: Builder) -> None:
    if id not in builder.symbols.types:
        help = builder.symbols.suggest(id, list(builder.symbols.types))
        builder.findings.add("E303", f"unknown name `{id}`", span, help=help)


def _drawn(item: Declaration, body: ReplayBody, inputs: Mapping[str, Input], builder: Builder) -> None:
    for name, values in body.draw.items():
        declared = inputs.get(name)
        if declared is None:
            near = nearest(name, inputs)
            help = f"did you mean `{near}`?" if near else None
            builder.findings.add("E501", f"there is no input `{name}`", item.at("draw", name).span, help=help)
            continue
        for position, value in enumerate(values):
            if value is None or (value == DRAWN_PATTERN and declared.kind == "layer_vector"):
                continue
            try:
                accept(declared, value)
            except InputError as error:
                span = item.at("draw", name, position).span
                builder.findings.add(error.code, error.message, span, help=error.help)
