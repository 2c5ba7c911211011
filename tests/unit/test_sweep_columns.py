"""Columns of a sweep over rows."""

from pathlib import Path

import pytest

from engine import EngineError, Preset, RuleSet, sweep, sweep_rows


def test_columns_of_different_length_are_refused(repository: Path) -> None:
    rules = RuleSet.load(repository / "tests" / "bad" / "base" / "rules")
    preset = Preset({"hidden_size": 8})
    columns = {"seq_length": [1, 2, 3], "micro_batch_size": [1, 2]}
    with pytest.raises(EngineError) as caught:
        sweep_rows(rules, preset, columns, want=["layer_input_bytes"])
    (found,) = caught.value.diagnostics
    assert found.code == "E508"
    assert "micro_batch_size" in found.message


def test_one_id_needs_no_list(repository: Path) -> None:
    rules = RuleSet.load(repository / "tests" / "bad" / "base" / "rules")
    preset = Preset({"hidden_size": 8, "micro_batch_size": 1})
    for of in (sweep, sweep_rows):
        assert list(of(rules, preset, {"seq_length": [1, 2]}, want="layer_input_bytes").values) == ["layer_input_bytes"]


@pytest.mark.parametrize("values", [4, "4", None, iter([4])])
def test_values_that_are_no_list_are_refused(repository: Path, values: object) -> None:
    rules = RuleSet.load(repository / "tests" / "bad" / "base" / "rules")
    for of in (sweep, sweep_rows):
        with pytest.raises(EngineError, match="the values of `seq_length` must be a list"):
            of(rules, Preset({}), {"seq_length": values}, want=["layer_input_bytes"])  # type: ignore[dict-item]
