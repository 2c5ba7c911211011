"""Every formula cell shows what the engine computes, whatever is typed into a loaded workbook."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest

from engine import Preset, RuleSet
from tests.support.random_states import random_state
from tests.support.workbooks import Loaded
from workbook.context import Context

RULES = RuleSet.load()
EACH = 50


@pytest.mark.parametrize("seed", range(4))
def test_50_random_states_in_ironcalc(seed: int, repository: Path, tmp_path: Path) -> None:
    shipped = [Preset.load(path) for path in sorted((repository / "presets").glob("*.yaml"))]
    loaded = Loaded(RULES, shipped[seed % len(shipped)], tmp_path / "plan.xlsx")
    random = Random(seed)
    excused = compared = 0
    verdicts: Counter[str] = Counter()
    for _ in range(EACH):
        state = random_state(RULES, random, loaded.built, shipped)
        found = loaded.compare(state)
        assert found.differences == (), state
        verdicts[Context(RULES, state).result().verdict] += 1
        excused += found.excused
        compared += found.compared
    assert excused < 0.2 * compared  # cells for which a spreadsheet may show a number where the engine has none
    assert len(verdicts) > 2
    assert EACH // 5 < verdicts["invalid"] < EACH - EACH // 5


def test_a_planted_fault_is_found(repository: Path, tmp_path: Path) -> None:
    loaded = Loaded(RULES, Preset.load(repository / "presets" / "document-7b.yaml"), tmp_path / "plan.xlsx")
    assert loaded.compare(loaded.built).differences == ()
    sheet, row, column = loaded.place("bytes_per_gib")
    loaded.ironcalc.enter(sheet, row, column, 1)
    found = [one.cell.source for one in loaded.compare(loaded.built).differences]
    assert any(source is not None and source.id == "bytes_per_gib" for source in found)
