"""The log's view with the overlay for Megatron-LM d98e8a64d, against 200 recorded runs at that commit."""

from __future__ import annotations

import json
import lzma
import math
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate
from engine.evaluating.ruletest import run
from tests.oracle.test_log import INTERMEDIATES, RESULTS

DATA = Path(__file__).parent.parent / "data" / "megatron-d98e8a64d.jsonl.xz"
VARIABLES = {
    **INTERMEDIATES,
    ("compute_weight_and_optimizer_memory", "latent_projection_params"): "latent_projection_params",
}

Run = tuple[dict[str, Any], Result]


@pytest.fixture(scope="module")
def rules(repository: Path) -> RuleSet:
    return RuleSet.load(repository / "rules", overlay=repository / "overlays" / "megatron-d98e8a64d")


@pytest.fixture(scope="module")
def runs(rules: RuleSet) -> list[Run]:
    with lzma.open(DATA, "rt", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return [(record, evaluate(rules, Preset(record["args"]))) for record in records]


def same(found: float, recorded: float) -> bool:
    exact = float(recorded).is_integer() and abs(recorded) < 2**53
    return found == recorded if exact else math.isclose(found, recorded, rel_tol=1e-12, abs_tol=0.0)


def test_all_results_agree(runs: list[Run]) -> None:
    good = [record for record, found in runs if all(same(found[id].value, record[key]) for key, id in RESULTS.items())]
    assert len(good) == len(runs) == 200
    assert sum(record["args"]["moe_latent_size"] is not None for record in good) == 59


def test_all_local_variables_agree(runs: list[Run]) -> None:
    compared, misses = set(), []
    for record, found in runs:
        for function, variables in record["intermediates"].items():
            for variable, recorded in variables.items():
                compared.add((function, variable))
                if not same(found[VARIABLES[function, variable]].value, recorded):
                    misses.append((record["id"], variable))
    assert misses == []
    assert compared == set(VARIABLES)


def test_without_the_overlay_latent_experts_differ(runs: list[Run]) -> None:
    base = RuleSet.load()
    latent = [record for record, _ in runs if record["args"]["moe_latent_size"] is not None]
    wrong = [one for one in latent if not same(evaluate(base, one["args"])["log_total_mib"].value, one["total_mib"])]
    assert len(wrong) > len(latent) / 2


def test_the_tests_of_the_overlay_pass(rules: RuleSet) -> None:
    changed = [one.id for one in rules.overrides if one.id in rules.computed]
    outcomes = list(run(rules, iter(changed)))
    assert [outcome for outcome in outcomes if outcome.problem] == []
    assert {outcome.rule for outcome in outcomes} == set(changed)
