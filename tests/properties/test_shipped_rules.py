"""The shipped rules mean the same one by one, over rows, over grids, and as Excel text."""

from __future__ import annotations

from random import Random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import Preset, RuleSet, evaluate
from tests.support.agreement import excel_differences, grid_differences, row_differences
from tests.support.presets import grids, presets, random_preset

RULES = RuleSet.load()
SCALARS = [id for id, rule in RULES.computed.items() if rule.type.over is None]

BATCH = 20


@settings(max_examples=500 // BATCH)
@given(st.lists(presets(RULES), min_size=BATCH, max_size=BATCH))
def test_500_random_presets_as_rows(batch: list[dict[str, Any]]) -> None:
    assert row_differences(RULES, batch) == []


@settings(max_examples=40)
@given(grids(RULES, longest=3))
def test_random_grids(grid: tuple[dict[str, Any], dict[str, list[Any]]]) -> None:
    assert grid_differences(RULES, *grid) == []


def test_shipped_presets_as_rows(repository: Any) -> None:
    paths = sorted((repository / "presets").glob("*.yaml"))
    assert paths
    assert row_differences(RULES, [Preset.load(path).values for path in paths]) == []


def test_20_random_presets_in_excel() -> None:
    compared: set[str] = set()
    random = Random(0)
    for _ in range(20):
        preset = random_preset(RULES, random, complete=True)
        ids, found = excel_differences(RULES, preset, SCALARS)
        assert found == [], preset
        compared.update(ids)
    assert set(SCALARS) - compared == set()


@settings(max_examples=50)
@given(presets(RULES))
def test_presets_are_accepted_and_mostly_have_values(preset: dict[str, Any]) -> None:
    result = evaluate(RULES, preset)
    statuses = [result[id].status for id in RULES.rules]
    assert statuses.count("ok") > 0.05 * len(statuses)
