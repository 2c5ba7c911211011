"""What an import understood: the effective value of every flag about memory, and what became of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.diagnostics import Span
from engine.evaluating.artifact import number
from engine.importing.megatron_flags import FlagReport, spelled
from engine.preset import Preset
from engine.result import CheckOutcome, Result
from engine.rules import Input

LAUNCHER = "launcher"


@dataclass(frozen=True, slots=True)
class Effective:
    """The value that holds for one input.

    Attributes:
        id: the input.
        flag: the launch flag, as it was given or as it could be.
        value: the value; None where there is none.
        origin: `given`, `launcher` (the launcher itself decides), `derived`, `default`, `absent` or `missing`.
        why: for a value that was not given, the formula or the reason it follows from; empty for a fixed default.
        source: lines that say so, as `alias:path#L1-L2`; empty where no code is cited.
        place: where it was given.
        read: whether the account of memory reads it in this configuration.
    """

    id: str
    flag: str
    value: Any
    origin: str
    why: str
    source: str
    place: Span | None
    read: bool


@dataclass(frozen=True)
class Report:
    """Everything that an import tells.

    Attributes:
        preset: what was read.
        flags: what became of the flags.
        effective: values of all inputs that a launch flag stands for, or that were given.
        failed: checks of the rules that do not hold.
        verdict: verdict on the configuration.
        missing: inputs without which a verdict that is unknown stays so.
    """

    preset: Preset
    flags: FlagReport
    effective: tuple[Effective, ...]
    failed: tuple[CheckOutcome, ...]
    verdict: str
    missing: tuple[str, ...] = ()


def report(result: Result, read: Mapping[str, bool]) -> Report:
    """Collects what an import understood.

    Args:
        result: the evaluation of the imported preset.
        read: the inputs that the account of memory reads.
    """
    preset = result.preset
    flags = preset.flags or FlagReport({})
    effective = tuple(_effective(result, flags, read))
    failed = tuple(check for check in result.failed_checks if check.level != "note")
    verdict = result.verdict
    summary = result.rules.views.get("summary")
    rule = summary.body.verdict if summary and verdict == "unknown" else None
    return Report(preset, flags, effective, failed, verdict, result[rule].missing if rule else ())


def _effective(result: Result, flags: FlagReport, read: Mapping[str, bool]) -> Iterator[Effective]:
    given = {id: flag for flag, id in flags.used.items()}
    for item in result.rules.inputs.values():
        value, origin = result.inputs[item.id]
        flag = given.get(item.id) or _flag(item)
        if flag is None and origin != "given":
            continue
        why, source = _reason(result, item, origin)
        if item.id in flags.settled:
            origin, why = LAUNCHER, flags.settled[item.id]
        place = result.preset.places.get(item.id)
        yield Effective(
            item.id, flag or spelled(item.id), number(value), origin, why, source, place[0] if place else None,
            item.id in read,
        )  # fmt: skip


def _flag(item: Input) -> str | None:
    """Returns the flag that could set an input."""
    named = (item.flag, *item.other_flags, *item.off_flags, *(spelled(name) for name in item.from_flags))
    return next((flag for flag in named if flag is not None), None)


def _reason(result: Result, item: Input, origin: str) -> tuple[str, str]:
    """Returns the formula that a value which was not given follows from, and the lines of code that say so."""
    if origin == "given":
        return "", ""
    citations = item.citations
    expression = {"derived": item.derived, "default": item.default_formula}.get(origin)
    text = " ".join(expression.text.split()) if expression is not None else ""
    rule = result.rules.computed.get(text)
    if rule is not None and result[rule.id].status == "ok":  # the rule's own formula says more than its name
        taken = result.taken(rule)
        if len(taken) == 1:
            text = " ".join(taken[0].formula.text.split())
            citations = (*taken[0].citations, *citations)
    return text, next((f"{cite.source}:{cite.where}" for cite in citations if cite.kind == "code"), "")
