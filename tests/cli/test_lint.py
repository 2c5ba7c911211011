"""Warnings about rule sets that are sound."""

from __future__ import annotations

from pathlib import Path

from engine.linting.lint import lint
from engine.ruleset import RuleSet

SOURCES = "documents: {d: {title: t}}\n"
CITE = "cite: [{document: d, section: s}]"


def _lint(tmp_path: Path, text: str, views: str = "") -> list[str]:
    (tmp_path / "sources.yaml").write_text(SOURCES)
    (tmp_path / "all.yaml").write_text(text)
    if views:
        (tmp_path / "views.yaml").write_text(views)
    return [f"{item.code} {item.message}" for item in lint(RuleSet.load(tmp_path))]


def test_a_count_that_may_lose_integers_is_told_where_it_first_does(tmp_path: Path) -> None:
    found = _lint(
        tmp_path,
        f"""
inputs:
  width: {{title: t, type: int, group: g, min: 1, max: 1000000, required: true}}
  depth: {{title: t, type: int, group: g, min: 1, max: 100000, required: true}}
rules:
  one_layer: {{title: t, unit: elem, formula: elem(width * width), {CITE}}}
  model: {{title: t, unit: elem, formula: one_layer * depth, {CITE}}}
  twice: {{title: t, unit: elem, formula: 2 * model, {CITE}}}
  size: {{title: t, unit: B, formula: B(width * width * depth), {CITE}}}
""",
        "views: {v: {title: t, kind: list, rows: [twice, size]}}",
    )
    assert found == ["W701 `model` may come to 1e+17, beyond 2^53 where float64 skips integers"]


def test_a_declared_bound_counts(tmp_path: Path) -> None:
    found = _lint(
        tmp_path,
        f"""
rules:
  layers: {{title: t, unit: "1", formula: depth * depth, at_most: depth, {CITE}}}
  model: {{title: t, unit: elem, formula: elem(width) * layers, {CITE}}}
inputs:
  width: {{title: t, type: int, group: g, min: 1, max: 10000000000, required: true}}
  depth: {{title: t, type: int, group: g, min: 1, max: 100000, required: true}}
""",
        "views: {v: {title: t, kind: list, rows: [model]}}",
    )
    assert found == []


def test_what_nothing_uses_is_told(tmp_path: Path) -> None:
    found = _lint(
        tmp_path,
        f"""
inputs:
  used: {{title: t, type: int, group: g, min: 1, max: 8, required: true}}
  unused: {{title: t, type: int, group: g, min: 1, max: 8, required: true}}
  parts: {{title: t, type: set, members: [x, y], group: g, absent: []}}
  idle: {{title: t, type: set, members: [x, y], group: g, absent: []}}
  shown: {{title: t, type: int, group: g, min: 1, max: 8, required: true}}
  told: {{title: t, type: int, group: g, min: 1, max: 8, required: true}}
  one: {{title: t, type: int, group: g, min: 1, max: 8, either: e, derived: other, assumption: a}}
  other: {{title: t, type: int, group: g, min: 1, max: 8, either: e, derived: one, assumption: a}}
rules:
  root: {{title: t, unit: "1", formula: used, {CITE}}}
  loose: {{title: t, unit: "1", formula: used + 1, {CITE}}}
  flag: {{title: t, unit: flag, formula: 'has(parts, "x")', {CITE}}}
checks:
  check_it: {{title: t, level: note, require: flag, message: "{{told}}", fields: [used], {CITE}}}
""",
        "views: {v: {title: t, kind: list, rows: [root, shown]}}",
    )
    assert found == [
        "W703 input `unused` is read by no rule or check and shown by no view",
        "W703 input `idle` is read by no rule or check and shown by no view",
        "W703 rule `loose` is read by no other and shown by no view",
    ]
