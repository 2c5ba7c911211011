"""Chains of rules that are longer than Python's stack is deep."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import RuleSet, evaluate, sweep, sweep_rows
from engine.explaining.explain import explain

LENGTH = 2000
LAST = f"chain_{LENGTH - 1}"

INPUTS = """\
inputs:
  start: {title: Start, type: int, group: model, required: true, min: 0, max: 9, unit: "1", assumption: a}
  divisor: {title: Divisor, type: int, group: model, default: 1, min: 0, max: 9, unit: "1", assumption: a}
  num_layers: {title: Layers, type: int, group: model, default: 2, min: 1, max: 9, unit: "1", assumption: a}
"""


def rules(folder: Path, first: str, over: str = "") -> RuleSet:
    """Returns rules of which each but the first adds one to the rule before it."""
    formulas = [first, *(f"chain_{place} + 1" for place in range(LENGTH - 1))]
    links = [
        f"  chain_{place}: {{title: t, unit: '1',{over} formula: {formula}, assumption: a}}"
        for place, formula in enumerate(formulas)
    ]
    (folder / "chain.yaml").write_text(INPUTS + "rules:\n" + "\n".join(links) + "\n", encoding="utf-8")
    return RuleSet.load(folder)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    return rules(tmp_path_factory.mktemp("plain"), "start // divisor")


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> RuleSet:
    return rules(tmp_path_factory.mktemp("vectors"), "start + layer", " over: layer,")


def test_a_long_chain_has_a_value(plain: RuleSet, vectors: RuleSet) -> None:
    assert evaluate(plain, {"start": 1})[LAST].value == LENGTH
    assert plain.function(LAST)({"start": 1}) == LENGTH
    assert evaluate(vectors, {"start": 1})[LAST].value == [LENGTH, LENGTH + 1]


def test_what_is_missing_at_its_end_is_named(plain: RuleSet, vectors: RuleSet) -> None:
    for chain in (plain, vectors):
        assert evaluate(chain, {})[LAST].missing == ("start",)


def test_what_fails_at_its_end_is_named(plain: RuleSet) -> None:
    value = evaluate(plain, {"start": 1, "divisor": 0})[LAST]
    assert (value.status, value.origin, value.code) == ("failed", "chain_0", "E601")


def test_arrays_agree(plain: RuleSet, vectors: RuleSet) -> None:
    starts = [1, 2, 3]
    for swept in (sweep, sweep_rows):
        assert swept(plain, {}, {"start": starts}, want=[LAST]).values[LAST].tolist() == [
            LENGTH,
            LENGTH + 1,
            LENGTH + 2,
        ]
        found = swept(vectors, {}, {"start": starts}, want=[LAST]).values[LAST].tolist()
        assert found == [[LENGTH + more, LENGTH + 1 + more] for more in range(3)]


def test_it_is_explained_down_to_the_input(plain: RuleSet) -> None:
    assert list(explain(evaluate(plain, {"start": 1}), LAST).steps)[-2:] == ["start", "divisor"]
