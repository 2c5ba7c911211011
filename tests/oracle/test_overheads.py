"""What the document's section 8 leaves to allowances, on its worked example."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate

PRESET = Path(__file__).parent.parent.parent / "presets" / "document-7b.yaml"
GB = 1e9


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def example(rules: RuleSet, **changes: Any) -> Result:
    return evaluate(rules, Preset.load(PRESET), set=changes)


def test_fragmentation_is_a_share_of_what_is_allocated(rules: RuleSet) -> None:
    result = example(rules, fragmentation_share=0.1)
    assert result["document_fragmentation_bytes"].value == pytest.approx(0.1 * result["document_peak_bytes"].value)


@pytest.mark.parametrize(
    ("changes", "count"),
    [({}, 3), ({"pipeline_model_parallel_size": 1}, 2), ({"context_parallel_size": 2}, 4)],
)
def test_a_communicator_for_each_dimension_in_use(rules: RuleSet, changes: dict[str, Any], count: int) -> None:
    result = example(rules, **changes)
    assert result["communicator_count"].value == count
    assert result["communication_buffer_bytes"].value == count * result["communicator_buffer_bytes"].value


def test_graph_pool(rules: RuleSet) -> None:
    assert example(rules)["document_graph_pool_bytes"].value == 0
    layers = example(rules, cuda_graph_impl="local")
    assert layers["document_graph_pool_bytes"].value == layers["graph_pool_bytes"].value
    whole = example(rules, cuda_graph_impl="full_iteration")
    assert whole["document_graph_pool_bytes"].value == pytest.approx(0.5 * whole["document_peak_bytes"].value)


@pytest.mark.parametrize(("ranks", "divisor"), [(64, 128), (48, 384), (3, 384), (256, 256)])
def test_buckets_end_on_a_common_multiple_of_128_and_the_ranks(rules: RuleSet, ranks: int, divisor: int) -> None:
    result = example(rules, data_parallel_size=ranks)
    assert result["bucket_divisor"].value == divisor
    for params, padding in zip(
        result["document_stage_dense_params"].value, result["document_stage_bucket_padding_params"].value, strict=True
    ):
        assert 0 <= padding < divisor
        assert (params + padding) % divisor == 0


def test_padding_of_the_vocabulary(rules: RuleSet) -> None:
    result = example(rules, vocab_size=128000, padded_vocab_size=None)
    assert result["padded_vocab_size"].value == 128000
    result = example(rules, vocab_size=127901, padded_vocab_size=None)
    assert result["vocabulary_padding_params"].value == 4096 * (128000 - 127901)


def test_loading_is_a_phase_of_its_own(rules: RuleSet) -> None:
    result = example(rules)
    twice = result["document_stage_weights_bytes"].value[0] + result["document_stage_optimizer_bytes"].value[0]
    assert result["document_load_bytes"].value == result["document_static_bytes"].value + twice
    in_place = example(rules, load_copy_share=0)
    assert in_place["document_load_bytes"].value == in_place["document_static_bytes"].value


def test_evaluation_has_a_batch_of_its_own(rules: RuleSet) -> None:
    result = example(rules)
    assert result["evaluation_logits_bytes"].value == result["document_fp32_logits_bytes"].value
    assert round(result["evaluation_logits_bytes"].value / GB, 2) == 2.10
    larger = example(rules, eval_micro_batch_size=8)
    assert larger["evaluation_logits_bytes"].value == 4 * result["evaluation_logits_bytes"].value
    assert larger["evaluation_num_microbatches"].value == 2
    assert larger["document_peak_bytes"].value == result["document_peak_bytes"].value


def test_allowances_are_marked_as_assumptions(rules: RuleSet) -> None:
    allowances = ("fragmentation_share", "communicator_buffer_bytes", "graph_pool_bytes", "full_iteration_graph_share")
    for id in (*allowances, "load_copy_share"):
        assert rules.inputs[id].assumption
    for id in ("document_fragmentation_bytes", "communication_buffer_bytes", "document_stage_load_bytes"):
        assert rules.rules[id].provenance == "assumption"


def test_what_is_left_after_the_allowances(rules: RuleSet) -> None:
    result = example(rules)
    parts = ("document_fragmentation_bytes", "communication_buffer_bytes", "document_graph_pool_bytes")
    total = sum(result[part].value for part in parts) + max(result["document_stage_bucket_padding_bytes"].value)
    assert result["document_overhead_bytes"].value == pytest.approx(total)
    left = result["document_headroom_bytes"].value - total
    assert result["document_headroom_after_overheads_bytes"].value == pytest.approx(left)
