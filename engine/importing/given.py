"""Launch flags as they were found, and the preset that they make."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engine.diagnostics import Diagnostic, EngineError, Findings, Span, nearest
from engine.importing.megatron_flags import Vocabulary, from_megatron_flags, shipped_vocabulary, spelled
from engine.inputs.accept import show
from engine.preset import Preset
from engine.ruleset import RuleSet

_ENOUGH = len("--seq")
_LONG = 14

_EXCLUSIVE = (
    (
        "num_layers_per_virtual_pipeline_stage",
        "virtual_pipeline_model_parallel_size",
        "pipeline_model_parallel_layout",
    ),
)
"""Inputs of which flags may give one at most.

Source: Megatron-LM `megatron/training/arguments.py`, `validate_args`.
"""


@dataclass(frozen=True, slots=True)
class Given:
    """One flag.

    Attributes:
        name: as it is written.
        value: True for a flag without a value; a text, a list of texts, or what a file of another kind holds.
        place: where the flag stands; `value_place` where its value does, which may be where a variable is set.
        unknown: why the value is not known; empty if it is.
    """

    name: str
    value: Any
    place: Span | None = None
    value_place: Span | None = None
    unknown: str = ""


@dataclass(frozen=True)
class Found:
    """What a file gives.

    Attributes:
        flags: in the order in which the launcher reads them; a later one wins.
        headline: what was read, in a few words.
        path: the file.
        remarks: what somebody who reads the result should know.
        resolved: whether the launcher has already put its defaults in, and lists all of its arguments.
    """

    flags: Sequence[Given]
    headline: str
    path: str
    remarks: Sequence[Diagnostic] = ()
    resolved: bool = False
    errors: Sequence[Diagnostic] = field(default_factory=tuple)


def preset_of(found: Found, rules: RuleSet | None = None) -> Preset:
    """Makes a preset of the flags of a file.

    Args:
        found: what the file gives.
        rules: the rule set whose inputs the flags are read for; None for the one that is shipped.

    Raises:
        EngineError: with every flag that is wrong: typed wrong (E509), of a wrong value, or contradictory.
    """
    vocabulary = Vocabulary.of(rules) if rules is not None else shipped_vocabulary()
    findings, remarks = Findings(), Findings()
    findings.diagnostics.extend(found.errors)
    remarks.diagnostics.extend(found.remarks)
    last = _last(found.flags, vocabulary, remarks)
    unread = {flag: given.unknown for flag, given in last.items() if given.unknown}
    for flag, given in last.items():
        if flag not in vocabulary and not found.resolved:
            _unknown(flag, given, vocabulary, findings, remarks)
        elif given.unknown and vocabulary.matters(flag):
            message = f"the value of {flag} is not known, so it counts as not given: {given.unknown}"
            help = "give the input with --set; where a script is imported, the variable with --env"
            remarks.add("W501", message, given.value_place or given.place, help=help)
    values = {flag: given.value for flag, given in last.items() if not given.unknown}
    try:
        preset = from_megatron_flags(values, rules, _places(last))
    except EngineError as error:
        findings.diagnostics.extend(error.diagnostics)
    else:
        if not found.resolved:
            _report_exclusive(preset, findings)
    if findings.has_errors:
        raise EngineError([*findings.diagnostics, *remarks.diagnostics])
    assert preset.flags is not None
    report = replace(
        preset.flags, unread=unread, headline=found.headline, remarks=tuple(remarks.sorted()),
        unknown={} if found.resolved else preset.flags.unknown,
    )  # fmt: skip
    return replace(preset, path=found.path, flags=report)


def _last(flags: Iterable[Given], vocabulary: Vocabulary, remarks: Findings) -> dict[str, Given]:
    """Returns what holds of each flag: as for the launcher, the last."""
    last: dict[str, Given] = {}
    for given in flags:
        flag = spelled(given.name)
        before = last.pop(flag, None)
        if before is not None and vocabulary.matters(flag) and before.value != given.value and given.place:
            message = f"{flag} is given twice; the last counts: {show(given.value)}"
            related = [(before.value_place or before.place, f"{show(before.value)} here")]
            remarks.add("W502", message, given.place, related=[(span, text) for span, text in related if span])
        last[flag] = given
    return last


def _report_exclusive(preset: Preset, findings: Findings) -> None:
    """Finds flags of which the launcher takes one at most."""
    used = {id: flag for flag, id in (preset.flags.used if preset.flags else {}).items()}
    for group in _EXCLUSIVE:
        first, *others = [id for id in used if id in group] or [""]
        for id in others:
            message = f"{used[first]} and {used[id]} exclude each other"
            related = [(preset.places[first][0], f"{used[first]} stands here")] if first in preset.places else []
            span = preset.places[id][0] if id in preset.places else None
            findings.add("E502", message, span, help="keep one of them", related=related)


def _places(flags: Mapping[str, Given]) -> dict[str, tuple[Span, Span]]:
    return {
        flag: (given.place, given.value_place or given.place)
        for flag, given in flags.items()
        if given.place is not None
    }


def _unknown(flag: str, given: Given, vocabulary: Vocabulary, findings: Findings, remarks: Findings) -> None:
    """A flag that is nearly one of the inputs' is an error; others may be an extension's."""
    if " " in flag:
        words = given.name.split()
        help = f"write {words[0]} and its value as two words; quotes around both make them one"
        findings.add("E509", f"there is no flag `{given.name}`", given.place, help=help)
        return
    meant = _meant(flag, vocabulary.meanings)
    if meant is not None:
        findings.add("E509", f"there is no flag {given.name}", given.place, help=f"did you mean {meant}?")
        return
    other = nearest(flag, [*vocabulary.meanings, *vocabulary.others])
    remarks.add(
        "W503",
        f"{given.name} is not known; what it does to memory is not counted",
        given.place,
        help=f"did you mean {other}?" if other is not None else None,
    )


def _meant(flag: str, known: Iterable[str]) -> str | None:
    """Returns the flag that another is meant to be: it begins it, leaves out words of it, or has a slip of the hand."""
    begun = [name for name in known if name.startswith(flag)] if len(flag) >= _ENOUGH else []
    if len(begun) == 1:
        return begun[0]
    shorter = [name for name in known if _leaves_out(flag, name)]
    if shorter:
        return min(shorter, key=len)
    near = nearest(flag, known)
    return near if near is not None and _distance(flag, near) <= 1 + (len(flag) >= _LONG) else None


def _leaves_out(flag: str, name: str) -> bool:
    """Whether a flag is another without some of its words, such as --tensor-parallel-size."""
    words = iter(name.split("-"))
    return flag.count("-") >= 4 and all(word in words for word in flag.split("-"))


def _distance(one: str, other: str) -> int:
    """Returns how many signs must be changed, added, taken away or swapped with their neighbour."""
    before, row = list[int](), list(range(len(other) + 1))
    for i, sign in enumerate(one):
        earlier, before, row = before, row, [i + 1]
        for j, wanted in enumerate(other):
            swapped = i and j and sign == other[j - 1] and wanted == one[i - 1]
            ways = [before[j + 1] + 1, row[j] + 1, before[j] + (sign != wanted)]
            row.append(min(ways + ([earlier[j - 1] + 1] if swapped else [])))
    return row[-1]
