"""The dependency graph: order, closures, cycles and how they are shown."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from engine import EngineError, RuleSet
from engine.graph import Graph
from tests.support.written import cases, number, rule, ruleset

DIAMOND = Graph({"top": ("left", "right"), "left": ("base",), "right": ("base",), "base": (), "alone": ()})


def test_order() -> None:
    order = DIAMOND.order
    assert sorted(order) == sorted(DIAMOND.reads)
    for id, others in DIAMOND.reads.items():
        assert all(order.index(other) < order.index(id) for other in others)


def test_closures() -> None:
    assert DIAMOND.ancestors(["left"]) == {"left", "base"}
    assert DIAMOND.ancestors(["top", "alone"]) == {"top", "left", "right", "base", "alone"}
    assert DIAMOND.descendants(["base"]) == {"base", "left", "right", "top"}
    assert DIAMOND.descendants(["alone"]) == {"alone"}
    assert DIAMOND.read_by["base"] == ("left", "right")
    assert DIAMOND.read_by["top"] == ()


@pytest.mark.parametrize(
    "reads",
    [
        {"a": ("a",)},
        {"a": ("b",), "b": ("a",)},
        {"a": ("b",), "b": ("c", "d"), "c": (), "d": ("e",), "e": ("b",), "f": ("a",)},
    ],
)
def test_cycle(reads: dict[str, tuple[str, ...]]) -> None:
    (cycle,) = Graph(reads).cycles()
    assert cycle[0] == cycle[-1]
    assert len(cycle) > 1
    assert all(other in reads[id] for id, other in pairwise(cycle))


def test_no_cycle() -> None:
    assert list(DIAMOND.cycles()) == []


def test_cycles_that_share_no_id_are_all_found() -> None:
    reads = {"a": ("b",), "b": ("a",), "c": ("d", "a"), "d": ("c",), "e": ("e",), "f": ("a", "c")}
    assert sorted(map(sorted, map(set, Graph(reads).cycles()))) == [["a", "b"], ["c", "d"], ["e"]]


def refused(folder: Path, inputs: dict[str, str], rules: dict[str, str]) -> str:
    with pytest.raises(EngineError) as caught:
        ruleset(folder, inputs, rules)
    assert [finding.code for finding in caught.value.diagnostics] == ["E406"]
    return str(caught.value)


X = {"x": number()}


def test_the_path_of_a_cycle_is_shown(tmp_path: Path) -> None:
    text = refused(tmp_path, X, {"one": rule("two + 1"), "two": rule("three"), "three": rule("x + one")})
    assert any(
        path in text for path in ("one → two → three → one", "two → three → one → two", "three → one → two → three")
    )


def test_cycles_of_other_kinds(tmp_path: Path) -> None:
    refused(tmp_path, X, {"me": rule("me + x")})
    refused(tmp_path, X, {"me": cases(("x > you", "1"), otherwise="2"), "you": rule("me")})
    sizes = {"num_layers": number(rest="default_formula: total, assumption: a")}
    refused(tmp_path, sizes, {"row": rule("layer", "unit: '1', over: layer"), "total": rule("sum_over(row)")})
    refused(tmp_path, {"x": number(rest="default_formula: total, assumption: a")}, {"total": rule("x")})


def test_a_pair_is_no_cycle_but_its_defaults_can_be(tmp_path: Path) -> None:
    pair = {
        "whole": "{title: t, type: number, group: g, either: p, derived: half * 2, assumption: a}",
        "half": "{title: t, type: number, group: g, either: p, derived: whole / 2, assumption: a}",
    }
    assert ruleset(tmp_path, pair, {"both": rule("whole + half")}).graph.order
    pair["whole"] = pair["whole"].replace("derived", "default_formula: half, derived")
    assert ruleset(tmp_path, pair, {"both": rule("whole + half")}).graph.order
    pair["half"] = pair["half"].replace("derived", "default_formula: whole, derived")
    refused(tmp_path, pair, {"both": rule("whole + half")})


def test_the_graph_of_the_shipped_rules() -> None:
    rules = RuleSet.load()
    assert set(rules.graph.reads) == {*rules.slots, *rules.computed}
    assert set(rules.graph.order) == set(rules.graph.reads)
    assert "num_layers" in rules.graph.ancestors(["log_total_mib"])
    assert "log_total_mib" in rules.graph.descendants(["num_layers"])
    # a vector reads the size of its domain
    assert "pipeline_model_parallel_size" in rules.graph.reads["stage_in_flight_microbatches"]
