"""What layers and the parts around them keep, against models that the cited code built and ran."""

from __future__ import annotations

import json
import lzma
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate

DATA = Path(__file__).parent.parent / "data"

PARTS = {
    "decoder": "decoder_saved_bytes",
    "embedding": "embedding_saved_bytes",
    "final_layernorm": "final_layernorm_saved_bytes",
    "output_layer": "output_layer_saved_bytes",
    "loss": "loss_saved_bytes",
}
"""Rule that stands for each recorded part; layers, and those that predict further tokens, are summed here."""

RECORDING = {
    "params_dtype": "bf16",
    "transformer_impl": "local",
    "apply_rope_fusion": False,
    "masked_softmax_fusion": False,
    "batch_shares_mask_and_positions": True,
}
"""What all recorded models were built with, besides their flags."""

STAND_INS: dict[str, dict[str, dict[str, Any]]] = {
    "attn": {
        "local": {"attention_kernel": "unfused"},
        "flash": {"attention_kernel": "cudnn"},  # tokens come first in what it yields, as cuDNN's kernel has it
        "sdpa": {"attention_kernel": "sdpa"},
    },
    "norm": {"te": {"norm_kernel": "transformer_engine"}, "torch": {"norm_kernel": "torch_cpu"}},
    "experts": {"sequential": {"moe_grouped_gemm": False}, "grouped": {"moe_grouped_gemm": True}},
}
"""Inputs that stand for a recorded kernel stand-in."""

UNNAMED_STAND_INS = {"attn": "flash", "norm": "te", "experts": "grouped"}
"""Stand-ins of the records that name none, as their saved tensors show."""


@dataclass(frozen=True)
class Model:
    """A recorded model or rank: its name, the evaluation of its flags, and the bytes of each part."""

    name: str
    result: Result
    recorded: dict[str, int]


def predicted(rules: RuleSet, args: dict[str, Any], emulation: dict[str, str], **more: Any) -> Result:
    preset = Preset.from_megatron_flags(args, rules)
    stand_ins = [STAND_INS[kind][name] for kind, name in emulation.items()]
    changes = {name: value for stand_in in stand_ins for name, value in stand_in.items()}
    return evaluate(rules, preset, set={**RECORDING, **changes, **more})


@pytest.fixture(scope="module")
def records() -> dict[str, Any]:
    with lzma.open(DATA / "oracle_activations.json.xz", "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


@pytest.fixture(scope="module")
def models(records: dict[str, Any]) -> list[Model]:
    rules = RuleSet.load()
    found = []
    for record in records["records"]:
        recorded = {part: size for part, size in record["storage_bytes"].items() if not part.startswith("layer")}
        if record["middle_layer_bytes"] is not None:
            recorded["layer"] = record["middle_layer_bytes"]
        result = predicted(rules, record["args"], record["emulation"])
        found.append(Model(record["name"], result, recorded))
    for record in records["expert_parallel_two_process"]:
        for number, rank in enumerate(record["ranks"]):
            recorded = {part: size for part, size in rank["storage_bytes"].items() if not part.startswith("layer")}
            recorded["layer"] = rank["storage_bytes"]["layer1"]
            received = next(
                shape[0] for module, _, shape, _ in rank["layer1_tensors"] if module == "layer.mlp.experts.linear_fc1"
            )
            result = predicted(rules, record["args"], UNNAMED_STAND_INS, moe_received_tokens=received)
            name = f"ep2p-tp{record['tp']}-ep{record['ep']}-{record['dispatcher']}#rank{number}"
            found.append(Model(name, result, recorded))
    return found


def saved(result: Result, part: str) -> float:
    """Returns the bytes that the rules have for a recorded part."""
    if part == "layer":
        value: float = result["last_layer_saved_bytes"].value
    elif part == "mtp":
        value = result["mtp_num_layers"].value * result["layer_saved_bytes_mtp"].value
    else:
        value = result[PARTS[part]].value
    return value


def misses(models: list[Model], part: str) -> list[tuple[str, int, float]]:
    return [
        (model.name, model.recorded[part], saved(model.result, part))
        for model in models
        if part in model.recorded and model.recorded[part] != saved(model.result, part)
    ]


@pytest.mark.parametrize(
    ("part", "count"),
    [
        ("layer", 602 - 54 + 8),
        ("decoder", 63),
        ("mtp", 18),
        ("embedding", 610),
        ("final_layernorm", 610),
        ("output_layer", 610),
        ("loss", 610),
    ],
)
def test_saved_bytes_are_exact(models: list[Model], part: str, count: int) -> None:
    assert sum(part in model.recorded for model in models) == count
    assert not misses(models, part)


def test_every_record_is_expressed(models: list[Model]) -> None:
    assert len(models) == 602 + 8
    known = {"layer", "mtp", *PARTS}
    assert not {part for model in models for part in model.recorded} - known


def test_flags_are_understood(records: dict[str, Any]) -> None:
    rules = RuleSet.load()
    for record in [*records["records"], *records["expert_parallel_two_process"]]:
        report = Preset.from_megatron_flags(record["args"], rules).flags
        assert report is not None
        assert not [*report.unused, *report.unmodelled, *report.unknown]


def test_whole_models_add_up(models: list[Model]) -> None:
    """One stage and one micro-batch hold the sum of the recorded parts, but for the loss and what outlives a step."""
    for model in models:
        result = model.result
        parts = sum(saved(result, part) for part in model.recorded if part not in ("layer", "decoder", "loss"))
        layers = sum(result["layer_kept_bytes"].value)
        masks = result["kept_mask_bytes"].value
        assert result["stage_activation_bytes"].value == [parts + layers + masks], model.name
