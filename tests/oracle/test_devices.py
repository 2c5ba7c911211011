"""The table of cards, and one configuration judged on each of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import Preset, RuleSet, evaluate
from engine.cli.main import cli

ROOT = Path(__file__).parent.parent.parent
GIB = 2**30

USABLE_GIB = {
    "v100-32gb": 31.72,
    "a100-40gb": 39.59,
    "a100-80gb": 79.2,
    "h100-80gb": 79.11,
    "h100-96gb": 95.04,
    "h20-96gb": 95,
    "h200-141gb": 140,
    "gb200": 184.3,
    "ascend-64gb": 60.96,
}
"""What out-of-memory messages print, the lower end of a range."""

NOMINAL_ONLY = (
    "a800-80gb",
    "h100-94gb",
    "h800-80gb",
    "h20-141gb",
    "b200",
    "b300",
    "gb300",
    "mi300x",
    "mi325x",
    "mi355x",
)
SMALL = ("l20", "rtx-4090")


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def on_all_cards(*arguments: str) -> dict[str, dict[str, Any]]:
    command = ["eval", str(ROOT / "rules"), str(ROOT / "presets" / "document-7b.yaml"), "--device", "all", *arguments]
    result = CliRunner().invoke(cli, [*command, "--format", "json"], prog_name="engine", catch_exceptions=False)
    assert result.exit_code == 0
    return {variant["id"]: variant for variant in json.loads(result.output)["variants"]}


def test_every_card_can_be_named(rules: RuleSet) -> None:
    assert rules.inputs["device"].values == rules.tables["devices"].keys
    assert {*USABLE_GIB, *NOMINAL_ONLY, *SMALL, "custom"} == set(rules.tables["devices"].keys)


@pytest.mark.parametrize("card", USABLE_GIB)
def test_usable_memory_is_what_logs_print(rules: RuleSet, card: str) -> None:
    cells = rules.tables["devices"].cells
    assert cells["usable_bytes"][card] == pytest.approx(USABLE_GIB[card] * GIB, abs=1)
    usable = evaluate(rules, Preset.load(ROOT / "presets" / "document-7b.yaml"), set={"device": card})
    assert usable["device_usable_bytes"].value == cells["usable_bytes"][card]


def test_usable_known_follows_from_usable_bytes(rules: RuleSet) -> None:
    cells = rules.tables["devices"].cells
    for card in rules.tables["devices"].keys:
        assert cells["usable_known"][card] == (cells["usable_bytes"][card] is not None)
        assert (cells["usable_bytes"][card] or 0) <= (cells["nominal_bytes"][card] or 0)


@pytest.mark.parametrize("card", [*NOMINAL_ONLY, *SMALL])
def test_a_nominal_figure_is_marked_as_such(rules: RuleSet, card: str) -> None:
    result = evaluate(rules, Preset.load(ROOT / "presets" / "document-7b.yaml"), set={"device": card})
    assert "check_device_usable_known" in [check.id for check in result.failed_checks]
    assert result["device_usable_bytes"].value == pytest.approx(0.95 * result["device_nominal_bytes"].value)


def test_one_configuration_on_each_card(rules: RuleSet) -> None:
    cards = on_all_cards()
    assert set(cards) == set(rules.tables["devices"].keys) - {"custom"}
    verdicts = {card: variant["values"]["document_device_verdict"] for card, variant in cards.items()}
    assert verdicts["rtx-4090"] == "does_not_fit"
    assert verdicts["v100-32gb"] == "tight"
    assert {verdict for card, verdict in verdicts.items() if card not in ("rtx-4090", "v100-32gb")} == {"fits"}
    assert all((variant["note"] is not None) == (card in (*NOMINAL_ONLY, *SMALL)) for card, variant in cards.items())


def test_what_a_preset_says_of_its_card_is_not_taken_for_others(tmp_path: Path) -> None:
    preset = tmp_path / "preset.yaml"
    text = (ROOT / "presets" / "document-7b.yaml").read_text(encoding="utf-8")
    preset.write_text(text + "device_usable_bytes: 1.0e+10\n", encoding="utf-8")
    command = ["eval", str(ROOT / "rules"), str(preset), "--device", "all", "--format", "json"]
    output = CliRunner().invoke(cli, command, prog_name="engine", catch_exceptions=False).output
    values = {variant["id"]: variant["values"] for variant in json.loads(output)["variants"]}
    assert values["h100-80gb"]["device_usable_bytes"] == int(79.11 * GIB)
