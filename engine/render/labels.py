"""Short labels: how people who launch training runs abbreviate their configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.render.numbers import ABSENT, gigabytes, plain, scaled
from engine.result import Value

_SHORT = {
    "tensor_model_parallel_size": "TP",
    "pipeline_model_parallel_size": "PP",
    "virtual_pipeline_model_parallel_size": "VPP",
    "context_parallel_size": "CP",
    "data_parallel_size": "DP",
    "expert_model_parallel_size": "EP",
    "expert_tensor_parallel_size": "ETP",
    "expert_data_parallel_size": "EDP",
    "micro_batch_size": "MBS",
    "global_batch_size": "GBS",
    "num_microbatches": "m",
    "num_layers": "L",
    "hidden_size": "h",
    "num_attention_heads": "a",
    "seq_length": "s",
}
_FLAGS = {"sequence_parallel": "SP", "use_distributed_optimizer": "DistOpt", "multi_latent_attention": "MLA"}
_RECOMPUTE = {"none": "no recompute", "selective": "selective recompute", "full": "full recompute"}
_SAYS_NOTHING = ("none", "from_flags", "custom")


def configuration_label(value: Value) -> str | None:
    """Returns what one input or rule adds to the line that describes a configuration, None if nothing."""
    id, raw = value.id, value.raw
    if raw is None:
        return f"{_SHORT[id]}?" if id in _SHORT else f"{id.replace('_', ' ')} {ABSENT}"
    if isinstance(raw, bool):
        return _FLAGS.get(id, id.replace("_", " ")) if raw else None
    if id == "recompute_granularity":
        return _RECOMPUTE.get(raw, str(raw))
    if isinstance(raw, str):
        return None if raw in _SAYS_NOTHING else raw
    if id in _SHORT:
        return f"{_SHORT[id]}{int(raw) if raw == int(raw) else raw}"
    if value.unit == "elem":
        return f"{scaled(raw)} {id.replace('_', ' ')}"
    if value.unit == "B":
        return f"{id.removesuffix('_bytes').replace('_', ' ')} {gigabytes(raw)} GB"
    return f"{id.replace('_', ' ')} {plain(raw)}"


def column_labels(ids: Sequence[str]) -> list[str]:
    """Returns a short label for each id of one table: its words without those that half of the ids share."""
    words = [[word for word in id.split("_") if word != "bytes"] for id in ids]
    counts = Counter(word for row in words for word in set(row))
    common = {word for word, count in counts.items() if len(ids) > 2 and 2 * count >= len(ids)}
    labels = [" ".join(word for word in row if word not in common) or " ".join(row) for row in words]
    return labels if len(set(labels)) == len(labels) else [" ".join(row) for row in words]
