"""What recorded models kept for their backward pass, part by part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.preset import Preset
from engine.result import Result
from engine.ruleset import RuleSet
from engine.validate.report import Row, Skipped

PARTS = {
    "decoder": "decoder_saved_bytes",
    "embedding": "embedding_saved_bytes",
    "final_layernorm": "final_layernorm_saved_bytes",
    "output_layer": "output_layer_saved_bytes",
    "loss": "loss_saved_bytes",
    "layer": "last_layer_saved_bytes",
}
"""Rule that stands for each recorded part; `mtp` is summed here."""

RECORDING: Mapping[str, Any] = {
    "params_dtype": "bf16",
    "transformer_impl": "local",
    "apply_rope_fusion": False,
    "masked_softmax_fusion": False,
    "batch_shares_mask_and_positions": True,
}
"""What all recorded models were built with, besides their flags."""

STAND_INS: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    "attn": {
        "local": {"attention_kernel": "unfused"},
        "flash": {"attention_kernel": "cudnn"},  # tokens come first in what it yields, as cuDNN's kernel has it
        "sdpa": {"attention_kernel": "sdpa"},
    },
    "norm": {"te": {"norm_kernel": "transformer_engine"}, "torch": {"norm_kernel": "torch_cpu"}},
    "experts": {"sequential": {"moe_grouped_gemm": False}, "grouped": {"moe_grouped_gemm": True}},
}
"""Inputs that stand for a recorded kernel stand-in."""

UNNAMED_STAND_INS: Mapping[str, str] = {"attn": "flash", "norm": "te", "experts": "grouped"}
"""Stand-ins of the records that name none, as their saved tensors show."""


def rows(rules: RuleSet, content: Mapping[str, Any]) -> Iterator[Row | Skipped]:
    """Yields a row for each part of each recorded model, and of each process of those that ran in two."""
    for record in content["records"]:
        recorded = _parts(record["storage_bytes"], record["middle_layer_bytes"])
        yield from _compared(rules, record["name"], record["args"], record["emulation"], recorded)
    for record in content.get("expert_parallel_two_process", ()):
        for number, rank in enumerate(record["ranks"]):
            id = f"ep2p-tp{record['tp']}-ep{record['ep']}-{record['dispatcher']}#rank{number}"
            recorded = _parts(rank["storage_bytes"], rank["storage_bytes"]["layer1"])
            received = next(
                shape[0] for module, _, shape, _ in rank["layer1_tensors"] if module == "layer.mlp.experts.linear_fc1"
            )
            more = {"moe_received_tokens": received}
            yield from _compared(rules, id, record["args"], UNNAMED_STAND_INS, recorded, more)


def _parts(storage: Mapping[str, int], layer: int | None) -> dict[str, int]:
    parts = {part: size for part, size in storage.items() if not part.startswith("layer")}
    return parts if layer is None else {**parts, "layer": layer}


def _compared(
    rules: RuleSet,
    id: str,
    args: Mapping[str, Any],
    emulation: Mapping[str, str],
    recorded: Mapping[str, int],
    more: Mapping[str, Any] | None = None,
) -> Iterator[Row | Skipped]:
    try:
        changes: dict[str, Any] = {**RECORDING, **(more or {})}
        for kind, name in emulation.items():
            if name not in STAND_INS.get(kind, {}):
                yield Skipped(id, f"nothing is known of the stand-in {kind} {name!r}")
                return
            changes.update(STAND_INS[kind][name])
        result = evaluate(rules, Preset.from_megatron_flags(args, rules), set=changes)
        predicted = {part: _saved(result, part) for part in recorded}
    except EngineError as error:
        yield Skipped(id, error.diagnostics[0].message)
        return
    for part, size in recorded.items():
        found = predicted[part]
        if found is None:
            yield Skipped(id, f"no rule has what {part} keeps")
        else:
            yield Row(id, f"saved.{part}", found, float(size), found == size)


def _saved(result: Result, part: str) -> float | None:
    """Returns the bytes that the rules have for a recorded part."""
    if part == "mtp":
        return float(result["mtp_num_layers"].value * result["layer_saved_bytes_mtp"].value)
    return float(result[PARTS[part]].value) if part in PARTS else None
