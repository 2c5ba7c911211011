"""Parameters per stage against models that the cited code built, and of whole models against public counts."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import Preset, Result, RuleSet, evaluate, sweep_rows

DATA = Path(__file__).parent.parent / "data"

CATEGORY = "stage_params_"

LISTS = {"ranks": {}, "ranks_local_spec_mla_down_proj_sharded": {"transformer-impl": "local"}}
"""Recorded lists of ranks, and the flags that they take beside the recorded ones."""

SPLITS = {
    "total": "stage_params",
    "dense_params": "stage_dense_params",
    "expert_params": "stage_expert_params",
    "buffer_bytes": "stage_buffer_bytes",
}
"""Rule that stands for each recorded sum."""


@dataclass(frozen=True)
class Model:
    """A recorded model, the evaluation of its flags, and what each of its ranks holds."""

    record: dict[str, Any]
    result: Result
    ranks: list[dict[str, Any]]


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def models(rules: RuleSet) -> list[Model]:
    with lzma.open(DATA / "oracle_params.json.xz", "rt", encoding="utf-8") as file:
        records = json.load(file)["records"]
    found = []
    for record in records:
        for key, more in LISTS.items():
            if key in record:
                flags = {**record["args"], "world-size": record["world_size"], **more}
                result = evaluate(rules, Preset.from_megatron_flags(flags, rules))
                found.append(Model(record, result, record[key]))
    return found


@pytest.fixture(scope="module")
def public_models() -> list[dict[str, Any]]:
    with lzma.open(DATA / "hf_configs.yaml.xz", "rt", encoding="utf-8") as file:
        return list(yaml.safe_load(file)["models"])


def test_all_models_are_there(models: list[Model]) -> None:
    assert len({model.record["name"] for model in models}) == 233
    assert sum(len(model.ranks) for model in models) == 908 + 94


def test_every_recorded_part_has_a_rule(models: list[Model], rules: RuleSet) -> None:
    recorded = {part for model in models for rank in model.ranks for part in rank["categories"]}
    missing = {part for part in recorded if CATEGORY + part not in rules.rules}
    assert not missing
    # latent projections need a library that the recorded models were built without, sinks likewise
    unseen = {id.removeprefix(CATEGORY) for id in rules.rules if id.startswith(CATEGORY)} - recorded
    assert {part.removeprefix("mtp_") for part in unseen} <= {"latent_projections", "attention_sinks"}


def test_every_part_of_every_rank(models: list[Model], rules: RuleSet) -> None:
    parts = [id.removeprefix(CATEGORY) for id in rules.rules if id.startswith(CATEGORY)]
    differ = [
        f"{name}: {part} is {recorded}, found {found}"
        for name, model, rank in _ranks(models)
        for part in parts
        if (recorded := rank["categories"].get(part, 0)) != (found := _at(model, CATEGORY + part, rank))
    ]
    assert not differ


@pytest.mark.parametrize("key", SPLITS)
def test_sums_of_every_rank(models: list[Model], key: str) -> None:
    differ = [
        f"{name}: {key} is {rank[key]}, found {found}"
        for name, model, rank in _ranks(models)
        if rank[key] != (found := _at(model, SPLITS[key], rank))
    ]
    assert not differ


def test_layers_of_every_chunk(models: list[Model]) -> None:
    for name, model, rank in _ranks(models):
        stages = model.result["virtual_stage_stage"].value
        layers = model.result["virtual_stage_layers"].value
        chunks = [count for count, stage in zip(layers, stages, strict=True) if stage == rank["pp_rank"]]
        assert chunks == rank["decoder_layers_per_chunk"], name
        assert _at(model, "stage_mtp_layers", rank) == rank["mtp_layers"] or model.record["args"].get(
            "mtp-use-repeated-layer"
        ), name


def test_tensor_parallel_ranks_hold_equally_many(models: list[Model]) -> None:
    for model in models:
        by_stage: dict[int, dict[str, int]] = {}
        for rank in model.ranks:
            assert by_stage.setdefault(rank["pp_rank"], rank["categories"]) == rank["categories"]


def test_derived_values(models: list[Model]) -> None:
    for model in models:
        for name, recorded in model.record["resolved"].items():
            if name == "num_query_groups" and not model.record["args"].get("group-query-attention"):
                continue  # recorded as given, not as used
            if recorded is None:
                recorded = {"virtual_pipeline_model_parallel_size": 1}.get(name)
            if recorded is not None:
                assert model.result[name].value == recorded, (model.record["name"], name)


def test_groups_of_ranks(models: list[Model]) -> None:
    for name, model, rank in _ranks(models):
        dense = model.result["data_parallel_size"].value * model.result["context_parallel_size"].value
        assert dense == rank["dp_size"], name
        assert model.result["expert_data_parallel_size"].value == rank["expert_dp_size"], name


def test_no_layer_is_lost(models: list[Model]) -> None:
    for model in models:
        checks = {check.id: check.status for check in model.result.checks}
        assert checks["check_layer_placement_total"] == "pass", model.record["name"]
        assert sum(model.result["stage_layers"].value) == model.record["args"]["num-layers"]


def test_declared_bounds_hold(models: list[Model], rules: RuleSet) -> None:
    bounded = [rule for rule in rules.rules.values() if rule.at_most is not None]
    assert bounded
    for model in models:
        for rule in bounded:
            assert rule.at_most is not None
            bound = rules.program.evaluate(rule.at_most.node, model.result.resolved.scope)
            assert max(model.result[rule.id].value) <= bound, (model.record["name"], rule.id)


def test_stages_hold_the_whole_model(models: list[Model]) -> None:
    """Without parallelism inside a stage, the stages hold the model once, and the copies of its embedding."""
    plain = [
        model
        for model in models
        if model.record["args"].get("tensor-model-parallel-size", 1) == 1
        and model.record["args"].get("expert-model-parallel-size", 1) == 1
    ]
    assert len(plain) > 30
    for model in plain:
        result = model.result
        tables = sum(result["stage_embeddings"].value) + sum(result["stage_output_layers"].value)
        once = 2 if model.record["args"].get("untie-embeddings-and-output-weights") else 1
        copies = (tables - once) * result["padded_vocab_size"].value * result["hidden_size"].value
        assert sum(result["stage_params"].value) == result["total_parameters"].value + copies, model.record["name"]


def test_all_models_at_once(models: list[Model], rules: RuleSet) -> None:
    """Arrays agree with scalar code, models of many shapes and layouts side by side."""
    want = [id for id in rules.rules if id.startswith(CATEGORY)]
    given = [dict(model.result.preset.values) for model in models]
    names = {name for values in given for name in values}
    columns = {name: [values.get(name) for values in given] for name in sorted(names)}
    found = sweep_rows(rules, {}, columns, want)
    for row, model in enumerate(models):
        size = int(model.result["pipeline_model_parallel_size"].value)
        for id in want:
            assert list(found.values[id][row][:size]) == model.result[id].value, (model.record["name"], id)


def test_checkpoints_of_public_models(rules: RuleSet, public_models: list[dict[str, Any]]) -> None:
    assert len(public_models) == 35
    for model in public_models:
        result = evaluate(rules, _preset(model, rules))
        assert result["checkpoint_parameters"].value == model["computed_total_parameters"], model["name"]


def test_trained_and_active_parameters_of_public_models(rules: RuleSet, public_models: list[dict[str, Any]]) -> None:
    unpadded = {"make_vocab_size_divisible_by": 1, "mtp_num_layers": None}
    for model in public_models:
        result = evaluate(rules, _preset(model, rules), set=unpadded)
        trained = model.get("trained_parameters", model["computed_total_parameters"])
        assert result["total_parameters"].value == trained, model["name"]
        if (active := model.get("computed_active_parameters_with_both_embeddings")) is not None:
            biases = result["expert_selection_biases"].value
            assert result["active_parameters"].value + biases == active, model["name"]


def _preset(model: dict[str, Any], rules: RuleSet) -> Preset:
    """Takes the fields that are inputs; the kind of norm carries a remark in some."""
    values = {name: value for name, value in model.items() if name in rules.inputs}
    return Preset({**values, "normalization": model["normalization"].partition(" ")[0]})


def _ranks(models: list[Model]) -> Iterator[tuple[str, Model, dict[str, Any]]]:
    for model in models:
        for rank in model.ranks:
            yield f"{model.record['name']} rank {rank['rank']}", model, rank


def _at(model: Model, id: str, rank: dict[str, Any]) -> float:
    return float(model.result[id].value[rank["pp_rank"]])
