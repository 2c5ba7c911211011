"""Predictions against public measurements of training runs, group by group, and the page that tells of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import Preset, RuleSet, evaluate
from engine.render.validation import markdown
from engine.validate import Report, Row, validate
from engine.validate.data import read
from engine.validate.measured import preset

DATA = Path(__file__).parent.parent / "data"

ON_PAGE = (
    "cases_checks.yaml.xz",
    "measured.yaml.xz",
    "megatron-e03878b5f.jsonl.xz",
    "oracle_activations.json.xz",
    "oracle_params.json.xz",
)
"""Data of the page: all that needs no overlay."""

MIB = 2.0**20

OUTSIDE = {
    "swift-qwen2-0.5b-dp2",  # 128 tokens a step: gradients of a tied vocabulary outweigh all; no card, no versions
}
"""Dense runs of Megatron's family whose peak lies outside the wide bound, and why as far as it is known."""


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def report(rules: RuleSet) -> Report:
    return validate(rules, [DATA / "measured.yaml.xz"])


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    ((_, content),) = read(DATA / "measured.yaml.xz")
    return list(content)


def test_all_runs_are_predicted(report: Report, records: list[dict[str, Any]]) -> None:
    assert len(records) == 93
    assert {row.id for row in report.rows} == {record["id"] for record in records}
    assert not report.skipped
    steady = sum(record["measured"].get("steady_allocated_bytes") is not None for record in records)
    assert len(report.rows) == 93 + steady


@pytest.mark.parametrize(
    ("select", "quantity", "relative", "absolute", "share"),
    [
        (lambda row: row.family.startswith("dense"), "max_allocated_bytes", 0.01, 60, 0.75),
        (lambda row: row.family.startswith("dense"), "max_allocated_bytes", 0.03, 150, 0.95),
        (lambda row: row.family.startswith("moe"), "max_allocated_bytes", 0.015, 100, 0.65),
        (lambda row: row.family.startswith("moe"), "max_allocated_bytes", 0.05, 300, 0.92),
        (lambda row: True, "steady_allocated_bytes", 0.01, 40, 0.75),
        (lambda row: True, "steady_allocated_bytes", 0.03, 128, 0.92),
    ],
)
def test_runs_of_megatrons_family(
    report: Report, select: Callable[[Row], bool], quantity: str, relative: float, absolute: float, share: float
) -> None:
    rows = [row for row in _megatron(report) if row.quantity == quantity and select(row)]
    assert rows
    held = [row for row in rows if within(row, relative, absolute)]
    assert len(held) >= share * len(rows)


def test_runs_outside_the_wide_bound_are_known(report: Report) -> None:
    rows = [row for row in _megatron(report) if row.quantity == "max_allocated_bytes"]
    bounds = {True: (0.05, 300.0), False: (0.03, 150.0)}
    assert {row.id for row in rows if not within(row, *bounds[row.family.startswith("moe")])} == OUTSIDE


@pytest.mark.parametrize(
    ("frameworks", "quantity", "most"),
    [(("torchtitan",), "max_reserved_bytes", 0.06), (("atorch", "DeepSpeed"), "max_allocated_bytes", 0.10)],
)
def test_runs_of_other_frameworks(report: Report, frameworks: Sequence[str], quantity: str, most: float) -> None:
    errors = [abs(row.error or 0.0) for row in report.rows if row.framework in frameworks and row.quantity == quantity]
    assert errors
    assert statistics.median(errors) <= most


def test_interval(report: Report) -> None:
    rows = [row for row in report.rows if row.half_width is not None]
    assert len(rows) == 75
    held = 0
    for row in rows:
        assert isinstance(row.predicted, float) and isinstance(row.recorded, float) and row.half_width is not None
        assert row.half_width <= max(0.05 * row.predicted, 200 * MIB) * (1 + 1e-12)
        held += abs(row.predicted - row.recorded) <= row.half_width
    assert held >= 0.9 * len(rows)


def test_misses_name_terms(report: Report) -> None:
    for row in report.largest_misses(10):
        assert row.terms


def test_each_term_can_be_switched_off(rules: RuleSet, records: list[dict[str, Any]]) -> None:
    """Without its overheads a run holds states, activations and what comes and goes, and no reserve."""
    for record in records[:5] + records[41:45]:
        result = evaluate(rules, Preset({**preset(record), "counted_overheads": []}))
        assert not any(result["stage_overhead_bytes"].value), record["id"]
        assert result["stage_device_bytes"].value == result["stage_peak_bytes"].value, record["id"]
        # The second part of the sum is alive at the end of a step only.
        states, main = result["stage_states_bytes"].value, result["stage_main_gradient_bytes"].value
        kept, transient = result["stage_activation_bytes"].value, result["stage_transient_bytes"].value
        sums = [sum(parts) for parts in zip(states, (-size for size in main), kept, transient, strict=True)]
        assert result["stage_forward_backward_bytes"].value == sums, record["id"]


def test_page_is_fresh(rules: RuleSet, repository: Path) -> None:
    notes = yaml.safe_load((repository / "docs" / "accuracy-notes.yaml").read_text(encoding="utf-8"))
    page = markdown(validate(rules, [DATA / name for name in ON_PAGE]), notes)
    assert (repository / "docs" / "accuracy.md").read_text(encoding="utf-8") == page, (
        f"write it anew: engine validate tests/data/{{{','.join(ON_PAGE)}}} --format md"
        " --notes docs/accuracy-notes.yaml -o docs/accuracy.md"
    )


def within(row: Row, relative: float, absolute_mib: float) -> bool:
    assert isinstance(row.predicted, float) and isinstance(row.recorded, float)
    return abs(row.predicted - row.recorded) <= max(relative * row.recorded, absolute_mib * MIB)


def _megatron(report: Report) -> list[Row]:
    return [row for row in report.rows if row.framework in ("Megatron", "SimuMax")]
