"""Columns of a sweep over rows."""

from pathlib import Path

import pytest

from engine import EngineError, Preset, RuleSet, sweep_rows


def test_columns_of_different_length_are_refused(repository: Path) -> None:
    rules = RuleSet.load(repository / "tests" / "bad" / "base" / "rules")
    preset = Preset({"hidden_size": 8})
    columns = {"seq_length": [1, 2, 3], "micro_batch_size": [1, 2]}
    with pytest.raises(EngineError) as caught:
        sweep_rows(rules, preset, columns, want=["layer_input_bytes"])
    (found,) = caught.value.diagnostics
    assert found.code == "E508"
    assert "micro_batch_size" in found.message
