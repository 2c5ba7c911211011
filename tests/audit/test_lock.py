"""The lock: what accept and bump write, what an audit makes of it, and that nothing else ever changes it."""

from __future__ import annotations

import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from engine import EngineError, RuleSet
from engine.audit import audit, lock
from engine.audit.accepting import accept
from engine.audit.bumping import bump
from engine.audit.findings import mending
from engine.audit.rewrite import replace_all
from engine.cli.main import cli
from tests.support.miniature import CITED, FORMULAS, SOURCE, Miniature, audited, load_rules, standard, states, verdicts

OK = dict.fromkeys(CITED, "ok")


def replaced(old: str, new: str, text: str = SOURCE) -> str:
    assert text.count(old) == 1
    return text.replace(old, new)


@pytest.fixture
def locked(mini: Miniature, pinned: RuleSet) -> RuleSet:
    """The rules, with every citation accepted at the first commit."""
    done = accept(pinned, {"mini": mini.folder})
    assert (done.new, done.refused) == (len(CITED), ())
    return RuleSet.load(pinned.path)


def test_the_lock_holds_digests_and_no_text(mini: Miniature, locked: RuleSet) -> None:
    text = (locked.path / "citations.lock").read_text(encoding="utf-8")
    entries = [json.loads(line) for line in text.splitlines()]
    assert [entry["rule"] for entry in entries] == sorted(CITED)
    one = next(entry for entry in entries if entry["rule"] == "mlp_step")
    assert one == {
        "rule": "mlp_step", "branch": 0, "index": 0, "commit": mini.git("rev-parse", "HEAD").strip(),
        "path": FORMULAS, "lines": [43, 43], "in": "mlp", "blob": mini.git("rev-parse", f"HEAD:{FORMULAS}").strip(),
        "digest": one["digest"], "first": one["digest"], "last": one["digest"],
    }  # fmt: skip
    assert one["digest"].startswith("n1:")
    assert "total" not in text


def test_accepting_again_changes_nothing(mini: Miniature, locked: RuleSet) -> None:
    before = (locked.path / "citations.lock").read_bytes()
    done = accept(locked, {"mini": mini.folder})
    assert (done.kept, done.files) == (len(CITED), ())
    assert (locked.path / "citations.lock").read_bytes() == before


def test_an_audit_never_writes_the_lock(mini: Miniature, pinned: RuleSet) -> None:
    audit(pinned, {"mini": mini.folder}, locked=True)
    assert not (pinned.path / "citations.lock").exists()


def test_locked(mini: Miniature, pinned: RuleSet) -> None:
    found = audit(pinned, {"mini": mini.folder}, locked=True)
    assert set(states(found).values()) == {"broken"}
    assert verdicts(found)["mlp_step"].reason == "the citation is not in the lock"
    accept(pinned, {"mini": mini.folder})
    assert states(audit(pinned, {"mini": mini.folder}, locked=True)) == OK
    assert set(states(audit(pinned, {}, locked=True)).values()) == {"unverified"}


def test_another_digest_is_broken_whatever_upstream_does(mini: Miniature, locked: RuleSet) -> None:
    path = locked.path / "citations.lock"
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        if line["rule"] == "mlp_step":
            line["digest"] = "n1:" + "0" * 64
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    found = audited(locked, mini.folder)
    assert states(found) == OK | {"mlp_step": "broken"}
    assert verdicts(found)["mlp_step"].reason == "these lines do not say what was accepted for the citation"


def test_an_edited_citation_needs_a_reason_if_it_says_something_else(mini: Miniature, locked: RuleSet) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    cited = standard() | {"mlp_step": (f"{FORMULAS}#L42", "mlp"), "head_width": (f"{FORMULAS}#L16-L17", "Config.width")}
    edited = load_rules(locked.path, commit, cited)
    found = audited(edited, mini.folder)
    assert states(found) == OK | {"mlp_step": "broken"}  # a comment more says nothing new
    assert verdicts(found)["mlp_step"].reason == f"other lines were accepted for the citation: {FORMULAS}#L43"
    refused = accept(edited, {"mini": mini.folder})
    assert [item.code for item in refused.refused] == ["E815"]
    assert (refused.updated, refused.reasoned) == (1, 0)
    done = accept(edited, {"mini": mini.folder}, ["mlp_step"], "it is the first addend that counts")
    assert (done.reasoned, done.refused) == (1, ())
    assert lock.read(edited.path)[("mlp_step", "0000", 0)].accepted is not None
    assert states(audit(edited, {"mini": mini.folder}, locked=True)) == OK


def test_broken_citations_are_never_accepted(mini: Miniature, tmp_path: Path) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    rules = load_rules(
        tmp_path / "r", commit, {"one": (f"{FORMULAS}#L43", "report"), "two": (f"{FORMULAS}#L42", "mlp")}
    )
    done = accept(rules, {"mini": mini.folder}, ["one"], "I want it")
    assert "these lines are in `mlp`" in done.refused[0].message
    done = accept(rules, {"mini": mini.folder})
    assert (done.new, len(done.refused)) == (1, 1)


def test_entries_of_rules_that_are_gone_are_dropped(mini: Miniature, locked: RuleSet) -> None:
    cited = {rule: where for rule, where in standard().items() if rule != "mlp_step"}
    rules = load_rules(locked.path, mini.git("rev-parse", "HEAD").strip(), cited)
    assert accept(rules, {"mini": mini.folder}).dropped == 1
    assert len(lock.read(rules.path)) == len(CITED) - 1


def test_without_the_pinned_commit_the_lock_stands_in(mini: Miniature, locked: RuleSet, tmp_path: Path) -> None:
    edited = replaced("total += 3", "total += 4", "\n" + SOURCE)
    twice = edited.replace("BYTES = 1024 * 1024", "BYTES = 1024 * 1024\nX = 1\nBYTES = 1024 * 1024")
    mini.commit({FORMULAS: twice})
    mini.git("clone", "-q", "--depth", "1", f"file://{mini.folder}", str(tmp_path / "shallow"))
    shutil.copytree(mini.folder, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    for folder in ("shallow", "plain"):
        found = verdicts(audited(locked, tmp_path / folder))
        assert {rule: str(one.state) for rule, one in found.items()} == {
            "bytes_constant": "ambiguous", "head_width": "moved", "attention_ratio": "moved",
            "attention_weights": "moved", "shared_factor": "moved", "mlp_ratio": "moved", "mlp_sum": "changed",
            "mlp_step": "changed", "report_sum": "moved",
        }  # fmt: skip
        assert {one.base for one in found.values()} == {"lock"}
    shutil.rmtree(tmp_path / "plain" / "pkg")
    assert set(states(audited(locked, tmp_path / "plain")).values()) == {"missing"}


def test_the_pinned_files_in_a_plain_folder_are_ok(mini: Miniature, locked: RuleSet, tmp_path: Path) -> None:
    shutil.copytree(mini.folder, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    assert states(audited(locked, tmp_path / "plain")) == OK


def test_bump_rewrites_what_is_the_same_and_leaves_the_rest_red(mini: Miniature, locked: RuleSet) -> None:
    old = mini.git("rev-parse", "HEAD").strip()
    text = replaced("import math\n", "import math\nimport sys\n", replaced("total += 3", "total += 4"))
    new = mini.commit({FORMULAS: text})
    before = (locked.path / "rules.yaml").read_text(encoding="utf-8")
    done = bump(locked, "mini", "main", {"mini": mini.folder})
    assert (done.old, done.new, done.same, done.moved) == (old, new, 0, 7)
    assert [(cited.rule, str(verdict.state)) for cited, verdict in done.left] == [
        ("mlp_sum", "changed"), ("mlp_step", "changed"),
    ]  # fmt: skip
    after = (locked.path / "rules.yaml").read_text(encoding="utf-8")
    assert after.replace("formulas.py#L6", "formulas.py#L5").count("# kept as it is") == len(CITED)
    changed = [(a, b) for a, b in zip(before.split("\n"), after.split("\n"), strict=True) if a != b]
    assert len(changed) == 7
    assert changed[0][1] == changed[0][0].replace("#L5", "#L6")
    bumped = RuleSet.load(locked.path)
    assert bumped.sources["sources"]["mini"].commit == new
    found = audited(bumped, mini.folder, "main")
    assert states(found) == OK | {"mlp_sum": "broken", "mlp_step": "broken"}
    step = verdicts(found)["mlp_step"]
    assert step.reason.endswith(" are changed: the code differs")
    assert str(step.now) == f"{FORMULAS}#L44 in mlp"
    assert step.diff[1:] == ("-        total += 3", "+        total += 4")


def test_after_a_bump_lines_that_are_another_function_now_are_still_followed(mini: Miniature, locked: RuleSet) -> None:
    """The old numbers now stand in a function that the citation does not name: the audit says where to look."""
    more = "".join(f"    value = {number}\n" for number in range(30))
    text = replaced("total += 3", "total += 4").replace("def mlp(", f"def before():\n{more}\n\ndef mlp(")
    mini.commit({FORMULAS: text})
    bump(locked, "mini", "main", {"mini": mini.folder})
    found = audited(RuleSet.load(locked.path), mini.folder, "main")
    step = verdicts(found)["mlp_step"]
    assert step.reason.startswith("these lines are in `before`, not as `in: mlp` says; the lines accepted at ")
    assert step.reason.endswith(" are changed: the code differs")
    assert str(step.now) == f"{FORMULAS}#L76 in mlp"
    (help,) = {mending(one) for one in found.code_citations if one.cited.rule == "mlp_step"}
    assert help == "read the new lines; mend the rule, then: engine accept mlp_step --reason …"


def test_after_a_bump_accept_follows_the_lines(mini: Miniature, locked: RuleSet) -> None:
    text = replaced("import math\n", "import math\nimport sys\n", replaced("total += 3", "total += 4"))
    mini.commit({FORMULAS: text})
    bump(locked, "mini", "main", {"mini": mini.folder})
    bumped = RuleSet.load(locked.path)
    refused = accept(bumped, {"mini": mini.folder})
    assert [item.code for item in refused.refused] == ["E815", "E815"]
    assert refused.files == ()
    done = accept(bumped, {"mini": mini.folder}, ["mlp_sum", "mlp_step"], "four now, as in the new paper")
    assert (done.reasoned, done.refused) == (2, ())
    final = RuleSet.load(locked.path)
    assert final.rules["mlp_step"].branches[0].citations[0].where == f"{FORMULAS}#L44"
    assert states(audit(final, {"mini": mini.folder}, at="main", locked=True)) == OK


def test_a_pin_moved_by_hand_is_followed_too(mini: Miniature, locked: RuleSet) -> None:
    new = mini.commit({FORMULAS: "\n\n" + SOURCE})
    path = locked.path / "sources.yaml"
    old = locked.sources["sources"]["mini"].commit
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    done = accept(RuleSet.load(locked.path), {"mini": mini.folder})
    assert (done.updated, done.refused) == (len(CITED), ())
    assert states(audit(RuleSet.load(locked.path), {"mini": mini.folder}, locked=True)) == OK


def test_bump_without_a_lock_makes_one_so_that_changes_stay_red(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: replaced("total += 3", "total += 4")})
    bump(pinned, "mini", "main", {"mini": mini.folder})
    assert states(audited(RuleSet.load(pinned.path), mini.folder)) == OK | {"mlp_sum": "broken", "mlp_step": "broken"}


def test_bump_follows_renames(mini: Miniature, locked: RuleSet) -> None:
    mini.git("mv", FORMULAS, "pkg/estimate.py")
    mini.commit({"pkg/estimate.py": SOURCE.replace("mlp(config", "feed_forward(config")})
    bump(locked, "mini", "main", {"mini": mini.folder})
    rules = RuleSet.load(locked.path)
    (citation,) = rules.rules["mlp_step"].branches[0].citations
    assert (citation.where, citation.symbol) == ("pkg/estimate.py#L43", "feed_forward")
    assert states(audited(rules, mini.folder)) == OK | {"report_sum": "broken"}


def test_a_second_bump_does_not_wash_a_change_away(mini: Miniature, locked: RuleSet) -> None:
    mini.commit({FORMULAS: replaced("total += 3", "total += 4")})
    bump(locked, "mini", "main", {"mini": mini.folder})
    mini.commit({FORMULAS: replaced("total += 3", "total += 4", "\n" + SOURCE)})
    bump(RuleSet.load(locked.path), "mini", "main", {"mini": mini.folder})
    final = audited(RuleSet.load(locked.path), mini.folder)
    assert {rule for rule, state in states(final).items() if state == "broken"} == {"mlp_sum", "mlp_step"}


def test_bump_refuses_citations_that_are_broken_already(mini: Miniature, tmp_path: Path) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    rules = load_rules(tmp_path / "r", commit, {"one": (f"{FORMULAS}#L43", "report")})
    mini.commit({FORMULAS: "\n" + SOURCE})
    before = {path: path.read_bytes() for path in rules.path.iterdir()}
    with pytest.raises(EngineError, match="E815"):
        bump(rules, "mini", "main", {"mini": mini.folder})
    assert {path: path.read_bytes() for path in rules.path.iterdir()} == before


def test_a_file_edited_meanwhile_is_not_touched(mini: Miniature, locked: RuleSet) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE})
    path = locked.path / "rules.yaml"
    path.write_text("# a new first line\n" + path.read_text(encoding="utf-8"), encoding="utf-8")
    before = {file: file.read_bytes() for file in locked.path.iterdir()}
    with pytest.raises(EngineError, match="E816"):
        bump(locked, "mini", "main", {"mini": mini.folder})
    assert {file: file.read_bytes() for file in locked.path.iterdir()} == before


def test_a_failure_while_writing_leaves_every_file_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = {tmp_path / name: name.encode() for name in ("a", "b", "c")}
    for path, content in files.items():
        path.write_bytes(content)
    (tmp_path / "c").chmod(0o640)
    real = Path.replace

    def failing(self: Path, target: Path) -> Path:
        if target.name == "c" and self.read_bytes() == b"new":
            raise OSError(28, "No space left on device", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", failing)
    with pytest.raises(EngineError, match=r"E816.*no space left"):
        replace_all(dict.fromkeys(files, b"new"))
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == files
    replace_all({tmp_path / "a": b"other"})
    assert (tmp_path / "a").read_bytes() == b"other"


def test_flow_and_block_style_citations_are_rewritten_as_they_stand(mini: Miniature, tmp_path: Path) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    rules = load_rules(tmp_path / "r", commit, {"one": (f"{FORMULAS}#L43", "mlp")})
    text = (rules.path / "rules.yaml").read_text(encoding="utf-8")
    cite = f"cite:\n      - in: mlp\n        at: mini:{FORMULAS}#L43   # here\n        note: über\n"
    cite += f"      - {{at: 'mini:{FORMULAS}#L5', in: ''}}"
    block = text.replace(f'cite: [{{at: "mini:{FORMULAS}#L43", in: "mlp"}}]   # kept as it is', cite)
    assert block != text
    (rules.path / "rules.yaml").write_bytes(block.replace("\n", "\r\n").encode())
    mini.commit({FORMULAS: "\n" + SOURCE.replace("mlp(config", "feed_forward(config")})
    bump(RuleSet.load(rules.path), "mini", "main", {"mini": mini.folder})
    expected = block.replace("#L43", "#L44").replace("#L5", "#L6").replace("in: mlp", "in: feed_forward")
    assert (rules.path / "rules.yaml").read_bytes() == expected.replace("\n", "\r\n").encode()


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("not json", "it is not an entry in JSON"),
        ("[]", "an entry needs"),
        ('{"rule": "a"}', "it is not an entry in JSON"),
        ("LINES", "`lines` are the first and the last line"),
        ("TWICE", "the citation has an entry already"),
        ("[" * 100_000, "it is not an entry in JSON"),
    ],
)
def test_a_damaged_lock(mini: Miniature, locked: RuleSet, line: str, reason: str) -> None:
    path = locked.path / "citations.lock"
    text = path.read_text(encoding="utf-8")
    first = text.splitlines()[0]
    line = {"LINES": re.sub(r"\[.*?\]", "[5, 2]", first), "TWICE": first}.get(line, line)
    path.write_text(text + line + "\n", encoding="utf-8")
    with pytest.raises(EngineError, match=f"(?s)E814.*line {len(CITED) + 1} cannot be used: .*{reason}"):
        audited(locked, mini.folder)


def test_commands(mini: Miniature, pinned: RuleSet) -> None:
    run = CliRunner()
    folder, source = str(pinned.path), f"mini={mini.folder}"
    done = run.invoke(cli, ["accept", "--rules", folder, "--source", source])
    assert (done.exit_code, done.output.splitlines()[0]) == (0, "9 new")
    mini.commit({FORMULAS: replaced("total += 3", "total += 4", "\n" + SOURCE)})
    done = run.invoke(cli, ["bump", "mini", "main", "--rules", folder, "--source", source])
    assert done.exit_code == 1
    assert "7 have new line numbers\n2 are left to read:\n" in done.output
    assert "changed   mlp_step: the code differs (pkg/formulas.py#L44 in mlp)" in done.output
    done = run.invoke(cli, ["accept", "--rules", folder, "--source", source])
    assert done.exit_code == 1
    assert done.output.startswith("7 as before, 2 refused\n")
    done = run.invoke(cli, ["accept", "--rules", folder, "--source", source, "--reason", "x"])
    assert done.exit_code == 2
    done = run.invoke(cli, ["accept", "mlp_sum", "mlp_step", "--rules", folder, "--source", source, "--reason", "x"])
    assert (done.exit_code, done.output.splitlines()[0]) == (0, "2 with the reason")
    done = run.invoke(cli, ["audit", folder, "--source", source, "--locked"])
    assert done.exit_code == 0


def test_entries_sort_as_they_are_keyed(mini: Miniature, locked: RuleSet) -> None:
    entries = list(lock.read(locked.path).values())
    later = replace(entries[0], branch=10)
    assert lock.text([later, *entries]) == lock.text([*entries, later])
    assert [one.key for one in entries] == sorted(one.key for one in entries)
