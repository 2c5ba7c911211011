"""The training log's view against 600 recorded runs of the cited function."""

from __future__ import annotations

import json
import lzma
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate

DATA = Path(__file__).parent.parent / "data" / "megatron-e03878b5f.jsonl.xz"

RELATIVE = 1e-12

WEIGHTS = "compute_weight_and_optimizer_memory"
WITH_SP = "compute_activation_memory"
WITHOUT_SP = "compute_activation_memory_without_sp"

INTERMEDIATES = {
    (WEIGHTS, "query_projection_size"): "query_projection_size",
    (WEIGHTS, "norm_size"): "norm_size",
    (WEIGHTS, "self_attn_term"): "attention_params_per_layer",
    (WEIGHTS, "embedding_size"): "embedding_params",
    (WEIGHTS, "final_layernorm"): "final_layernorm_params",
    (WEIGHTS, "num_parameters_in_embedding_layers"): "embedding_and_output_params",
    (WEIGHTS, "dense_mlp_params"): "dense_mlp_params",
    (WEIGHTS, "shared_expert_params"): "shared_expert_params",
    (WEIGHTS, "routed_expert_params"): "routed_expert_params",
    (WEIGHTS, "active_routed_expert_params"): "active_routed_expert_params",
    (WEIGHTS, "layernorm_params"): "layernorm_params",
    (WEIGHTS, "router_params"): "router_params",
    (WEIGHTS, "shared_expert_gate_params"): "shared_expert_gate_params",
    (WEIGHTS, "num_dense_layers"): "num_dense_layers",
    (WEIGHTS, "num_moe_layers"): "num_moe_layers",
    (WEIGHTS, "num_parameters_in_transformer_layer_dense"): "dense_layer_params",
    (WEIGHTS, "num_parameters_in_transformer_layer_moe"): "moe_layer_params",
    (WEIGHTS, "num_parameters_in_transformer_block"): "transformer_block_params",
    (WEIGHTS, "num_active_parameters_in_transformer_block"): "active_transformer_block_params",
    (WEIGHTS, "num_parameters_in_mtp_block"): "mtp_block_params",
    (WEIGHTS, "num_total_parameters"): "log_total_parameters",
    (WEIGHTS, "num_active_parameters"): "log_active_parameters",
    (WEIGHTS, "expert_data_parallel_size"): "expert_data_parallel_size",
    (WEIGHTS, "tp_sharded_params_on_most_loaded_shard"): "tp_sharded_params_on_most_loaded_shard",
    (WEIGHTS, "replicated_params_on_most_loaded_shard"): "replicated_params_on_most_loaded_shard",
    (WEIGHTS, "expert_sharded_params_on_most_loaded_shard"): "expert_sharded_params_on_most_loaded_shard",
    (WEIGHTS, "num_parameters_on_most_loaded_model_shard"): "log_most_loaded_shard_parameters",
    (WEIGHTS, "num_parameters_on_other_model_shards"): "log_other_shard_parameters",
    (WEIGHTS, "weight_and_optimizer_memory"): "log_weight_and_optimizer_bytes",
    (WEIGHTS, "returned"): "log_weight_and_optimizer_bytes",
    (WITH_SP, "activation_memory"): "log_first_stage_bytes_with_sp",
    (WITH_SP, "interleaved_schedule_memory_penalty"): "interleaved_schedule_memory_penalty",
    (WITH_SP, "in_flight_microbatches"): "log_in_flight_microbatches",
    (WITH_SP, "returned"): "log_activation_bytes",
    (WITHOUT_SP, "per_layer_memory"): "log_layer_bytes_without_sp",
    (WITHOUT_SP, "total_activation_memory"): "log_activation_bytes_without_sp",
    (WITHOUT_SP, "interleaved_schedule_memory_penalty"): "interleaved_schedule_memory_penalty",
    (WITHOUT_SP, "in_flight_microbatches"): "log_in_flight_microbatches",
    (WITHOUT_SP, "returned"): "log_activation_bytes",
}
"""Rule that stands for each local variable of the cited functions."""

RESULTS = {
    "weight_and_optimizer_mib": "log_weight_and_optimizer_mib",
    "activation_mib": "log_activation_mib",
    "total_mib": "log_total_mib",
    "num_microbatches": "num_microbatches",
}
"""Rule or input that stands for each recorded result."""

Run = tuple[dict[str, Any], Result]


@pytest.fixture(scope="module")
def runs() -> list[Run]:
    rules = RuleSet.load()
    with lzma.open(DATA, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [(record, evaluate(rules, Preset(record["args"]))) for record in records]


def test_all_runs_are_there(runs: list[Run]) -> None:
    assert len(runs) == 600


@pytest.mark.parametrize("key", RESULTS)
def test_results(runs: list[Run], key: str) -> None:
    assert not list(_misses((record["id"], record[key], result[RESULTS[key]].value) for record, result in runs))


def test_every_recorded_variable_has_a_rule(runs: list[Run]) -> None:
    recorded = {(name, key) for record, _ in runs for name, keys in record["intermediates"].items() for key in keys}
    assert recorded == set(INTERMEDIATES)


@pytest.mark.parametrize(("function", "variable"), INTERMEDIATES)
def test_intermediates(runs: list[Run], function: str, variable: str) -> None:
    id = INTERMEDIATES[function, variable]
    compared = [
        (record["id"], record["intermediates"][function][variable], result[id].value)
        for record, result in runs
        if variable in record["intermediates"].get(function, {})
    ]
    assert compared
    assert not list(_misses(compared))


def test_no_other_shard_with_one_stage(runs: list[Run]) -> None:
    single = [result for record, result in runs if record["args"]["pipeline_model_parallel_size"] == 1]
    assert single
    assert all(result["log_other_shard_parameters"].value == 0 for result in single)


def test_failed_checks_do_not_stop_values(runs: list[Run]) -> None:
    """Some records are layouts that Megatron-LM refuses; the estimator, and so the view, has values for them too."""
    refused = [result for _, result in runs if any(check.status == "fail" for check in result.checks)]
    assert refused
    assert all(result["log_total_mib"].value > 0 for result in refused)


def _misses(compared: Any) -> Iterator[str]:
    """Yields what differs: whole numbers must be equal, others agree within the relative tolerance."""
    for id, recorded, found in compared:
        exact = float(recorded).is_integer() and abs(recorded) < 2**53
        if not (found == recorded if exact else math.isclose(found, recorded, rel_tol=RELATIVE, abs_tol=0.0)):
            yield f"{id}: recorded {recorded!r}, found {found!r}"
