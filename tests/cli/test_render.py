"""Numbers, labels, tables and the layout of `engine eval`."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from engine import Preset, RuleSet, evaluate
from engine.render.labels import column_labels
from engine.render.markdown import escaped
from engine.render.numbers import gigabytes, plain, scaled, share, written
from engine.render.summary import Verdict, runs, summarize
from engine.render.table import aligned, bar, cells, fitted, padded, wrapped
from engine.render.tabular import csv_text, harmless
from engine.render.text import summary_text, verdict_sentence

HERE = Path(__file__).resolve().parent
RULES = RuleSet.load(HERE / "rules")
PRESET = Preset.load(HERE / "preset.yaml")
PRESETS = HERE.parent.parent / "presets"


@pytest.mark.parametrize(
    ("value", "text"),
    [(0, "0.00"), (1, "<0.01"), (4999999, "<0.01"), (5e6, "0.01"), (1.234e12, "1,234.00"), (None, "–")],
)
def test_gigabytes(value: float | None, text: str) -> None:
    assert gigabytes(value) == text


@pytest.mark.parametrize(
    ("part", "text"), [(0, "0.0 %"), (0.1, "<0.1 %"), (333, "33.3 %"), (1000, "100.0 %"), (None, "–")]
)
def test_shares(part: float | None, text: str) -> None:
    assert share(part, 1000) == text
    assert share(part, 0) == share(part, None) == "–"


@pytest.mark.parametrize(
    ("value", "text"), [(7.5e9, "7.50B"), (405e9, "405.00B"), (1.2e12, "1.20T"), (12, "12"), (1500, "1.50K")]
)
def test_counts(value: float, text: str) -> None:
    assert scaled(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(12345678.0, "12,345,678"), (0.125, "0.125"), (11846.75, "11,846.75"), (True, "true"), ("x", "x"), ([], "empty")],
)
def test_values_in_tables(value: Any, text: str) -> None:
    assert plain(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(80e9, "80e9"), (15e6, "15e6"), (4096.0, "4096"), (0.8, "0.8"), (0, "0"), (False, "false"), ([1, 0], "[1, 0]")],
)
def test_values_as_in_a_preset(value: Any, text: str) -> None:
    assert written(value) == text
    assert yaml.safe_load(text.replace("e9", ".0e+9").replace("e6", ".0e+6")) == value


def test_texts_are_measured_in_cells() -> None:
    assert cells("显存a") == 5
    assert cells("e\u0301") == 1
    assert fitted("显存模型", 5) == "显存…"
    assert fitted("abc", 3) == "abc"
    assert padded("显", 4, ">") == "  显"
    assert aligned([["a", "1"], ["显存", "22"]], "<>") == [["a   ", " 1"], ["显存", "22"]]


def test_bars() -> None:
    assert [bar(part, 2) for part in (0, 0.001, 0.5, 1, 2)] == ["", "▏", "█", "██", "██"]


def test_lines_are_filled() -> None:
    assert wrapped(["aa", "bb", "cc"], 7, 2) == ["aa,", "  bb,", "  cc"]
    assert wrapped(["aa", "bb", "cc"], 9, 2) == ["aa, bb,", "  cc"]
    assert wrapped(["a" * 30], 10, 2) == ["a" * 30]
    assert wrapped([], 10) == []


def test_labels_of_columns_drop_what_they_share() -> None:
    ids = ["stage_weight_bytes", "stage_activation_bytes", "stage_bytes"]
    assert column_labels(ids, total="stage_bytes") == ["weight", "activation", "total"]
    assert column_labels(["a_bytes", "b_bytes"]) == ["a", "b"]
    assert column_labels(["stage_x", "stage_x_y", "stage_y"]) == ["stage x", "stage x y", "stage y"]


def test_equal_neighbours_are_one_row() -> None:
    assert list(runs([5, 5, 5, 2, 5])) == [("0–2", 5), ("3", 2), ("4", 5)]


@pytest.mark.parametrize("width", [60, 72, 80, 100])
def test_tables_fit_the_width(width: int) -> None:
    result = evaluate(RULES, PRESET, set={"num_layers": 9, "hidden_size": 2050})
    lines = summary_text(summarize(result), width).splitlines()
    assert max(map(cells, lines)) <= width
    assert not any(line != line.rstrip() for line in lines)


@pytest.mark.parametrize("preset", sorted(path.stem for path in PRESETS.glob("*.yaml")))
def test_shipped_presets_fit_a_plain_terminal(preset: str) -> None:
    result = evaluate(RuleSet.load(), Preset.load(PRESETS / f"{preset}.yaml"))
    for width in (60, 80, 100):
        assert [line for line in summary_text(summarize(result), width).splitlines() if cells(line) > width] == []


def test_a_table_that_is_too_wide_goes_on_below() -> None:
    narrow = summary_text(summarize(evaluate(RULES, PRESET)), 30)
    stages = narrow[narrow.index("All stages") :].split("\n\n")[0].splitlines()[1:]
    assert [line.split()[0] for line in stages].count("0") == 3
    assert all(cells(line) <= 30 for line in stages)


def test_paint_changes_nothing_but_colour() -> None:
    result = evaluate(RULES, PRESET, set={"num_layers": 9, "num_experts": 2})
    plain_text = summary_text(summarize(result), 100)
    painted = summary_text(summarize(result), 100, lambda text, style: f"<{style}>{text}</>" if style else text)
    assert [line.rstrip() for line in re.sub(r"<[a-z ]*>|</>", "", painted).splitlines()] == plain_text.splitlines()


def test_inputs_that_nothing_reads_are_only_counted() -> None:
    summary = summarize(evaluate(RULES, PRESET))
    assert dict(summary.not_given)["missing"] == ("expert_capacity",)
    assert "recompute_modules" not in str(summary.not_given)
    assert summary.unread == 2


def test_csv_can_be_read() -> None:
    text = csv_text(evaluate(RULES, PRESET), ["stage_bytes", "num_layers"])
    rows = [(row["id"], row["index"], row["value"]) for row in csv.DictReader(io.StringIO(text))]
    assert rows[:2] == [("stage_bytes", "0", "2382364672"), ("stage_bytes", "1", "671088640")]
    assert rows[-1] == ("num_layers", "", "8")


@pytest.mark.parametrize("cell", ["=1+1", "+1", "-1", "@a", "\t=1"])
def test_csv_cells_are_no_formulas(cell: str) -> None:
    assert harmless(cell) == "'" + cell


@pytest.mark.parametrize("cell", ["a=b", -1.5, "", "1"])
def test_other_csv_cells_stay(cell: Any) -> None:
    assert harmless(cell) == cell


def test_markdown_is_escaped() -> None:
    assert escaped("a*b_c <d> `x_y`") == "a\\*b\\_c \\<d\\> `x_y`"
    assert escaped("5` 6_") == "5\\` 6\\_"


def test_verdict_tells_interval_and_phase_where_rules_name_them() -> None:
    bare = Verdict("fits", "", 40e9, 80e9, 1)
    known = Verdict("fits", "", 40e9, 80e9, 1, "optimizer step", 39e9, 41e9)
    assert verdict_sentence(bare, 2) == "stage 1 holds 40.00 of 80.00 GB (50.0 %), 40.00 GB left"
    assert verdict_sentence(known, 2) == (
        verdict_sentence(bare, 2) + "; likely between 39.00 and 41.00 GB; reached in: optimizer step"
    )
