"""Selectors."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.diagnostics import EngineError
from engine.explaining.select import select
from engine.ruleset import RuleSet

RULES = RuleSet.load(Path(__file__).resolve().parent / "rules")


@pytest.mark.parametrize(
    ("selector", "ids"),
    [
        ("verdict", "verdict"),
        (" verdict , peak_stage,verdict ", "verdict peak_stage"),
        ("stage_w*", "stage_weight_bytes"),
        ("check_*", "check_layers check_width check_capacity"),
        ("+layer_parameters", "hidden_size swiglu layer_parameters"),
        ("peak_stage+", "peak_stage"),
        ("stage_bytes+", "stage_bytes peak_stage verdict"),
        ("+layer_parameters+,swiglu", "hidden_size swiglu layer_parameters total_parameters stage_bytes"),
        ("recompute_modules", "recompute_modules_core_attn recompute_modules_mlp"),
        ("view:parts", "layer_parameters total_parameters moe_layer_freq keeps_attention"),
    ],
)  # fmt: skip
def test_selects(selector: str, ids: str) -> None:
    found = select(RULES, selector).ids
    assert set(ids.split()) <= set(found)
    if "parameters+" not in selector:
        assert sorted(found) == sorted(ids.split())


def test_order_is_that_of_the_selector() -> None:
    assert select(RULES, "verdict,num_layers").ids == ("verdict", "num_layers")


def test_what_plus_adds_comes_in_the_order_of_evaluation() -> None:
    ids = select(RULES, "+stage_bytes").ids
    assert ids[-1] == "stage_bytes"
    assert ids.index("layer_parameters") < ids.index("stage_weight_bytes")


def test_only_what_is_named_is_asked_for() -> None:
    assert select(RULES, "+total_parameters,check_*").asked == {
        "total_parameters",
        "check_layers",
        "check_width",
        "check_capacity",
    }


@pytest.mark.parametrize(
    ("selector", "message", "help"),
    [
        ("verdct", "no rule, check or input `verdct`", "did you mean `verdict`?"),
        ("peak", "no rule, check or input `peak`", "did you mean `peak_stage`?"),
        ("qqqq", "no rule, check or input `qqqq`", "write ids"),
        ("q*", "matches `q*`", "write ids"),
        ("view:sumary", "no view `sumary`", "did you mean `view:summary`?"),
        ("view:qqq", "no view `qqq`", "views: summary parts"),
        (" , ", "empty", "write ids"),
    ],
)
def test_unknown_names_are_findings(selector: str, message: str, help: str) -> None:
    with pytest.raises(EngineError) as caught:
        select(RULES, selector)
    (finding,) = caught.value.diagnostics
    assert finding.code == "E604"
    assert message in finding.message
    assert help in (finding.help or "")


def test_all_unknown_names_are_told_at_once() -> None:
    with pytest.raises(EngineError) as caught:
        select(RULES, "qqqq,verdict,rrrr,view:ssss")
    assert len(caught.value.diagnostics) == 3
