"""Random presets, drawn from the inputs that a rule set declares: sound ones, odd ones, ones that lack something."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from hypothesis import strategies as st

from engine import RuleSet
from engine.rules import Input

_SIZES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 61, 64, 96, 128, 512, 1000, 1024, 2048, 4096, 7168, 14336, 128256)
_LIKELY: Mapping[str, Sequence[int]] = {
    "num_layers": (1, 2, 3, 4, 6, 8, 12, 24, 32, 61),
    "pipeline_model_parallel_size": (1, 1, 2, 2, 3, 4, 8),
    "virtual_pipeline_model_parallel_size": (1, 2, 3),
    "num_layers_per_virtual_pipeline_stage": (1, 2, 5),
    "tensor_model_parallel_size": (1, 2, 4, 8),
    "context_parallel_size": (1, 2, 4),
    "expert_model_parallel_size": (1, 2, 8),
    "world_size": (1, 8, 64, 96, 1024),
    "mtp_num_layers": (0, 1, 2),
}
"""Values of inputs that must go together for something to come out; others are drawn from usual sizes."""

_FAR = 1000  # ends of ranges beyond this are no sizes that a model has


def presets(rules: RuleSet, *, complete: bool = False) -> st.SearchStrategy[dict[str, Any]]:
    """Returns presets as a person could write them; every value is one that its input accepts.

    Args:
        rules: the rule set whose inputs are drawn.
        complete: whether required inputs are always given.
    """
    # one draw a preset: with one an input, drawing would take longer than what is tested
    return st.integers(0, 2**64).map(lambda seed: random_preset(rules, Random(seed), complete=complete))


def grids(rules: RuleSet, *, longest: int) -> st.SearchStrategy[tuple[dict[str, Any], dict[str, list[Any]]]]:
    """Returns presets with one to three inputs to vary, and their values."""

    def grid(seed: int) -> tuple[dict[str, Any], dict[str, list[Any]]]:
        random = Random(seed)
        base = random_preset(rules, random, complete=False)
        axes = {}
        for name in random.sample(sorted(rules.inputs), random.randint(1, 3)):
            values = [None, *_values(rules.inputs[name], base)]
            axes[name] = random.choices(values, k=random.randint(1, longest))
        return base, axes

    return st.integers(0, 2**64).map(grid)


def random_preset(rules: RuleSet, random: Random, *, complete: bool) -> dict[str, Any]:
    """Returns one preset; see `presets`."""
    preset: dict[str, Any] = {}
    for item in rules.inputs.values():
        needed = item.required or item.id in _LIKELY
        if (complete and item.required) or random.random() < (0.95 if needed else 0.5):
            preset[item.id] = None if random.random() < 0.03 and not complete else random.choice(_values(item, preset))
    for item in rules.inputs.values():
        pair = {item.id, *rules.siblings(item)}
        if len(pair) > 1 and preset.keys() >= pair and random.random() < 0.9:  # seldom both of a pair
            del preset[random.choice(sorted(pair))]
    return preset


def _values(item: Input, preset: Mapping[str, Any]) -> list[Any]:
    match item.kind:
        case "int" | "number":
            return _numbers(item)
        case "flag":
            return [True, False]
        case "enum":
            return [*item.values, item.values[-1].upper()]
        case "set":
            return [[], [item.members[0]], list(item.members[1:]), list(item.members)]
        case "layer_vector":
            return _layer_vectors(preset.get("num_layers") or 4)
        case "layout":
            stages = preset.get("pipeline_model_parallel_size") or 1
            return _layouts(min(stages * (preset.get("virtual_pipeline_model_parallel_size") or 1), 64))
    return ["some text"]


def _numbers(item: Input) -> list[Any]:
    low = -math.inf if item.minimum is None else item.minimum
    high = math.inf if item.maximum is None else item.maximum
    ends = [end for end in (low, high) if abs(end) < _FAR]
    found: list[Any] = [*(_LIKELY.get(item.id) or (*_SIZES, *ends)), 0]
    found = [int(number) for number in found] if item.kind == "int" else [*found, -1.5, 0.5, 0.8, 2.5, 1e200]
    return [number for number in found if low <= number <= high]


def _layer_vectors(layers: int) -> list[Any]:
    lists = [Random(seed).choices((0, 1), k=layers) for seed in range(3)]
    patterns = [f"([0]*{layers // 3}+[1]*{layers - layers // 3})", f"[1]*{layers}", f"[0]*{layers}"]
    return [1, 2, 3, "2", [1, 0, 1], "[0,1]*3", *lists, *patterns]


def _layouts(stages: int) -> list[Any]:
    text = "|".join(["Et", *["tt"] * (stages - 2), "tmL"][:stages])
    return [text, ["E", *["t"] * (stages - 1)], f"E{'|' * (stages - 1)}L", "Et|(t|)*2,mL"]
