"""Rules of every kind, by hand and drawn at random, mean the same one by one, over rows, over grids, and in Excel."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import engine.sweeping.space
import engine.sweeps
from engine import RuleSet, evaluate, sweep_rows
from engine.sweeping.rows import Factored
from tests.support.agreement import all_ids, excel_differences, grid_differences, row_differences
from tests.support.presets import grids, presets, random_preset
from tests.support.random_rules import RandomRules

FOLDER = Path(__file__).parent / "synthetic"
RULES = RuleSet.load(FOLDER)

Values = dict[str, Any]


@settings(max_examples=15)
@given(st.lists(presets(RULES), min_size=40, max_size=40))
def test_rows(batch: list[Values]) -> None:
    assert row_differences(RULES, batch) == []


@settings(max_examples=60)
@given(grids(RULES, longest=4))
def test_grids(grid: tuple[Values, dict[str, list[Any]]]) -> None:
    assert grid_differences(RULES, *grid) == []


@pytest.mark.parametrize("preset", [{}, {"num_layers": 3, "rate": 2, "gated": True, "colour": "red"}])
def test_a_grid_without_axes(preset: Values) -> None:
    assert grid_differences(RULES, preset, {}) == []


@settings(max_examples=20)
@given(presets(RULES, complete=True))
def test_excel(preset: Values) -> None:
    # ROUNDUP and ROUND take negative numbers the other way, INT(8/0.8) is 10 and POWER overflows: rules avoid all three
    sound = {**preset, "rate": 2, "width": abs(preset["width"]), "huge": 3}
    compared, found = excel_differences(RULES, sound, [id for id in RULES.rules if id != "common_of_large"])
    assert found == []
    assert len(compared) > 0.3 * len(RULES.rules)


def test_every_rule_has_a_value_somewhere_or_trouble_by_design() -> None:
    by_design = {"literal_zero", "zero_in_words", "sum_by_zero", "weight_of_blue"}
    random = Random(0)
    results = [evaluate(RULES, random_preset(RULES, random, complete=False)) for _ in range(200)]
    found = {id: {result[id].status for result in results} for id in RULES.rules}
    assert {id for id, statuses in found.items() if "ok" not in statuses} == by_design
    assert set().union(*found.values()) == {"ok", "unavailable", "failed"}


PLACEMENTS: list[Values] = [
    {"num_layers": 12, "pipeline_model_parallel_size": 2, "virtual_pipeline_model_parallel_size": 3, "special": 2},
    {"num_layers": 3, "pipeline_model_parallel_size": 3, "plan": "Et|t|tL", "draft": "Et|t|tL", "marked": [0, 1, 1]},
    {"num_layers": 5, "pipeline_model_parallel_size": 1, "special": [0, 1, 0, 1, 1], "marked": "[1]*5"},
    {"num_layers": 4, "pipeline_model_parallel_size": 4, "num_layers_per_virtual_pipeline_stage": 8},
    {"num_layers": None, "pipeline_model_parallel_size": None},
    {"num_layers": 5, "special": [1, 0], "plan": "Et|tL"},
]


def many_rows(count: int) -> list[Values]:
    """Returns rows of few distinct placements; sorted by placement, so that blocks differ in the size of vectors."""
    random = Random(1)
    names = sorted({name for placement in PLACEMENTS for name in placement})
    rows = []
    for row in range(count):
        placement = PLACEMENTS[row * len(PLACEMENTS) // count]
        rest = {
            "rate": random.choice((None, -2, 0, 0.5, 3)), "width": random.choice((None, -1, 0, 4, 7.5)),
            "count": random.choice((None, 0, 1, 2, 5)), "gated": random.choice((None, True, False)),
            "colour": random.choice((None, "red", "green")), "place": random.choice((-1, 0, 1, 2)),
            "whole": random.choice((None, 6)), "share": random.choice((None, None, 3)),
        }  # fmt: skip
        rows.append({name: placement.get(name) for name in names} | rest)
    return rows


def test_many_rows_of_few_placements_in_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    made: Counter[int] = Counter()

    class Counted(Factored):
        def __init__(self, space: Any, value: Any, inverse: Any) -> None:
            made[value.array.shape[0]] += 1
            super().__init__(space, value, inverse)

    monkeypatch.setattr(engine.sweeping.space, "Factored", Counted)
    monkeypatch.setattr(engine.sweeps, "BLOCK", 400)
    assert row_differences(RULES, many_rows(1500)) == []
    assert made, "no vector was evaluated by placement"
    assert max(made) <= 4 * len(PLACEMENTS) * 4, "vectors were evaluated row by row"


@pytest.mark.parametrize("block", [1, 7, 64])
def test_blocks_make_no_difference(monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(engine.sweeps, "BLOCK", block)
    assert row_differences(RULES, many_rows(40 if block == 1 else 90)) == []


@pytest.mark.parametrize("columns", [{"rate": []}, {"special": [], "gated": []}])
def test_no_rows(columns: Mapping[str, list[Any]]) -> None:
    swept = sweep_rows(RULES, {}, columns, all_ids(RULES))
    assert all(values.shape[0] == 0 for values in swept.values.values())
    assert all(mask.shape == (0,) for mask in (*swept.failed.values(), *swept.unavailable.values()))


@pytest.mark.parametrize("seed", range(25))
def test_random_rules(seed: int, tmp_path: Path) -> None:
    shutil.copy(FOLDER / "inputs.yaml", tmp_path)
    (tmp_path / "rules.yaml").write_text(RandomRules(seed).text(30), encoding="utf-8")
    rules = RuleSet.load(tmp_path)
    batch = _some_presets(seed)
    assert row_differences(rules, batch) == []
    axes = {name: [preset.get(name) for preset in batch[1:3]] for name in ("num_layers", "rate", "place", "gated")}
    assert grid_differences(rules, batch[0], axes) == []
    sound = {**batch[3], "rate": 2.0, "width": 4.0}
    assert excel_differences(rules, sound, list(rules.rules)[:6])[1] == []


def _some_presets(seed: int) -> list[Values]:
    found: list[list[Values]] = []

    @settings(max_examples=3)
    @given(st.lists(presets(RULES, complete=seed % 2 == 0), min_size=30, max_size=30))
    def draw(batch: list[Values]) -> None:
        found.append(batch)

    draw()
    return found[-1][seed % 20 :]
