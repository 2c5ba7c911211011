"""Differences: both lists add up, causes are the changed rules and inputs, and what cannot be taken apart says so."""

from __future__ import annotations

import json
import math
from pathlib import Path
from random import Random

import pytest
from click.testing import CliRunner

from engine import EngineError, Preset, RuleSet, evaluate
from engine.cli.main import cli
from engine.explaining.difference import difference

RULES = """
inputs:
  a: {title: A, type: int, group: model, min: 0, max: 100, default: 1, assumption: small}
  b: {title: B, type: int, group: model, min: 0, max: 100, default: 2, assumption: small}
  n: {title: N, type: int, group: parallelism, min: 1, max: 8, default: 2, assumption: small}
  pipeline_model_parallel_size: {title: P, type: int, group: parallelism, min: 1, max: 8, default: 2, assumption: small}
rules:
  weights: {title: W, unit: B, formula: B(a * b), assumption: an example}
  states: {title: S, unit: B, formula: 2 * weights, assumption: an example}
  rest:
    title: R
    unit: B
    cases:
      - {when: a > 5, formula: B(7), assumption: an example}
      - {otherwise: B(3), assumption: an example}
  total: {title: T, unit: B, formula: B(1 * weights / B(1)) + (states - rest) + B(a / n), assumption: an example}
  per_stage: {title: P, unit: B, over: stage, formula: weights + B(stage * a), assumption: an example}
  largest:
    title: L
    unit: B
    formula: max(rest, states + rest - min(rest, 0 * rest), 3 * weights - B(30)) - rest
    assumption: an example
  name: {title: N, values: [x, y], formula: '"x"', assumption: an example}
"""


@pytest.fixture
def rules(tmp_path: Path) -> RuleSet:
    (tmp_path / "rules").mkdir()
    (tmp_path / "rules" / "a.yaml").write_text(RULES, encoding="utf-8")
    return RuleSet.load(tmp_path / "rules")


def test_between_presets(rules: RuleSet) -> None:
    found = difference(evaluate(rules, {"a": 4, "b": 3}), evaluate(rules, {"a": 6, "b": 5, "n": 3}), "total")
    assert (found.old, found.new, found.unit) == (12 + 24 - 3 + 2, 30 + 60 - 7 + 2, "B")
    assert [(part.rule, part.text, part.change) for part in found.parts] == [
        ("states", "states", 36), ("total", "B(1 * weights / B(1))", 18), ("rest", "rest", -4),
    ]  # fmt: skip
    assert found.parts[2].note == "another formula, or another case of it"
    assert [(cause.kind, cause.id, cause.old, cause.new) for cause in found.causes] == [
        ("value", "a", "4", "6"), ("value", "b", "3", "5"), ("value", "n", "", "3"),
    ]  # fmt: skip
    assert math.isclose(sum(cause.change for cause in found.causes), found.change)


def test_a_maximum_is_taken_apart_where_the_same_operand_decides(rules: RuleSet) -> None:
    found = difference(evaluate(rules, {"a": 4, "b": 3}), evaluate(rules, {"a": 6, "b": 5}), "largest")
    assert [(part.text, part.change) for part in found.parts] == [("states", 36)]  # `rest` is in it twice, and cancels
    found = difference(evaluate(rules, {"a": 4, "b": 3}), evaluate(rules, {"a": 10, "b": 9}), "largest")
    assert [(part.text[:9], part.change) for part in found.parts] == [("max(rest,", 213), ("rest", -4)]


def test_a_vector_is_compared_where_it_is_largest(rules: RuleSet) -> None:
    old = evaluate(rules, {"a": 4, "b": 3})
    new = evaluate(rules, {"a": 4, "b": 3, "pipeline_model_parallel_size": 4})
    found = difference(old, new, "per_stage")
    assert (found.old, found.new, found.places) == (16, 24, (1, 3))
    assert [(part.text, part.change) for part in found.parts] == [("B(stage * a)", 8)]


def test_between_rule_sets(rules: RuleSet, tmp_path: Path) -> None:
    site = tmp_path / "site.yaml"
    site.write_text(
        "rules:\n"
        "  weights: {title: W, unit: B, formula: B(a * b) + extra, assumption: an example}\n"
        "  extra: {title: E, unit: B, formula: B(10), assumption: an example}\n"
        "  rest: {title: R, unit: B, formula: B(a), assumption: an example}\n"
        "  name: {title: N, values: [x, y], formula: '\"y\"', assumption: an example}\n",
        encoding="utf-8",
    )
    other = RuleSet.load(rules.path, overlay=site)
    found = difference(evaluate(rules, {}), evaluate(other, {}), "total")
    assert (found.old, found.new) == (2 + 4 - 3 + 0.5, 12 + 24 - 1 + 0.5)
    assert {cause.id: cause.change for cause in found.causes} == {"weights": 30, "rest": 2}
    assert found.idle == ("extra",)  # new, and read by nothing until `weights` is replaced
    assert sum(part.change for part in found.parts) == 32


def test_defaults_and_tables_of_rules_are_causes(rules: RuleSet, tmp_path: Path) -> None:
    site = tmp_path / "site.yaml"
    site.write_text(
        "inputs:\n  b: {title: B, type: int, group: model, min: 0, max: 100, default: 9, assumption: big}\n",
        encoding="utf-8",
    )
    found = difference(evaluate(rules, {}), evaluate(RuleSet.load(rules.path, overlay=site), {}), "weights")
    assert [(cause.kind, cause.id, cause.old, cause.new, cause.change) for cause in found.causes] == [
        ("input", "b", "2", "9", 7)
    ]


def test_no_difference(rules: RuleSet) -> None:
    found = difference(evaluate(rules, {"a": 1}), evaluate(rules, {"a": 1}), "total")
    assert (found.change, found.parts, found.causes) == (0, (), ())


@pytest.mark.parametrize(("id", "code"), [("nothing", "E604"), ("name", "E604")])
def test_what_cannot_be_compared(rules: RuleSet, id: str, code: str) -> None:
    result = evaluate(rules, {})
    with pytest.raises(EngineError, match=code):
        difference(result, result, id)


def test_both_lists_add_up_over_the_shipped_rules(repository: Path) -> None:
    random = Random(7)
    rules = RuleSet.load(repository / "rules")
    presets = [Preset.load(path) for path in sorted((repository / "presets").glob("*.yaml"))]
    totals = [rules.views["summary"].body.ledger.total, "log_weight_and_optimizer_bytes", "log_total_mib"]
    compared = 0
    for _ in range(12):
        old, new = (evaluate(rules, preset) for preset in random.sample(presets, 2))
        for id in totals:
            if old[id].status == new[id].status == "ok":
                found = difference(old, new, id)
                compared += 1
                assert math.isclose(sum(part.change for part in found.parts), found.change, rel_tol=1e-9, abs_tol=1)
                assert math.isclose(sum(one.change for one in found.causes), found.change, rel_tol=1e-9, abs_tol=1)
    assert compared > 12


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, ["diff", *arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_command(rules: RuleSet, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("a: 4\nb: 3\n", encoding="utf-8")
    preset, folder = str(tmp_path / "p.yaml"), str(rules.path)
    assert run(preset, "--rules", folder, "--set", "b=5", "--of", "total").splitlines() == [
        "total: 35 → 59 B, +24 B",
        "",
        "Where it arises",
        "  +16  states                        24 → 40",
        "   +8  total: B(1 * weights / B(1))  12 → 20",
        "",
        "What brings it about, one change after another",
        "  +24  b  3 → 5",
    ]
    site = tmp_path / "site.yaml"
    site.write_text("rules:\n  rest: {title: R, unit: B, formula: B(a), assumption: an example}\n", encoding="utf-8")
    data = json.loads(
        run(folder, "--preset", preset, "--overlay", str(site), "--of", "total", "--of", "weights", "--format", "json")
    )
    assert [(one["id"], one["change"]) for one in data["differences"]] == [("total", -1), ("weights", 0)]
    assert "| -1 | `rest` |" in run(
        folder, "--preset", preset, "--overlay", str(site), "--of", "total", "--format", "md"
    ).replace("−", "-")


@pytest.mark.parametrize(
    "arguments", [["p.yaml"], ["rules", "--overlay", "x"], ["a", "b", "--preset", "p", "--rules", "r"]]
)
def test_command_says_what_is_missing(arguments: list[str]) -> None:
    assert CliRunner().invoke(cli, ["diff", *arguments]).exit_code == 2
