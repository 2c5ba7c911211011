"""Reads measured training runs: the names and words of their records become a preset.

A record says what a run was, in its own names; launch flags that it does not state are read off the launch files of its
source (`SOURCES`), and what depends on the age of a framework off the date of the code it ran.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from engine.validate.measured_trainer import Record, kernels, precision, recompute, trainer
from engine.validate.measured_words import (
    ACTIVATIONS,
    BIASES,
    CARDS,
    CONTEXT_EXCHANGE,
    DISPATCHERS,
    LOAD_BALANCING,
    NORMS,
    POSITIONS,
    SHARDINGS,
    UnknownWord,
    read,
)

QUANTITIES = {
    "max_allocated": ("max_allocated_bytes", "stage_peak_bytes"),
    "max_reserved": ("max_reserved_bytes", "stage_reserved_bytes"),
}
"""Name of each measured quantity in a report, and the rule that predicts it."""

STEADY = ("steady_allocated_bytes", "stage_steady_bytes")

SOURCES: Mapping[str, Mapping[str, Any]] = {
    "MooreThreads/SimuMax": {"create_attention_mask_in_dataloader": False, "moe_router_pre_softmax": True},
    "NVIDIA-NeMo/Megatron-Bridge": {"create_attention_mask_in_dataloader": False},
}
"""Launch flags that all launch files of a source set and its records do not state."""

DROPLESS_IMBALANCE = 1.05
"""Tokens on the fullest rank over an equal share where none is dropped: the low end of what such runs show."""


def preset(record: Record) -> dict[str, Any]:
    """Returns the input values that a measured run's record comes to.

    Raises:
        UnknownWord: a phrase or field that nothing is known of.
    """
    values: dict[str, Any] = {
        **_model(record["model"]),
        **_parallel(record),
        **precision(record),
        **recompute(record),
        **kernels(record),
        **read("gpu", record["gpu"], CARDS),
        **SOURCES.get(record["source"]["repo"], {}),
        "seq_length": record["seq_length"],
        "micro_batch_size": record["micro_batch"],
        "hidden_dropout": record["dropout"]["hidden"],
        "attention_dropout": record["dropout"]["attention"],
        "saves_checkpoint": False,
    }
    values.update(trainer(record, values))
    return values


def comparisons(record: Record) -> list[tuple[str, str, float]]:
    """Returns what was measured: name of the quantity, rule that predicts it, bytes."""
    measured = record["measured"]
    quantity = measured["quantity"]
    if quantity not in QUANTITIES:
        raise UnknownWord(f"measured.quantity: nothing is known of {quantity!r}")
    found = [(*QUANTITIES[quantity], float(measured["value_bytes"]))]
    if measured.get("steady_allocated_bytes") is not None:
        found.append((*STEADY, float(measured["steady_allocated_bytes"])))
    return found


def stage(record: Record) -> int | None:
    """Returns the pipeline stage that was measured, -1 for the last and None for the fullest one."""
    place = record["measured"]["stage"]
    if isinstance(place, int):
        return place
    if str(place) in ("first", "last"):
        return 0 if place == "first" else -1
    if str(place).startswith("max"):
        return None
    raise UnknownWord(f"measured.stage: nothing is known of {place!r}")


def family(record: Record) -> str:
    """Returns the family of architectures that a record belongs to."""
    kind = "moe" if record["model"].get("moe") else "dense"
    return f"{kind} with latent attention" if record["model"].get("mla") else kind


def framework(record: Record) -> str:
    """Returns the framework of a run, without its version."""
    name = record["framework"]["name"]
    if record["source"]["repo"] == "MooreThreads/SimuMax":
        return "SimuMax"
    return "Megatron" if name.startswith("Megatron") else re.split(r"[ (]", name)[0]


def _model(model: Record) -> dict[str, Any]:
    values: dict[str, Any] = {
        "num_layers": model["layers"],
        "hidden_size": model["hidden"],
        "num_attention_heads": model["heads"],
        "group_query_attention": model["kv_heads"] != model["heads"],
        "num_query_groups": model["kv_heads"],
        "kv_channels": model["head_dim"],
        "ffn_hidden_size": model["ffn_hidden"],
        "normalization": read("model.norm", model["norm"], NORMS),
        "qk_layernorm": model["qk_norm"],
        "position_embedding_type": read("model.position_embedding", model["position_embedding"], POSITIONS),
        "max_position_embeddings": model["max_position_embeddings"],
        "padded_vocab_size": model["padded_vocab"],
        "untie_embeddings_and_output_weights": not model["tied_embeddings"],
        "mtp_num_layers": model["mtp_layers"],
        **read("model.activation", model["activation"], ACTIVATIONS),
        **read("model.linear_bias", model["linear_bias"], BIASES),
    }
    if model.get("mla"):
        latent = model["mla"]
        values.update(
            multi_latent_attention=True,
            q_lora_rank=latent["q_lora_rank"],
            kv_lora_rank=latent["kv_lora_rank"],
            qk_head_dim=latent["qk_head_dim"],
            qk_pos_emb_head_dim=latent["qk_rope_head_dim"],
            v_head_dim=latent["v_head_dim"],
        )
    if model.get("moe"):
        values.update(_experts(model["moe"], model["layers"]))
    return values


def _experts(moe: Record, layers: int) -> dict[str, Any]:
    values: dict[str, Any] = {
        "num_experts": moe["num_experts"],
        "moe_router_topk": moe["topk"],
        "moe_ffn_hidden_size": moe["moe_ffn_hidden"],
        "moe_shared_expert_intermediate_size": moe["shared_expert_ffn"],
        "moe_layer_freq": _expert_layers(moe["layer_pattern"], layers),
        "moe_token_dispatcher_type": read("model.moe.dispatcher", moe["dispatcher"] or "alltoall", DISPATCHERS),
        "moe_grouped_gemm": moe["grouped_gemm"],
        "moe_permute_fusion": moe["permute_fusion"],
        "moe_expert_capacity_factor": moe["capacity_factor"],
        "moe_pad_expert_input_to_capacity": bool(moe.get("pad_to_capacity")),
        "moe_shared_expert_overlap": bool(moe.get("shared_expert_overlap")),
    }
    if moe["load_balancing"]:
        values.update(read("model.moe.load_balancing", moe["load_balancing"], LOAD_BALANCING))
        if values.get("moe_aux_loss_coeff") and not moe["capacity_factor"]:
            values["moe_load_imbalance_factor"] = DROPLESS_IMBALANCE
    return values


def _expert_layers(pattern: Any, layers: int) -> int | list[int]:
    """Returns which layers hold experts."""
    if isinstance(pattern, list):
        return pattern
    if pattern == "all":
        return 1
    if dense := re.fullmatch(r"first (\d+) dense", str(pattern)):
        return [0] * int(dense[1]) + [1] * (layers - int(dense[1]))
    if every := re.fullmatch(r"every (\d+)(th|nd|rd)?( layer)?", str(pattern)):
        return int(every[1])
    raise UnknownWord(f"model.moe.layer_pattern: nothing is known of {pattern!r}")


def _parallel(record: Record) -> dict[str, Any]:
    parallel, extras = record["parallel"], record["extras"]
    values = {
        "tensor_model_parallel_size": parallel["tp"],
        "sequence_parallel": bool(parallel["sp"]) and parallel["tp"] > 1,
        "pipeline_model_parallel_size": parallel["pp"],
        "virtual_pipeline_model_parallel_size": parallel["vpp"],
        "context_parallel_size": parallel["cp"],
        "expert_model_parallel_size": parallel["ep"],
        "expert_tensor_parallel_size": parallel["etp"],
        "world_size": parallel["world"],
        **read("optimizer.sharding", record["optimizer"]["sharding"], SHARDINGS),
    }
    if parallel.get("pp_layout"):
        values["pipeline_model_parallel_layout"] = parallel["pp_layout"].replace("\\", "")
    if parallel.get("cp_comm"):
        values["cp_comm_type"] = read("parallel.cp_comm", parallel["cp_comm"], CONTEXT_EXCHANGE)
    shards = record["optimizer"].get("shards_dense")
    if shards and values["sharding"] != "ddp":
        values["num_distributed_optimizer_instances"] = max(1, parallel["dp"] * parallel["cp"] // shards)
    microbatches = extras.get("microbatches") or extras.get("pp_microbatches")
    if record.get("global_batch"):
        values["global_batch_size"] = record["global_batch"]
    elif microbatches:
        values["num_microbatches"] = microbatches
    return values
