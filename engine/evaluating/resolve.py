"""From a preset to the values that evaluation starts from, and where each input came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.diagnostics import Diagnostic, EngineError, Findings, Severity, Span, nearest
from engine.evaluating.program import Scope, constant_slots
from engine.inputs.accept import InputError, accept, show
from engine.inputs.kept_names import KEPT_AS, kept_under
from engine.preset import Preset
from engine.rules import Input
from engine.ruleset import RuleSet

ORIGINS = ("given", "derived", "default", "absent", "missing")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Validated input values.

    Attributes:
        values: accepted values of the inputs that were given, by input.
        scope: the environment that rules are evaluated in; holds the given values.
        notes: what was understood in another way than it was written.
    """

    values: Mapping[str, Any]
    scope: Scope
    notes: tuple[Diagnostic, ...]


def resolve(rules: RuleSet, preset: Preset) -> Resolved:
    """Validates a preset against the declared inputs.

    Raises:
        EngineError: with every value that does not fit (E501 to E507).
    """
    findings = Findings()
    values: dict[str, Any] = {}
    flags = {flag: (item, member) for item in rules.inputs.values() for flag, member in item.from_flags.items()}
    for name, value in preset.values.items():
        key_span, value_span = preset.places.get(name, (None, None))
        if name in flags and name not in rules.inputs:
            _from_flag(name, value, *flags[name], preset, values, findings)
        elif name not in rules.inputs and (kept := kept_under(rules, name)) is not None:
            _renamed(name, value, kept, preset, values, findings)
        elif name not in rules.inputs:
            findings.add("E501", f"unknown input `{name}`", key_span, help=_instead(rules, name, flags))
        elif value is not None:
            _accept(rules.inputs[name], value, value_span, values, findings)
    if findings.has_errors:  # how other values were read is of no help then
        raise EngineError(item for item in findings.sorted() if item.severity is not Severity.NOTE)
    return Resolved(values, start_scope(rules, values), tuple(findings.sorted()))


def _renamed(name: str, value: Any, item: Input, preset: Preset, values: dict[str, Any], findings: Findings) -> None:
    """Accepts a value under the name that the trainer keeps a flag under, such as `fp8` for that of --fp8-format."""
    key_span, value_span = preset.places.get(name, (None, None))
    if value is None:
        return
    stated = preset.values.get(item.id)
    if stated is not None and stated != value:
        message = f"`{name}` is `{item.id}` by another name, and they differ: {show(value)} and {show(stated)}"
        findings.add("E502", message, value_span, help="keep one of them")
        return
    _accept(item, value, value_span, values, findings)
    findings.add("N501", f"`{name}: {show(value)}` is read as `{item.id}: {show(value)}`", key_span)


def _instead(rules: RuleSet, name: str, flags: Iterable[str]) -> str:
    """Says what to write for a name that is no input: it may be a rule, a launch flag, or misspelt."""
    from engine.importing.megatron_flags import Vocabulary, spelled

    if name in rules.computed:
        return f"`{name}` is a rule; `engine explain {name} PRESET` tells which inputs it follows from"
    vocabulary, flag = Vocabulary.of(rules), spelled(KEPT_AS.get(name, name))
    if flag in vocabulary.meanings:
        return f"the input for {flag} is `{vocabulary.meanings[flag].item.id}`"
    near = nearest(name, [*rules.inputs, *flags])
    if near and flag not in vocabulary:
        return f"did you mean `{near}`?"
    if flag in vocabulary:
        return f"{flag} is a launch flag that no input stands for; `engine import megatron FILE` reads a file of flags"
    return "`engine show inputs` lists the inputs"


def _accept(item: Input, value: Any, span: Span | None, values: dict[str, Any], findings: Findings) -> None:
    try:
        values[item.id] = accept(item, value)
    except InputError as error:
        findings.add(error.code, error.message, span, help=error.help)


def _from_flag(
    name: str, value: Any, item: Input, member: str, preset: Preset, values: dict[str, Any], findings: Findings
) -> None:
    key_span, value_span = preset.places.get(name, (None, None))
    if value is not None and not isinstance(value, bool):
        findings.add("E502", f"`{name}` must be true or false, not {show(value)}", value_span)
        return
    if not value:
        return
    stated = preset.values.get(item.id)
    if stated is not None and str(stated).casefold() != member:
        findings.add(
            "E502",
            f"`{name}: true` means `{item.id}: {member}`, but `{item.id}` is {show(stated)}",
            value_span,
            help="keep one of them",
        )
        return
    before = next((other for other in preset.values if other in item.from_flags and preset.values[other] is True), name)
    if item.from_flags[before] != member:
        first = preset.places.get(before)
        related = [(first[0], f"`{before}` is here")] if first else []
        message = f"`{name}` and `{before}` contradict each other"
        findings.add("E502", message, key_span, help="keep one of them", related=related)
        return
    values[item.id] = member
    findings.add("N501", f"`{name}: true` is read as `{item.id}: {member}`", key_span)


def start_scope(rules: RuleSet, values: Mapping[str, Any]) -> Scope:
    """Returns the environment in which inputs have the given accepted values."""
    start: dict[str, Any] = {}
    for name, value in values.items():
        start.update(
            constant_slots(rules.inputs[name], value)
            if rules.inputs[name].kind not in ("layer_vector", "layout")
            else {}
        )
    scope = Scope(rules.program, start)
    scope.given = values.keys()
    for name, value in values.items():
        if rules.inputs[name].kind in ("layer_vector", "layout"):
            scope.given_parts.update(rules.program.given_slots(rules.inputs[name], value))
    return scope


def origin(rules: RuleSet, resolved: Resolved, name: str) -> str:
    """Returns where an input's value came from: one of `ORIGINS`."""
    item = rules.inputs[name]
    if name in resolved.values:
        return "given"
    if item.either and any(sibling in resolved.values for sibling in rules.siblings(item)):
        return "derived"
    if item.default is not None or item.default_formula is not None:
        return "default"
    return "missing" if item.absent is None else "absent"
