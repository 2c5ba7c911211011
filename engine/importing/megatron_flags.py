"""Reads Megatron-LM's launch flags as values of inputs, by the flags that the inputs declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from engine.diagnostics import Diagnostic, Findings, Span, nearest
from engine.inputs.accept import InputError, accept, show
from engine.inputs.kept_names import KEPT_AS
from engine.preset import Preset
from engine.rules import Input, LaunchFlags
from engine.ruleset import RuleSet

_LISTS = frozenset(("cp_comm_type", "moe_router_load_balancing_type", "moe_aux_loss_coeff"))
"""Inputs of one value whose flags take several."""


@dataclass(frozen=True, slots=True)
class FlagReport:
    """What became of launch flags, each spelled as Megatron spells it.

    Attributes:
        used: flag to the input that it sets.
        unused: flags that move no memory.
        unmodelled: flags that move memory and that no input stands for, with what they are about.
        unknown: flags that the rule set does not know, with the nearest one that it knows, if one is near.
        settled: inputs whose value is the launcher's doing, with the reason.
        unread: flags whose value cannot be known, with the reason.
        headline: what was read, in a few words; empty where flags were given as they are.
        remarks: what somebody who reads the result should know about how the flags were read.
    """

    used: Mapping[str, str]
    unused: tuple[str, ...] = ()
    unmodelled: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str | None] = field(default_factory=dict)
    settled: Mapping[str, str] = field(default_factory=dict)
    unread: Mapping[str, str] = field(default_factory=dict)
    headline: str = ""
    remarks: tuple[Diagnostic, ...] = ()


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a flag does: it carries the input's value, or as a switch sets `setting`."""

    item: Input
    setting: Any = None

    @property
    def is_switch(self) -> bool:
        """Whether the flag takes no value."""
        return self.setting is not None


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The flags that a rule set knows: what they mean for inputs, and the topics of those that no input stands for."""

    meanings: Mapping[str, Meaning]
    others: Mapping[str, LaunchFlags]

    def __contains__(self, flag: str) -> bool:
        return flag in self.meanings or flag in self.others

    def matters(self, flag: str) -> bool:
        """Whether a flag is about memory."""
        return flag in self.meanings or (flag in self.others and self.others[flag].moves_memory)

    @classmethod
    def of(cls, rules: RuleSet) -> Vocabulary:
        """Returns what a rule set knows."""
        meanings = {flag: meaning for item in rules.inputs.values() for flag, meaning in _spellings(item)}
        return cls(meanings, {name: topic for topic in rules.launch_flags.values() for name in topic.names})

    def moved(self, flag: str, raw: Any) -> bool:
        """Whether a flag with this value moves memory that no rule accounts for."""
        topic = self.others[flag]
        return topic.moves_memory and str(raw) != topic.harmless.get(flag)


def spelled(name: str) -> str:
    """Returns a flag as Megatron spells it: `hidden_size` and `hidden-size` are `--hidden-size`."""
    return "--" + name.strip().lstrip("-").replace("_", "-")


def from_megatron_flags(
    flags: Mapping[str, Any], rules: RuleSet | None = None, places: Mapping[str, tuple[Span, Span]] | None = None
) -> Preset:
    """Makes a preset of launch flags; see `Preset.from_megatron_flags`.

    Args:
        flags: flag to value.
        rules: the rule set; None for the one that is shipped.
        places: where a flag and its value stand, for flags as `spelled` spells them.
    """
    vocabulary = Vocabulary.of(rules) if rules is not None else shipped_vocabulary()
    given = {spelled(KEPT_AS.get(name, name)): raw for name, raw in flags.items()}
    places = places or {}
    findings = Findings()
    values, used = _values(given, vocabulary, places, findings)
    findings.raise_if_errors()
    settled = _settle(values, vocabulary)
    report = replace(_report(given, used, vocabulary), settled=settled)
    return Preset(
        values, "launch flags", {id: places[flag] for flag, id in used.items() if flag in places}, flags=report
    )


def _values(
    given: Mapping[str, Any], vocabulary: Vocabulary, places: Mapping[str, tuple[Span, Span]], findings: Findings
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the values of inputs, and which flag gave which; what does not fit is added to the findings."""
    values: dict[str, Any] = {}
    used: dict[str, str] = {}
    for flag, raw in given.items():
        meaning = vocabulary.meanings.get(flag)
        value = None if meaning is None else _value(flag, meaning, raw, places.get(flag), findings)
        if meaning is None or value is None:
            continue
        id = meaning.item.id
        earlier = next((other for other, target in used.items() if target == id), None)
        if earlier is not None and values[id] != value:
            message = f"{earlier} and {flag} say different things of `{id}`"
            related = [(places[earlier][0], f"{earlier} stands here")] if earlier in places else []
            span = places[flag][0] if flag in places else None
            findings.add("E502", message, span, help="keep one of them", related=related)
        values[id] = value
        used[flag] = id
    return values, used


def _value(flag: str, meaning: Meaning, raw: Any, place: tuple[Span, Span] | None, findings: Findings) -> Any:
    """Returns the value that a flag gives its input, None if it gives none; a value that does not fit is a finding."""
    span = place[1] if place else None
    if raw is None or _differs(meaning, raw):
        return None
    if meaning.is_switch:
        if not isinstance(raw, bool):
            findings.add("E502", f"{flag} is a switch and takes no value, but {show(raw)} is given", span)
            return None
        return meaning.setting if raw else None
    if raw is True and meaning.item.kind != "flag":
        findings.add("E502", f"{flag} needs a value", place[0] if place else None)
        return None
    value = _read(meaning.item, raw)
    if isinstance(value, list) and meaning.item.kind in ("int", "number", "enum", "text"):
        findings.add("E502", f"{flag} takes one value, but {len(value)} are given: {show(value)}", span)
        return None
    if meaning.item.kind == "flag" and not isinstance(value, bool):
        findings.add("E502", f"{flag} is a switch and takes no value, but {show(raw)} is given", span)
        return None
    try:
        accept(meaning.item, value)
    except InputError as error:
        findings.add(error.code, f"{flag}: {error.message}", span, help=error.help)
        return None
    return value


def _differs(meaning: Meaning, raw: Any) -> bool:
    """Whether a flag that may take one value a layer or a kind has different ones, which no input can hold."""
    return meaning.item.id in _LISTS and isinstance(raw, list) and len(set(map(str, raw))) > 1


def _read(item: Input, raw: Any) -> Any:
    """Turns the text of a command line into a number, a flag or a list, where the input wants one."""
    if isinstance(raw, list) and item.id in _LISTS and raw:
        raw = raw[0]
    if not isinstance(raw, str):
        return raw
    text = raw.strip()
    match item.kind:
        case "int" | "number":
            for number in (int, float):
                try:
                    return number(text)
                except ValueError:
                    pass
        case "flag":
            return {"true": True, "false": False}.get(text.casefold(), raw)
        case "set":
            return text.replace(",", " ").split()
    return text


def _settle(values: dict[str, Any], vocabulary: Vocabulary) -> dict[str, str]:
    """Applies what the launcher itself does to flags that have no effect, and defaults of its own.

    Returns:
        The inputs that it decides, with the reason.

    Source: Megatron-LM `megatron/training/arguments.py`, `validate_args`: without tensor parallelism, sequence
    parallelism is switched off. Rotary positions run fused (`--no-rope-fusion`), and experts are fed by all-gather
    (`--moe-token-dispatcher-type`), unless flags say otherwise; the inputs' own defaults are for planning.
    """
    settled: dict[str, str] = {}
    if values.get("sequence_parallel") and values.get("tensor_model_parallel_size", 1) == 1:
        values["sequence_parallel"] = False
        settled["sequence_parallel"] = "the launcher switches it off without tensor parallelism"
    own: dict[str, Any] = {}
    if values.get("num_experts"):
        own["moe_token_dispatcher_type"] = "allgather"
    if values.get("position_embedding_type") == "rope" and values.get("transformer_impl") != "local":
        own["apply_rope_fusion"] = True
    for id, value in own.items():
        if spelled(id) in vocabulary.meanings and id not in values:
            values[id] = value
            settled[id] = "the launcher's own default"
    return settled


def _report(given: Mapping[str, Any], used: Mapping[str, str], vocabulary: Vocabulary) -> FlagReport:
    known = (*vocabulary.meanings, *vocabulary.others)
    unused, unmodelled, unknown = [], {}, {}
    for flag, raw in given.items():
        if flag in vocabulary.meanings and _differs(vocabulary.meanings[flag], raw):
            unmodelled[flag] = "Different kinds at once, of which one is modelled"
        if flag in vocabulary.meanings or raw is None or raw is False:
            continue
        if flag not in vocabulary.others:
            unknown[flag] = nearest(flag, known)
        elif vocabulary.moved(flag, raw):
            unmodelled[flag] = vocabulary.others[flag].title
        else:
            unused.append(flag)
    return FlagReport(used, tuple(unused), unmodelled, unknown)


@lru_cache(maxsize=1)
def shipped_vocabulary() -> Vocabulary:
    """Returns what the shipped rules know."""
    return Vocabulary.of(RuleSet.load())


def _spellings(item: Input) -> Iterator[tuple[str, Meaning]]:
    """Yields the flags of an input; its own name, under which Megatron keeps the parsed value, is one of them."""
    yield spelled(item.id), Meaning(item)
    for flag in (item.flag, *item.other_flags):
        if flag is not None:
            yield flag, Meaning(item)
    for flag in item.off_flags:
        yield flag, Meaning(item, False)
    for flag, member in item.from_flags.items():
        yield spelled(flag), Meaning(item, member)
