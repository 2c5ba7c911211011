"""What a shell sees: exit codes of interrupted and broken commands, streams, files."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from click.testing import CliRunner

import engine.cli.configuration
from engine.cli.main import LAZY, cli

HERE = Path(__file__).resolve().parent
ENGINE = [sys.executable, "-c", "from engine.cli.main import main; main()"]


def _environment(**more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(HERE.parent.parent), **more}


def _process(*arguments: str, **environment: str) -> subprocess.Popen[bytes]:
    variables = _environment(**environment)
    pipe = subprocess.PIPE
    return subprocess.Popen([*ENGINE, *arguments], cwd=HERE, env=variables, stdin=pipe, stdout=pipe, stderr=pipe)


def test_interrupt_is_quiet() -> None:
    process = _process("eval", "rules", "-")
    time.sleep(1.5)  # it waits for standard input by then
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 130
    assert errors == b""


def test_reader_that_goes_away_is_no_error() -> None:
    with _process("eval", "rules", "preset.yaml", "--format", "csv") as process:
        assert process.stdout and process.stderr
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_terminal_that_lacks_signs() -> None:
    output, errors = _process("eval", "rules", "preset.yaml", PYTHONIOENCODING="ascii").communicate(timeout=20)
    assert b"FITS" in output
    assert errors == b""


def test_standard_input_is_a_preset() -> None:
    preset = (HERE / "preset.yaml").read_text()
    result = CliRunner().invoke(cli, ["eval", str(HERE / "rules"), "-", "--only", "num_layers"], input=preset)
    assert result.exit_code == 0
    assert "num_layers" in result.stdout


def test_results_and_findings_have_their_streams() -> None:
    arguments = ["eval", str(HERE / "rules"), str(HERE / "preset.yaml"), "--only", "stage_bytes", "--format", "json"]
    result = CliRunner().invoke(cli, [*arguments, "--set", "num_experts=2"])
    assert result.exit_code == 2
    assert json.loads(result.stdout)["values"]["stage_bytes"]["missing"] == ["expert_capacity"]
    assert "E602" in result.stderr


def test_output_goes_to_a_file(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    arguments = ["eval", str(HERE / "rules"), str(HERE / "preset.yaml"), "--format", "csv", "-o", str(target)]
    result = CliRunner().invoke(cli, arguments)
    assert (result.exit_code, result.output) == (0, "")
    assert target.read_text(encoding="utf-8").startswith("id,title,index,value")


def test_file_that_cannot_be_written(tmp_path: Path) -> None:
    arguments = ["eval", str(HERE / "rules"), str(HERE / "preset.yaml"), "-o", str(tmp_path / "no" / "where")]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert "cannot write" in result.stderr


@pytest.mark.parametrize("where", ["before", "after"])
def test_traceback_only_on_request(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("a fault")

    monkeypatch.setattr(engine.cli.configuration, "read", broken)
    arguments = ["eval", "rules", "preset.yaml"]
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("error: internal error: ZeroDivisionError: a fault\n")
    assert "Traceback" not in result.output
    debugging = ["--debug", *arguments] if where == "before" else [*arguments, "--debug"]
    result = CliRunner().invoke(cli, debugging)
    assert result.exit_code == 2
    assert "Traceback" in result.stderr


@pytest.mark.parametrize("name", LAZY)
def test_every_command_explains_itself(name: str) -> None:
    result = CliRunner().invoke(cli, [name, "--help"], terminal_width=100)
    assert result.exit_code == 0
    assert "--debug" in result.output


def test_help_imports_no_heavy_package() -> None:
    heavy = "numpy pydantic rich openpyxl jinja2 formulas ironcalc yaml"
    program = "import sys; from engine.cli.main import cli; cli(['--help'], standalone_mode=False); "
    program += f"sys.exit(', '.join(set({heavy.split()}) & set(sys.modules)) or 0)"
    subprocess.run([sys.executable, "-c", program], cwd=HERE.parent.parent, check=True, stdout=subprocess.DEVNULL)


def test_eval_needs_no_heavy_package() -> None:
    heavy = "numpy pydantic rich openpyxl jinja2 formulas ironcalc"
    program = "import sys; from engine.cli.main import cli\n"
    program += f"arguments = ['eval', {str(HERE / 'rules')!r}, {str(HERE / 'preset.yaml')!r}]\n"
    program += "for again in range(2):\n    cli(arguments, standalone_mode=False)\n"
    run = [sys.executable, "-c", program]
    subprocess.run(run, cwd=HERE.parent.parent, check=True, stdout=subprocess.DEVNULL)  # keeps the loaded rules
    program += f"sys.exit(', '.join(set({heavy.split()}) & set(sys.modules)) or 0)"
    run = [sys.executable, "-c", program]
    subprocess.run(run, cwd=HERE.parent.parent, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_full_disk() -> None:
    with Path("/dev/full").open("wb") as full:
        command = [*ENGINE, "eval", "rules", "preset.yaml"]
        found = subprocess.run(command, cwd=HERE, env=_environment(), stdout=full, stderr=subprocess.PIPE, check=False)
    assert found.returncode == 2
    assert found.stderr == b"error: cannot write the output: no space left on device\n"


@pytest.mark.skipif(os.name == "nt", reason="needs a shell that closes streams")
def test_closed_output() -> None:
    command = ["sh", "-c", '"$@" >&-', "sh", *ENGINE, "eval", "rules", "preset.yaml"]
    found = subprocess.run(command, cwd=HERE, env=_environment(), stderr=subprocess.PIPE, check=False)
    assert (found.returncode, found.stderr) == (0, b"")
