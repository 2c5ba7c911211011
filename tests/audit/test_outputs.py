"""What the audit prints, in every format, and how it ends."""

from __future__ import annotations

import json
from importlib.metadata import version
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import RuleSet
from engine.cli.main import cli
from tests.support.miniature import FORMULAS, SOURCE, Miniature, standard, write_rules

GOLDEN = Path(__file__).parent / "golden"
PICKED = ("attention_weights", "mlp_ratio", "mlp_step", "shared_factor", "report_sum")


def run(*arguments: str) -> Result:
    result = CliRunner().invoke(cli, ["audit", *arguments], catch_exceptions=False)
    assert "internal error" not in result.output
    return result


@pytest.fixture
def edited(mini: Miniature, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A repository with one citation of each state but ok, rules that cite it, and the option that names it."""
    commit = mini.git("rev-parse", "HEAD").strip()
    cited = {rule: where for rule, where in standard().items() if rule in PICKED}
    cited["wrong"] = (f"{FORMULAS}#L43", "attention")
    folder = write_rules(tmp_path / "rules", commit, cited)
    more = "  both:\n    title: Sum\n    unit: elem\n    formula: mlp_step * 2\n    cite:\n"
    more += f'      - {{at: "mini:{FORMULAS}#L43", in: mlp}}\n      - {{paper: p, where: "eq. 1"}}\n'
    (folder / "rules.yaml").write_text((folder / "rules.yaml").read_text() + more, encoding="utf-8")
    sources = (folder / "sources.yaml").read_text(encoding="utf-8")
    other = f"  other: {{repo: example/other, commit: {commit}, licence: MIT}}\npapers:\n  p: {{title: A paper}}\n"
    (folder / "sources.yaml").write_text(sources + other, encoding="utf-8")
    more = "  elsewhere: {title: x, unit: elem, formula: elem(1), cite: [{at: 'other:a.py#L1', in: ''}]}\n"
    (folder / "rules.yaml").write_text((folder / "rules.yaml").read_text() + more, encoding="utf-8")
    text = (
        SOURCE.replace("total += 3", "total += 4")
        .replace("# all matrices", "# four")
        .replace("return value * 2", "pass")
    )
    cut, end = text.index("    ratio", text.index("def mlp(")), text.index("    total = 0")
    mini.commit({FORMULAS: "\n" + text[:cut] + text[end:]})
    monkeypatch.chdir(tmp_path)
    return f"--source=mini={mini.folder}"


@pytest.mark.parametrize("form", ["text", "md", "github", "sarif", "json"])
def test_output(edited: str, form: str, update_golden: bool, mini: Miniature) -> None:
    result = run("rules", edited, "--at", "main", "--format", form)
    assert result.exit_code == 1
    output = result.output.replace(f'"semanticVersion": "{version("rank-ledger")}"', '"semanticVersion": "VERSION"')
    path = GOLDEN / f"audit.{form}"
    if update_golden:
        path.parent.mkdir(exist_ok=True)
        path.write_text(output, encoding="utf-8")
    assert output == path.read_text(encoding="utf-8")


def test_sarif_is_what_code_hosts_take(edited: str) -> None:
    data = json.loads(run("rules", edited, "--at", "main", "--format", "sarif").output)
    assert data["version"] == "2.1.0"
    (one,) = data["runs"]
    codes = [rule["id"] for rule in one["tool"]["driver"]["rules"]]
    prints = [result["partialFingerprints"]["finding/v1"] for result in one["results"]]
    assert len(set(prints)) == len(prints)
    for result in one["results"]:
        assert codes[result["ruleIndex"]] == result["ruleId"]
        location = result["locations"][0]["physicalLocation"]
        assert location["artifactLocation"]["uri"] == "rules/rules.yaml"
        assert location["region"]["startLine"] > 0


def test_json_names_rule_branch_place_and_state(edited: str) -> None:
    data = json.loads(run("rules", edited, "--at", "main", "--format", "json").output)
    assert set(data) == {"schema", "sources", "citations", "rules", "suspects", "coverage", "replays", "summary"}
    for entry in data["citations"]:
        assert {"rule", "branch", "state"} <= set(entry)
        assert ("at" in entry and "in" in entry) or entry["kind"] == "paper"
    step = next(entry for entry in data["citations"] if entry["rule"] == "mlp_step")
    assert (step["at"], step["in"], step["state"], step["integrity"]) == (
        f"mini:{FORMULAS}#L43",
        "mlp",
        "changed",
        "ok",
    )
    assert data["summary"]["states"]["broken"] == 1
    assert data["rules"]["wrong"] == "broken"


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ([], 1),
        (["--fail-on", "none"], 1),
        (["--fail-on", "moved"], 1),
        (["--fail-on", "nonsense"], 2),
        (["--at", "x"], 2),
    ],
)
def test_exit_codes(edited: str, options: list[str], code: int) -> None:
    at = [] if "--at" in options else ["--at", "main"]
    assert run("rules", edited, *at, *options).exit_code == code  # one citation is broken: that always fails


def test_what_fails_can_be_chosen(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE.replace("total += 3", "total += 4")})
    arguments = [str(pinned.path), f"--source=mini={mini.folder}", "--at=main"]
    assert run(*arguments).exit_code == 1
    done = run(*arguments, "--fail-on", "missing,ambiguous")
    assert done.exit_code == 0
    assert "warning[E802]" in done.output
    assert run(*arguments, "--fail-on", "moved").exit_code == 1


def test_verbose_lists_what_is_ok(mini: Miniature, pinned: RuleSet) -> None:
    done = run(str(pinned.path), f"--source=mini={mini.folder}", "-v")
    assert done.exit_code == 0
    assert "      L43  mlp_step\n" in done.output


def test_one_revision_for_each_source(edited: str, mini: Miniature) -> None:
    both = [edited, f"--source=other={mini.folder}"]
    done = run("rules", *both, "--at", "mini=main", "--at", "other=HEAD~1", "--format", "json")
    assert {alias: one["audited"] for alias, one in json.loads(done.output)["sources"].items()} == {
        "mini": "main", "other": "HEAD~1",
    }  # fmt: skip
    assert run("rules", *both, "--at", "main", "--at", "HEAD").exit_code == 2


def test_without_any_source_nothing_is_verified(edited: str) -> None:
    done = run("rules")
    assert done.exit_code == 0
    assert "8 citations of code against no source: 8 unverified" in done.output
