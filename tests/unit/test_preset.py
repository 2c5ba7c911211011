"""Presets: files, mappings, settings, and what one change withdraws."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, Preset, RuleSet, evaluate, sweep, sweep_rows
from engine.evaluation import groups
from engine.preset import parse_setting

RULES = RuleSet.load()
SMALL: dict[str, Any] = {
    "num_layers": 4,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "seq_length": 128,
    "micro_batch_size": 1,
}


def codes(error: EngineError) -> list[str]:
    return [finding.code for finding in error.diagnostics]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a=1", ("a", 1)),
        ("a = 1.5", ("a", 1.5)),
        ("a=true", ("a", True)),
        ("a=yes", ("a", "yes")),
        ("a=", ("a", None)),
        ("a=null", ("a", None)),
        ("a=~", ("a", None)),
        ("a=none", ("a", "none")),
        ("a=[0, 1]", ("a", [0, 1])),
        ("a=([0]*3+[1]*58)", ("a", "([0]*3+[1]*58)")),
        ("a='x=y'", ("a", "x=y")),
        ("a=x=y", ("a", "x=y")),
        ('a="4"', ("a", "4")),
    ],
)
def test_settings(text: str, expected: tuple[str, Any]) -> None:
    assert parse_setting(text) == expected


@pytest.mark.parametrize("text", ["", "a", "=1", " =1", "a={b: 1}", "a=[0", "a=*x", "a=!!python/object:x"])
def test_refused_settings(text: str) -> None:
    with pytest.raises(EngineError) as caught:
        parse_setting(text)
    assert all(code[0] == "E" for code in codes(caught.value))


def test_a_file(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("num_layers: 4\nmoe_layer_freq: [0, 1]\nnormalization: null\n", encoding="utf-8")
    preset = Preset.load(path)
    assert preset.values == {"num_layers": 4, "moe_layer_freq": [0, 1], "normalization": None}
    assert preset.path == str(path)
    key, value = preset.places["moe_layer_freq"]
    assert ((key.line, key.column), (value.line, value.column)) == ((2, 1), (2, 17))


def test_findings_point_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "p.yaml"
    path.write_text("num_layer: 4\nhidden_size: big\nseq_length: 0\nnormalization: LayerNrm\n", encoding="utf-8")
    with pytest.raises(EngineError) as caught:
        evaluate(RULES, Preset.load(path))
    found = [(f.code, f.span.line if f.span else 0, f.span.column if f.span else 0) for f in caught.value.diagnostics]
    assert found == [("E501", 1, 1), ("E502", 2, 14), ("E503", 3, 13), ("E504", 4, 16)]
    assert "did you mean `num_layers`?" in str(caught.value)


@pytest.mark.parametrize("text", ["- 1\n", "just text\n", "3\n"])
def test_a_preset_is_a_mapping(tmp_path: Path, text: str) -> None:
    path = tmp_path / "p.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(EngineError) as caught:
        Preset.load(path)
    assert codes(caught.value) == ["E203"]


def test_null_is_the_same_as_nothing() -> None:
    without, null = evaluate(RULES, SMALL), evaluate(RULES, {**SMALL, "num_experts": None, "ffn_hidden_size": None})
    assert without.inputs["num_experts"] == null.inputs["num_experts"] == (0.0, "absent")
    assert without.inputs["ffn_hidden_size"] == null.inputs["ffn_hidden_size"] == (256.0, "default")


def test_null_in_an_overlay_sets_the_absent_value() -> None:
    preset = Preset({**SMALL, "recompute_granularity": "full"})
    assert evaluate(RULES, preset, set={"recompute_granularity": None}).inputs["recompute_granularity"] == (
        "none",
        "absent",
    )
    assert preset.values["recompute_granularity"] == "full"


def test_setting_one_of_a_pair_withdraws_the_other() -> None:
    preset = Preset({**SMALL, "world_size": 8})
    result = evaluate(RULES, preset, set={"data_parallel_size": 2})
    assert result.inputs["data_parallel_size"] == (2.0, "given")
    assert result.inputs["world_size"] == (2.0, "derived")
    both = evaluate(RULES, preset, set={"data_parallel_size": 2, "world_size": 4})
    assert both.inputs["world_size"] == (4.0, "given")


FLAGS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"bf16": True}, {}, "bf16"),
    ({"bf16": True, "fp16": False}, {}, "bf16"),
    ({"bf16": True}, {"params_dtype": "fp16"}, "fp16"),
    ({"bf16": True}, {"params_dtype": None}, "fp32"),
    ({"bf16": True}, {"fp16": True}, "fp16"),
    ({"params_dtype": "fp16"}, {"bf16": True}, "bf16"),
    ({"params_dtype": "fp16"}, {"bf16": False}, "fp16"),
    ({"params_dtype": "fp16"}, {"bf16": None}, "fp16"),
    ({"bf16": True}, {"bf16": False}, "fp32"),
]


@pytest.mark.parametrize(("given", "set", "dtype"), FLAGS)
def test_a_setting_replaces_flags_that_stand_for_the_input(given: Any, set: Any, dtype: str) -> None:
    assert evaluate(RULES, {**SMALL, **given}, set=set)["params_dtype"].value == dtype


@pytest.mark.parametrize("given", [{"bf16": True, "fp16": True}, {"bf16": True, "params_dtype": "fp16"}, {"bf16": 1}])
def test_flags_that_contradict_each_other(given: dict[str, Any]) -> None:
    with pytest.raises(EngineError) as caught:
        evaluate(RULES, {**SMALL, **given})
    assert set(codes(caught.value)) == {"E502"}


def test_a_note_says_what_a_flag_was_read_as() -> None:
    (note,) = evaluate(RULES, {**SMALL, "bf16": True}).notes
    assert note.code == "N501"
    assert note.severity == "note"


def test_sweeps_withdraw_as_settings_do() -> None:
    preset = {**SMALL, "world_size": 8, "bf16": True}
    assert sweep(RULES, preset, {"data_parallel_size": [2, 3]}, ["world_size"]).values["world_size"].tolist() == [2, 3]
    rows = sweep_rows(RULES, preset, {"params_dtype": ["fp16", None]}, ["params_dtype"])
    assert rows.values["params_dtype"].tolist() == ["fp16", "fp32"]


def test_what_a_setting_withdraws_is_declared() -> None:
    assert groups(RULES)["world_size"] == ("data_parallel_size",)
    assert set(groups(RULES)["params_dtype"]) == {"bf16", "fp16"}
    assert groups(RULES)["num_layers"] == ()


@pytest.mark.parametrize(
    ("given", "set", "expected"),
    [
        ({"fp8": "hybrid"}, {}, "hybrid"),
        ({"fp8": None}, {}, "none"),
        ({"fp8": "hybrid", "fp8_mode": "hybrid"}, {}, "hybrid"),
        ({"fp8": "hybrid"}, {"fp8_mode": "e4m3"}, "e4m3"),
        ({"fp8_mode": "hybrid"}, {"fp8": "e4m3"}, "e4m3"),
    ],
)
def test_a_name_under_which_the_trainer_keeps_a_flag(given: dict[str, Any], set: dict[str, Any], expected: str) -> None:
    result = evaluate(RULES, {**SMALL, **given}, set=set)
    assert result["fp8_mode"].value == expected
    assert result.inputs["fp8_mode"][1] == ("given" if expected != "none" else "absent")


@pytest.mark.parametrize(
    ("given", "code", "text"),
    [
        ({"fp8": "hybrid", "fp8_mode": "e4m3"}, "E502", "keep one of them"),
        ({"fp8_format": "hybrid"}, "E501", "the input for --fp8-format is `fp8_mode`"),
        ({"lr": 0.1}, "E501", "--lr is a launch flag that no input stands for"),
        ({"peak_bytes": 1}, "E501", "`peak_bytes` is a rule"),
        ({"swiglo": True}, "E501", "did you mean `swiglu`?"),
    ],
)
def test_what_to_write_instead(given: dict[str, Any], code: str, text: str) -> None:
    with pytest.raises(EngineError) as caught:
        evaluate(RULES, {**SMALL, **given})
    (finding,) = caught.value.diagnostics
    assert finding.code == code
    assert text in (finding.help or "")
