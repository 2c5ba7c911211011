"""The Python API as it is described to users."""

from __future__ import annotations

import dataclasses
import json
import subprocess
import sys
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import engine
from engine import EngineError, Preset, Result, RuleSet, SweepResult, evaluate, sweep, sweep_rows

PROMISED = (
    "log_total_parameters", "log_active_parameters", "log_most_loaded_shard_parameters", "log_other_shard_parameters",
    "log_weight_and_optimizer_bytes", "log_activation_bytes", "log_weight_and_optimizer_mib", "log_activation_mib",
    "log_total_mib", "num_microbatches",
)  # fmt: skip


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def preset(repository: Path) -> Preset:
    return Preset.load(repository / "presets" / "document-7b.yaml")


@pytest.fixture(scope="module")
def result(rules: RuleSet, preset: Preset) -> Result:
    return evaluate(rules, preset)


IMPORTS = """
import engine.evaluation, engine.sweeps, engine.expr
from engine import Preset, RuleSet, evaluate, sweep, sweep_rows
assert callable(evaluate) and callable(sweep) and callable(sweep_rows)
import engine
assert engine.evaluate is evaluate and engine.sweep is sweep
from engine import *
assert set(engine.__all__) <= set(dir(engine)) | set(globals())
"""


def test_names_stay_functions_whatever_was_imported_before() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", IMPORTS], check=True)


def test_importing_the_package_is_cheap() -> None:
    script = "import engine, sys; print([m for m in ('numpy', 'pydantic', 'yaml', 'click') if m in sys.modules])"
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_what_is_public() -> None:
    assert all(hasattr(engine, name) for name in engine.__all__)
    assert all(getattr(engine, name).__doc__ for name in engine.__all__)
    with pytest.raises(AttributeError, match="nothing_like_this"):
        _ = engine.nothing_like_this


@pytest.mark.parametrize("package", ["engine", "workbook"])
def test_packages_are_typed(package: str) -> None:
    assert files(package).joinpath("py.typed").is_file()


def test_none_loads_the_shipped_rules(rules: RuleSet, repository: Path) -> None:
    assert rules.path.samefile(repository / "rules")
    assert RuleSet.load(repository / "rules").digest == rules.digest
    assert RuleSet.load(str(repository / "rules")).digest == rules.digest


@pytest.mark.parametrize("id", PROMISED)
def test_promised_ids(result: Result, id: str) -> None:
    value = result[id]
    assert value.status == "ok"
    assert value.value >= 0
    assert value.unit
    assert id in result
    assert id in set(result)


def test_a_value(result: Result) -> None:
    value = result["log_total_mib"]
    assert isinstance(value.value, float)
    assert value.branch is not None
    assert value.citations
    assert value.citations[0].kind in ("code", "paper", "document")
    assert "#L" in value.citations[0].where or value.citations[0].kind != "code"


def test_vectors_give_a_list(result: Result) -> None:
    value = result["stage_in_flight_microbatches"]
    assert value.value == [2.0, 1.0]
    assert value.branch == [0, 0]
    assert isinstance(value.value, list)


def test_an_unavailable_rule_names_what_is_missing(rules: RuleSet) -> None:
    value = evaluate(rules, {"num_layers": 4})["log_total_mib"]
    assert (value.status, value.raw) == ("unavailable", None)
    with pytest.raises(EngineError) as caught:
        _ = value.value
    text = str(caught.value)
    assert "error[E602]" in text
    assert all(name in text for name in ("hidden_size", "num_attention_heads", "seq_length"))
    assert "num_layers" not in text.split("missing:")[1]


def test_an_id_that_does_not_exist(result: Result) -> None:
    with pytest.raises(EngineError, match=r"E604.*log_total_mb(.|\n)*did you mean `log_total_mib`"):
        _ = result["log_total_mb"]
    assert "log_total_mb" not in result


def test_a_result_is_frozen(result: Result) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.preset = Preset({})  # type: ignore[misc]
    with pytest.raises(dataclasses.FrozenInstanceError):
        result["log_total_mib"].raw = 1  # type: ignore[misc]


def test_a_preset_may_be_a_mapping(rules: RuleSet, preset: Preset, result: Result) -> None:
    values = dict(preset.values)
    assert evaluate(rules, values)["log_total_mib"].value == result["log_total_mib"].value
    assert evaluate(rules, Preset(values))["log_total_mib"].value == result["log_total_mib"].value
    with pytest.raises(dataclasses.FrozenInstanceError):
        preset.values = {}  # type: ignore[misc]


def test_set_changes_inputs_and_leaves_the_preset(rules: RuleSet, preset: Preset, result: Result) -> None:
    changed = evaluate(rules, preset, set={"micro_batch_size": 1})
    assert changed["log_activation_bytes"].value < result["log_activation_bytes"].value
    assert preset.values["micro_batch_size"] == 2
    assert evaluate(rules, preset)["log_total_mib"].value == result["log_total_mib"].value


def test_inputs_say_where_they_came_from(result: Result) -> None:
    origins = {origin for _, origin in result.inputs.values()}
    assert origins <= {"given", "derived", "default", "absent", "missing"}
    assert result.inputs["num_layers"] == (32.0, "given")
    assert result.inputs["data_parallel_size"] == (64.0, "derived")
    assert result.inputs["num_experts"] == (0.0, "absent")
    assert result.inputs["normalization"] == ("rmsnorm", "given")


def test_checks_and_verdict(rules: RuleSet, preset: Preset, result: Result) -> None:
    assert {check.status for check in result.checks} <= {"pass", "fail", "unknown"}
    assert {check.id for check in result.checks} == set(rules.checks)
    assert not [check for check in result.failed_checks if check.level == "error"]
    assert result.verdict in ("fits", "tight", "does_not_fit", "incomplete", "unknown")
    broken = evaluate(rules, preset, set={"world_size": 250})
    assert broken.verdict == "invalid"
    assert [check for check in broken.failed_checks if check.level == "error" and check.message and check.fields]
    assert broken["log_total_mib"].status == "ok"


def test_json(result: Result) -> None:
    artifact = json.loads(result.to_json())
    assert artifact["schema"].startswith("rank-ledger/result/")
    assert artifact["values"]["log_total_parameters"]["value"] == int(result["log_total_parameters"].value)
    assert artifact == json.loads(json.dumps(result.to_dict()))
    only = json.loads(result.to_json(["log_total_mib"]))
    assert set(only["values"]) == {"log_total_mib"}
    assert result.to_json() == result.to_json()


def test_json_of_a_result_without_values(rules: RuleSet) -> None:
    artifact = json.loads(evaluate(rules, {}).to_json())
    assert artifact["values"]["log_total_mib"]["status"] == "unavailable"
    assert artifact["values"]["log_total_mib"]["missing"]


def test_sweep(rules: RuleSet, preset: Preset) -> None:
    vary = {"tensor_model_parallel_size": [1, 2, 4], "micro_batch_size": [1, 2]}
    found = sweep(rules, preset, vary, want=["log_total_mib", "stage_in_flight_microbatches", "normalization"])
    assert isinstance(found, SweepResult)
    assert found.values["log_total_mib"].shape == (3, 2)
    assert found.values["log_total_mib"].dtype == np.float64
    assert found.values["stage_in_flight_microbatches"].shape == (3, 2, 2)
    assert found.values["normalization"].tolist() == [["rmsnorm"] * 2] * 3
    assert found.axes == vary
    assert list(found.axes) == list(vary)
    assert found.units["log_total_mib"] == rules.rules["log_total_mib"].unit
    assert not found.unavailable["log_total_mib"].any()
    assert not found.failed["log_total_mib"].any()
    assert found.failed["log_total_mib"].dtype == bool
    one = evaluate(rules, preset, set={"tensor_model_parallel_size": 4, "micro_batch_size": 1})
    assert found.values["log_total_mib"][2, 0] == one["log_total_mib"].value


def test_padding_of_vectors(rules: RuleSet, preset: Preset) -> None:
    found = sweep(rules, preset, {"pipeline_model_parallel_size": [1, 2, 4]}, want=["stage_in_flight_microbatches"])
    values = found.values["stage_in_flight_microbatches"]
    assert values.shape == (3, 4)
    assert np.isnan(values).sum(axis=1).tolist() == [3, 2, 0]


def test_rows(rules: RuleSet, preset: Preset) -> None:
    columns: dict[str, Any] = {
        "num_layers": [4, 4, 4, 4],
        "num_experts": [8, 8, 8, None],
        "moe_layer_freq": [[0, 1, 1, 1], "([0]*2+[1]*2)", 2, None],
        "pipeline_model_parallel_layout": [None, "Ett|ttL", ["Ett", "ttL"], None],
    }
    found = sweep_rows(rules, preset, columns, want=["num_moe_layers", "log_total_mib"])
    assert found.values["num_moe_layers"].tolist() == [3, 2, 2, 0]
    assert found.axes == {"row": range(4)}
    assert not found.failed["log_total_mib"].any()


@pytest.mark.parametrize("array", [np.array([1, 2]), np.array([1.0, 2.0]), [np.int32(1), 2], (1, 2)])
def test_columns_may_be_arrays(rules: RuleSet, preset: Preset, array: Any) -> None:
    found = sweep_rows(rules, preset, {"micro_batch_size": array}, want=["micro_batch_size"])
    assert found.values["micro_batch_size"].tolist() == [1, 2]


def test_columns_of_layer_vectors_may_be_an_array(rules: RuleSet, preset: Preset) -> None:
    rows = np.eye(4)
    found = sweep_rows(
        rules, {**preset.values, "num_layers": 4, "num_experts": 2}, {"moe_layer_freq": rows}, ["num_moe_layers"]
    )
    assert found.values["num_moe_layers"].tolist() == [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("vary", "want", "code"),
    [
        ({"micro_batch_sise": [1]}, ["log_total_mib"], "E501"),
        ({"micro_batch_size": [1]}, ["log_total_mb"], "E604"),
        ({"micro_batch_size": [0]}, ["log_total_mib"], "E503"),
        ({"micro_batch_size": [1, 2.5]}, ["log_total_mib"], "E502"),
        ({"micro_batch_size": ["1"]}, ["log_total_mib"], "E502"),
        ({"micro_batch_size": [float("nan")]}, ["log_total_mib"], "E507"),
        ({"normalization": ["layernorm", "batchnorm"]}, ["log_total_mib"], "E504"),
        ({"moe_layer_freq": ["[0"]}, ["log_total_mib"], "E505"),
        ({"swiglu": [1]}, ["log_total_mib"], "E502"),
    ],
)
def test_bad_sweeps(rules: RuleSet, preset: Preset, vary: Any, want: list[str], code: str) -> None:
    for function in (sweep, sweep_rows):
        with pytest.raises(EngineError) as caught:
            function(rules, preset, vary, want)
        assert caught.value.diagnostics[0].code == code


def test_a_large_sweep_only_computes_what_is_wanted(rules: RuleSet, preset: Preset) -> None:
    random = np.random.default_rng(0)
    columns = {"micro_batch_size": random.integers(1, 9, 100_000), "num_layers": random.integers(1, 65, 100_000)}
    found = sweep_rows(rules, preset, columns, ["log_total_mib"])
    assert found.values["log_total_mib"].shape == (100_000,)
    row = 77_777
    one = evaluate(rules, preset, set={name: int(values[row]) for name, values in columns.items()})
    assert found.values["log_total_mib"][row] == pytest.approx(one["log_total_mib"].value, rel=1e-12)
