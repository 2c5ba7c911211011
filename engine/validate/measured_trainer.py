"""What a measured run's record says of formats, recomputation, kernels and the trainer that ran it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.validate.measured_words import ATTENTION, COMPUTE, FORMATS, UnknownWord, read

Record = Mapping[str, Any]

TORCHTITAN_COMPILED_LOSS = "2025-01"
"""torchtitan compiles its loss since then: one tensor in fp32 instead of three."""

DEEPSPEED_BUCKETS = 2 * 5.0e8
"""Elements in the buckets for reducing and for gathering of DeepSpeed's ZeRO, by its defaults."""

BLACKWELL = ("b200", "b300", "gb200", "gb300")

BLACKWELL_TORCH = (2, 11)
"""Since this release (pull request 175344) torch gives Blackwell's cards as much work space as Hopper's."""

BLACKWELL_CONTAINER = "2026-05"
"""Megatron's container has such a torch since then."""

OLD_WORKSPACE_BYTES = 8519680.0
"""What torch gave all cards but Hopper's before."""


def precision(record: Record) -> dict[str, Any]:
    """Returns number formats of weights, gradients, moments and matrix products."""
    dtypes = record["dtypes"]
    params = read("dtypes.param", dtypes["param"], FORMATS)
    values = {
        "params_dtype": params,
        "grad_dtype": read("dtypes.grad_buffer", dtypes["grad_buffer"], FORMATS),
        "exp_avg_dtype": read("dtypes.exp_avg", dtypes["exp_avg"], FORMATS),
        "exp_avg_sq_dtype": read("dtypes.exp_avg_sq", dtypes["exp_avg_sq"], FORMATS),
        **read("dtypes.compute", dtypes["compute"], COMPUTE),
    }
    if params == "fp32" and "bf16" in str(dtypes["param"]):
        values["compute_dtype"] = "bf16"
    if "precision-aware" in record["optimizer"]["name"]:
        # The record gives the format that master weights are computed in; whether only the half that the weights lack
        # is kept it leaves open.
        values.update(use_precision_aware_optimizer=True, store_param_remainders=False)
    return values


def recompute(record: Record) -> dict[str, Any]:
    """Returns what is computed again; a number of 0 layers means nothing."""
    written = record["recompute"]
    granularity, method = written["granularity"], written.get("method")
    if granularity is None or (granularity == "full" and written.get("num_layers") == 0):
        return {"recompute_granularity": "none"}
    if granularity == "full":
        if method in ("uniform", "block"):
            layers = written.get("num_layers") or 1
            return {"recompute_granularity": "full", "recompute_method": method, "recompute_num_layers": layers}
        read(
            "recompute.method",
            method,
            ((r"per-block|per decoder layer|activation_checkpoint_interval=1$|None", None),),
        )
        return {"recompute_granularity": "full", "recompute_method": "uniform", "recompute_num_layers": 1}
    if granularity != "selective":
        raise UnknownWord(f"recompute.granularity: nothing is known of {granularity!r}")
    if method is not None:
        read("recompute.method", method, ((r"per-op save list", None),))
        return {"recompute_granularity": "none", "selective_op_recompute": True}
    modules = written.get("modules")
    if isinstance(modules, str):
        modules = modules.strip("[]").replace(",", " ").split()
    return {"recompute_granularity": "selective", "recompute_modules": modules or []}


def kernels(record: Record) -> dict[str, Any]:
    """Returns which implementation runs attention, layers and loss."""
    extras = record["extras"]
    values: dict[str, Any] = dict(read("attention.backend", record["attention"]["backend"], ATTENTION))
    implementation = extras.get("transformer_impl")
    values["transformer_impl"] = implementation or "transformer_engine"
    if values["transformer_impl"] == "local" and record["attention"].get("flash"):
        values["attention_kernel"] = "flash"
    if extras.get("gradient_accumulation_fusion") is not None:
        values["gradient_accumulation_fusion"] = extras["gradient_accumulation_fusion"]
    if extras.get("ce_loss_fusion"):
        values["cross_entropy_loss_fusion"] = True
        values["cross_entropy_fusion_impl"] = read(
            "extras.ce_loss_fusion", extras["ce_loss_fusion"], ((r"te", "te"), (r"native", "native"))
        )
    for name, value in (
        ("deterministic_mode", extras.get("deterministic")),
        ("tp_comm_overlap", extras.get("tp_comm_overlap")),
        ("defer_embedding_wgrad_compute", extras.get("defer_embedding_wgrad_compute")),
        ("wgrad_deferral_limit", extras.get("wgrad_deferral_limit")),
    ):
        if value is not None:
            values[name] = value
    return values


def _age(record: Record) -> str | None:
    """Returns year and month of the code that ran, None where nothing tells it."""
    told = f"{record['framework']['name']} {record['framework'].get('torch', '')}"
    written = re.search(r"\((20\d\d-\d\d)", told)
    if written:
        return written[1]
    if "core_r0.8" in record["framework"]["name"]:
        return "2024-07"
    date = record["source"].get("date")
    return str(date)[:7] if date else None


def _workspace(record: Record, values: Mapping[str, Any], age: str | None) -> dict[str, Any]:
    """Returns the work space of a cuBLAS handle where a card of Blackwell's still has what older cards have."""
    if values.get("device") not in BLACKWELL or values.get("deterministic_mode"):
        return {}
    release = re.match(r"(\d+)\.(\d+)", str(record["framework"].get("torch")))
    if release is None:
        small = age is not None and age < BLACKWELL_CONTAINER
    else:
        small = (int(release[1]), int(release[2])) < BLACKWELL_TORCH
    return {"cublas_workspace_bytes": OLD_WORKSPACE_BYTES} if small else {}


def trainer(record: Record, values: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what follows from the framework that ran, and from its age; `values` is what the rest came to."""
    name, extras = record["framework"]["name"], record["extras"]
    found: dict[str, Any] = {}
    age = _age(record)
    if name.startswith("Megatron"):
        if age is not None:
            found["te_keeps_dummy_gradients"] = age >= "2025-04"
            found["output_layer_keeps_dummy_gradient"] = age >= "2025-08"
            found["cross_entropy_in_place"] = age >= "2024-06"
            found["moe_probs_applied_on_return"] = age < "2025-04"
            found["moe_router_te_gemm"] = age >= "2025-07"
            found["moe_return_by_index_add"] = age >= "2025-11"
            found["functions_are_compiled"] = age >= "2024-01"
        return {**found, **_workspace(record, values, age)}
    found.update(
        gradient_accumulation_fusion=False,
        create_attention_mask_in_dataloader=False,
        transformer_impl="local",
        norm_kernel="transformer_engine",
    )
    if values["position_embedding_type"] == "rope":
        found["apply_rope_fusion"] = True
    if name.startswith("torchtitan"):
        compiled = bool(extras.get("torch_compile"))
        fused = compiled and (age is None or age >= TORCHTITAN_COMPILED_LOSS)
        found.update(compiled_layers=compiled, loss_fp32_buffers=1 if fused else 3)
    if "DeepSpeed" in name:
        found["communication_bucket_bytes"] = DEEPSPEED_BUCKETS * 2
        found["bias_swiglu_fusion"] = False
        found["attention_kernel"] = "flash"
    if "FSDP1" in name:
        found["bias_swiglu_fusion"] = False
        found["attention_kernel"] = "flash"
        found["loss_fp32_buffers"] = 3
    return found
