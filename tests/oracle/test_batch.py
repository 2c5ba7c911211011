"""Section 5: what micro-batch, number of micro-batches and global batch move."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate
from tests.support.figures import EXAMPLE

TESTS = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def example(rules: RuleSet, **changes: Any) -> Result:
    return evaluate(rules, Preset.load(TESTS.parent / "presets" / "document-7b.yaml"), set=changes)


def test_activations_are_linear_in_the_micro_batch(rules: RuleSet) -> None:
    one, two = (example(rules, micro_batch_size=size, global_batch_size=512 * size) for size in (1, 2))
    grown = two["document_activation_bytes"].value - one["document_activation_bytes"].value
    assert (
        grown
        == one["document_activation_bytes_per_sequence"].value
        == two["document_activation_bytes_per_sequence"].value
    )


@pytest.mark.parametrize("figures", EXAMPLE["section_5_examples"], ids=lambda figures: str(figures["num_microbatches"]))
def test_examples(rules: RuleSet, figures: dict[str, Any]) -> None:
    result = example(rules, **figures["set"])
    assert result["num_microbatches"].value == figures["num_microbatches"]
    assert result["in_flight_growth"].value == result["document_activation_bytes_per_microbatch"].value == 0
    in_flight = result["stage_in_flight_microbatches"].value[0]
    assert in_flight == figures.get("in_flight_first_stage", EXAMPLE["section_5"]["in_flight_first_stage"])
    layers = result["num_layers"].value / result["pipeline_model_parallel_size"].value
    assert layers == figures.get("layers_on_stage", 16)
    assert layers * in_flight == figures.get("layers_times_in_flight", 32)
    if "first_stage_activation_bytes" in figures:
        assert result["document_activation_bytes"].value == figures["first_stage_activation_bytes"]


def test_below_the_stages_each_micro_batch_counts(rules: RuleSet) -> None:
    few = {"pipeline_model_parallel_size": 8, "data_parallel_size": 16, "world_size": None, "global_batch_size": None}
    three, four = (example(rules, **few, num_microbatches=count) for count in (3, 4))
    grown = four["document_activation_bytes"].value - three["document_activation_bytes"].value
    assert three["document_activation_bytes_per_microbatch"].value == pytest.approx(grown, rel=1e-12)


def test_bubble(rules: RuleSet) -> None:
    eight, nine = (example(rules, num_microbatches=count, global_batch_size=None) for count in (8, 9))
    assert eight["bubble_fraction"].value == pytest.approx(EXAMPLE["section_5"]["bubble_fraction"], abs=5e-5)
    gained = eight["bubble_fraction"].value - nine["bubble_fraction"].value
    assert eight["bubble_fraction_gain"].value == pytest.approx(gained, rel=1e-12)


def test_the_global_batch_moves_memory_through_micro_batches_only(rules: RuleSet) -> None:
    plain, twice = example(rules), example(rules, global_batch_size=2048)
    assert twice["tokens_per_step"].value == 2 * plain["tokens_per_step"].value
    assert twice["document_stage_bytes"].value == plain["document_stage_bytes"].value
