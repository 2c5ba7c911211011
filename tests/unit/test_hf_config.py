"""Configurations of public models as presets: their parameters come out as published."""

from __future__ import annotations

from typing import Any

import pytest

from engine import EngineError, Preset, RuleSet, evaluate

LLAMA = {
    "model_type": "llama", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
    "max_position_embeddings": 131072, "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8,
    "rms_norm_eps": 1e-05, "tie_word_embeddings": False, "vocab_size": 128256, "rope_theta": 500000.0,
}  # fmt: skip

MODELS: dict[str, tuple[dict[str, Any], int]] = {
    "Llama-3.1-8B": (LLAMA, 8030261248),
    "Qwen2.5-7B": (
        {
            "model_type": "qwen2", "hidden_act": "silu", "hidden_size": 3584, "intermediate_size": 18944,
            "num_attention_heads": 28, "num_hidden_layers": 28, "num_key_value_heads": 4, "rms_norm_eps": 1e-06,
            "tie_word_embeddings": False, "vocab_size": 152064,
        },
        7615616512,
    ),
    "Qwen3-30B-A3B": (
        {
            "model_type": "qwen3_moe", "hidden_act": "silu", "hidden_size": 2048, "intermediate_size": 6144,
            "head_dim": 128, "num_attention_heads": 32, "num_hidden_layers": 48, "num_key_value_heads": 4,
            "num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768, "decoder_sparse_step": 1,
            "mlp_only_layers": [], "rms_norm_eps": 1e-06, "tie_word_embeddings": False, "vocab_size": 151936,
        },
        30532122624,
    ),
    "Mixtral-8x7B-v0.1": (
        {
            "model_type": "mixtral", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 14336,
            "num_attention_heads": 32, "num_hidden_layers": 32, "num_key_value_heads": 8, "num_local_experts": 8,
            "num_experts_per_tok": 2, "rms_norm_eps": 1e-05, "tie_word_embeddings": False, "vocab_size": 32000,
        },
        46702792704,
    ),
    "DeepSeek-V3": (
        {
            "model_type": "deepseek_v3", "hidden_act": "silu", "hidden_size": 7168, "intermediate_size": 18432,
            "first_k_dense_replace": 3, "kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128,
            "qk_rope_head_dim": 64, "v_head_dim": 128, "moe_intermediate_size": 2048, "moe_layer_freq": 1,
            "n_routed_experts": 256, "n_shared_experts": 1, "num_attention_heads": 128, "num_experts_per_tok": 8,
            "num_hidden_layers": 61, "num_key_value_heads": 128, "num_nextn_predict_layers": 1, "rms_norm_eps": 1e-06,
            "tie_word_embeddings": False, "topk_method": "noaux_tc", "vocab_size": 129280, "head_dim": 64,
        },
        671026419200,
    ),
    "GLM-4.5-Air": (
        {
            "model_type": "glm4_moe", "hidden_act": "silu", "hidden_size": 4096, "intermediate_size": 10944,
            "attention_bias": True, "use_qk_norm": False, "head_dim": 128, "num_attention_heads": 96,
            "num_hidden_layers": 46, "num_key_value_heads": 8, "first_k_dense_replace": 1, "n_routed_experts": 128,
            "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 1408, "rms_norm_eps": 1e-05,
            "tie_word_embeddings": False, "vocab_size": 151552, "num_nextn_predict_layers": 1,
        },
        106852251264,
    ),
    "Gemma-2-9B": (
        {
            "model_type": "gemma2", "hidden_activation": "gelu_pytorch_tanh", "hidden_size": 3584,
            "intermediate_size": 14336, "head_dim": 256, "num_attention_heads": 16, "num_hidden_layers": 42,
            "num_key_value_heads": 8, "rms_norm_eps": 1e-06, "vocab_size": 256000,
        },
        9241705984,
    ),
    "gpt-oss-20b": (
        {
            "model_type": "gpt_oss", "hidden_act": "silu", "hidden_size": 2880, "intermediate_size": 2880,
            "attention_bias": True, "head_dim": 64, "num_attention_heads": 64, "num_hidden_layers": 24,
            "num_key_value_heads": 8, "num_local_experts": 32, "num_experts_per_tok": 4, "rms_norm_eps": 1e-05,
            "layer_types": ["sliding_attention", "full_attention"] * 12, "tie_word_embeddings": False,
            "vocab_size": 201088,
        },
        20914757184,
    ),
    "Nemotron-4-15B": (
        {
            "model_type": "nemotron", "hidden_act": "relu2", "hidden_size": 6144, "intermediate_size": 24576,
            "head_dim": 128, "num_attention_heads": 48, "num_hidden_layers": 32, "num_key_value_heads": 8,
            "norm_eps": 1e-05, "tie_word_embeddings": False, "vocab_size": 256000,
        },
        15628775424,
    ),
    "GPT-2": (
        {
            "model_type": "gpt2", "activation_function": "gelu_new", "n_embd": 768, "n_head": 12, "n_layer": 12,
            "n_positions": 1024, "layer_norm_epsilon": 1e-05, "vocab_size": 50257,
        },
        124439808,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.mark.parametrize("name", MODELS)
def test_parameters_of_the_checkpoint(rules: RuleSet, name: str) -> None:
    config, parameters = MODELS[name]
    preset = Preset.from_hf_config(config)
    assert evaluate(rules, preset)["checkpoint_parameters"].value == parameters
    assert preset.flags is not None
    assert not preset.flags.unmodelled
    assert set(preset.flags.used) | set(preset.flags.unused) == set(config)


def test_the_text_part_of_a_model_counts() -> None:
    whole = {"model_type": "llava", "vision_config": {"hidden_size": 1024}, "text_config": LLAMA}
    assert Preset.from_hf_config(whole).values == Preset.from_hf_config(LLAMA).values


def test_layers_with_experts() -> None:
    config, _ = MODELS["Qwen3-30B-A3B"]
    changed = {**config, "num_hidden_layers": 6, "decoder_sparse_step": 2, "mlp_only_layers": [3]}
    assert Preset.from_hf_config(changed).values["moe_layer_freq"] == [0, 1, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"model_type": "something_new"}, "model_type"),
        ({"layer_types": ["linear_attention", "full_attention"]}, "layer_types"),
        ({"attention_bias": True}, "attention_bias"),
        ({"mlp_bias": True}, "mlp_bias"),
    ],
)
def test_what_is_not_modelled_is_told(rules: RuleSet, changes: dict[str, Any], field: str) -> None:
    preset = Preset.from_hf_config({**LLAMA, **changes})
    assert preset.flags is not None
    assert set(preset.flags.unmodelled) == {field}
    assert evaluate(rules, preset).verdict == "incomplete"


def test_another_file_is_refused() -> None:
    with pytest.raises(EngineError, match="it has no num_hidden_layers"):
        Preset.from_hf_config({"model_type": "llama"})
