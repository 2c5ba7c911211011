"""What bad input prints, exactly: see README.md beside this file."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli
from engine.codes import REGISTRY
from tests.bad.pending import PENDING, TESTED_ELSEWHERE

HERE = Path(__file__).resolve().parent
FIXTURES = sorted(path.parent for path in HERE.glob("*/expected.txt"))


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_output_is_exact(fixture: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool) -> None:
    _lay_out(fixture, tmp_path)
    monkeypatch.chdir(tmp_path)
    expected = (fixture / "expected.txt").read_text(encoding="utf-8")
    commands = [line for line in expected.splitlines() if line.startswith("$ ")]
    assert commands, "expected.txt has no line that begins with `$ `"
    actual = "\n".join(f"{command}\n{_run(command)}" for command in commands)
    assert "internal error" not in actual
    if update_golden:
        (fixture / "expected.txt").write_text(actual, encoding="utf-8")
    else:
        assert actual == expected


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda path: path.name)
def test_fixture_is_named_after_its_code(fixture: Path) -> None:
    code, slug = fixture.name.split("-", 1)
    assert slug.startswith(REGISTRY[code].slug)
    assert _shows_its_code(fixture) or code in PENDING


def test_every_code_has_a_fixture() -> None:
    shown = {fixture.name.split("-", 1)[0] for fixture in FIXTURES if _shows_its_code(fixture)}
    assert set(REGISTRY) - shown == PENDING | set(TESTED_ELSEWHERE)


def test_base_is_sound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _lay_out(HERE / "base", tmp_path)
    monkeypatch.chdir(tmp_path)
    assert _run("$ engine lint rules").endswith("[exit 0]\n")
    assert _run("$ engine eval rules preset.yaml").endswith("[exit 0]\n")


def _lay_out(fixture: Path, target: Path) -> None:
    """Copies the base and then the fixture's files, so that the latter win."""
    for origin in (HERE / "base", fixture):
        shutil.copytree(origin, target, dirs_exist_ok=True, ignore=shutil.ignore_patterns("expected.txt"))
    for stand_in in list(target.rglob("*.size")):
        with stand_in.with_suffix("").open("wb") as stream:
            stream.truncate(int(stand_in.read_text()))
        stand_in.unlink()


def _shows_its_code(fixture: Path) -> bool:
    code = fixture.name.split("-", 1)[0]
    # Notes are part of what a command shows, without their code.
    return code.startswith("N") or f"[{code}]" in (fixture / "expected.txt").read_text(encoding="utf-8")


def _run(command: str) -> str:
    """Returns what a command prints, standard error included, and its exit code."""
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "engine"
    result = CliRunner().invoke(cli, arguments, prog_name=program)
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return f"{result.output}[exit {result.exit_code}]\n"
