"""Advice: each symptom of the document, each step in its order, and what the steps come to."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate
from engine.rules import Action

PRESET = Path(__file__).parent.parent.parent / "presets" / "document-7b.yaml"

STEPS = {
    "out_of_memory": [
        "micro_batch_size",
        "recompute_granularity",
        "recompute_granularity",
        "fine_grained_activation_offloading",
        "optimizer_cpu_offload",
        "tensor_model_parallel_size",
        "pipeline_model_parallel_size",
        "context_parallel_size",
    ],
    "states_too_large": [
        "use_distributed_optimizer",
        "sharding",
        "tensor_model_parallel_size",
        "pipeline_model_parallel_size",
    ],
    "last_stage_high": ["micro_batch_size", "tensor_model_parallel_size", ""],
    "reserved_above_allocated": ["expandable_segments", "empty_unused_memory_level"],
    "bubble": ["micro_batch_size", "virtual_pipeline_model_parallel_size"],
    "gemm_efficiency": ["micro_batch_size"],
    "larger_batch": ["global_batch_size"],
    "low_throughput": [
        "overlap_grad_reduce",
        "micro_batch_size",
        "global_batch_size",
        "async_save",
        "recompute_granularity",
    ],
}
"""For each symptom the input that each step turns, in order; sections 5, 7 and, for the allocator, 8."""

LEAVE_ALONE = {
    "out_of_memory": "global_batch_size",
    "states_too_large": "num_microbatches",
    "bubble": "micro_batch_size",
    "larger_batch": "global_batch_size",
}
"""The matrix's column of what not to touch."""


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def after(rules: RuleSet, action: Action, changes: dict[str, Any]) -> Result:
    before = evaluate(rules, Preset.load(PRESET), set=changes)
    values = {name: rules.program.evaluate(it.node, before.resolved.scope) for name, it in action.formulas.items()}
    return evaluate(rules, Preset.load(PRESET), set={**changes, **action.changes, **values})


def shows(rules: RuleSet, symptom: str, changes: dict[str, Any]) -> bool:
    condition = rules.advice[symptom].when
    assert condition is not None
    result = evaluate(rules, Preset.load(PRESET), set=changes)
    return bool(rules.program.evaluate(condition.node, result.resolved.scope))


def test_all_symptoms_are_there(rules: RuleSet) -> None:
    assert set(rules.advice) == set(STEPS)


@pytest.mark.parametrize("symptom", STEPS)
def test_steps_stand_in_the_documents_order(rules: RuleSet, symptom: str) -> None:
    for action, turned in zip(rules.advice[symptom].actions, STEPS[symptom], strict=True):
        assert turned in {*action.changes, *action.formulas, ""}
        assert action.cost


@pytest.mark.parametrize("symptom", LEAVE_ALONE)
def test_what_to_leave_alone(rules: RuleSet, symptom: str) -> None:
    assert LEAVE_ALONE[symptom] in rules.advice[symptom].leave_alone


def test_what_is_to_be_left_alone_does_not_help(rules: RuleSet) -> None:
    plain = evaluate(rules, Preset.load(PRESET))
    for field in ("global_batch_size", "num_microbatches"):
        other = evaluate(rules, Preset.load(PRESET), set={field: plain[field].value * 2})
        assert other["document_peak_bytes"].value == plain["document_peak_bytes"].value


MEMORY = [
    *(("out_of_memory", step) for step in (0, 1, 2, 5, 7)),
    *(("states_too_large", step) for step in (0, 1, 2, 3)),
    *(("last_stage_high", step) for step in (0, 1)),
]
"""Steps that the document's account has formulas for and that lower what they are meant to lower."""


@pytest.mark.parametrize(("symptom", "step"), MEMORY)
def test_a_step_lowers_memory(rules: RuleSet, symptom: str, step: int) -> None:
    changes = {"recompute_granularity": "none"} if symptom == "out_of_memory" else {"use_distributed_optimizer": False}
    action = rules.advice[symptom].actions[step]
    before, now = evaluate(rules, Preset.load(PRESET), set=changes), after(rules, action, changes)
    measured = {"last_stage_high": "document_last_stage_bytes"}.get(symptom, "document_first_stage_bytes")
    assert now[measured].value < before[measured].value
    assert now.verdict != "invalid"
    assert now["world_size"].value == before["world_size"].value
    assert now["global_batch_size"].value == before["global_batch_size"].value


def test_symptoms_show(rules: RuleSet) -> None:
    assert shows(rules, "out_of_memory", {"micro_batch_size": 8})
    assert not shows(rules, "out_of_memory", {})
    assert shows(rules, "states_too_large", {"use_distributed_optimizer": False, "num_layers": 128})
    assert not shows(rules, "states_too_large", {"micro_batch_size": 8})
    assert shows(rules, "last_stage_high", {"padded_vocab_size": 1282560})
    assert not shows(rules, "last_stage_high", {})
    assert shows(rules, "bubble", {"global_batch_size": 256})
    assert not shows(rules, "bubble", {})
