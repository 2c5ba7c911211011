"""Slices: each one moves a stage's total, the matrix is the document's table, the log reads none of them."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import Preset, RuleSet, evaluate
from engine.explaining.slice_matrix import matrix

ROOT = Path(__file__).parent.parent.parent
PRESETS = ROOT / "presets"

MOVED: dict[str, tuple[str, dict[str, Any]]] = {
    "tensor_parallel": ("document-7b", {}),
    "sequence_parallel": ("document-7b", {}),
    "pipeline_parallel": ("document-7b", {}),
    "virtual_pipeline": ("gpt3-175b", {}),
    "data_parallel": ("document-7b", {}),
    "zero1": ("document-7b", {}),
    "zero2": ("document-7b", {"sharding": "zero2"}),
    "zero3": ("document-7b", {"sharding": "zero3"}),
    "context_parallel": ("llama3-8b", {}),
    "expert_parallel": ("mixtral-8x7b", {}),
}
"""Preset and settings with which each slice changes `document_stage_bytes`."""


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def test_every_slice_is_here(rules: RuleSet) -> None:
    assert list(rules.slices) == list(MOVED)


@pytest.mark.parametrize("name", MOVED)
def test_without_a_slice_a_stage_total_changes(rules: RuleSet, tmp_path: Path, name: str) -> None:
    preset, settings = MOVED[name]
    lacking = RuleSet.load(_without(rules, name, tmp_path))
    values = Preset.load(PRESETS / f"{preset}.yaml")
    whole = evaluate(rules, values, set=settings)["document_stage_bytes"].value
    assert evaluate(lacking, values, set=settings)["document_stage_bytes"].value != whole


@pytest.mark.parametrize("name", MOVED)
def test_the_log_reads_no_slice(rules: RuleSet, name: str) -> None:
    made = {id for id, rule in rules.rules.items() if rule.slice is not None}
    logged = [id for id in rules.rules if id.startswith("log_")]
    assert logged
    assert not made & rules.graph.ancestors(logged)


def _without(rules: RuleSet, name: str, folder: Path) -> Path:
    """Copies the rules and takes one slice out of the text of its file."""
    copy = folder / "rules"
    shutil.copytree(rules.path, copy)
    home = Path(rules.slices[name].span.source.path).relative_to(rules.path)
    lines = (copy / home).read_text(encoding="utf-8").splitlines()
    start = rules.slices[name].span.line - 1
    end = next((place for place in range(start + 1, len(lines)) if re.match(r" {0,2}\S", lines[place])), len(lines))
    rest = "\n".join([*lines[:start], *lines[end:]])
    if yaml.safe_load(rest)["slices"]:
        (copy / home).write_text(rest + "\n", encoding="utf-8")
    else:
        (copy / home).unlink()
    return copy


TABLE = {
    "tensor_parallel": ("partly", "partly", "partly", "partly"),
    "sequence_parallel": ("whole", "whole", "whole", "partly"),
    "pipeline_parallel": ("partly", "partly", "partly", "partly"),
    "data_parallel": ("whole", "whole", "whole", "partly"),
    "zero1": ("whole", "whole", "divided", "whole"),
    "zero3": ("divided", "divided", "divided", "whole"),
    "context_parallel": ("whole", "whole", "whole", "divided"),
    "expert_parallel": ("partly", "partly", "partly", "whole"),
}
"""The document's table of section 4, eight dimensions by four components."""


@pytest.mark.parametrize("name", TABLE)
def test_the_matrix_is_the_documents_table(rules: RuleSet, name: str) -> None:
    (row,) = matrix(rules, [name])
    assert tuple(cell.state for cell in row.cells.values()) == TABLE[name]


def test_what_is_cut_in_part(rules: RuleSet) -> None:
    rows = {row.slice.id: row.cells for row in matrix(rules)}
    assert rows["tensor_parallel"]["weights"].whole == ("replicated", "expert")
    assert rows["tensor_parallel"]["activations"].whole == ("norm_dropout", "tokens", "ids")
    assert rows["sequence_parallel"]["activations"].divided == {"sequence_shards": ("norm_dropout", "tokens")}
    assert rows["data_parallel"]["activations"].divided == {"data_parallel_size": ("ids",)}
    assert rows["pipeline_parallel"]["activations"].multiplied == {
        "stage_in_flight_microbatches": ("block_inner", "norm_dropout", "scores", "tokens", "ids")
    }
    expert = "expert_tensor_parallel_size * expert_model_parallel_size"
    assert rows["expert_parallel"]["optimizer"].divided == {expert: ("expert",)}


def test_states_follow_the_weights(rules: RuleSet) -> None:
    """What model parallelism cuts of the weights it cuts of gradients and optimizer states; only sharding differs."""
    for row in matrix(rules):
        if row.slice.id not in ("zero1", "zero2", "zero3"):
            assert row.cells["weights"] == row.cells["gradients"] == row.cells["optimizer"]


def test_pipeline_stages_do_not_relieve_the_first(rules: RuleSet) -> None:
    """A p-th of the layers times p micro-batches in flight."""
    for stages in (1, 2, 4, 8):
        result = evaluate(
            rules, Preset.load(PRESETS / "document-7b.yaml"), set={"pipeline_model_parallel_size": stages}
        )
        assert result["divisor_block_inner_activations"].value[0] == result["tensor_model_parallel_size"].value


def test_zero1_sends_as_many_elements_as_ddp_and_zero3_half_as_many_again(rules: RuleSet) -> None:
    preset = Preset.load(PRESETS / "document-7b.yaml")
    same = {
        "grad_dtype": "bf16",
        "num_microbatches": 1,
        "global_batch_size": None,
    }  # weights and gradients equally wide
    plain = evaluate(rules, preset, set={**same, "use_distributed_optimizer": False})[
        "communication_data_parallel"
    ].value
    first = evaluate(rules, preset, set=same)["communication_zero1"].value
    third = evaluate(rules, preset, set={**same, "sharding": "zero3"})["communication_zero3"].value
    assert first == plain > 0
    assert third == 1.5 * plain


def test_only_the_chosen_sharding_sends(rules: RuleSet) -> None:
    preset = Preset.load(PRESETS / "document-7b.yaml")
    senders = ("communication_data_parallel", "communication_zero1", "communication_zero2", "communication_zero3")
    for sharding, sender in zip(("ddp", "zero1", "zero2", "zero3"), senders, strict=True):
        result = evaluate(rules, preset, set={"sharding": sharding, "use_distributed_optimizer": False})
        assert [id for id in senders if result[id].value > 0] == [sender]


def test_sequence_parallelism_sends_what_tensor_parallelism_would(rules: RuleSet) -> None:
    preset = Preset.load(PRESETS / "document-7b.yaml")
    without = evaluate(rules, preset, set={"sequence_parallel": False})
    assert (
        evaluate(rules, preset)["communication_sequence_parallel"].value
        == without["communication_tensor_parallel"].value
    )
    assert without["communication_sequence_parallel"].value == 0


def test_weights_that_stay_gathered_count_whole(rules: RuleSet) -> None:
    preset = Preset.load(PRESETS / "document-7b.yaml")
    sharded = evaluate(rules, preset, set={"sharding": "zero3"})["document_stage_weights_bytes"].value[0]
    kept = evaluate(rules, preset, set={"sharding": "zero3", "reshard_after_forward": False})
    assert kept["document_stage_weights_bytes"].value[0] == pytest.approx(65 * sharded, rel=1e-12)


def test_context_parallelism_cuts_scores_once(rules: RuleSet) -> None:
    """(s/cp)·s: doubling the ranks halves the scores, it does not quarter them."""
    preset = Preset.load(PRESETS / "document-7b.yaml")
    none = {"recompute_granularity": None, "world_size": None, "data_parallel_size": 64}
    two, four = (
        evaluate(rules, preset, set={**none, "context_parallel_size": ranks})["document_score_bytes"].value
        for ranks in (2, 4)
    )
    assert two == 2 * four


def test_the_document_shards_over_data_parallel_ranks_only(rules: RuleSet) -> None:
    """Megatron, and so the slice, counts context-parallel ranks too."""
    preset = Preset.load(PRESETS / "document-7b.yaml")
    changes = {"context_parallel_size": 4, "world_size": None, "data_parallel_size": 16}
    result = evaluate(rules, preset, set=changes)
    optimizer = 12 * result["document_stage_params"].value[0] / 16
    assert result["document_stage_optimizer_bytes"].value[0] == pytest.approx(optimizer, rel=1e-12)
    assert result["divisor_embedding_optimizer"].value == 2 * 16 * 4
