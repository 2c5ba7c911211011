"""Kept rule sets are found again for the same files only, and never get in the way."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from engine import Preset, RuleSet, evaluate
from engine.loading import cache

RULES = """
inputs:
  hidden_size: {title: Hidden size, type: int, group: model, min: 1, max: 65536, required: true}
rules:
  weights: {title: Weights, unit: elem, formula: elem(hidden_size * 2), assumption: an example}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ENGINE_CACHE", str(tmp_path / "cache"))
    rules = tmp_path / "rules"
    rules.mkdir()
    (rules / "a.yaml").write_text(RULES, encoding="utf-8")
    return rules


def value(rules: RuleSet) -> float:
    return evaluate(rules, {"hidden_size": 8})["weights"].value


def test_a_kept_rule_set_computes_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = RuleSet.load(folder)
    monkeypatch.setattr("engine.loading.load.load", lambda root: pytest.fail("read again"))
    second = RuleSet.load(folder)
    assert second is not first
    assert value(second) == value(first) == 16
    assert second.digest == first.digest
    assert str(second.rules["weights"].span).endswith("a.yaml:5:3")


def test_a_kept_rule_set_is_compiled_already(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    RuleSet.load(folder)
    kept = RuleSet.load(folder)
    monkeypatch.setattr("engine.expr.to_python.python", lambda node: pytest.fail("printed again"))
    assert value(kept) == 16


def test_formulas_are_not_kept_for_other_rules(folder: Path) -> None:
    RuleSet.load(folder)
    kept = RuleSet.load(folder)
    assert kept.codes
    assert not replace(kept, rules={}).codes


def test_shipped_rules_compute_the_same_kept_or_not(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_CACHE", str(tmp_path / "cache"))
    RuleSet.load()
    kept = RuleSet.load()
    monkeypatch.setenv("ENGINE_CACHE", "off")
    read = RuleSet.load()
    assert (len(kept.codes) > len(kept.computed)) and not read.codes
    preset = Preset.load(Path(__file__).parents[2] / "presets" / "deepseek-v3.yaml")
    assert evaluate(kept, preset).to_json() == evaluate(read, preset).to_json()


def test_an_edit_is_seen(folder: Path) -> None:
    RuleSet.load(folder)
    (folder / "a.yaml").write_text(RULES.replace("* 2", "* 3"), encoding="utf-8")
    assert value(RuleSet.load(folder)) == 24


@pytest.mark.parametrize("content", [b"", b"not a pickle", b"\x80\x05K\x01."])
def test_anything_else_in_its_place_is_passed_over(folder: Path, tmp_path: Path, content: bytes) -> None:
    RuleSet.load(folder)
    (kept,) = (tmp_path / "cache").glob("*.pickle")
    kept.write_bytes(content)
    assert value(RuleSet.load(folder)) == 16


def test_off_keeps_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_CACHE", "off")
    RuleSet.load(folder)
    assert not (tmp_path / "cache").exists()


def test_a_folder_that_cannot_be_written_does_no_harm(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("ENGINE_CACHE", str(tmp_path / "file"))
    assert value(RuleSet.load(folder)) == 16


def test_old_ones_are_dropped(folder: Path, tmp_path: Path) -> None:
    for number in range(cache._KEEP + 3):
        copy = tmp_path / f"copy{number}"
        shutil.copytree(folder, copy)
        RuleSet.load(copy)
    assert len(list((tmp_path / "cache").glob("*.pickle"))) == cache._KEEP


def test_a_kept_rule_set_is_read_without_what_only_validation_needs(folder: Path) -> None:
    RuleSet.load(folder)
    code = f"import sys; from engine import RuleSet, evaluate; rules = RuleSet.load({str(folder)!r}); "
    code += "evaluate(rules, {'hidden_size': 8})['weights'].value; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout.split()
    assert "engine.evaluating.program" in loaded
    assert not {
        "pydantic",
        "engine.loading.model",
        "engine.loading.load",
        "engine.expr.nodes",
        "engine.expr.registry",
    } & set(loaded)
