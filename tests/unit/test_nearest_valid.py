"""The values that a failed check proposes: with each of them it holds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate

PRESETS = Path(__file__).parent.parent.parent / "presets"

DENSE, MOE = "document-7b", "deepseek-v3"

BROKEN: list[tuple[str, dict[str, Any]]] = [
    (DENSE, {"global_batch_size": 1000}),
    (DENSE, {"global_batch_size": 5}),
    (DENSE, {"world_size": 250}),
    (DENSE, {"world_size": 250, "data_parallel_size": 64}),
    (DENSE, {"tensor_model_parallel_size": 1}),
    (DENSE, {"tensor_model_parallel_size": 7}),
    (DENSE, {"tensor_model_parallel_size": 16, "megatron_core_version": "core_0_15"}),
    (DENSE, {"num_query_groups": 3}),
    (DENSE, {"pipeline_model_parallel_size": 3}),
    (DENSE, {"virtual_pipeline_model_parallel_size": 5}),
    (DENSE, {"num_layers_per_virtual_pipeline_stage": 3}),
    (DENSE, {"virtual_pipeline_model_parallel_size": 4, "global_batch_size": 128}),
    (DENSE, {"seq_length": 8191}),
    (DENSE, {"context_parallel_size": 3}),
    (DENSE, {"decoder_first_pipeline_num_layers": 32}),
    (DENSE, {"decoder_first_pipeline_num_layers": 8, "account_for_loss_in_pipeline_split": True}),
    (DENSE, {"multi_latent_attention": True}),
    (DENSE, {"cpu_offloading_num_layers": 32}),
    (DENSE, {"vocab_size": 128256, "padded_vocab_size": 128255}),
    (DENSE, {"eval_micro_batch_size": 3}),
    (DENSE, {"cuda_graph_impl": "transformer_engine", "expandable_segments": True}),
    (MOE, {"expert_model_parallel_size": 60}),
    (MOE, {"num_experts": 100}),
    (MOE, {"global_batch_size": 10000}),
    (MOE, {"pipeline_model_parallel_size": 7}),
    (MOE, {"sequence_parallel": False}),
    (MOE, {"num_layers": 60}),
]


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def evaluated(rules: RuleSet, name: str, changes: dict[str, Any]) -> Result:
    return evaluate(rules, Preset.load(PRESETS / f"{name}.yaml"), set=changes)


@pytest.mark.parametrize(("name", "changes"), BROKEN, ids=lambda value: str(value))
def test_every_proposed_value_passes(rules: RuleSet, name: str, changes: dict[str, Any]) -> None:
    failed = [check for check in evaluated(rules, name, changes).failed_checks if check.level == "error"]
    assert failed
    for check in failed:
        assert check.nearest
        for field, values in check.nearest.items():
            for value in values:
                mended = evaluated(rules, name, {**changes, field: value})
                status = {other.id: other.status for other in mended.checks}
                assert status[check.id] == "pass", (check.id, field, value)


@pytest.mark.parametrize(
    ("changes", "check", "field", "values"),
    [
        ({"global_batch_size": 1000}, "check_global_batch_divisible", "global_batch_size", (896, 1024)),
        ({"tensor_model_parallel_size": 7}, "check_heads_divisible_by_tp", "tensor_model_parallel_size", (4, 8)),
        ({"pipeline_model_parallel_size": 3}, "check_layers_divisible_by_pp", "num_layers", (30, 33)),
        ({"tensor_model_parallel_size": 1}, "check_sequence_parallel_needs_tp", "sequence_parallel", (False,)),
    ],
)
def test_nearest(rules: RuleSet, changes: dict[str, Any], check: str, field: str, values: tuple[Any, ...]) -> None:
    outcome = next(outcome for outcome in evaluated(rules, DENSE, changes).failed_checks if outcome.id == check)
    assert outcome.nearest[field] == values


def test_a_value_far_away_is_found_by_what_it_must_divide(rules: RuleSet) -> None:
    changes = {"world_size": 2**18, "global_batch_size": 1}
    outcome = evaluated(rules, DENSE, changes).failed_checks[0]
    assert outcome.id == "check_global_batch_divisible"
    assert outcome.nearest["global_batch_size"] == (2**17,)


def test_a_value_that_breaks_nothing_else_comes_first(rules: RuleSet) -> None:
    """6 divides the padded vocabulary, but neither the heads nor the ranks."""
    failed = evaluated(rules, DENSE, {"tensor_model_parallel_size": 7}).failed_checks
    outcome = next(outcome for outcome in failed if outcome.id == "check_vocabulary_divisible_by_tp")
    assert outcome.nearest["tensor_model_parallel_size"] == (4, 8)


def test_notes_and_checks_that_hold_propose_nothing(rules: RuleSet) -> None:
    result = evaluated(rules, DENSE, {"recompute_granularity": None})
    notes = [check for check in result.checks if check.level == "note" or check.status != "fail"]
    assert any(check.status == "fail" for check in notes)
    assert all(not check.nearest for check in notes)
