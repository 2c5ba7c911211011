"""Words of measured runs' records: what is known is read, what is not is an error that names it."""

from __future__ import annotations

from typing import Any

import pytest

from engine.validate.measured import comparisons, family, framework, preset, stage
from engine.validate.measured_words import CARDS, COMPUTE, SHARDINGS, UnknownWord, read

RECORD: dict[str, Any] = {
    "id": "a-run",
    "source": {"repo": "some/runs", "date": "2025-03-01"},
    "framework": {"name": "Megatron-LM core"},
    "gpu": "H100-80GB",
    "model": {
        "layers": 4,
        "hidden": 512,
        "heads": 8,
        "kv_heads": 2,
        "head_dim": 64,
        "ffn_hidden": 1024,
        "activation": "swiglu",
        "norm": "RMSNorm",
        "linear_bias": "qkv only",
        "qk_norm": False,
        "position_embedding": "rope",
        "max_position_embeddings": None,
        "padded_vocab": 1024,
        "tied_embeddings": False,
        "moe": {
            "num_experts": 4,
            "topk": 2,
            "moe_ffn_hidden": 256,
            "shared_expert_ffn": 0,
            "layer_pattern": "first 1 dense",
            "dispatcher": "alltoall",
            "grouped_gemm": True,
            "permute_fusion": False,
            "capacity_factor": None,
            "load_balancing": "aux_loss",
        },
        "mla": None,
        "mtp_layers": 0,
    },
    "seq_length": 128,
    "micro_batch": 2,
    "global_batch": 16,
    "parallel": {"tp": 1, "sp": True, "pp": 1, "vpp": 1, "cp": 1, "ep": 2, "etp": 1, "dp": 4, "world": 4},
    "optimizer": {"name": "adam", "sharding": "distributed_optimizer", "shards_dense": 2},
    "dtypes": {"param": "bf16", "grad_buffer": "fp32", "exp_avg": "fp32", "exp_avg_sq": "fp32", "compute": "bf16"},
    "recompute": {"granularity": "selective", "method": None, "num_layers": None, "modules": "[layernorm moe_act]"},
    "attention": {"backend": "auto", "flash": True},
    "dropout": {"hidden": 0.0, "attention": 0.0},
    "extras": {"transformer_impl": "transformer_engine", "ce_loss_fusion": "te"},
    "measured": {"quantity": "max_allocated", "stage": 0, "value_bytes": 1000, "steady_allocated_bytes": 600},
}


def changed(**sections: dict[str, Any]) -> dict[str, Any]:
    return {
        **RECORD,
        **{name: {**RECORD[name], **changes} for name, changes in sections.items() if isinstance(RECORD[name], dict)},
    }


def test_a_record() -> None:
    values = preset(RECORD)
    expected = {
        "group_query_attention": True,
        "swiglu": True,
        "normalization": "rmsnorm",
        "add_bias_linear": False,
        "add_qkv_bias": True,
        "moe_layer_freq": [0, 1, 1, 1],
        "sequence_parallel": False,  # without tensor parallelism it does nothing
        "sharding": "zero1",
        "num_distributed_optimizer_instances": 2,
        "recompute_granularity": "selective",
        "recompute_modules": ["layernorm", "moe_act"],
        "cross_entropy_fusion_impl": "te",
        "te_keeps_dummy_gradients": False,  # a month too early
        "moe_probs_applied_on_return": True,
        "cross_entropy_in_place": True,
        "device": "h100-80gb",
        "global_batch_size": 16,
    }
    assert {name: values[name] for name in expected} == expected
    assert comparisons(RECORD) == [
        ("max_allocated_bytes", "stage_peak_bytes", 1000.0),
        ("steady_allocated_bytes", "stage_steady_bytes", 600.0),
    ]
    assert (stage(RECORD), family(RECORD), framework(RECORD)) == (0, "moe", "Megatron")


@pytest.mark.parametrize(
    ("framework", "date", "gpu", "deterministic", "expected"),
    [
        ({"torch": "2.10.0a0"}, None, "B200-SXM", False, 8519680),
        ({"torch": "2.12.0"}, None, "B200-SXM", False, None),
        ({}, "2026-04-16", "GB200", False, 8519680),
        ({}, "2026-06-18", "GB200", False, None),
        ({}, "2026-04-16", "GB200", True, None),
        ({}, "2026-04-16", "H100-80GB", False, None),
    ],
)
def test_the_work_space_of_blackwell(
    framework: dict[str, str], date: str | None, gpu: str, deterministic: bool, expected: int | None
) -> None:
    record = changed(framework=framework, source={"date": date}, extras={"deterministic": deterministic}) | {"gpu": gpu}
    assert preset(record).get("cublas_workspace_bytes") == expected


def test_zero_layers_recomputed_is_no_recomputation() -> None:
    record = changed(recompute={"granularity": "full", "method": "block", "num_layers": 0})
    assert preset(record)["recompute_granularity"] == "none"


def test_the_fullest_stage() -> None:
    assert stage(changed(measured={"stage": "max over stages"})) is None
    assert stage(changed(measured={"stage": "last"})) == -1


@pytest.mark.parametrize(
    ("sections", "field"),
    [
        ({"model": {"activation": "tanh"}}, "model.activation"),
        ({"model": {"norm": "BatchNorm"}}, "model.norm"),
        ({"model": {"linear_bias": "some"}}, "model.linear_bias"),
        ({"model": {"moe": {**RECORD["model"]["moe"], "layer_pattern": "odd"}}}, "model.moe.layer_pattern"),
        ({"model": {"moe": {**RECORD["model"]["moe"], "dispatcher": "pigeon"}}}, "model.moe.dispatcher"),
        ({"model": {"moe": {**RECORD["model"]["moe"], "load_balancing": "luck"}}}, "model.moe.load_balancing"),
        ({"optimizer": {"sharding": "by hand"}}, "optimizer.sharding"),
        ({"dtypes": {"param": "int4"}}, "dtypes.param"),
        ({"dtypes": {"compute": "int8"}}, "dtypes.compute"),
        ({"recompute": {"granularity": "some"}}, "recompute.granularity"),
        ({"recompute": {"granularity": "full", "method": "by mood"}}, "recompute.method"),
        ({"attention": {"backend": "none at all"}}, "attention.backend"),
        ({"extras": {"ce_loss_fusion": "other"}}, "extras.ce_loss_fusion"),
        ({"measured": {"quantity": "guessed"}}, "measured.quantity"),
        ({"measured": {"stage": "somewhere"}}, "measured.stage"),
    ],
)
def test_unknown_words_are_named(sections: dict[str, dict[str, Any]], field: str) -> None:
    record = changed(**sections)
    with pytest.raises(UnknownWord, match=f"^{field}: nothing is known of"):
        preset(record)
        comparisons(record)
        stage(record)


def test_unknown_card() -> None:
    with pytest.raises(UnknownWord, match=r"^gpu: nothing is known of 'abacus'"):
        preset({**RECORD, "gpu": "abacus"})


@pytest.mark.parametrize(
    ("phrase", "table", "meaning"),
    [
        ("H100-96GB (HBM2e)", CARDS, {"device": "h100-96gb"}),
        ("H20-141GB", CARDS, {"device": "h20-141gb"}),
        ("B200-SXM", CARDS, {"device": "b200"}),
        ("unstated (8 GPUs, one node)", CARDS, {"gpu_architecture": "hopper"}),
        ("fp8 hybrid (delayed scaling)", COMPUTE, {"fp8_mode": "hybrid", "fp8_recipe": "delayed"}),
        ("float8 linears + bf16", COMPUTE, {}),
        ("fsdp2 (params, grads, optimizer)", SHARDINGS, {"sharding": "fsdp2"}),
        ("fsdp full shard", SHARDINGS, {"sharding": "zero3"}),
        ("megatron_fsdp_optim_grads_params", SHARDINGS, {"sharding": "megatron_fsdp"}),
    ],
)
def test_first_pattern_that_matches_wins(phrase: str, table: Any, meaning: dict[str, Any]) -> None:
    assert read("field", phrase, table) == meaning
