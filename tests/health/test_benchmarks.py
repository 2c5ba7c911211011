"""The benchmarks measure what they say: the commands do their work, every axis of the grid changes the result."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from engine import Preset, RuleSet, sweep


@pytest.fixture(scope="module")
def speed(repository: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("speed", repository / "benchmarks" / "speed.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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
