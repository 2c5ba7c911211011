"""Bounds of rules over the declared ranges of inputs."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from engine.evaluating.program import Scope
from engine.expr.registry import FUNCTIONS
from engine.linting.intervals import CALLS, Bounds, Interval
from engine.ruleset import RuleSet

SOURCES = "documents: {d: {title: t}}\n"
INPUTS = """
inputs:
  num_layers: {title: t, type: int, group: g, min: 1, max: 4, required: true}
  a: {title: t, type: int, group: g, min: 0, max: 3, required: true}
  b: {title: t, type: int, group: g, min: 1, max: 4, required: true}
  d: {title: t, type: number, group: g, min: -2, max: 2, required: true}
  far: {title: t, type: int, group: g, min: 1, max: 1048576, required: true}
rules:
  entries: {title: t, unit: "1", over: layer, formula: a + layer * b, cite: [{document: d, section: s}]}
"""
FORMULAS = [
    "a + b", "a - b", "a * d", "-d", "a / b", "b / a", "d / b", "b // a", "a % b", "d % b", "d ** 2", "d ** 3",
    "min(a, b, 2)", "max(a, d)", "ceil(a / b)", "floor(d)", "ceil_div(a + 1, b)", "ceil_to(a + 1, b)", "lcm(a + 1, b)",
    "gcd(a + 1, b)", "log2(b)", "abs(d)", "sqrt(b)", "half_up(a / b)", "sum_over(entries)", "max_over(entries)",
    "min_over(entries)", "argmax_over(entries)", "at(entries, 0)", "first(entries)", "last(entries)",
    "sum_where(entries, entries, 3)",
]  # fmt: skip


def _load(tmp_path: Path, formula: str, unit: str = "1") -> RuleSet:
    (tmp_path / "sources.yaml").write_text(SOURCES)
    rule = f"  result: {{title: t, unit: {unit!r}, formula: {formula!r}, cite: [{{document: d, section: s}}]}}\n"
    (tmp_path / "all.yaml").write_text(INPUTS + rule)
    return RuleSet.load(tmp_path)


@pytest.mark.parametrize("formula", FORMULAS)
def test_all_values_lie_within_the_bounds(formula: str, tmp_path: Path) -> None:
    rules = _load(tmp_path, formula)
    bounds = Bounds(rules).of("result")
    for layers, a, b, d in itertools.product((1, 4), (0, 1, 3), (1, 2, 4), (-2.0, -0.5, 0.0, 1.5, 2.0)):
        scope = Scope(rules.program, {"num_layers": float(layers), "a": float(a), "b": float(b), "d": d, "far": 1.0})
        try:
            value = scope["result"]
        except Exception:
            continue
        assert bounds.low <= value <= bounds.high
        assert not bounds.whole or value == int(value)


def test_every_function_has_bounds() -> None:
    assert set(CALLS) == set(FUNCTIONS)


def test_a_whole_divisor_is_at_least_one(tmp_path: Path) -> None:
    assert Bounds(_load(tmp_path, "b / a")).of("result") == Interval(0.0, 4.0)


def test_a_vector_adds_up_to_its_largest_size(tmp_path: Path) -> None:
    assert Bounds(_load(tmp_path, "sum_over(entries)")).of("result").high == 4 * (3 + 3 * 4)
