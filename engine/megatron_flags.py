"""Reads Megatron-LM's launch flags as values of inputs, by the flags that the inputs declare."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from engine.accept import InputError, accept, show
from engine.diagnostics import Findings, nearest
from engine.preset import Preset
from engine.rules import Input, LaunchFlags
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class FlagReport:
    """What became of launch flags, each spelled as Megatron spells it.

    Attributes:
        used: flag to the input that it sets.
        unused: flags that move no memory.
        unmodelled: flags that move memory and that no input stands for, with what they are about.
        unknown: flags that the rule set does not know, with the nearest one that it knows, if one is near.
    """

    used: Mapping[str, str]
    unused: tuple[str, ...] = ()
    unmodelled: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Meaning:
    """What a flag does: it carries the input's value, or as a switch sets `setting`."""

    item: Input
    setting: Any = None

    @property
    def is_switch(self) -> bool:
        return self.setting is not None


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    """The flags that a rule set knows: what they mean for inputs, and the topics of those that no input stands for."""

    meanings: Mapping[str, _Meaning]
    others: Mapping[str, LaunchFlags]

    @classmethod
    def of(cls, rules: RuleSet) -> _Vocabulary:
        meanings = {flag: meaning for item in rules.inputs.values() for flag, meaning in _spellings(item)}
        return cls(meanings, {name: topic for topic in rules.launch_flags.values() for name in topic.names})

    def moved(self, flag: str, raw: Any) -> bool:
        """Whether a flag with this value moves memory that no rule accounts for."""
        topic = self.others[flag]
        return topic.moves_memory and str(raw) != topic.harmless.get(flag)


def spelled(name: str) -> str:
    """Returns a flag as Megatron spells it: `hidden_size` and `hidden-size` are `--hidden-size`."""
    return "--" + name.strip().lstrip("-").replace("_", "-")


def from_megatron_flags(flags: Mapping[str, Any], rules: RuleSet | None = None) -> Preset:
    """Makes a preset of launch flags; see `Preset.from_megatron_flags`."""
    vocabulary = _Vocabulary.of(rules) if rules is not None else _shipped()
    given = {spelled(name): raw for name, raw in flags.items()}
    findings = Findings()
    values, used = _values(given, vocabulary, findings)
    findings.raise_if_errors()
    _settle(values, vocabulary)
    return Preset(values, "launch flags", flags=_report(given, used, vocabulary))


def _values(
    given: Mapping[str, Any], vocabulary: _Vocabulary, findings: Findings
) -> tuple[dict[str, Any], dict[str, str]]:
    """Returns the values of inputs, and which flag gave which; what does not fit is added to the findings."""
    values: dict[str, Any] = {}
    used: dict[str, str] = {}
    for flag, raw in given.items():
        meaning = vocabulary.meanings.get(flag)
        value = None if meaning is None else _value(flag, meaning, raw, findings)
        if meaning is None or value is None:
            continue
        id = meaning.item.id
        earlier = next((other for other, target in used.items() if target == id), None)
        if earlier is not None and values[id] != value:
            findings.add("E502", f"{earlier} and {flag} say different things of `{id}`", help="keep one of them")
        values[id] = value
        used[flag] = id
    return values, used


def _value(flag: str, meaning: _Meaning, raw: Any, findings: Findings) -> Any:
    """Returns the value that a flag gives its input, None if it gives none; a value that does not fit is a finding."""
    if raw is None:
        return None
    if meaning.is_switch:
        if not isinstance(raw, bool):
            findings.add("E502", f"{flag} is a switch and takes no value, but {show(raw)} is given")
            return None
        return meaning.setting if raw else None
    value = _read(meaning.item, raw)
    try:
        accept(meaning.item, value)
    except InputError as error:
        findings.add(error.code, f"{flag}: {error.message}", help=error.help)
        return None
    return value


def _read(item: Input, raw: Any) -> Any:
    """Turns the text of a command line into a number, a flag or a list, where the input wants one."""
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


def _settle(values: dict[str, Any], vocabulary: _Vocabulary) -> None:
    """Applies what the launcher itself does to flags that have no effect, and defaults of its own.

    Source: Megatron-LM `megatron/training/arguments.py`, `validate_args`: without tensor parallelism, sequence
    parallelism is switched off. Rotary positions run fused (`--no-rope-fusion`), and experts are fed by all-gather
    (`--moe-token-dispatcher-type`), unless flags say otherwise; the inputs' own defaults are for planning.
    """
    if values.get("sequence_parallel") and values.get("tensor_model_parallel_size", 1) == 1:
        values["sequence_parallel"] = False
    own: dict[str, Any] = {}
    if values.get("num_experts"):
        own["moe_token_dispatcher_type"] = "allgather"
    if values.get("position_embedding_type") == "rope" and values.get("transformer_impl") != "local":
        own["apply_rope_fusion"] = True
    for id, value in own.items():
        if spelled(id) in vocabulary.meanings:
            values.setdefault(id, value)


def _report(given: Mapping[str, Any], used: Mapping[str, str], vocabulary: _Vocabulary) -> FlagReport:
    known = (*vocabulary.meanings, *vocabulary.others)
    unused, unmodelled, unknown = [], {}, {}
    for flag, raw in given.items():
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
def _shipped() -> _Vocabulary:
    return _Vocabulary.of(RuleSet.load())


def _spellings(item: Input) -> Iterator[tuple[str, _Meaning]]:
    """Yields the flags of an input; its own name, under which Megatron keeps the parsed value, is one of them."""
    yield spelled(item.id), _Meaning(item)
    for flag in (item.flag, *item.other_flags):
        if flag is not None:
            yield flag, _Meaning(item)
    for flag in item.off_flags:
        yield flag, _Meaning(item, False)
    for flag, member in item.from_flags.items():
        yield spelled(flag), _Meaning(item, member)
