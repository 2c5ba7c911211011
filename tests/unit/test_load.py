"""Loading: what belongs together is checked, and one mistake is told once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import EngineError, RuleSet
from tests.support.written import number, rule, ruleset

LAYERS = "{title: t, type: int, group: g, min: 1, required: true}"
FREQ = "{title: t, type: layer_vector, parser: megatron_moe_layer_freq, group: g, default: 1, assumption: a}"


def findings(folder: Path, inputs: dict[str, str], rules: dict[str, str], more: str = "") -> list[tuple[str, int]]:
    """Returns code and line of each finding."""
    with pytest.raises(EngineError) as caught:
        ruleset(folder, inputs, rules, more)
    return [(found.code, found.span.line if found.span else 0) for found in caught.value.diagnostics]


def test_what_reads_an_unusable_declaration_is_not_told_of_too(tmp_path: Path) -> None:
    inputs = {"x": "{title: t, type: number, unit: 1, group: g, required: true}", "y": "3", "z": number()}
    rules = {
        "one": rule("x + y + z"), "two": "{title: t, unit: '1', formula: x, cite: 3}", "three": rule("two * one"),
        "four": rule("zz + two"),
    }  # fmt: skip
    five = "{title: t, level: error, require: x > 0, message: '{x} {zzz}', fields: [x, two], assumption: a}"
    assert findings(tmp_path, inputs, rules, f"checks:\n  five: {five}\n") == [
        ("E203", 2),  # unit of x
        ("E203", 3),  # y is no mapping
        ("E203", 7),  # cite of two
        ("E303", 9),  # zz
        ("E303", 11),  # zzz
    ]


@pytest.mark.parametrize("domain", ["stage", "virtual_stage", "layer"])
def test_a_vector_needs_the_inputs_of_its_size(tmp_path: Path, domain: str) -> None:
    vector = {"row": rule(domain, f"unit: '1', over: {domain}")}
    assert findings(tmp_path, {"x": number()}, vector) == [("E308", 4)]


def test_a_layer_vector_needs_the_number_of_layers(tmp_path: Path) -> None:
    assert findings(tmp_path, {"freq": FREQ}, {"total": rule("sum_over(freq)")}) == [("E308", 2)]
    assert ruleset(tmp_path, {"freq": FREQ, "num_layers": LAYERS}, {"total": rule("sum_over(freq)")}).sizes.keys() == {
        "layer"
    }


@pytest.mark.parametrize(
    ("input", "id"),
    [
        ("{title: t, type: set, members: [door], group: g, default: []}", "parts_door"),
        ("{title: t, type: set, members: [door], group: g, default: []}", "PARTS_DOOR"),
        ("{title: t, type: layout, parser: megatron_pipeline_layout, group: g, absent: none}", "parts_given"),
    ],
)
def test_names_that_an_input_provides_are_its_own(tmp_path: Path, input: str, id: str) -> None:
    sizes = dict.fromkeys(
        ("num_layers", "pipeline_model_parallel_size", "virtual_pipeline_model_parallel_size"), LAYERS
    )
    assert "E206" in [code for code, _ in findings(tmp_path, {**sizes, "parts": input}, {id: rule("1")})]


@pytest.mark.parametrize("member", ['x"] or print(1) or v["x', "a-b", "1 + 1", "düne", "a b"])
def test_members_of_sets_must_be_words(tmp_path: Path, member: str) -> None:
    body = f"{{title: t, type: set, members: ['{member}'], group: g, default: []}}"
    assert "E205" in [code for code, _ in findings(tmp_path, {"parts": body}, {"it": rule("1")})]


def test_a_folder_and_a_file(tmp_path: Path) -> None:
    ruleset(tmp_path, {"x": number()}, {"it": rule("x + 1")})
    assert RuleSet.load(tmp_path / "rules.yaml").digest == RuleSet.load(tmp_path).digest
    for path in (tmp_path / "nothing", tmp_path / "nothing.yaml"):
        with pytest.raises(EngineError, match="E101"):
            RuleSet.load(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(EngineError, match="E107"):
        RuleSet.load(tmp_path / "empty")


def test_a_rule_set_shows_itself_in_one_line(tmp_path: Path) -> None:
    assert repr(ruleset(tmp_path, {"x": number()}, {"it": rule("x + 1")})).endswith("1 inputs, 1 rules, 0 checks>")
