"""Replay: a cited function is run beside the rules, faults in the rules are found and named, and nothing gets out."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import EngineError, Preset, RuleSet
from engine.audit.replay import Departure, Replayed, replay
from engine.audit.replay.cases import attributes
from engine.audit.replay.process import ReplayError, run_cases
from engine.audit.replay.run import replay_findings
from engine.cli.main import cli
from tests.support.clock import processor_seconds
from tests.support.miniature import ALIAS, Miniature

ESTIMATE = '''"""An estimate."""

import math

import torch
from .utils import is_odd, say

MEGA = 1000 * 1000


def weights(args):
    inner = args.hidden * args.hidden
    total = 4 * inner
    if args.experts is not None:
        total = total * args.experts

    def doubled(value):
        return value * 2

    return doubled(total)


def estimate(args, batches=None, verbose=False):
    if verbose:
        print("a lot")
        say("more")
    if is_odd(args):
        raise ValueError
    held = weights(args)
    kept = args.tokens * args.hidden * (3 if args.gated else 2)
    if batches is not None:
        kept *= min(4, batches)
    else:
        kept *= 4
    return held / MEGA, kept / MEGA, math.fsum([held, kept]) / MEGA
'''

RULES = """
inputs:
  hidden: {title: H, type: int, group: model, min: 1, max: 9000, required: true}
  experts: {title: E, type: int, group: model, min: 0, max: 64, absent: 0}
  tokens: {title: T, type: int, group: batch, min: 1, max: 9000, required: true}
  gated: {title: G, type: flag, group: model, default: false, assumption: plain}
  batches: {title: B, type: int, group: batch, min: 1, max: 64, default: 4, assumption: four}
rules:
  inner: {title: I, unit: "1", formula: hidden * hidden, assumption: an example}
  held:
    title: H
    unit: "1"
    cases:
      - {when: experts > 0, formula: 8 * inner * experts, assumption: an example}
      - {otherwise: 8 * inner, assumption: an example}
  factor:
    title: F
    unit: "1"
    cases:
      - {when: gated, formula: "3", assumption: an example}
      - {otherwise: "2", assumption: an example}
  kept: {title: K, unit: "1", formula: "tokens * hidden * factor * min(4, batches)", assumption: an example}
  held_mega: {title: H, unit: "1", formula: held / 1e6, assumption: an example}
  kept_mega: {title: K, unit: "1", formula: kept / 1e6, assumption: an example}
  sum_mega: {title: S, unit: "1", formula: (held + kept) / 1e6, assumption: an example}
"""

WATCH = """
replays:
  estimate:
    title: The estimate
    source: mini
    path: pkg/estimate.py
    function: estimate
    arguments: args
    keywords:
      batches: {rule: batches, omit_when: batches >= 4}
      verbose: {values: [false, true]}
    returns: [held_mega, kept_mega, sum_mega]
    variables: {weights: {returned: held}}
    require: hidden != 3
    draw:
      {hidden: [1, 2, 3, 1000], experts: [null, 2, 8], tokens: [1, 4096], gated: [false, true], batches: [1, 3, 4, 64]}
"""


@pytest.fixture
def rules(mini: Miniature, tmp_path: Path) -> RuleSet:
    commit = mini.commit({"pkg/estimate.py": ESTIMATE})
    folder = tmp_path / "rules"
    folder.mkdir()
    (folder / "sources.yaml").write_text(f"sources: {{mini: {{repo: e/m, commit: {commit}, licence: MIT}}}}\n")
    (folder / "rules.yaml").write_text(RULES, encoding="utf-8")
    (folder / "watch.yaml").write_text(WATCH, encoding="utf-8")
    return RuleSet.load(folder)


def replayed(rules: RuleSet, mini: Miniature, count: int = 60, **options: Any) -> Replayed:
    (one,) = replay(rules, {ALIAS: mini.folder}, count=count, **options)
    return one


def test_no_difference(rules: RuleSet, mini: Miniature) -> None:
    found = replayed(rules, mini, 200)
    assert (found.problem, found.count, found.departures, found.skipped, found.unknown) == ("", 200, (), 0, ())
    assert set(found.observed) == {"inner", "held", "kept", "held_mega", "kept_mega", "sum_mega"}
    assert found.compared == 200 * 6
    counts = {(line, kind): (held, not_held) for line, kind, held, not_held in found.branches}
    assert {line for line, _ in counts} == {14, 24, 27, 30, 31}
    assert all(min(pair) >= 20 for (line, _), pair in counts.items() if line != 27)
    assert counts[27, "if"] == (0, 200)  # what a stand-in returns is None


def test_the_same_seed_draws_the_same(rules: RuleSet, mini: Miniature) -> None:
    assert replayed(rules, mini, seed=3) == replayed(rules, mini, seed=3)
    assert replayed(rules, mini, seed=3).branches != replayed(rules, mini, seed=4).branches


@pytest.mark.parametrize(
    ("old", "new", "first"),
    [
        ("hidden * hidden", "hidden * hidden + 1", "inner"),
        ("8 * inner * experts", "8 * inner * experts + 1", "held"),
        ("experts > 0", "experts > 2", "held"),
        ("min(4, batches)", "min(3, batches)", "kept"),
        ("held / 1e6", "held / 2e6", "held_mega"),
        ("(held + kept) / 1e6", "(held - kept) / 1e6", "sum_mega"),
    ],
)
def test_a_fault_in_a_rule_is_named(rules: RuleSet, mini: Miniature, old: str, new: str, first: str) -> None:
    path = rules.path / "rules.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")
    found = replayed(RuleSet.load(rules.path), mini)
    assert found.departures
    assert {one.rule for one in found.departures} == {first}


def test_a_fault_that_no_variable_shows_is_among_the_suspects(rules: RuleSet, mini: Miniature) -> None:
    path = rules.path / "rules.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace('formula: "3"', 'formula: "5"'), encoding="utf-8")
    faulty = RuleSet.load(rules.path)
    found = replayed(faulty, mini)
    assert {(one.rule, one.roots[0].suspects) for one in found.departures} == {("kept", ("factor",))}
    assert all(one.values["gated"] for one in found.departures)
    (finding,) = replay_findings(faulty, [found])
    assert finding.code == "E831"
    assert finding.message.startswith("`kept` departs first in ")
    assert finding.help is not None
    assert finding.help.startswith("or one of what it reads: `factor`\ndrawn preset ")


def test_a_change_of_the_source_is_seen(rules: RuleSet, mini: Miniature) -> None:
    mini.commit({"pkg/estimate.py": ESTIMATE.replace("total = 4 * inner", "total = 5 * inner")})
    assert {one.rule for one in replayed(rules, mini).departures} == {"held"}
    assert not replayed(rules, mini, at="HEAD~1").departures


def test_a_given_preset_comes_first(rules: RuleSet, mini: Miniature) -> None:
    mini.commit({"pkg/estimate.py": ESTIMATE.replace("min(4, batches)", "min(9, batches)")})
    preset = Preset({"hidden": 7, "tokens": 5, "batches": 9}, "mine.yaml")
    (one,) = replayed(rules, mini, 0, presets=[preset], seed=1).departures or [Departure("", {}, ())]
    assert one.preset in ("mine.yaml", "")  # where the argument may be left out, it may be
    with pytest.raises(EngineError, match="E501"):
        replayed(rules, mini, 0, presets=[Preset({"nothing": 1})])


def test_what_the_rules_do_not_know_is_told(rules: RuleSet, mini: Miniature) -> None:
    mini.commit({"pkg/estimate.py": ESTIMATE.replace("args.gated", "args.gated and not args.latent")})
    found = replayed(rules, mini)
    assert (found.unknown, found.departures) == (("latent",), ())


def test_attributes_are_read_from_the_source() -> None:
    source = "def f(args):\n    return args.a + getattr(args, 'b', 1) + other.c + getattr(other, 'd', 2)\n"
    assert attributes(source, "args") == ["a", "b"]
    with pytest.raises(ReplayError, match="cannot parse"):
        attributes("print 'x'", "args")


def test_configurations_without_a_value_are_counted(rules: RuleSet, mini: Miniature) -> None:
    found = replayed(rules, mini, 0, presets=[Preset({"hidden": 7})])
    assert (found.count, found.skipped, found.departures) == (1, 1, ())


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (("def estimate(", "def guess("), "the file has no function `estimate`"),
        (("MEGA = 1000 * 1000", "MEGA = undefined"), "NameError: name 'undefined' is not defined"),
        (("MEGA = 1000 * 1000", "MEGA = 1000 *"), "cannot parse the file"),
    ],
)
def test_a_function_that_cannot_be_run(rules: RuleSet, mini: Miniature, change: tuple[str, str], problem: str) -> None:
    mini.write("pkg/estimate.py", ESTIMATE.replace(*change))
    found = replayed(rules, mini)
    assert problem in found.problem
    (finding,) = replay_findings(rules, [found])
    assert finding.code == "E830"


def test_a_missing_file(rules: RuleSet, mini: Miniature) -> None:
    (mini.folder / "pkg" / "estimate.py").unlink()
    assert replayed(rules, mini).problem == "there is no `pkg/estimate.py`"


def run_body(body: str) -> dict[str, Any]:
    source = "import math\n\n\ndef f(args):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    (case,) = run_cases(source, "f", [{"arguments": {"x": 2}, "keywords": {}}])["cases"]
    return dict(case)


def test_what_is_told_of_a_run() -> None:
    told = run_body("y = args.x * 3\nz = 'text'\nreturn y, z, True")
    assert told == {"returned": [6, None, True], "seen": {"f": {"y": 6}}}


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ("open('/etc/passwd')", "NameError"),
        ("import os\nreturn os.getcwd().upper()", "AttributeError"),  # a stand-in that returns None
        ("__import__('subprocess').run(['touch', 'x']).returncode", "AttributeError"),
        ("eval('1')", "NameError"),
        ("().__class__.__base__.__subclasses__()[0]('x', (), {})\nraise OSError('still here')", "still here"),
        ("import socket\nsocket.socket().connect(('127.0.0.1', 1))", "AttributeError"),
        ("assert args.x == 3, 'no'", "AssertionError: no"),
        ("f(args)", "RecursionError"),
    ],
)  # fmt: skip
def test_what_is_refused(body: str, error: str) -> None:
    assert error in run_body(body)["error"]


def test_files_and_processes_are_refused_even_through_the_back_door(tmp_path: Path) -> None:
    module = "import collections\nsys = collections._sys\n"
    told = run_body(module + f"sys.modules['builtins'].open({str(tmp_path / 'x')!r}, 'w')")
    assert "refused: open" in told["error"]
    assert not (tmp_path / "x").exists()
    told = run_body(module + "sys.modules['os'].system('true')")
    assert "refused: os.system" in told["error"]
    told = run_body(module + "sys.modules['os'].fork()")
    assert "refused: os.fork" in told["error"]


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    pass",
        "x = [0]\nwhile True:\n    x = x + x",
        "raise SystemExit(0)",
        "import collections\ncollections._sys.modules['os']._exit(0)",
        "import collections\ncollections._sys.modules['os'].write(1, b'[' * 100_000)",
    ],
)
def test_runs_that_do_not_end_well_end(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audit.replay.process.SECONDS", 2)
    begin = processor_seconds()
    try:
        told = run_body(body)
        assert "MemoryError" in told["error"]
    except ReplayError:
        pass
    assert processor_seconds() - begin < 10


def test_too_large_an_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audit.replay.process._LARGEST_ANSWER", 100)
    with pytest.raises(ReplayError, match="more than can be read"):
        run_cases("def f(args):\n    x = 1\n    return x\n", "f", [{"arguments": {}, "keywords": {}}] * 50)


def test_nothing_of_the_environment_reaches_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "s3")
    monkeypatch.setenv("PYTHONPATH", "/nowhere")
    told = run_body("import collections\nreturn len(collections._sys.modules['os'].environ)")
    assert told["returned"][0] <= 2  # what the C library sets


def test_commands(rules: RuleSet, mini: Miniature, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text("hidden: 5\ntokens: 3\n", encoding="utf-8")
    base = [
        "audit",
        str(rules.path),
        f"--source={ALIAS}={mini.folder}",
        "--replay",
        "--preset",
        str(tmp_path / "p.yaml"),
    ]
    done = CliRunner().invoke(cli, [*base, "--presets", "9"])
    assert done.exit_code == 0
    assert f"note: running estimate of pkg/estimate.py in {mini.folder}" in done.stderr
    assert (
        "   estimate: estimate at work tree: 10 configurations, 60 values of 6 rules compared, no difference"
        in done.stdout
    )
    mini.write("pkg/estimate.py", ESTIMATE.replace("total = 4 * inner", "total = 5 * inner"))
    done = CliRunner().invoke(cli, [*base, "--presets", "0"])
    assert done.exit_code == 1
    assert "error[E831]: `held` departs first in 1 of 1 configurations: 200 here, 250 in `estimate`" in done.stdout
    data = json.loads(CliRunner().invoke(cli, [*base, "--presets", "0", "--format", "json"]).stdout)
    (departure,) = data["replays"][0]["departures"]
    assert (departure["rule"], departure["roots"][0]["found"]) == ("held", 200.0)
    sarif = json.loads(CliRunner().invoke(cli, [*base, "--presets", "0", "--format", "sarif"]).stdout)
    assert [result["ruleId"] for result in sarif["runs"][0]["results"]] == ["E831"]
    page = CliRunner().invoke(cli, [*base, "--presets", "0", "--format", "md"]).stdout
    assert "- error E831: `held` departs first" in page
    without = CliRunner().invoke(cli, ["audit", str(rules.path), "--presets", "9"])
    assert without.exit_code == 2


def test_nothing_runs_unless_it_is_asked_for(rules: RuleSet, mini: Miniature, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audit.replay.process._answer", lambda *given: pytest.fail("something ran"))
    assert CliRunner().invoke(cli, ["audit", str(rules.path), f"--source={ALIAS}={mini.folder}"]).exit_code == 0
