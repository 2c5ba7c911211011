"""Random states of a workbook: what is entered, what-ifs, entries of layers set by hand, the scenario and the unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from random import Random
from typing import Any

from engine import Preset, RuleSet, evaluate
from engine.evaluating.resolve import resolve
from tests.support.presets import random_preset
from workbook.state import LISTED, NOTHING, WHAT_IFS, State, Typed, from_preset, typed, typed_names, variants

SOUND: Mapping[str, Sequence[Any]] = {
    "micro_batch_size": (1, 2, 4),
    "sequence_parallel": (True, False),
    "context_parallel_size": (1, 2),
    "use_distributed_optimizer": (True, False),
    "recompute_granularity": (None, "selective", "full"),
    "seq_length": (2048, 4096, 8192),
    "account_for_embedding_in_pipeline_split": (True, False),
    "decoder_first_pipeline_num_layers": (None, 3, 7),
    "virtual_pipeline_model_parallel_size": (None, 1, 2, 4),
    "params_dtype": ("bf16", "fp16", "fp32"),
    "device": ("h100-80gb", "a100-40gb", "mi300x", "custom"),
    "mtp_num_layers": (None, 1, 2),
}
"""Changes after which most configurations still have all their values."""


def random_state(rules: RuleSet, random: Random, built: State, shipped: Sequence[Preset]) -> State:
    """Returns a state of a workbook that was built in another.

    Half of them are shipped presets with changes, most of which a trainer accepts, the others are drawn input by input.
    """
    sound = random.random() < 0.5
    entered = _sound(rules, random, shipped) if sound else random_preset(rules, random, complete=random.random() < 0.8)
    state = from_preset(rules, Preset(entered))
    changes = _typed_changes if sound else _changes
    what_ifs = tuple(changes(rules, random) if random.random() < 0.4 else {} for _ in range(WHAT_IFS))
    vectors = dict(state.vectors)
    for item in rules.inputs.values():
        if item.kind == "layer_vector" and state.entered.get(item.id) != LISTED and not sound and random.random() < 0.3:
            vectors[item.id] = tuple(random.choice((None, None, 0, 1)) for _ in range(random.randint(1, 8)))
    state = replace(
        state,
        what_ifs=what_ifs,
        titles=tuple(random.choice(("", "more stages")) for _ in range(WHAT_IFS)),
        vectors=vectors,
        unit=random.choice(("GB", "GiB")),
        built=built.built,
        built_vectors=built.built_vectors,
    )
    return replace(state, scenario=random.choice(variants(rules, state)).label)


def _sound(rules: RuleSet, random: Random, shipped: Sequence[Preset]) -> dict[str, Any]:
    """Returns a shipped preset with changes that a trainer accepts, as far as a few tries find some."""
    for _ in range(10):
        entered = dict(random.choice(shipped).values)
        entered |= {name: random.choice(SOUND[name]) for name in random.sample(sorted(SOUND), 4)}
        if evaluate(rules, Preset(entered)).verdict != "invalid":
            break
    return entered


def _typed_changes(rules: RuleSet, random: Random) -> dict[str, Typed]:
    """Returns what a person types in the column of a what-if that changes one or two things."""
    found: dict[str, Typed] = {}
    for name in random.sample(sorted(SOUND), random.randint(1, 2)):
        value = random.choice(SOUND[name])
        if value is None:
            found |= dict.fromkeys(typed_names(rules.inputs[name]), NOTHING)
        else:
            found |= typed(rules.inputs[name], resolve(rules, Preset({name: value})).values[name])
    return found


def _changes(rules: RuleSet, random: Random) -> dict[str, Typed]:
    """Returns what a person types in the column of a what-if."""
    preset = random_preset(rules, random, complete=False)
    some = {name: value for name, value in preset.items() if random.random() < 0.15}
    found: dict[str, Typed] = {}
    for name, value in resolve(rules, Preset(some)).values.items():
        item = rules.inputs[name]
        if item.kind not in ("layer_vector", "layout") or (item.kind == "layer_vector" and isinstance(value, int)):
            found |= typed(item, value)
    for name in random.sample(sorted(rules.inputs), 3):
        if rules.inputs[name].kind != "enum":
            found |= dict.fromkeys(typed_names(rules.inputs[name]), NOTHING)
    return found
