"""What a pipeline stage holds, against the schedule itself played pass by pass."""

from __future__ import annotations

import random
from typing import Any

import pytest

from engine import RuleSet, evaluate

BASE: dict[str, Any] = {
    "hidden_size": 64,
    "num_attention_heads": 4,
    "seq_length": 32,
    "micro_batch_size": 1,
    "vocab_size": 1000,
    "params_dtype": "bf16",
    "num_experts": 8,
}


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def passes(num_microbatches: int, chunks: int, group: int) -> list[int]:
    """Returns the chunk of each pass forward of a step; passes backward take the chunks the other way round."""
    found: list[int] = []
    for first in range(0, num_microbatches, group):
        size = min(group, num_microbatches - first)
        found.extend(chunk for chunk in range(chunks) for _ in range(size))
    return found


def fullest(bytes_of: list[float], stage: int, stages: int, num_microbatches: int, group: int) -> float:
    """Plays a step on one stage and returns the most that it holds."""
    chunks = len(bytes_of)
    forward = passes(num_microbatches, chunks, group)
    warmup = (stages - stage - 1) * 2 + (chunks - 1) * group if chunks > 1 else stages - stage - 1
    warmup = min(warmup, len(forward))
    held = peak = sum(bytes_of[chunk] for chunk in forward[:warmup])
    for given_back, chunk in zip(forward, forward[warmup:], strict=False):
        held += bytes_of[chunk]
        peak = max(peak, held)
        held -= bytes_of[chunks - 1 - given_back]
    return peak


def drawn(seed: int) -> dict[str, Any]:
    draw = random.Random(seed)
    stages, chunks = draw.randint(2, 5), draw.randint(1, 4)
    layers = [draw.randint(0, 3) for _ in range(stages * chunks)]
    layers[0] = max(1, layers[0])
    group = draw.choice([stages, stages, stages + 1, 2 * stages])
    layout = "|".join("t" * count for count in layers)
    moe = [draw.randint(0, 1) for _ in range(sum(layers))]
    return {
        **BASE,
        "num_layers": sum(layers),
        "moe_layer_freq": moe,
        "pipeline_model_parallel_size": stages,
        "pipeline_model_parallel_layout": "E" + layout + "L",
        "microbatch_group_size_per_vp_stage": group,
        "num_microbatches": group * draw.randint(1, 4),
    }


@pytest.mark.parametrize("seed", range(60))
def test_stages_hold_what_the_schedule_leaves(rules: RuleSet, seed: int) -> None:
    preset = drawn(seed)
    result = evaluate(rules, preset)
    stages = preset["pipeline_model_parallel_size"]
    by_virtual_stage = result["virtual_stage_activation_bytes"].value
    for stage, held in enumerate(result["stage_activation_bytes"].value):
        chunks = by_virtual_stage[stage::stages]
        group = preset["microbatch_group_size_per_vp_stage"]
        assert held == fullest(chunks, stage, stages, preset["num_microbatches"], group), (stage, preset)


@pytest.mark.parametrize("seed", range(60, 70))
def test_first_backward_pass_finds_what_is_said(rules: RuleSet, seed: int) -> None:
    preset = drawn(seed)
    result = evaluate(rules, preset)
    stages = preset["pipeline_model_parallel_size"]
    chunks = int(result["virtual_pipeline_model_parallel_size"].value)
    order = passes(preset["num_microbatches"], chunks, preset["microbatch_group_size_per_vp_stage"])
    for stage, count in enumerate(result["stage_chunks_in_flight"].value):
        expected = [order[: int(count)].count(chunk) for chunk in range(chunks)]
        assert result["virtual_stage_in_flight"].value[stage::stages] == expected


def test_all_forward_passes_first(rules: RuleSet) -> None:
    preset = {
        **BASE,
        "num_layers": 4,
        "pipeline_model_parallel_size": 2,
        "num_microbatches": 6,
        "pipeline_schedule": "gpipe",
    }
    result = evaluate(rules, preset)
    assert result["stage_chunks_in_flight"].value == [6, 6]
    assert result["stage_activation_bytes"].value == [6 * value for value in result["stage_microbatch_bytes"].value]


def test_recomputed_layers_keep_their_inputs(rules: RuleSet) -> None:
    """Runs of recomputed layers start anew in each model chunk."""
    preset = {
        **BASE,
        "num_experts": 0,
        "num_layers": 12,
        "pipeline_model_parallel_size": 2,
        "virtual_pipeline_model_parallel_size": 2,
        "recompute_granularity": "full",
        "recompute_method": "uniform",
        "recompute_num_layers": 2,
    }
    uniform = evaluate(rules, preset)
    assert uniform["virtual_stage_inputs_kept"].value == [2, 2, 2, 2]
    kept = uniform["recomputed_input_bytes"].value
    assert uniform["virtual_stage_layer_bytes"].value == [2 * kept] * 4
    block = evaluate(rules, {**preset, "recompute_method": "block"})
    whole = block["layer_saved_bytes_dense"].value
    assert block["virtual_stage_layer_bytes"].value == [2 * kept + whole] * 4
