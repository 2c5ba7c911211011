"""The benchmarks measure what they say: the commands do their work, every axis of the grid changes the result."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from engine import Preset, RuleSet, evaluate, sweep


def loaded(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def speed(repository: Path) -> ModuleType:
    return loaded(repository / "benchmarks" / "speed.py")


@pytest.fixture(scope="module")
def largest(repository: Path) -> ModuleType:
    return loaded(repository / "benchmarks" / "largest_workbook.py")


@pytest.mark.parametrize("form", ["text", "json"])
def test_what_is_timed_prints_a_result(speed: ModuleType, repository: Path, form: str) -> None:
    assert speed.seconds_of(speed.command(repository / "presets" / "document-7b.yaml", form), {}) > 0


def test_a_command_that_does_nothing_is_no_measurement(speed: ModuleType, repository: Path) -> None:
    command = speed.command(repository / "presets" / "document-7b.yaml", "text")
    with pytest.raises(RuntimeError, match="did not print a result"):
        speed.seconds_of([*command, "--help"], {})


def test_grid_has_a_million_configurations_and_every_axis_counts(speed: ModuleType, repository: Path) -> None:
    preset = Preset.load(repository / "presets" / "document-7b.yaml")
    small = {name: values[:2] for name, values in speed.GRID.items()}
    speed.show_every_axis_changes(sweep(RuleSet.load(), preset, small, [speed.WANT]).values[speed.WANT])
    assert len(speed.GRID) == 7
    count = 1
    for values in speed.GRID.values():
        count *= len(values)
    assert count == 10**6


def test_every_limit_has_a_figure(speed: ModuleType) -> None:
    measured = {f"{name}_ratio" for name in speed.COLD} | {"compiled_ratio", "grid_ratio", "rows_ratio"}
    assert set(speed.LIMITS) <= measured


def test_a_step_that_fails_is_no_measurement(largest: ModuleType, tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no such file"):
        largest.measure(largest.building(tmp_path / "missing" / "plan.xlsx"))


@pytest.mark.parametrize(("factor", "code"), [(0.9, 0), (1.1, 1)])
def test_a_missed_limit_fails(
    largest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], factor: float, code: int
) -> None:
    found = {name: limit * factor for name, limit in largest.LIMITS.items()}
    monkeypatch.setattr(largest, "figures", lambda folder: found)
    monkeypatch.setattr("sys.argv", ["largest_workbook.py", "--enforce"])
    assert largest.main() == code
    assert json.loads(capsys.readouterr().out)["missed"] == (list(found) if code else [])


FAKE = """
from .utils import is_hybrid_model, print_rank_0


def report_theoretical_memory(args, num_microbatches=None, verbose=False):
    assert not is_hybrid_model(args)
    assert args.num_experts is None and args.normalization == "RMSNorm" and args.swiglu is True
    assert isinstance(args.hidden_size, int) and args.virtual_pipeline_model_parallel_size is None
    print("said")
    print_rank_0("said")
    return 1, 2, TOTAL + 0 * num_microbatches
"""


def test_the_estimator_is_run_silently_on_the_presets_arguments(
    speed: ModuleType, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules, preset = RuleSet.load(), Preset.load(repository / "presets" / "document-7b.yaml")
    total = evaluate(rules, preset)[speed.WANT].value
    (tmp_path / "fake.py").write_text(FAKE.replace("TOTAL", repr(total)), encoding="utf-8")
    figures = speed.compiled(rules, preset, speed.load_upstream(tmp_path / "fake.py"))
    assert set(figures) == {"upstream_us", "compiled_ratio", "evaluate_ratio"}
    assert all(figure > 0 for figure in figures.values())
    assert capsys.readouterr().out == ""
    (tmp_path / "fake.py").write_text(FAKE.replace("TOTAL", repr(total * 1.001)), encoding="utf-8")
    with pytest.raises(AssertionError, match="disagree"):
        speed.compiled(rules, preset, speed.load_upstream(tmp_path / "fake.py"))


def test_grid_and_rows_at_small_scale(speed: ModuleType, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules, preset = RuleSet.load(), Preset.load(repository / "presets" / "document-7b.yaml")
    monkeypatch.setattr(speed, "GRID", {name: values[:2] for name, values in speed.GRID.items()})
    figures = speed.grid(rules, preset, 1e-5) | speed.rows(rules, preset, 1e-5, count=100)
    assert set(figures) == {"grid_ratio", "grid_ms", "rows_ratio", "rows_ms"}
    assert all(figure > 0 for figure in figures.values())
