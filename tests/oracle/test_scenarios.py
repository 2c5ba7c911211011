"""The scenarios against the document's table of sensitivities, a row a scenario: on the rules and through commands."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine import Preset, Result, RuleSet, evaluate
from engine.cli.main import cli
from tests.support.figures import GB, ROWS, shows

TESTS = Path(__file__).parent.parent
ROOT = TESTS.parent
PRESET = ROOT / "presets" / "document-7b.yaml"

SCENARIOS = {
    "baseline": "baseline",
    "no distributed optimizer": "no_distributed_optimizer",
    "no sequence parallelism": "no_sequence_parallel",
    "no recompute (formula)": "no_recompute",
    "full recompute": "full_recompute",
    "TP=1": "no_tensor_parallel",
    "ZeRO-3 in place of ZeRO-1": "zero3",
}
"""Scenario of each row of section 6.5."""

ANOTHER_FORMULA = ("no_sequence_parallel", "no_recompute", "full_recompute")
LOG_WITHOUT_SP = 24.87


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def in_scenario(rules: RuleSet, name: str) -> Result:
    return evaluate(rules, Preset.load(PRESET), set=rules.scenarios[SCENARIOS[name]].changes)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, arguments, prog_name="engine", catch_exceptions=False)
    return result.exit_code, result.output


def test_each_row_has_a_scenario() -> None:
    assert list(SCENARIOS) == list(ROWS)


@pytest.mark.parametrize("name", SCENARIOS)
def test_scenario_changes_what_its_row_changes(rules: RuleSet, name: str) -> None:
    assert rules.scenarios[SCENARIOS[name]].changes == ROWS[name]["set"]


@pytest.mark.parametrize("name", SCENARIOS)
def test_figures(rules: RuleSet, name: str) -> None:
    row = ROWS[name]
    result = in_scenario(rules, name)
    assert shows(result["document_static_bytes"].value / GB, row["static"])
    assert shows(result["document_activation_bytes"].value / GB, row["activations"])
    assert shows(result["document_first_stage_bytes"].value / GB, row["total"])
    assert result["document_verdict"].value == ("does_not_fit" if name == "no recompute (formula)" else "fits")
    assert result.verdict != "invalid"


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_row_with_another_formula_says_so(rules: RuleSet, name: str) -> None:
    note = rules.scenarios[SCENARIOS[name]].note or ""
    assert ("Another formula" in note) == (SCENARIOS[name] in ANOTHER_FORMULA)


@pytest.mark.parametrize("name", SCENARIOS)
def test_what_the_log_prints(rules: RuleSet, name: str) -> None:
    """The log's estimate knows neither full recomputation nor ZeRO-3, and one formula for all but the baseline's."""
    result = in_scenario(rules, name)
    activations = result["log_activation_bytes"].value / GB
    if SCENARIOS[name] in ("full_recompute", "no_recompute", "no_sequence_parallel"):
        assert shows(activations, LOG_WITHOUT_SP)
    else:
        assert activations == pytest.approx(result["document_activation_bytes"].value / GB)
    static = ROWS["baseline"]["static"] if SCENARIOS[name] == "zero3" else ROWS[name]["static"]
    assert shows(result["log_weight_and_optimizer_bytes"].value / GB, static)


@pytest.mark.parametrize("name", SCENARIOS)
def test_eval_takes_a_scenario(monkeypatch: pytest.MonkeyPatch, rules: RuleSet, name: str) -> None:
    monkeypatch.chdir(ROOT)
    wanted = ["--only", "document_first_stage_bytes", "--format", "json"]
    code, output = run("eval", "rules", "presets/document-7b.yaml", "--scenario", SCENARIOS[name], *wanted)
    value = json.loads(output)["values"]["document_first_stage_bytes"]["value"]
    assert code == 0
    assert value == pytest.approx(in_scenario(rules, name)["document_first_stage_bytes"].value)


def test_a_setting_wins_over_a_scenario(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    command = ["eval", "rules", "presets/document-7b.yaml", "--scenario", "no_tensor_parallel"]
    code, output = run(*command, "--set", "world_size=64", "--only", "data_parallel_size", "--format", "csv")
    assert code == 0
    assert [row["value"] for row in csv.DictReader(io.StringIO(output))] == ["32"]


def test_an_unknown_scenario_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code, output = run("eval", "rules", "presets/document-7b.yaml", "--scenario", "zero")
    assert code == 2
    assert "did you mean `zero3`?" in output


@pytest.mark.parametrize("form", ["text", "json", "md", "csv"])
def test_scenarios_side_by_side(monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    monkeypatch.chdir(ROOT)
    code, output = run("scenarios", "rules", "presets/document-7b.yaml", "--format", form)
    assert code == 0
    assert all(scenario in output for scenario in SCENARIOS.values())
    if form in ("text", "md"):
        assert "104.19" in output
        assert "+86.97" in output
        assert "does not fit" in output


def test_scenarios_as_data(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    _, output = run("scenarios", "rules", "presets/document-7b.yaml", "--format", "json")
    variants = {variant["id"]: variant for variant in json.loads(output)["variants"]}
    for name, id in SCENARIOS.items():
        values = variants[id]["values"]
        total = ROWS[name]["total"]
        assert shows(values["document_first_stage_bytes"] / GB, total)
        change = values["document_first_stage_bytes"] - variants["baseline"]["values"]["document_first_stage_bytes"]
        assert variants[id]["change"]["document_first_stage_bytes"] == pytest.approx(change)
        assert {"log_weight_and_optimizer_bytes", "log_activation_bytes", "log_total_bytes"} < set(values)


def test_scenarios_of_an_invalid_configuration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code, output = run("scenarios", "rules", "presets/document-7b.yaml", "--set", "global_batch_size=1000")
    assert code == 1
    assert "invalid" in output
