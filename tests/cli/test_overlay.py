"""Commands with `--overlay` show what it changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine.cli.main import cli

SITE = "rules:\n  log_total_mib: {title: Total, unit: '1', formula: log_weight_and_optimizer_mib, assumption: a test}\n"


@pytest.fixture
def folders(tmp_path: Path, repository: Path) -> list[str]:
    (tmp_path / "site.yaml").write_text(SITE, encoding="utf-8")
    return [str(repository / "rules"), "--overlay", str(tmp_path / "site.yaml")]


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def test_eval(folders: list[str], repository: Path, tmp_path: Path) -> None:
    rules, *overlay = folders
    preset = str(repository / "presets" / "document-7b.yaml")
    said = f"{tmp_path / 'site.yaml'} replaces 1 rule (log_total_mib)"
    assert said in " ".join(run("eval", rules, preset, *overlay).split())
    assert said in " ".join(run("eval", rules, preset, *overlay, "--only", "log_total_mib").split())
    assert "## Laid over the rules" in run("eval", rules, preset, *overlay, "--format", "md")
    data = json.loads(run("eval", rules, preset, *overlay, "--format", "json"))
    assert data["overlays"] == [{"section": "rules", "id": "log_total_mib", "replaces": True}]
    values = data["values"]
    assert values["log_total_mib"]["value"] == values["log_weight_and_optimizer_mib"]["value"]
    assert json.loads(run("eval", rules, preset, "--format", "json"))["overlays"] == []


def test_show_and_explain(folders: list[str], repository: Path) -> None:
    rules, *overlay = folders
    assert "log_weight_and_optimizer_mib" in run("show", "log_total_mib", "--rules", rules, *overlay)
    preset = str(repository / "presets" / "document-7b.yaml")
    assert "log_activation_mib" not in run("explain", "log_total_mib", preset, "--rules", rules, *overlay)


def test_lint_and_test(folders: list[str]) -> None:
    assert "E413" in CliRunner().invoke(cli, ["test", *folders, "-k", "log_total_mib"]).output  # it has no test
    assert CliRunner().invoke(cli, ["lint", *folders]).exit_code == 0
