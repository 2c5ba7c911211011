"""Findings say the cause once, beside nothing that does not matter, and how to mend it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, Preset, RuleSet, evaluate
from engine.diagnostics import Diagnostic
from engine.preset import parse_setting
from tests.support.written import number, rule, ruleset

TWO_CIRCLES = {
    "one": rule("two + x"),
    "two": rule("one"),
    "three": rule("four + x"),
    "four": rule("three"),
    "five": rule("xx + 1"),
}


def raised(call: Any, *arguments: Any, **keywords: Any) -> Sequence[Diagnostic]:
    with pytest.raises(EngineError) as caught:
        call(*arguments, **keywords)
    return caught.value.diagnostics


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def test_flags_that_contradict_each_other_are_told_once(rules: RuleSet) -> None:
    (found,) = raised(evaluate, rules, {"fp16": True, "num_layers": 2, "bf16": True})
    assert (found.code, found.message) == ("E502", "`bf16` and `fp16` contradict each other")


def test_how_flags_were_read_is_no_matter_beside_an_error(rules: RuleSet) -> None:
    assert [note.code for note in evaluate(rules, {"bf16": True}).notes] == ["N501"]
    assert [found.code for found in raised(evaluate, rules, {"bf16": True, "num_layer": 2})] == ["E501"]


@pytest.mark.parametrize(
    ("values", "help"),
    [
        ({"device": "H100"}, "did you mean `h100-80gb` or `h100-94gb` or `h100-96gb`?"),
        ({"normalization": "RMS"}, "did you mean `rmsnorm`?"),
        ({"recompute_granularity": "selectiv"}, "did you mean `selective`?"),
        ({"recompute_modules": "core_attn, mlp"}, "write recompute_modules: [core_attn, mlp]"),
        ({"num_layer": 2}, "did you mean `num_layers`?"),
    ],
)
def test_help(rules: RuleSet, values: dict[str, Any], help: str) -> None:
    (found,) = raised(evaluate, rules, values)
    assert found.help == help


def test_a_pattern_of_another_length_is_told_once(rules: RuleSet) -> None:
    result = evaluate(rules, {"num_layers": 80, "num_experts": 8, "moe_layer_freq": "([0]*3+[1]*7)"})
    (found,) = raised(lambda: result["num_moe_layers"].value)
    reason = "the pattern has 10 entries for 80 layers"
    assert found.message == f"`num_moe_layers` has no value: in `moe_layer_freq` {reason}"


def test_a_pair_of_inputs_is_named_once(rules: RuleSet) -> None:
    unknown = {check.id: check.message for check in evaluate(rules, {}).checks if check.status == "unknown"}
    assert unknown["check_vocabulary_consistent"].count("padded_vocab_size") == 1


@pytest.mark.parametrize("text", ["[0]*3+[1]*58", "*"])
def test_a_star_needs_quotes(text: str) -> None:
    (found,) = raised(parse_setting, f"moe_layer_freq={text}")
    assert found.code == "E104"
    assert found.help is not None
    assert "quotes" in found.help


def test_a_file_is_suggested_by_its_name_not_by_its_ending(tmp_path: Path) -> None:
    (tmp_path / "bin.yaml").touch()
    (tmp_path / "llama3-70b.yaml").touch()
    (found,) = raised(Preset.load, tmp_path / "nope.yaml")
    assert found.help is None
    (found,) = raised(Preset.load, tmp_path / "lama3-70b.yml")
    assert found.help == f"did you mean `{tmp_path / 'llama3-70b.yaml'}`?"


def test_circles_are_told_beside_other_errors(tmp_path: Path) -> None:
    found = raised(ruleset, tmp_path, {"x": number()}, TWO_CIRCLES)
    assert sorted(one.code for one in found) == ["E303", "E406", "E406"]


def test_a_launch_flag_in_a_formula(tmp_path: Path) -> None:
    dtype = (
        "{title: t, type: enum, values: [fp32, bf16], from_flags: {bf16: bf16}, default: fp32, group: g, assumption: a}"
    )
    (found,) = raised(ruleset, tmp_path, {"params_dtype": dtype}, {"wide": rule("bf16", "unit: flag")})
    assert (found.code, found.help) == ("E303", 'write `params_dtype == "bf16"`')
