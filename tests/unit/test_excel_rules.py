from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.evaluating.excel_rules import excel_text
from engine.evaluating.exceltest import excel_value, run
from engine.evaluating.ruletest import scope_for
from engine.ruleset import RuleSet

SOURCES = """
documents:
  memo: {title: Memory accounting, url: "https://example.com/memo"}
"""
INPUTS = """
inputs:
  pipeline_model_parallel_size: {title: Stages, type: int, min: 1, default: 1, group: parallelism, assumption: one}
  num_layers: {title: Layers, type: int, min: 1, required: true, group: model}
  swiglu: {title: Gated, type: flag, absent: false, group: model}
  width: {title: Width, type: number, required: true, group: model}
  modules: {title: Recomputed modules, type: set, members: [mlp, core_attn], absent: [], group: recompute}
  dtype: {title: Type, type: enum, values: [bf16, fp32], default: bf16, group: precision, assumption: usual}
tables:
  dtypes:
    title: Types
    columns: {size: {title: Bytes, unit: B/elem, assumption: known}}
    rows: {bf16: {size: 2}, fp32: {size: 4}}
"""
RULES = """
rules:
  share:
    title: Layers a stage
    unit: "1"
    formula: num_layers / pipeline_model_parallel_size
    assumption: even
    tests:
      - {given: {num_layers: 8, pipeline_model_parallel_size: 4}, expect: 2}
  gated:
    title: Whether something
    unit: flag
    cases:
      - {when: 'swiglu and share > 1', formula: width > 3, assumption: a}
      - {otherwise: 'has(modules, "mlp")', assumption: b}
    tests:
      - {given: {swiglu: true, num_layers: 8, width: 4}, expect: true}
      - {given: {swiglu: false, modules: [mlp]}, expect: true}
      - {given: {swiglu: false, modules: []}, expect: false}
  bytes:
    title: Bytes
    unit: B
    formula: elem(width) * lookup(dtypes, dtype, size)
    assumption: a
    tests:
      - {given: {width: 3, dtype: fp32}, expect: 12}
  kind:
    title: Kind
    values: [few, many]
    cases:
      - {when: num_layers < 3, formula: '"few"', assumption: a}
      - {otherwise: '"many"', assumption: b}
    tests:
      - {given: {num_layers: 2}, expect: few}
      - {given: {num_layers: 3}, expect: many}
  held:
    title: Held by a stage
    over: stage
    unit: "1"
    cases:
      - {when: stage == 0, formula: share * 2, assumption: a}
      - {otherwise: share + stage, assumption: b}
    tests:
      - {given: {share: 5, pipeline_model_parallel_size: 3}, expect: [10, 6, 7]}
  heaviest:
    title: Heaviest stage
    unit: "1"
    formula: argmax_over(held) + last(held) / max_over(held)
    assumption: a
    tests:
      - {given: {held: [3, 4, 4], pipeline_model_parallel_size: 3}, expect: 2}
checks:
  enough:
    title: Enough layers
    level: error
    require: num_layers >= pipeline_model_parallel_size
    message: too few
    fields: [num_layers]
    assumption: a
    tests:
      - {given: {num_layers: 4, pipeline_model_parallel_size: 2}, expect: pass}
      - {given: {num_layers: 1, pipeline_model_parallel_size: 2}, expect: fail}
      - {given: {}, expect: unknown}
"""


@pytest.fixture
def rules(tmp_path: Path) -> RuleSet:
    for name, text in (("sources.yaml", SOURCES), ("inputs.yaml", INPUTS), ("rules.yaml", RULES)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return RuleSet.load(tmp_path)


def test_own_tests_pass_on_excel_text(rules: RuleSet) -> None:
    outcomes = list(run(rules))
    assert [outcome for outcome in outcomes if outcome.problem] == []
    assert len(outcomes) == sum(len(rule.tests) for rule in rules.computed.values())


def test_a_condition_that_reads_a_rule_is_guarded(rules: RuleSet) -> None:
    text = excel_text(rules, rules.rules["gated"])
    assert text == "IF((IF((swiglu=1),IF(share>1,1,0),0)=1),IF(width>3,1,0),modules_mlp)"


def test_values_are_in_the_terms_of_rules(rules: RuleSet) -> None:
    scope = scope_for(rules, {"num_layers": 8, "width": 4, "swiglu": True, "pipeline_model_parallel_size": 2})
    expected: dict[str, Any] = {"gated": True, "kind": "many", "held": [8.0, 5.0], "enough": True, "bytes": 8.0}
    for id, value in expected.items():
        assert excel_value(rules, rules.computed[id], scope) == value == scope[id]


def test_a_difference_is_told(rules: RuleSet) -> None:
    share = rules.rules["share"]

    def write(**changes: Any) -> None:
        object.__setattr__(share, "tests", (share.tests[0]._replace(**changes),))

    write(expect=3)
    assert [outcome.problem for outcome in run(rules, ["share"])] == ["expected 3, found 2 in Excel"]
    write(given={"pipeline_model_parallel_size": 2})
    (outcome,) = run(rules, ["share"])
    assert outcome.problem is not None
    assert "no value for num_layers" in outcome.problem
    write(given={"num_layers": "many"})
    (outcome,) = run(rules, ["share"])
    assert outcome.problem is not None


def test_shipped_rules_pass_their_tests_in_excel() -> None:
    outcomes = list(run(RuleSet.load()))
    assert [(outcome.rule, outcome.position, outcome.problem) for outcome in outcomes if outcome.problem] == []
