"""What a planner is told: why the verdict is what it is, how much is typed, which figures are old."""

from __future__ import annotations

from dataclasses import replace

import pytest

from engine import Preset, RuleSet
from workbook.cells import Plan
from workbook.context import Context
from workbook.plan import plan
from workbook.sheets.symbols import readable
from workbook.state import State, from_preset

REASON = (5, 1)


@pytest.fixture(scope="module")
def state(rules: RuleSet, document: Preset) -> State:
    return from_preset(rules, document)


@pytest.fixture(scope="module")
def planned(rules: RuleSet, state: State) -> Plan:
    return plan(rules, state)


def without(state: State, *names: str) -> State:
    return replace(state, entered={name: value for name, value in state.entered.items() if name not in names})


def reason(planned: Plan, rules: RuleSet, state: State) -> str:
    return str(Context(rules, state).shown(planned.sheet("Plan").cells[REASON]))


def test_the_verdict_comes_with_its_reason(planned: Plan, rules: RuleSet, state: State) -> None:
    assert reason(planned, rules, state) == "Fits up to 80 % of the capacity, tight up to 95 %"
    lacking = reason(planned, rules, without(state, "hidden_size", "padded_vocab_size"))
    titles = [rules.inputs[name].title for name in ("hidden_size", "vocab_size", "padded_vocab_size")]
    assert lacking == f"Missing on sheet Inputs · {titles[0]} · {titles[1]} or {titles[2]}"
    assert "choose a card" in reason(planned, rules, without(state, "device"))
    assert "no such scenario" in reason(planned, rules, replace(state, scenario="What-if 9"))
    both = replace(state, entered={**state.entered, "data_parallel_size": 32})
    assert reason(planned, rules, both) == "1 check of level error does not hold, see below"
    unmodelled = replace(state, unmodelled=(("--some-flag", "what it is about"),))
    assert "not modelled" in reason(planned, rules, unmodelled)


def test_old_figures_are_not_compared_with_live_ones(planned: Plan, rules: RuleSet, state: State) -> None:
    sheet = planned.sheet("Scenarios")
    changes = [cell for cell in sheet.cells.values() if cell.style == "change" and cell.column == 4]
    now = Context(rules, replace(state, entered={**state.entered, "micro_batch_size": 4}))
    shown = [now.shown(cell) for cell in changes]
    assert "–" in shown  # of the ledger, which one column cannot hold
    assert [entry for entry in shown if entry != "–"]  # of the document's account and the log's, which are live
    assert "–" not in [Context(rules, state).shown(cell) for cell in changes]


def test_typed_entries_are_counted(rules: RuleSet, document: Preset) -> None:
    pattern = from_preset(rules, Preset({**document.values, "num_experts": 8, "moe_layer_freq": [0, 1] * 16}))
    layers = plan(rules, pattern).sheet("Layers")
    (count,) = (cell for cell in layers.formulas() if " are typed" in cell.content)
    assert Context(rules, pattern).shown(count) == "all 32 are typed"
    shorter = replace(pattern, vectors={"moe_layer_freq": (0, 1, None)})
    assert Context(rules, shorter).shown(count) == "2 of 32 are typed"
    by_hand = replace(without(pattern, "moe_layer_freq"), vectors={"moe_layer_freq": (None, 1)})
    assert Context(rules, by_hand).shown(count) == "1 typed by hand"


@pytest.mark.parametrize(
    ("symbol", "text"),
    [(r"\beta_{1,fp32}^{code}", "β_1,fp32^code"), (r"\Delta m_0", "Δm_0"), (r"\mathrm{DP}", "DP"), ("4f/h", "4f/h")],
)
def test_symbols_are_letters(symbol: str, text: str) -> None:
    assert readable(symbol) == text
