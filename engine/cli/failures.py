"""Findings about values that were asked for and that there are none of."""

from __future__ import annotations

from collections.abc import Iterable

from engine.diagnostics import Diagnostic, EngineError, Findings, Span
from engine.evaluating.checks import show
from engine.result import Result

_MOST = 5


def findings_for(result: Result, ids: Iterable[str], *, missing: bool = True) -> list[Diagnostic]:
    """Returns what keeps ids from having a value.

    Args:
        result: the evaluation.
        ids: the ids that must have a value.
        missing: whether missing inputs count too (E602), not only failures (E601 and the like).
    """
    findings = Findings()
    needing: dict[str, list[str]] = {}
    for id in ids:
        value = result[id]
        if value.status == "failed":
            needing.setdefault(value.origin, []).append(id)
        elif value.status == "unavailable" and missing:
            try:
                value.value  # noqa: B018  the message is made where the value is refused
            except EngineError as error:
                findings.diagnostics.extend(error.diagnostics)
    for origin, dependents in needing.items():
        _failure(result, origin, [id for id in dependents if id != origin], findings)
    return findings.sorted()


def _failure(result: Result, origin: str, dependents: list[str], findings: Findings) -> None:
    from engine.evaluating.explain_failure import find_division
    from engine.expr.nodes import names

    value = result[origin]
    found = find_division(result.rules, result.resolved.scope, origin) if value.code == "E601" else None
    span = found.expression.span(found.divisor.start, found.divisor.end) if found else _place(result, origin)
    values: list[str] = []
    if found:
        operands = dict.fromkeys([*names(found.divisor), *names(found.dividend)])
        values = [f"`{name}` is {show(result.get(name))}" for name in operands if name in result]
    rules = [rule for id, rule in result.rules.computed.items() if id in dependents]
    remarks = [f"`{rule.id}` needs it" for rule in rules[:_MOST]]
    if len(rules) > _MOST:
        remarks[-1] += f", and so do {len(rules) - _MOST} more"
    related = list(zip((rule.span for rule in rules), remarks, strict=False))
    message = f"`{origin}` has no value: {value.reason}"
    findings.add(value.code, message, span, help=", ".join(values) or None, related=related)


def _place(result: Result, origin: str) -> Span | None:
    """Returns where a rule is declared, or where the preset gives an input; None for one that a setting gives."""
    rule = result.rules.computed.get(origin)
    if rule:
        return rule.span
    item = result.rules.slots[origin]
    places = result.preset.places.get(item.id)
    if places:
        return places[1]
    return None if item.id in result.resolved.values else item.span
