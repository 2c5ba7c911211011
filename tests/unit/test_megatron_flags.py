"""Launch flags as values of inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, Preset, RuleSet, evaluate
from engine.importing.megatron_flags import spelled


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.mark.parametrize("name", ["hidden-size", "--hidden-size", "hidden_size", "--hidden_size", " hidden-size "])
def test_a_flag_is_known_in_any_spelling(name: str) -> None:
    assert spelled(name) == "--hidden-size"
    assert Preset.from_megatron_flags({name: 4096}).values == {"hidden_size": 4096}


@pytest.mark.parametrize(
    ("flags", "values"),
    [
        ({"swiglu": True}, {"swiglu": True}),
        ({"disable-bias-linear": True}, {"add_bias_linear": False}),
        ({"disable-bias-linear": False}, {}),
        ({"add-bias-linear": False}, {"add_bias_linear": False}),
        ({"bf16": True}, {"params_dtype": "bf16"}),
        ({"bf16": True, "params-dtype": "bf16"}, {"params_dtype": "bf16"}),
        ({"fp8": "hybrid"}, {"fp8_mode": "hybrid"}),
        (
            {"use-rotary-position-embeddings": True},
            {"position_embedding_type": "rope", "apply_rope_fusion": True},
        ),
        (
            {"position-embedding-type": "rope", "no-rope-fusion": True},
            {"position_embedding_type": "rope", "apply_rope_fusion": False},
        ),
        ({"num-experts": 8}, {"num_experts": 8, "moe_token_dispatcher_type": "allgather"}),
        ({"num-layers-in-first-pipeline-stage": 3}, {"decoder_first_pipeline_num_layers": 3}),
        ({"num-experts": None}, {}),
        ({"num-layers": "32", "fit-band": "0.5"}, {"num_layers": 32, "fit_band": 0.5}),
        ({"swiglu": "true"}, {"swiglu": True}),
        ({"recompute-modules": "mlp layernorm"}, {"recompute_modules": ["mlp", "layernorm"]}),
        ({"recompute-modules": ["mlp"]}, {"recompute_modules": ["mlp"]}),
        ({"normalization": "RMSNorm"}, {"normalization": "RMSNorm"}),
        ({"world-size": 8, "data-parallel-size": 2}, {"world_size": 8, "data_parallel_size": 2}),
    ],
)
def test_values(flags: dict[str, Any], values: dict[str, Any]) -> None:
    assert Preset.from_megatron_flags(flags).values == values


def test_the_report_tells_what_became_of_each_flag() -> None:
    flags = {
        "hidden_size": 64, "lr": 1e-4, "bf16": True, "fp16": False, "qk-l2-norm": True, "hiden-size": 64,
        "my-own": None,
    }  # fmt: skip
    report = Preset.from_megatron_flags(flags).flags
    assert report is not None
    assert report.used == {"--hidden-size": "hidden_size", "--bf16": "params_dtype"}
    assert report.unused == ("--lr",)
    assert report.unmodelled == {"--qk-l2-norm": "Attention of other kinds"}
    assert report.unknown == {"--hiden-size": "--hidden-size"}


def test_flags_that_no_input_stands_for_are_no_inputs(rules: RuleSet) -> None:
    assert len({name for topic in rules.launch_flags.values() for name in topic.names}) > 500


RULES = """
inputs: {width: {title: t, type: int, group: g, min: 1, max: 8, default: 1, assumption: a}}
rules: {}
launch_flags:
  kinds: {title: Kinds, moves_memory: true, names: [--kind, --other], harmless: {--kind: plain}}
"""


@pytest.mark.parametrize(("kind", "verdict"), [("plain", "unknown"), ("fancy", "incomplete"), (None, "unknown")])
def test_a_flag_that_is_not_modelled_makes_the_verdict_incomplete(tmp_path: Path, kind: str, verdict: str) -> None:
    (tmp_path / "all.yaml").write_text(RULES)
    rules = RuleSet.load(tmp_path)
    result = evaluate(rules, Preset.from_megatron_flags({"kind": kind, "width": 2}, rules))
    assert result.verdict == verdict
    assert result["width"].value == 2


def test_a_launch_flag_is_listed_once(tmp_path: Path) -> None:
    text = RULES.replace("--other]", "--kind]").replace("--kind: plain", "--none: 1")
    (tmp_path / "all.yaml").write_text(text)
    with pytest.raises(EngineError) as caught:
        RuleSet.load(tmp_path)
    assert [finding.message for finding in caught.value.diagnostics] == [
        "--kind is listed twice",
        "--none is not among the names",
    ]


def test_the_report_survives_a_change() -> None:
    preset = Preset.from_megatron_flags({"hidden-size": 64, "lr": 1e-4})
    assert preset.overlaid({"hidden_size": 128}, {}).flags == preset.flags


@pytest.mark.parametrize(("tensor", "kept"), [(1, False), (2, True)])
def test_sequence_parallelism_needs_tensor_parallelism(tensor: int, kept: bool) -> None:
    preset = Preset.from_megatron_flags({"sequence-parallel": True, "tensor-model-parallel-size": tensor})
    assert preset.values["sequence_parallel"] is kept


@pytest.mark.parametrize(
    ("flags", "code", "text"),
    [
        ({"num-layers": 0}, "E503", "--num-layers: `num_layers` must be from 1 to 1024, not 0"),
        ({"num-layers": "many"}, "E502", "--num-layers: `num_layers` must be an integer, not many (text)"),
        ({"normalization": "batchnorm"}, "E504", "--normalization: `normalization` has no member `batchnorm`"),
        ({"disable-bias-linear": 3}, "E502", "--disable-bias-linear is a switch and takes no value, but 3 is given"),
        ({"bf16": True, "fp16": True}, "E502", "--bf16 and --fp16 say different things of `params_dtype`"),
        ({"pipeline-model-parallel-layout": "Etx"}, "E505", "--pipeline-model-parallel-layout"),
    ],
)
def test_errors_name_the_flag(flags: dict[str, Any], code: str, text: str) -> None:
    with pytest.raises(EngineError) as caught:
        Preset.from_megatron_flags(flags)
    (finding,) = caught.value.diagnostics
    assert finding.code == code
    assert text in finding.message


def test_flags_of_another_rule_set(rules: RuleSet) -> None:
    assert Preset.from_megatron_flags({"hidden-size": 64}, rules).values == {"hidden_size": 64}


def test_a_preset_of_flags_evaluates(rules: RuleSet) -> None:
    flags = {"num-layers": 2, "hidden-size": 64, "num-attention-heads": 4, "swiglu": True, "disable-bias-linear": True}
    assert evaluate(rules, Preset.from_megatron_flags(flags))["default_ffn_hidden_size"].value == 128


@pytest.mark.parametrize(
    ("flags", "in_fp32"),
    [
        ({}, False),
        ({"attention-softmax-in-fp32": True}, True),
        ({"apply-query-key-layer-scaling": True}, True),
        ({"apply-query-key-layer-scaling": True, "attention-softmax-in-fp32": False}, True),
    ],
)
def test_scaling_by_layer_has_the_softmax_in_fp32(rules: RuleSet, flags: dict[str, Any], in_fp32: bool) -> None:
    local = {"transformer-impl": "local", "no-masked-softmax-fusion": True}
    result = evaluate(rules, Preset.from_megatron_flags({**local, **flags}))
    assert bool(result["softmax_in_fp32"].value) is in_fp32
