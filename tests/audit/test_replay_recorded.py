"""Recorded runs of the estimate in place of fresh ones: no difference, and ten planted faults found and named."""

from __future__ import annotations

import json
import lzma
import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import Preset, RuleSet
from engine.audit.replay import Departure
from engine.audit.replay.cases import case
from engine.audit.replay.compare import Comparer

RECORDED = Path(__file__).parent.parent / "data" / "megatron-e03878b5f.jsonl.xz"

FAULTS = {
    "layernorm_params": ("elem(2 * hidden_size * norm_size)", "elem(3 * hidden_size * norm_size)"),
    "dense_mlp_params": ("elem(2 * hidden_size", "elem(4 * hidden_size"),
    "routed_expert_params": ("moe_ffn_hidden_size * num_experts)", "moe_ffn_hidden_size * num_experts + 1)"),
    "router_params": ("elem(hidden_size * num_experts + num_experts)", "elem(hidden_size * num_experts)"),
    "expert_data_parallel_size": ("world_size // (", "world_size // (2 * "),
    "num_moe_layers": None,
    "tp_sharded_params_on_most_loaded_shard": ("/ tensor_model_parallel_size + output", "+ output"),
    "expert_sharded_params_on_most_loaded_shard": (
        "(expert_tensor_parallel_size * expert_model_parallel_size)", "expert_model_parallel_size",
    ),
    "interleaved_schedule_memory_penalty": ("(pipeline_model_parallel_size - 1)", "pipeline_model_parallel_size"),
    "log_activation_bytes": None,
}  # fmt: skip


def recorded() -> Iterator[dict[str, Any]]:
    with lzma.open(RECORDED, "rt", encoding="utf-8") as file:
        yield from (json.loads(line) for line in file)


def against_records(rules: RuleSet, every: int = 1) -> list[Departure]:
    """Compares rules with recorded runs, or each n-th, as a replay compares them with fresh ones."""
    one = rules.replays["log"]
    comparer = Comparer(rules, one)
    found = []
    for record in list(recorded())[::every]:
        made = case(rules, one, Preset(record["args"], record["id"]), (), Random(0))
        returned = [record[key] for key in ("weight_and_optimizer_mib", "activation_mib", "total_mib")]
        found.append(comparer.compare(made, {"returned": returned, "seen": record["intermediates"]}))
    assert comparer.skipped == 0
    return [departure for departure in found if departure is not None]


def test_recorded_runs_do_not_differ(repository: Path) -> None:
    assert against_records(RuleSet.load(repository / "rules")) == []


@pytest.mark.parametrize("rule", FAULTS)
def test_planted_faults_are_found_and_named(rule: str, repository: Path, tmp_path: Path) -> None:
    folder = tmp_path / "rules"
    shutil.copytree(repository / "rules", folder)
    _plant(folder, rule)
    departures = against_records(RuleSet.load(folder), every=4)
    assert departures
    assert {departure.rule for departure in departures} == {rule}


def _plant(folder: Path, rule: str) -> None:
    """Makes a fault in the formula of a rule: another coefficient or divisor, or the conditions of its cases turned."""
    paths = [path for path in folder.rglob("*.yaml") if f"\n  {rule}:\n" in path.read_text(encoding="utf-8")]
    (path,) = paths
    text = path.read_text(encoding="utf-8")
    start = text.index(f"\n  {rule}:\n")
    stop = text.find("\n    tests:", start)
    body = text[start:stop]
    fault = FAULTS[rule]
    if fault is None:
        line = next(line for line in body.split("\n") if "- when: " in line)
        changed = body.replace(line, line.replace("- when: ", "- when: not (") + ")", 1)
    else:
        assert body.count(fault[0]) == 1, body
        changed = body.replace(*fault)
    path.write_text(text[:start] + changed + text[stop:], encoding="utf-8")
