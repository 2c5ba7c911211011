"""Reads the `config.json` of a Hugging Face model as values of inputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from engine.diagnostics import Findings
from engine.importing.megatron_flags import FlagReport
from engine.preset import Preset


@dataclass(frozen=True, slots=True)
class _Family:
    """What a model type implies that its configuration does not say.

    Attributes:
        gated: the feed-forward network has a gate.
        tied: the embedding is the output layer where the configuration is silent.
        values: inputs that follow from the type.
    """

    gated: bool = True
    tied: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


_QKV_BIAS = {"add_qkv_bias": True}
_QK_NORM = {"qk_layernorm": True}
_GEMMA = {"post_norms_per_layer": 2}
_LATENT_NORMS = {"qk_layernorm": True}
_SHARED_GATE = {"moe_shared_expert_gate": True}
_ALL_BIASES = {"add_bias_linear": True}

FAMILIES: Mapping[str, _Family] = {
    **dict.fromkeys(("llama", "mistral", "mixtral", "phi3", "olmo", "internlm2", "yi", "baichuan"), _Family()),
    "qwen2": _Family(values=_QKV_BIAS),
    "qwen2_moe": _Family(values={**_QKV_BIAS, **_SHARED_GATE}),
    "qwen3": _Family(values=_QK_NORM),
    "qwen3_moe": _Family(values=_QK_NORM),
    "deepseek_v2": _Family(values=_LATENT_NORMS),
    "deepseek_v3": _Family(values=_LATENT_NORMS),
    "kimi_k2": _Family(values=_LATENT_NORMS),
    "glm4_moe": _Family(),
    "gemma": _Family(tied=True),
    "gemma2": _Family(tied=True, values=_GEMMA),
    "gemma3_text": _Family(tied=True, values={**_GEMMA, **_QK_NORM}),
    "gpt_oss": _Family(values={**_ALL_BIASES, "attention_sinks": True}),
    "nemotron": _Family(gated=False),
    "gpt2": _Family(gated=False, tied=True, values={**_ALL_BIASES, "position_embedding_type": "learned_absolute"}),
}
"""Families of models by `model_type`."""

_SAME = {
    "num_hidden_layers": "num_layers", "n_layer": "num_layers",
    "hidden_size": "hidden_size", "n_embd": "hidden_size",
    "num_attention_heads": "num_attention_heads", "n_head": "num_attention_heads",
    "head_dim": "kv_channels",
    "intermediate_size": "ffn_hidden_size", "n_inner": "ffn_hidden_size",
    "vocab_size": "vocab_size",
    "max_position_embeddings": "max_position_embeddings", "n_positions": "max_position_embeddings",
    "num_local_experts": "num_experts", "num_experts": "num_experts", "n_routed_experts": "num_experts",
    "num_experts_per_tok": "moe_router_topk",
    "moe_intermediate_size": "moe_ffn_hidden_size",
    "shared_expert_intermediate_size": "moe_shared_expert_intermediate_size",
    "num_nextn_predict_layers": "mtp_num_layers",
    "kv_lora_rank": "kv_lora_rank", "q_lora_rank": "q_lora_rank", "qk_nope_head_dim": "qk_head_dim",
    "qk_rope_head_dim": "qk_pos_emb_head_dim", "v_head_dim": "v_head_dim",
    "use_qk_norm": "qk_layernorm",
}  # fmt: skip
"""Fields that are inputs under another name."""

_READ = frozenset(
    {"attention_bias", "decoder_sparse_step", "first_k_dense_replace", "hidden_act", "hidden_activation"}
    | {"mlp_only_layers"}
    | {"activation_function", "layer_norm_eps", "layer_norm_epsilon", "mlp_bias", "model_type", "moe_layer_freq"}
    | {"n_shared_experts", "norm_eps", "num_key_value_heads", "rms_norm_eps", "tie_word_embeddings", "topk_method"}
)
"""Fields that other values follow from."""

_NOT_MODELLED = {
    "layer_types": "Layers of other kinds than attention and feed-forward network",
    "full_attention_interval": "Layers of other kinds than attention and feed-forward network",
    "attn_layer_period": "Layers of other kinds than attention and feed-forward network",
}
"""Fields that move memory in a way that no rule accounts for, where they say anything but attention."""

_QKV_BIAS_ALONE = {"glm4_moe", "gpt_oss"}
"""Families whose `attention_bias` adds no bias behind the attention, or adds one everywhere."""

_ATTENTION_LAYERS = {"full_attention", "sliding_attention", "attention"}


def from_hf_config(config: Mapping[str, Any]) -> Preset:
    """Makes a preset of a model's configuration; see `Preset.from_hf_config`."""
    text = config.get("text_config")
    fields = {**config, **text} if isinstance(text, Mapping) else dict(config)
    fields = {name: value for name, value in fields.items() if value is not None and name != "text_config"}
    if not {"num_hidden_layers", "n_layer"}.intersection(fields):
        findings = Findings()
        findings.add("E501", "this is not the configuration of a language model: it has no num_hidden_layers")
        findings.raise_if_errors()
    family = FAMILIES.get(str(fields.get("model_type")))
    values = {_SAME[name]: value for name, value in fields.items() if name in _SAME}
    for part in (_attention, _feed_forward, _experts, _rest):
        values.update(part(fields, family or _Family()))
    values.update((family or _Family()).values)
    if values.get("multi_latent_attention"):  # the size of a head is that of its parts
        values.pop("kv_channels", None)
    return Preset(values, "model configuration", flags=_report(fields, family))


def _attention(fields: Mapping[str, Any], family: _Family) -> dict[str, Any]:
    heads = fields.get("num_attention_heads", fields.get("n_head"))
    groups = fields.get("num_key_value_heads", heads)
    if "kv_lora_rank" in fields:
        return {"multi_latent_attention": True, "group_query_attention": False}
    shared = {"num_query_groups": groups} if groups != heads else {}
    return {"group_query_attention": groups != heads, **shared, "add_qkv_bias": bool(fields.get("attention_bias"))}


def _feed_forward(fields: Mapping[str, Any], family: _Family) -> dict[str, Any]:
    names = ("hidden_act", "hidden_activation", "activation_function")
    activation = str(next((fields[name] for name in names if name in fields), "silu"))
    return {
        "swiglu": family.gated and activation in ("silu", "swish"),
        "gated_linear_unit": family.gated,
        "squared_relu": activation == "relu2",
        "add_bias_linear": False,
    }


def _experts(fields: Mapping[str, Any], family: _Family) -> dict[str, Any]:
    values: dict[str, Any] = {}
    if not any(_SAME[name] == "num_experts" for name in fields if name in _SAME):
        return values
    layers = int(fields["num_hidden_layers"])
    if shared := fields.get("n_shared_experts"):
        values["moe_shared_expert_intermediate_size"] = shared * fields["moe_intermediate_size"]
    dense = set(range(int(fields.get("first_k_dense_replace", 0)))) | set(fields.get("mlp_only_layers", ()))
    step = int(fields.get("decoder_sparse_step", 1))
    every = int(fields.get("moe_layer_freq", 1))
    # the steps of one family count layers from 1, those of the other from 0
    kinds = [int(layer not in dense and (layer + 1) % step == 0 and layer % every == 0) for layer in range(layers)]
    values["moe_layer_freq"] = 1 if all(kinds) else kinds
    if fields.get("topk_method") == "noaux_tc" or fields.get("model_type") == "glm4_moe":
        values["moe_router_enable_expert_bias"] = True
    return values


def _rest(fields: Mapping[str, Any], family: _Family) -> dict[str, Any]:
    layer_norm = {"layer_norm_eps", "layer_norm_epsilon", "norm_eps"}.intersection(
        fields
    ) and "rms_norm_eps" not in fields
    return {
        "normalization": "LayerNorm" if layer_norm else "RMSNorm",
        "position_embedding_type": "rope",
        "untie_embeddings_and_output_weights": not fields.get("tie_word_embeddings", family.tied),
    }


def _report(fields: Mapping[str, Any], family: _Family | None) -> FlagReport:
    unmodelled = dict(_unmodelled(fields))
    if family is None:
        unmodelled["model_type"] = f"{fields.get('model_type', 'a model without a type')}, taken for one like Llama"
    used = {name: _SAME.get(name, name) for name in fields if name in _SAME or name in _READ}
    unused = tuple(name for name in fields if name not in used and name not in unmodelled)
    return FlagReport(used, unused, unmodelled)


def _unmodelled(fields: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, what in _NOT_MODELLED.items():
        if name in fields and not (name == "layer_types" and _ATTENTION_LAYERS.issuperset(fields[name])):
            yield name, what
    if fields.get("mlp_bias"):
        yield "mlp_bias", "Biases of the feed-forward network alone"
    if fields.get("attention_bias") and fields.get("model_type") not in _QKV_BIAS_ALONE:
        yield "attention_bias", "A bias behind the attention, with none in the feed-forward network"
