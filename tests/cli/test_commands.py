"""What the commands print, exactly: `commands/*.txt` hold commands and outputs; `--update-golden` rewrites them."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli

HERE = Path(__file__).resolve().parent
FILES = sorted((HERE / "commands").glob("*.txt"))


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_output_is_exact(file: Path, monkeypatch: pytest.MonkeyPatch, update_golden: bool) -> None:
    monkeypatch.chdir(HERE)
    expected = file.read_text(encoding="utf-8")
    commands = [line for line in expected.splitlines() if line.startswith("$ ")]
    actual = "\n".join(f"{command}\n{_run(command)}" for command in commands)
    assert commands
    assert "internal error" not in actual
    if update_golden:
        file.write_text(actual, encoding="utf-8")
    else:
        assert actual == expected


@pytest.mark.parametrize("file", FILES, ids=lambda path: path.stem)
def test_text_fits_100_columns(file: Path) -> None:
    """Excerpts of files and machine formats may be wider."""
    inside = False
    for line in file.read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            inside = line.startswith("$ engine eval") and "--format" not in line
            continue
        assert not inside or len(line) <= 100 or "error[" in line or " | " in line or " = " in line, line


def _run(command: str) -> str:
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "engine"
    result = CliRunner().invoke(cli, arguments, prog_name=program, terminal_width=100)
    return f"{result.output}[exit {result.exit_code}]\n"
