"""Short labels: how people who launch training runs abbreviate their configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from engine.explaining.select import names_of
from engine.render.numbers import gigabytes, plain, scaled
from engine.result import Result, Value

SHORT = {
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
    "ffn_hidden_size": "f",
    "padded_vocab_size": "V",
    "num_experts": "E",
    "seq_length": "s",
}
NEUTRAL = {
    "virtual_pipeline_model_parallel_size": 1,
    "context_parallel_size": 1,
    "expert_model_parallel_size": 1,
    "expert_tensor_parallel_size": 1,
    "num_experts": 0,
}
"""Values that say a technique is not used, and are left out."""
FLAGS = {"sequence_parallel": "SP", "use_distributed_optimizer": "DistOpt", "multi_latent_attention": "MLA"}
RECOMPUTE = {"none": "no recompute", "selective": "selective recompute", "full": "full recompute"}
SAYS_NOTHING = ("none", "from_flags", "custom")


def configuration_label(value: Value) -> str | None:
    """Returns what one input or rule adds to the line that describes a configuration, None if nothing."""
    id, raw = value.id, value.raw
    if raw is None:
        return "? ranks" if id == "world_size" else f"{SHORT[id] if id in SHORT else id.replace('_', ' ') + ' '}?"
    if isinstance(raw, bool):
        return FLAGS.get(id, id.replace("_", " ")) if raw else None
    if id == "recompute_granularity":
        return RECOMPUTE.get(raw, str(raw))
    if NEUTRAL.get(id) == raw or raw in SAYS_NOTHING:
        return None
    if isinstance(raw, str):
        return raw
    if id == "world_size":
        return f"{raw:.0f} ranks"
    if id in SHORT:
        return f"{SHORT[id]}{raw:.15g}"
    if value.unit == "elem":
        return f"{scaled(raw)} {id.rpartition('_')[2]}"
    if value.unit == "B":
        return f"{id.removesuffix('_bytes').replace('_', ' ')} {gigabytes(raw)} GB"
    return f"{id.replace('_', ' ')} {plain(raw)}"


def configuration_labels(result: Result, ids: Sequence[str]) -> list[str]:
    """Returns the line that describes a configuration in pieces: the labels of one group of inputs side by side."""
    pieces: list[tuple[str, list[str]]] = []
    for name in (name for id in ids for name in names_of(result.rules, id)):
        label = configuration_label(result[name])
        if label is None:
            continue
        group = result.rules.slots[name].group if name in result.rules.slots else name
        if not pieces or pieces[-1][0] != group:
            pieces.append((group, []))
        pieces[-1][1].append(label)
    return [" ".join(labels) for _, labels in pieces]


def column_labels(ids: Sequence[str], total: str | None = None) -> list[str]:
    """Returns a short label for each id of one table: its words without those that half of the ids share."""
    words = [["total"] if id == total else [word for word in id.split("_") if word != "bytes"] for id in ids]
    counts = Counter(word for row in words for word in set(row))
    common = {word for word, count in counts.items() if len(ids) > 2 and 2 * count >= len(ids)}
    labels = [" ".join(word for word in row if word not in common) or " ".join(row) for row in words]
    return labels if len(set(labels)) == len(labels) else [" ".join(row) for row in words]
