"""Recorded data: formats are told by content, nothing is dropped, and reports have the shape that they promise."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import EngineError, RuleSet
from engine.cli.main import cli
from engine.validate import Row, validate
from engine.validate.cases import agrees
from engine.validate.report import Report, summarize

RUN = {
    "id": "run-0",
    "args": {
        "num_attention_heads": 8,
        "hidden_size": 512,
        "num_layers": 4,
        "padded_vocab_size": 1024,
        "seq_length": 128,
        "micro_batch_size": 1,
        "world_size": 1,
    },
    "intermediates": {},
    "num_microbatches": 1,
    "weight_and_optimizer_mib": 0,
    "activation_mib": 0,
    "total_mib": 0,
}

CASE = {
    "records": [
        {
            "id": "small",
            "preset": {**RUN["args"], "params_dtype": "bf16", "sharding": "ddp"},  # type: ignore[dict-item]
            "device_usable_gib": 40,
            "expect": {
                "verdict": "fits",
                "failing_checks": [],
                "checks": [
                    {"id": "num_microbatches", "value": 1, "unit": "1", "rel_tol": 0},
                    {"id": "num_microbatches", "value": 2, "unit": "1", "rel_tol": 0, "set": {"world_size": 2}},
                ],
            },
        }
    ]
}


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def written(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_formats_are_told_by_content(rules: RuleSet, tmp_path: Path) -> None:
    lines = tmp_path / "anything.yaml"
    lines.write_text("\n".join(json.dumps({**RUN, "id": f"run-{number}"}) for number in range(2)), encoding="utf-8")
    report = validate(rules, [lines])
    assert {row.id for row in report.rows} == {"run-0", "run-1"}
    assert {row.quantity for row in report.rows} == {
        "num_microbatches",
        "log_weight_and_optimizer_mib",
        "log_activation_mib",
        "log_total_mib",
    }
    assert {row.quantity for row in report.failed} == {row.quantity for row in report.rows} - {"num_microbatches"}


def test_compressed_files_and_folders(rules: RuleSet, tmp_path: Path) -> None:
    (tmp_path / "runs.jsonl.xz").write_bytes(lzma.compress(json.dumps(RUN).encode()))
    (tmp_path / "shapes.yaml").write_text("models: []", encoding="utf-8")
    (tmp_path / "README.md").write_text("# No records", encoding="utf-8")
    assert validate(rules, [tmp_path]).rows == validate(rules, [tmp_path / "runs.jsonl.xz"]).rows


def test_unknown_format(rules: RuleSet, tmp_path: Path) -> None:
    with pytest.raises(EngineError) as caught:
        validate(rules, [written(tmp_path / "other.json", {"models": []})])
    assert [item.code for item in caught.value.diagnostics] == ["E113"]


def test_what_cannot_be_expressed_is_named(rules: RuleSet, tmp_path: Path) -> None:
    unknown = {**RUN, "args": {**RUN["args"], "warp_drive": True}}  # type: ignore[dict-item]
    report = validate(rules, [written(tmp_path / "runs.json", [unknown, {**RUN, "id": "run-1"}])])
    assert [(entry.id, entry.reason) for entry in report.skipped] == [("run-0", "unknown input `warp_drive`")]
    assert {row.id for row in report.rows} == {"run-1"}


def test_cases(rules: RuleSet, tmp_path: Path) -> None:
    report = validate(rules, [written(tmp_path / "cases.json", CASE)])
    assert [(row.id, row.quantity, row.ok) for row in report.rows] == [
        ("small", "verdict", True),
        ("small", "failing_checks", True),
        ("small", "num_microbatches", True),
        ("small with world_size 2", "num_microbatches", False),
    ]


@pytest.mark.parametrize(
    ("found", "recorded", "tolerance", "same"),
    [
        (1.0, 1, 0, True),
        (1.04, 1, 0.05, True),
        (1.06, 1, 0.05, False),
        (True, True, 0.1, True),
        ("fits", "tight", 1, False),
    ],
)
def test_agreement(found: Any, recorded: Any, tolerance: float, same: bool) -> None:
    assert agrees(found, recorded, tolerance) is same


def test_json_has_the_promised_keys(tmp_path: Path) -> None:
    path = written(tmp_path / "cases.json", CASE)
    result = CliRunner().invoke(cli, ["validate", str(path), "--format", "json"])
    found = json.loads(result.stdout)
    assert set(found) == {"rows", "skipped", "summary"}
    assert all(set(row) == {"id", "quantity", "predicted", "recorded", "ok"} for row in found["rows"])
    assert found["summary"]["failed"] == 1
    assert result.exit_code == 1


def test_text_says_what_differs(tmp_path: Path) -> None:
    path = written(tmp_path / "cases.json", CASE)
    result = CliRunner().invoke(cli, ["validate", str(path)])
    assert "3 of 4 that must agree do; no record skipped." in result.stdout
    assert "  small with world_size 2, num_microbatches: 1 predicted, 2 recorded\n" in result.stdout


def test_a_page_takes_notes(tmp_path: Path) -> None:
    path = written(tmp_path / "cases.json", CASE)
    notes = tmp_path / "notes.yaml"
    notes.write_text("- {title: What is known, text: Nothing.}", encoding="utf-8")
    result = CliRunner().invoke(cli, ["validate", str(path), "--format", "md", "--notes", str(notes)])
    assert "## What is known\n\nNothing.\n" in result.stdout
    notes.write_text("title: no list", encoding="utf-8")
    result = CliRunner().invoke(cli, ["validate", str(path), "--format", "md", "--notes", str(notes)])
    assert result.exit_code == 2


def test_summaries() -> None:
    rows = [
        Row(f"run-{number}", "max_allocated_bytes", 100.0 + number, 100.0, None, "trainer", "dense", half_width=2.0)
        for number in range(-3, 4)
    ]
    found = summarize(rows)
    assert (found.rows, found.judged, found.failed) == (7, 0, 0)
    assert found.median == pytest.approx(0.02)
    assert found.p90 == found.largest == pytest.approx(0.03)
    assert found.bias == pytest.approx(0.0)
    assert found.covered == pytest.approx(5 / 7)
    report = Report(tuple(rows))
    assert set(report.by_framework) == {"trainer: max_allocated_bytes"}
    assert [row.id for row in report.largest_misses(2)] == ["run--3", "run-3"]
