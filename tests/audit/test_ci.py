"""What runs elsewhere: the hooks that the repository offers, and the recipe of docs/audit.md, step by step."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner, Result

from engine import RuleSet
from engine.audit.accepting import accept
from engine.cli.main import cli
from tests.audit.sarif import SCHEMA
from tests.support.miniature import ALIAS, FORMULAS, SOURCE, Miniature

OFFICIAL = os.environ.get("SARIF_SCHEMA", "")
STANDARD = {"actions/checkout", "actions/setup-python", "github/codeql-action/upload-sarif"}


def hooks(repository: Path) -> dict[str, dict[str, Any]]:
    text = (repository / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
    return {hook["id"]: hook for hook in yaml.safe_load(text)}


def run(hook: dict[str, Any], *more: str) -> Result:
    program, *words = [*shlex.split(hook["entry"]), *hook["args"], *more]
    assert program == "engine"
    return CliRunner().invoke(cli, words)


def valid(text: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(text)
    jsonschema.validate(data, SCHEMA, format_checker=jsonschema.FormatChecker())
    return data


@pytest.fixture
def site(pinned: RuleSet, mini: Miniature, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with rules of its own, whose citations are accepted, and the source that they cite."""
    text = (pinned.path / "rules.yaml").read_text(encoding="utf-8")
    tests = "    tests: [{given: {}, expect: 1}]\n"
    text = re.sub(r"(?<=# kept as it is\n)", tests, text)
    (pinned.path / "rules.yaml").write_text(text, encoding="utf-8")
    accept(RuleSet.load(pinned.path), {ALIAS: mini.folder})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_hook_runs(site: Path, repository: Path) -> None:
    found = hooks(repository)
    assert set(found) == {"rank-ledger-lint", "rank-ledger-test", "rank-ledger-audit"}
    for hook in found.values():
        assert (hook["language"], hook["pass_filenames"]) == ("python", False)
        assert re.search(hook["files"], "rules/rules.yaml")
        done = run(hook)
        assert done.exit_code == 0, (hook["id"], done.output)


def test_each_hook_finds_what_it_is_for(site: Path, repository: Path) -> None:
    found = hooks(repository)
    path = site / "rules" / "rules.yaml"
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("expect: 1", "expect: 2", 1), encoding="utf-8")
    assert run(found["rank-ledger-test"]).exit_code == 1
    path.write_text(text.replace("#L43", "#L42"), encoding="utf-8")
    done = run(found["rank-ledger-audit"])
    assert done.exit_code == 1
    assert "`mlp_step`: broken: the lock holds the citation as" in done.output
    path.write_text(text.replace("unit: elem", "unit: B", 1), encoding="utf-8")
    assert run(found["rank-ledger-lint"]).exit_code != 0


def test_the_audit_hook_reads_the_lines_of_a_checkout(site: Path, repository: Path, mini: Miniature) -> None:
    hook = hooks(repository)["rank-ledger-audit"]
    assert run(hook, f"--source={ALIAS}={mini.folder}").exit_code == 0
    mini.write(FORMULAS, SOURCE.replace("total += 3", "total += 4"))
    assert run(hook, f"--source={ALIAS}={mini.folder}").exit_code == 1


@pytest.mark.skipif(find_spec("pre_commit") is None, reason="pre-commit is not installed")
def test_pre_commit_takes_the_hooks(repository: Path) -> None:
    command = [sys.executable, "-m", "pre_commit", "validate-manifest", str(repository / ".pre-commit-hooks.yaml")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_sarif_is_valid(site: Path, mini: Miniature) -> None:
    mini.write(FORMULAS, "\n" + SOURCE.replace("total += 3", "total += 4"))
    words = ["audit", "rules", f"--source={ALIAS}={mini.folder}", "--format", "sarif"]
    data = valid(CliRunner().invoke(cli, words).stdout)
    assert {"E802", "N805"} <= {one["ruleId"] for one in data["runs"][0]["results"]}
    assert valid(CliRunner().invoke(cli, ["audit", "rules", "--locked", "--format", "sarif"]).stdout)


def test_the_schema_refuses_what_code_hosts_refuse() -> None:
    result = {"ruleId": "E802", "message": {"text": "x"}, "partialFingerprints": {}}
    driver = {"name": "x", "rules": []}
    good = {"version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": [result]}]}
    valid(json.dumps(good))
    for bad in (
        {**result, "message": {}},
        {**result, "level": "fatal"},
        {**result, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a b.yaml"}}}]},
        {**result, "line": 3},
    ):
        with pytest.raises(jsonschema.ValidationError):
            valid(json.dumps({**good, "runs": [{"tool": {"driver": driver}, "results": [bad]}]}))


@pytest.mark.skipif(not OFFICIAL, reason="SARIF_SCHEMA does not name the schema of the standard")
def test_sarif_is_valid_by_the_standard(site: Path, mini: Miniature) -> None:
    mini.write(FORMULAS, "\n" + SOURCE.replace("total += 3", "total += 4"))
    words = ["audit", "rules", f"--source={ALIAS}={mini.folder}", "--format", "sarif"]
    schema = json.loads(Path(OFFICIAL).read_text(encoding="utf-8"))
    jsonschema.validate(json.loads(CliRunner().invoke(cli, words).stdout), schema)


def recipe(repository: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns the configuration of pre-commit and the workflow that the page shows."""
    text = (repository / "docs" / "audit.md").read_text(encoding="utf-8")
    shown = [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)]
    (local,) = [block for block in shown if "repos" in block]
    (workflow,) = [block for block in shown if "jobs" in block]
    return local, workflow


def test_the_page_names_hooks_that_there_are(repository: Path) -> None:
    local, _ = recipe(repository)
    assert {hook["id"] for hook in local["repos"][0]["hooks"]} <= set(hooks(repository))


def test_the_recipe_uploads_what_it_wrote(repository: Path) -> None:
    _, workflow = recipe(repository)
    assert workflow["permissions"]["security-events"] == "write"
    steps = workflow["jobs"]["pinned"]["steps"]
    assert {step["uses"].partition("@")[0] for step in steps if "uses" in step} == STANDARD
    upload = next(step for step in steps if "upload-sarif" in step.get("uses", ""))
    assert upload["if"] == "always()"  # the audit fails where it has findings, and these are to be shown
    assert any(f"-o {upload['with']['sarif_file']}" in step.get("run", "") for step in steps)


@pytest.mark.skipif(os.name == "nt", reason="the recipe is for a shell")
@pytest.mark.parametrize(("job", "edited", "code"), [("pinned", False, 0), ("pinned", True, 1), ("upstream", True, 0)])
def test_the_recipe_runs(site: Path, mini: Miniature, repository: Path, job: str, edited: bool, code: int) -> None:
    """Runs the steps in bash as they are shown, with the miniature repository in place of the one of upstream."""
    _, workflow = recipe(repository)
    for path in (site / "rules").iterdir():
        path.write_text(re.sub(rf"\b{ALIAS}\b", "megatron", path.read_text(encoding="utf-8")), encoding="utf-8")
    if edited and job == "pinned":
        path = site / "rules" / "rules.yaml"
        path.write_text(path.read_text(encoding="utf-8").replace("#L43", "#L42"), encoding="utf-8")
    elif edited:
        mini.commit({FORMULAS: SOURCE.replace("total += 3", "total += 4")})
    (site / "temp").mkdir()
    given = {
        "RUNNER_TEMP": str(site / "temp"),
        "GITHUB_ENV": str(site / "env"),
        "GITHUB_STEP_SUMMARY": str(site / "md"),
    }
    environment = {**os.environ, **given, "UPSTREAM": mini.folder.as_uri(), "PYTHONPATH": str(repository)}
    environment |= {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "protocol.file.allow", "GIT_CONFIG_VALUE_0": "always"}
    mini.git("config", "uploadpack.allowAnySHA1InWant", "true")
    python = shlex.quote(sys.executable)
    names = f'python() {{ {python} "$@"; }}; engine() {{ {python} -m engine "$@"; }}; '
    codes = []
    for step in workflow["jobs"][job]["steps"]:
        if "run" not in step or step["run"].startswith("pip install"):
            continue
        if (site / "env").exists():
            environment |= dict(line.split("=", 1) for line in (site / "env").read_text("utf-8").splitlines())
        command = ["bash", "-e", "-o", "pipefail", "-c", names + step["run"]]
        done = subprocess.run(command, cwd=site, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0 or "Audit" in step["name"], (step, done.stdout, done.stderr)
        codes.append(done.returncode)
    assert codes[-1] == code
    if job == "pinned":
        results = valid((site / "citations.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
        assert bool(results) is edited
    else:
        assert "`mlp_step`" in (site / "md").read_text(encoding="utf-8")


def test_every_command_of_the_page_is_one(repository: Path) -> None:
    text = (repository / "docs" / "audit.md").read_text(encoding="utf-8")
    lines = [line for block in re.findall(r"```sh\n(.*?)```", text, re.DOTALL) for line in block.splitlines()]
    lines += re.findall(r"`(engine [a-z]+ [^`]+)`", text)
    commands = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("engine ")]
    assert len(commands) >= 8
    for name, *words in commands:
        above = cli.make_context("engine", [name])
        command = cli.get_command(above, name)
        assert command is not None, name
        if name != "workbook":
            command.make_context(name, list(words), parent=above)
