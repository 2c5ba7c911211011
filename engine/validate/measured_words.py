"""What the words of a measured run's record stand for: cards, formats, kernels, kinds of sharding.

Records are written by people, so the same thing has several names. Each table is an ordered list of patterns; the first
that matches the whole of the beginning of a phrase wins, and a phrase that none matches is an error, never a guess.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

Values = Mapping[str, Any]

CARDS: Sequence[tuple[str, Values]] = (
    (r"A100.*40", {"device": "a100-40gb"}),
    (r"A100", {"device": "a100-80gb"}),
    (r"A800", {"device": "a800-80gb"}),
    (r"V100", {"device": "v100-32gb"}),
    (r"H100.*94", {"device": "h100-94gb"}),
    (r"H100.*96", {"device": "h100-96gb"}),
    (r"H100", {"device": "h100-80gb"}),
    (r"H800|Hopper", {"device": "h800-80gb"}),
    (r"H20-?141", {"device": "h20-141gb"}),
    (r"H200", {"device": "h200-141gb"}),
    (r"H20", {"device": "h20-96gb"}),
    (r"GB200", {"device": "gb200"}),
    (r"GB300", {"device": "gb300"}),
    (r"B200", {"device": "b200"}),
    (r"B300", {"device": "b300"}),
    (r"MI300", {"device": "mi300x"}),
    (r"MI325", {"device": "mi325x"}),
    (r"MI355", {"device": "mi355x"}),
    (r"L20", {"device": "l20"}),
    (r".*4090", {"device": "rtx-4090"}),
    (r"unstated|unknown", {"gpu_architecture": "hopper"}),
)
"""Cards. Where a record names none, the generation most runs of its time had stands in."""

SHARDINGS: Sequence[tuple[str, Values]] = (
    (r"none|ddp", {"sharding": "ddp"}),
    (r"distributed_optimizer|zero1|zero-1", {"sharding": "zero1"}),
    (r"zero2|zero-2", {"sharding": "zero2"}),
    (r"zero3|zero-3", {"sharding": "zero3"}),
    (r"megatron_fsdp_optim_grads_params", {"sharding": "megatron_fsdp"}),
    (r"megatron_fsdp_optim_grads", {"sharding": "zero2"}),
    (r"fsdp2", {"sharding": "fsdp2"}),
    (r"fsdp", {"sharding": "zero3"}),
)

ATTENTION: Sequence[tuple[str, Values]] = (
    (r"local unfused|local$", {"attention_backend": "local", "attention_kernel": "unfused"}),
    (r"unfused", {"attention_backend": "unfused"}),
    (r"flash", {"attention_backend": "flash"}),
    (r"fused", {"attention_backend": "fused"}),
    (r"sdpa", {"attention_kernel": "sdpa"}),
    (r"auto|transformer_engine default", {"attention_backend": "auto"}),
)

COMPUTE: Sequence[tuple[str, Values]] = (
    (r"(bf16|fp16|fp32)$", {}),
    (r"bf16 autocast", {"compute_dtype": "bf16", "autocast": True}),
    (r"float8", {}),
    (r"fp8.*(current|tensorwise)", {"fp8_mode": "hybrid", "fp8_recipe": "tensorwise", "fp8_param_gather": True}),
    (r"fp8.*delayed", {"fp8_mode": "hybrid", "fp8_recipe": "delayed"}),
    (r"(fp8.*)?mxfp8", {"fp8_mode": "e4m3", "fp8_recipe": "mxfp8"}),
    (r"fp8.*(blockwise|subchannel)", {"fp8_mode": "e4m3", "fp8_recipe": "blockwise"}),
    (r"fp8", {"fp8_mode": "hybrid"}),
)
"""Formats of matrix products. Runs with scaling by tensor keep their weights in 8 bits; torchtitan casts on the fly."""

FORMATS: Sequence[tuple[str, str]] = ((r"fp32", "fp32"), (r"bf16", "bf16"), (r"fp16", "fp16"))

DISPATCHERS: Sequence[tuple[str, str]] = (
    (r"all_?gather", "allgather"),
    (r"all_?to_?all|alltoall", "alltoall"),
    (r"flex", "flex"),
)

LOAD_BALANCING: Sequence[tuple[str, Values]] = (
    (r"seq_aux_loss", {"moe_router_load_balancing_type": "seq_aux_loss", "moe_aux_loss_coeff": 0.01}),
    (r"global_aux_loss", {"moe_router_load_balancing_type": "global_aux_loss", "moe_aux_loss_coeff": 0.01}),
    (r"aux_loss", {"moe_router_load_balancing_type": "aux_loss", "moe_aux_loss_coeff": 0.01}),
    (r"sinkhorn", {"moe_router_load_balancing_type": "sinkhorn"}),
    (r"none", {"moe_router_load_balancing_type": "none"}),
)
"""How experts are kept equally busy; any weight of the loss above 0 keeps the same tensors."""

CONTEXT_EXCHANGE: Sequence[tuple[str, str]] = (
    (r"a2a\+p2p", "a2a+p2p"),
    (r"a2a", "a2a"),
    (r"all_?gather", "allgather"),
    (r"p2p|ring", "p2p"),
)

BIASES: Sequence[tuple[str, Values]] = (
    (r"true", {"add_bias_linear": True}),
    (r"false", {"add_bias_linear": False}),
    (r"qkv", {"add_bias_linear": False, "add_qkv_bias": True}),
)

ACTIVATIONS: Sequence[tuple[str, Values]] = (
    (r"swiglu", {"swiglu": True}),
    (r"geglu", {"gated_linear_unit": True}),
    (r"quick[ _-]?geglu", {"quick_geglu": True}),
    (r"gelu", {}),
    (r"(squared[ _-]?relu|relu2)", {"squared_relu": True}),
)

NORMS: Sequence[tuple[str, str]] = ((r"rms", "rmsnorm"), (r"layer[ _-]?norm", "layernorm"))

POSITIONS: Sequence[tuple[str, str]] = (
    (r"rope|rotary", "rope"),
    (r"yarn", "yarn"),
    (r"learned", "learned_absolute"),
    (r"none", "none"),
)


class UnknownWord(ValueError):
    """A phrase that stands in no table."""


def read(field: str, phrase: Any, table: Sequence[tuple[str, Any]]) -> Any:
    """Returns what a phrase stands for.

    Args:
        field: the record's field, for the message.
        phrase: what stands there.
        table: patterns that the beginning of a phrase may match, and what each stands for.

    Raises:
        UnknownWord: no pattern matches.
    """
    for pattern, meaning in table:
        if re.match(pattern, str(phrase), re.IGNORECASE):
            return meaning
    raise UnknownWord(f"{field}: nothing is known of {phrase!r}")
