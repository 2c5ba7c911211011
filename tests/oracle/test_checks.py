"""Every check: a configuration in which it fails, what it says, and tests of its own for each outcome."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate

PRESETS = Path(__file__).parent.parent.parent / "presets"
DATA = Path(__file__).parent.parent / "data"


DENSE: dict[str, dict[str, Any]] = {
    "check_world_size_divisible": {"world_size": 250},
    "check_world_size_consistent": {"world_size": 256, "data_parallel_size": 32},
    "check_expert_world_size_divisible": {"expert_tensor_parallel_size": 3},
    "check_heads_divisible_by_tp": {"tensor_model_parallel_size": 64},
    "check_query_groups_tp": {"tensor_model_parallel_size": 16, "megatron_core_version": "core_0_15"},
    "check_sequence_parallel_needs_tp": {"tensor_model_parallel_size": 1},
    "check_ffn_divisible_by_tp": {"ffn_hidden_size": 14337},
    "check_vocabulary_divisible_by_tp": {"padded_vocab_size": 128257},
    "check_vocabulary_consistent": {"vocab_size": 128000, "padded_vocab_size": 128256},
    "check_context_parallel_sequence": {"context_parallel_size": 4, "seq_length": 4100},
    "check_sequence_parallel_sequence": {"seq_length": 4097},
    "check_layers_divisible_by_pp": {"pipeline_model_parallel_size": 3},
    "check_layers_divisible_by_vpp": {"virtual_pipeline_model_parallel_size": 3},
    "check_virtual_pipeline_consistent": {
        "virtual_pipeline_model_parallel_size": 4,
        "num_layers_per_virtual_pipeline_stage": 2,
    },
    "check_layer_placement_total": {"decoder_first_pipeline_num_layers": 20, "decoder_last_pipeline_num_layers": 10},
    "check_placement_exclusive": {
        "decoder_first_pipeline_num_layers": 16,
        "account_for_loss_in_pipeline_split": True,
    },
    "check_layout_stages": {"pipeline_model_parallel_layout": "Et*10|t*10|t*12L"},
    "check_layout_ends": {"pipeline_model_parallel_layout": "Et*16|t*16"},
    "check_layout_mtp": {"pipeline_model_parallel_layout": "Et*16|t*16mL"},
    "check_one_activation": {"swiglu": True, "squared_relu": True},
    "check_mtp_positions": {"mtp_num_layers": 1, "position_embedding_type": "learned_absolute"},
    "check_interleaving_needs_pipeline": {
        "virtual_pipeline_model_parallel_size": 2,
        "pipeline_model_parallel_size": 1,
    },
    "check_interleaved_microbatches": {"virtual_pipeline_model_parallel_size": 2, "global_batch_size": 128},
    "check_global_batch_divisible": {"global_batch_size": 1000},
    "check_batch_consistent": {"global_batch_size": 1024, "num_microbatches": 4},
    "check_evaluation_batch_divisible": {"eval_micro_batch_size": 3},
    "check_mla_without_gqa": {"multi_latent_attention": True},
    "check_mla_recompute": {"recompute_modules": ["mla_up_proj"]},
    "check_latent_experts_modelled": {"moe_latent_size": 1024},
    "check_full_recompute_method": {"recompute_granularity": "full"},
    "check_selective_recompute_method": {"recompute_method": "uniform"},
    "check_distributed_activations": {"distribute_saved_activations": True},
    "check_fp8_recompute": {"fp8_mode": "hybrid", "recompute_modules": ["layernorm"]},
    "check_selective_recompute_modelled": {"recompute_modules": ["layernorm"]},
    "check_score_matrix_not_counted": {"recompute_granularity": None},
    "check_offload_without_pipeline": {"cpu_offloading_num_layers": 4},
    "check_offload_leaves_a_layer": {"cpu_offloading_num_layers": 32},
    "check_offload_without_recompute": {"cpu_offloading_num_layers": 4},
    "check_offload_one_kind": {"cpu_offloading_num_layers": 4, "fine_grained_activation_offloading": True},
    "check_offload_modelled": {"fine_grained_activation_offloading": True},
    "check_param_gather_overlap": {"overlap_param_gather": True},
    "check_graphs_with_expandable_segments": {"cuda_graph_impl": "transformer_engine", "expandable_segments": True},
    "check_sharding_matches_flags": {"sharding": "ddp"},
    "check_fsdp2_layout": {"sharding": "fsdp2", "use_distributed_optimizer": False},
    "check_device_usable_known": {"device": "B200"},
    "check_tp_within_fast_link_domain": {"tensor_model_parallel_size": 16},
    "check_gradients_stay_whole": {},
    "check_log_leaves_out_logits": {},
    "check_stages_relieve_no_activations": {"micro_batch_size": 8},
    "check_interleaving_costs_memory": {"virtual_pipeline_model_parallel_size": 2},
    "check_few_microbatches": {"global_batch_size": 128},
    "check_eighteen_bytes": {"grad_reduce_in_bf16": True},
    "check_two_activation_formulas": {"recompute_granularity": "full"},
    "check_parameters_not_by_thumb": {"untie_embeddings_and_output_weights": True},
    "check_vocabulary_on_end_stages": {"padded_vocab_size": 256512},
    "check_microbatches_no_memory_knob": {"micro_batch_size": 8},
    "check_evaluation_fits": {"eval_micro_batch_size": 64},
}
"""For each check a change of the dense preset with which it fails."""

MOE: dict[str, dict[str, Any]] = {
    "check_experts_divisible_by_ep": {"num_experts": 100},
    "check_moe_tp_needs_sp": {"sequence_parallel": False},
    "check_shared_expert_recompute": {"recompute_modules": ["shared_experts"], "moe_shared_expert_overlap": True},
    "check_shared_experts_without_bias": {"add_bias_linear": True},
    "check_expert_ffn_divisible_by_etp": {"moe_ffn_hidden_size": 2047, "expert_tensor_parallel_size": 2},
}
"""The same for the preset with experts."""

FAILING = {
    **{id: ("document-7b", changes) for id, changes in DENSE.items()},
    **{id: ("deepseek-v3", changes) for id, changes in MOE.items()},
}

OUTCOMES = {"pass", "fail", "unknown"}


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def evaluated(rules: RuleSet, name: str, changes: dict[str, Any]) -> Result:
    return evaluate(rules, Preset.load(PRESETS / f"{name}.yaml"), set=changes)


@pytest.mark.parametrize("id", FAILING)
def test_check_fails(rules: RuleSet, id: str) -> None:
    name, changes = FAILING[id]
    result = evaluated(rules, name, changes)
    outcome = next(check for check in result.checks if check.id == id)
    assert outcome.status == "fail"
    assert outcome.message
    assert "unknown" not in outcome.message
    assert "{" not in outcome.message + (outcome.hint or "")
    assert (result.verdict == "invalid") >= (outcome.level == "error")


NOTHING_TO_PROPOSE = {"check_layout_ends", "check_latent_experts_modelled"}
"""A layout is a text, and leaving an input out is no value of it."""


@pytest.mark.parametrize("id", FAILING)
def test_every_value_that_a_failed_check_proposes_passes(rules: RuleSet, id: str) -> None:
    name, changes = FAILING[id]
    outcome = next(check for check in evaluated(rules, name, changes).checks if check.id == id)
    assert bool(outcome.nearest) == (outcome.level != "note" and id not in NOTHING_TO_PROPOSE)
    for field, values in outcome.nearest.items():
        for value in values:
            mended = evaluated(rules, name, {**changes, field: value})
            assert next(check.status for check in mended.checks if check.id == id) == "pass", (field, value)


def test_what_the_cited_code_built_is_refused_by_no_check(rules: RuleSet) -> None:
    """233 recorded models, layouts and chunks among them, with as many micro-batches as interleaving asks for."""
    with lzma.open(DATA / "oracle_params.json.xz", "rt", encoding="utf-8") as file:
        records = json.load(file)["records"]
    refused = []
    for record in records:
        flags = {**record["args"], "world-size": record["world_size"]}
        stages = record["args"].get("pipeline-model-parallel-size", 1)
        result = evaluate(rules, Preset.from_megatron_flags(flags, rules), set={"num_microbatches": stages})
        refused += [(record["name"], check.message) for check in result.failed_checks if check.level == "error"]
    assert refused == []


def test_every_check_has_a_failing_configuration(rules: RuleSet) -> None:
    assert set(rules.checks) == set(FAILING)


def test_the_checks_tests_take_each_outcome(rules: RuleSet) -> None:
    """A check whose inputs all have stand-ins is never unknown."""
    for check in rules.checks.values():
        read = [rules.slots[name] for name in rules.graph.ancestors([check.id]) if name in rules.slots]
        may_miss = any(item.required or (item.either and not _stands(item)) for item in read)
        tested = {test.expect for test in check.tests}
        assert tested == (OUTCOMES if may_miss else OUTCOMES - {"unknown"}) or tested == OUTCOMES, check.id


def _stands(item: Any) -> bool:
    return item.default is not None or item.default_formula is not None or item.absent is not None


def test_remarks_on_the_worked_example(rules: RuleSet) -> None:
    """Two of the document's pitfalls make a difference to its own example; the notes carry the ledger's figures."""
    failed = {check.id: check.message for check in evaluated(rules, "document-7b", {}).failed_checks}
    assert set(failed) == {"check_gradients_stay_whole", "check_log_leaves_out_logits"}
    result = evaluated(rules, "document-7b", {})
    gradients, loss = max(result["stage_gradients_bytes"].value), max(result["stage_loss_bytes"].value)
    assert f"{gradients / 1e9:.2f} GB" in failed["check_gradients_stay_whole"]
    assert f"{loss / 1e9:.2f} GB" in failed["check_log_leaves_out_logits"]


@pytest.mark.parametrize(
    ("changes", "failing"),
    [
        ({"world_size": 2}, {"check_world_size_divisible", "check_expert_world_size_divisible"}),
        ({"global_batch_size": 1}, {"check_global_batch_divisible"}),
        ({"num_layers_per_virtual_pipeline_stage": 100}, {"check_virtual_pipeline_consistent"}),
    ],
)
def test_too_few_of_something_still_shows_what_a_rank_would_hold(
    rules: RuleSet, changes: dict[str, Any], failing: set[str]
) -> None:
    result = evaluated(rules, "document-7b", changes)
    assert {check.id for check in result.failed_checks if check.level == "error"} == failing
    assert result["peak_bytes"].value > 0
    assert result.verdict == "invalid"
