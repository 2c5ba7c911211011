from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, Preset, Result, RuleSet, evaluate
from engine.evaluating.ruletest import agrees
from engine.evaluating.trace import digits, runs, shown
from engine.explaining.explain import Explanation, Step, explain
from engine.render import explanation as rendered

CITED = Path("tests/cli/cited")


@pytest.fixture(scope="module")
def rules(repository: Path) -> RuleSet:
    return RuleSet.load(repository / CITED / "rules")


@pytest.fixture(scope="module")
def preset(repository: Path) -> Preset:
    return Preset.load(repository / CITED / "preset.yaml")


def steps_of(rules: RuleSet, preset: Preset, key: str, depth: int | None = None, **changes: Any) -> Mapping[str, Step]:
    return explain(evaluate(rules, preset, set=changes), key, depth).steps


def test_every_step_agrees_with_the_result(rules: RuleSet, preset: Preset) -> None:
    result = evaluate(rules, preset)
    for id in result:
        for step in explain(result, id).steps.values():
            if step.kind == "cell":
                continue
            value = result[step.id]
            index = int(step.key.partition("[")[2].rstrip("]")) if step.key != step.id else None
            assert step.value == (value.raw if index is None else value.raw[index])
            assert (step.unit, step.status) == (value.unit, value.status)


def test_the_case_is_the_one_that_was_taken(repository: Path) -> None:
    # every branch of every shipped rule that a preset takes
    rules = RuleSet.load()
    for path in sorted((repository / "presets").glob("*.yaml")):
        result = evaluate(rules, Preset.load(path))
        for id in rules.computed:
            taken = result[id].branch
            for step in explain(result, id, depth=0).steps.values():
                if step.status != "ok" or not step.cases:
                    continue
                if step.over is None:
                    assert [part.case for part in step.parts] == [taken + 1]
                    assert step.parts[0].tried[-1].holds is (taken + 1 < step.cases)
                else:
                    found = {index: part.case for part in step.parts for index in part.indices}
                    assert [found[index] - 1 for index in sorted(found)] == taken


def test_reads_are_what_the_value_rests_on(repository: Path) -> None:
    # what an explanation leaves out as not read may change without changing the value
    rules = RuleSet.load()
    result = evaluate(rules, Preset.load(repository / "presets" / "deepseek-v3.yaml"))
    for id in rules.rules:
        step = explain(result, id, depth=0).steps[id]
        named = {read.partition("[")[0] for read in step.reads} - set(rules.tables)
        assert named <= set(rules.graph.reads[id])


def test_a_substituted_formula_has_the_value(rules: RuleSet, preset: Preset) -> None:
    given = {"elem": float, "B": float, "true": True, "false": False, "__builtins__": {}}
    for step in steps_of(rules, preset, "check_budget").values():
        for part in step.parts if step.kind in ("rule", "check") and step.over is None else ():
            assert part.formula is not None
            if "sum_over" not in part.formula.text:
                assert agrees(eval(part.formula.values, given), step.value, 1e-9)


def test_a_condition_cut_short_keeps_the_names_it_did_not_read(rules: RuleSet, preset: Preset) -> None:
    step = steps_of(rules, preset, "expert_factor", num_experts=0)["expert_factor"]
    assert step.parts[0].tried[0].condition.values == "0 > 0 and num_layers % 0 == 0"
    assert step.reads == ("num_experts",)
    assert step.parts[0].case == 3


def test_one_entry_of_a_vector(rules: RuleSet, preset: Preset) -> None:
    steps = steps_of(rules, preset, "stage_bytes[1]")
    (part,) = steps["stage_bytes[1]"].parts
    assert [(tried.condition.values, tried.holds) for tried in part.tried] == [
        ('1 == 0 and not has(recompute_modules, "mlp")', False)
    ]
    assert part.case == 2
    assert steps["stage_bytes[1]"].reads == ("weight_bytes", "pipeline_model_parallel_size")


def test_a_pick_leads_to_the_entry_and_a_sum_to_the_vector(rules: RuleSet, preset: Preset) -> None:
    steps = steps_of(rules, preset, "peak_bytes")
    assert steps["peak_bytes"].reads == ("stage_bytes[0]",)
    assert steps["weight_bytes"].reads == ("layer_parameters", "params_dtype", "dtypes[bf16].size")
    assert steps["weight_bytes"].parts[0].formula is not None
    assert steps["weight_bytes"].parts[0].formula.values == "sum_over([12582912 ×2, 56623104 ×4]) * 2"
    cell = steps["dtypes[bf16].size"]
    assert (cell.value, cell.unit, cell.title) == (2.0, "B/elem", "Number formats: half precision")
    assert [reference.text for reference in cell.parts[0].citations] == ["Handbook of the site, section 1.2"]


def test_a_whole_vector_has_one_part_a_case(rules: RuleSet, preset: Preset) -> None:
    step = steps_of(rules, preset, "layer_parameters")["layer_parameters"]
    assert [(part.case, part.indices) for part in step.parts] == [(1, (2, 3, 4, 5)), (2, (0, 1))]
    assert step.reads == ("moe_layer_freq", "dense_parameters", "expert_factor", "num_layers")


@pytest.mark.parametrize(
    ("key", "origin", "place", "written"),
    [
        ("hidden_size", "given", ":2", None),
        ("ffn_hidden_size", "default", "", None),
        ("virtual_pipeline_model_parallel_size", "absent", "", None),
        ("data_parallel_size", "derived", "", None),
        ("params_dtype", "given", ":7 as bf16", None),
        ("moe_layer_freq", "given", ":4", "([0]*2+[1]*4)"),
        ("recompute_modules_core_attn", "default", "", None),
        ("recompute_modules", "default", "", None),
        ("run_name", "absent", "", None),
    ],
)
def test_where_an_input_comes_from(
    rules: RuleSet, preset: Preset, key: str, origin: str, place: str, written: str | None
) -> None:
    step = steps_of(rules, preset, key)[key]
    assert (step.origin, step.written) == (origin, written)
    assert step.place.endswith(place)
    assert bool(place) == bool(step.place)


def test_an_input_set_on_the_command_line_and_one_without_a_file(rules: RuleSet, preset: Preset) -> None:
    assert steps_of(rules, preset, "hidden_size", hidden_size=8)["hidden_size"].place == "--set"
    bare = Preset({"hidden_size": 8})
    assert steps_of(rules, bare, "hidden_size")["hidden_size"].place == ""


def test_a_missing_input_ends_the_explanation(rules: RuleSet, preset: Preset) -> None:
    steps = steps_of(rules, preset, "peak_bytes", hidden_size=None)
    assert (steps["peak_bytes"].status, steps["peak_bytes"].why) == ("unavailable", "hidden_size")
    assert (steps["hidden_size"].status, steps["hidden_size"].origin) == ("unavailable", "missing")
    assert "ffn_hidden_size" not in steps  # the formula stopped before it


def test_a_failure_shows_its_operands(rules: RuleSet, preset: Preset) -> None:
    step = steps_of(rules, preset, "headroom_share", num_experts=0)["headroom_share"]
    assert (step.status, step.culprit) == ("failed", "headroom_share")
    assert step.why == "`budget_bytes - peak_bytes` is divided by `num_experts`, which is 0"
    assert step.parts[0].formula is not None
    assert step.parts[0].formula.values == "(80000000000 - 75498472) / 0"


def test_an_entry_of_a_vector_without_a_value(rules: RuleSet, preset: Preset) -> None:
    steps = steps_of(rules, preset, "stage_bytes[0]", hidden_size=None)
    assert steps["stage_bytes[0]"].value is None
    assert "hidden_size" in steps


@pytest.mark.parametrize(
    ("key", "message"),
    [
        ("peak_byte", "did you mean `peak_bytes`?"),
        ("peak_bytes[0]", "single value"),
        ("stage_bytes[2]", "its entries are 0 to 1"),
        ("stage_bytes[x]", "its entries are 0 to 1"),
        ("dtypes[bf16].size", "there is no rule, check or input `dtypes`"),
        ("", "there is no rule"),
    ],
)
def test_what_is_not_there(rules: RuleSet, preset: Preset, key: str, message: str) -> None:
    with pytest.raises(EngineError, match="E604") as caught:
        steps_of(rules, preset, key)
    assert message in str(caught.value)


def test_depth_limits_the_levels(rules: RuleSet, preset: Preset) -> None:
    result = evaluate(rules, preset)
    assert set(explain(result, "peak_bytes", 0).steps) == {"peak_bytes"}
    assert set(explain(result, "peak_bytes", 1).steps) == {"peak_bytes", "stage_bytes[0]"}
    text = rendered.text(explain(result, "weight_bytes", 1))
    assert "└─ … moe_layer_freq, dense_parameters, expert_factor, num_layers" in text


def test_each_step_is_shown_in_full_once(rules: RuleSet, preset: Preset) -> None:
    text = rendered.text(explain(evaluate(rules, preset), "check_budget"))
    assert text.count("Width of a layer") == 1
    assert text.count("hidden_size = 1,024") == 2


def wide(result: Result, key: str, width: int) -> list[str]:
    """Returns the lines that pass the width, but for those so deep that their own 40 columns do."""
    lines = rendered.text(explain(result, key), width).splitlines()
    passing = [line for line in lines if len(line) > width and "https://" not in line]
    return [line for line in passing if len(line.lstrip("│├└─ ")) > 40]


@pytest.mark.parametrize("width", [80, 100])
def test_no_line_passes_the_width(repository: Path, width: int) -> None:
    result = evaluate(RuleSet.load(), Preset.load(repository / "presets" / "deepseek-v3.yaml"))
    for key in result.rules.computed:
        assert wide(result, key, width) == []


def test_the_json_form_is_plain_and_complete(rules: RuleSet, preset: Preset) -> None:
    found = explain(evaluate(rules, preset), "check_budget")
    content = json.loads(json.dumps(rendered.to_dict(found), allow_nan=False))
    assert (content["schema"], content["root"]) == ("rank-ledger/explanation/1", "check_budget")
    assert {read for step in content["steps"].values() for read in step["reads"]} <= set(content["steps"])
    assert content["steps"]["weight_bytes"]["value"] == 503316480
    assert content["steps"]["recompute_modules_mlp"]["value"] is False


def test_a_long_chain_of_rules_is_explained(tmp_path: Path) -> None:
    lines = ["inputs:", "  start: {title: S, type: int, group: model, min: 1, max: 9, required: true}", "rules:"]
    for position in range(1, 200):
        before = f"link_{position - 1}" if position > 1 else "start"
        lines.append(f"  link_{position}: {{title: T, unit: '1', formula: {before} + 1, assumption: a}}")
    (tmp_path / "chain.yaml").write_text("\n".join(lines))
    found: Explanation = explain(evaluate(RuleSet.load(tmp_path), {"start": 1}), "link_199")
    assert len(found.steps) == 200
    assert len(rendered.text(found).splitlines()) > 600


def test_how_values_are_shown_in_formulas() -> None:
    assert [shown(value) for value in (True, "bf16", -2.0, 2.5, 1e300)] == ["true", '"bf16"', "(-2)", "2.5", "1e+300"]
    assert shown([1.0, 1.0, 2.0]) == "[1 ×2, 2]"
    assert runs([str(number) for number in range(20)]) == "0, 1, 2, 3, 4, 5, …, 19"
    assert digits(2.0**53) == "9007199254740992"
