"""Repositories made to do harm: nothing of them runs, nothing outside them is read, and each ends in a clear word."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engine import EngineError, RuleSet
from engine.audit import Audit, audit
from engine.audit.git import GitError, Repository, find_repository
from tests.support.clock import processor_seconds
from tests.support.miniature import ALIAS, CITED, FORMULAS, SOURCE, Miniature, audited, load_rules, states, verdicts

SECRET = "SECRET = 'do not read me'\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it runs; its path has no spaces, so that git takes it as a command."""
    mark = tmp_path / "ran"
    program = tmp_path / "trap.sh"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {mark}\ncat 2>/dev/null\nexit 0\n', encoding="utf-8")
    program.chmod(0o755)
    return program


def armed(mini: Miniature, trap: Path) -> None:
    """Puts the trap wherever git could be led to run it."""
    for key in (
        "core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "diff.external",
        "gpg.program", "diff.evil.textconv", "diff.evil.command", "filter.evil.clean", "filter.evil.smudge",
        "filter.evil.process",
        "merge.evil.driver", "credential.helper", "uploadpack.packObjectsHook", "pager.log", "pager.diff", "pager.grep",
        "alias.log", "alias.cat-file", "remote.origin.uploadpack", "core.gitProxy", "core.alternateRefsCommand",
    ):  # fmt: skip
        mini.git("config", key, str(trap))
    mini.git("config", "core.hooksPath", str(trap.parent / "hooks"))
    mini.git("config", "log.showSignature", "true")
    mini.git("config", "remote.origin.url", f"ext::{trap}")
    mini.git("config", "remote.origin.promisor", "true")
    mini.git("config", "extensions.partialClone", "origin")
    hooks = trap.parent / "hooks"
    hooks.mkdir()
    for name in ("post-checkout", "reference-transaction", "post-index-change", "fsmonitor-watchman", "pre-commit"):
        (hooks / name).write_bytes(trap.read_bytes())
        (hooks / name).chmod(0o755)
        (mini.folder / ".git" / "hooks").mkdir(exist_ok=True)
        (mini.folder / ".git" / "hooks" / name).write_bytes(trap.read_bytes())
        (mini.folder / ".git" / "hooks" / name).chmod(0o755)
    (mini.folder / ".gitattributes").write_text("*.py diff=evil filter=evil merge=evil\n", encoding="utf-8")
    (mini.folder / ".git" / "info" / "attributes").write_text("*.py diff=evil filter=evil\n", encoding="utf-8")


def test_nothing_of_the_repository_runs(mini: Miniature, pinned: RuleSet, trap: Path) -> None:
    mini.commit({FORMULAS: SOURCE.replace("total += 3", "total += 4"), "pkg/other.py": "def attention():\n    pass\n"})
    mini.git("mv", FORMULAS, "pkg/estimate.py")
    mini.commit()
    (mini.folder / ".gitattributes").write_text("*.py diff=evil filter=evil\n", encoding="utf-8")
    armed(mini, trap)
    for at in (None, "HEAD", "HEAD~1", "main"):
        found = states(audited(pinned, mini.folder, at))
        assert found["mlp_step"] == "changed"
    assert not (trap.parent / "ran").exists()


def test_missing_objects_are_not_fetched(mini: Miniature, pinned: RuleSet, trap: Path, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE})
    mini.git("config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    mini.git("clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{mini.folder}", str(partial))
    other = Miniature.__new__(Miniature)
    other.folder = partial
    armed(other, trap)
    found = verdicts(audited(pinned, partial, "HEAD"))
    assert not (trap.parent / "ran").exists()
    assert {str(one.state) for one in found.values()} == {"broken"}
    assert found["mlp_step"].reason == f"there is no `{FORMULAS}` at the pinned commit"


def test_replacement_objects_are_not_believed(mini: Miniature, pinned: RuleSet) -> None:
    old = mini.git("rev-parse", f"HEAD:{FORMULAS}").strip()
    mini.write("pkg/lie.py", SOURCE.replace("total += 3", "total += 9"))
    lie = mini.git("hash-object", "-w", "pkg/lie.py").strip()
    mini.git("replace", old, lie)
    assert states(audited(pinned, mini.folder, "HEAD")) == dict.fromkeys(CITED, "ok")


@pytest.mark.parametrize("variable", ["GIT_DIR", "GIT_OBJECT_DIRECTORY", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS"])
def test_the_environment_of_the_caller_does_not_reach_git(
    mini: Miniature, pinned: RuleSet, monkeypatch: pytest.MonkeyPatch, trap: Path, variable: str
) -> None:
    mini.commit({FORMULAS: SOURCE.replace("total += 3", "total += 4")})
    monkeypatch.setenv(variable, str(trap))
    assert states(audited(pinned, mini.folder, "HEAD"))["mlp_step"] == "changed"
    assert not (trap.parent / "ran").exists()


@pytest.mark.parametrize(
    "revision",
    ["-h", "--upload-pack=touch ran", "--output=ran", "", "  ", "a\nb", "HEAD\0", "no-such-branch", ":/change"],
)
def test_revisions_that_are_none(mini: Miniature, pinned: RuleSet, revision: str) -> None:
    with pytest.raises(EngineError, match="E812"):
        audit(pinned, {ALIAS: mini.folder}, at=revision)


def linked(mini: Miniature, pinned: RuleSet) -> Audit:
    found = audited(pinned, mini.folder)
    assert all("do not read me" not in line for one in found.code_citations for line in one.verdict.diff)
    return found


def test_links_out_of_the_checkout_are_not_followed(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(SECRET, encoding="utf-8")
    (mini.folder / FORMULAS).unlink()
    (mini.folder / FORMULAS).symlink_to(tmp_path / "secret.py")
    found = verdicts(linked(mini, pinned))
    assert {str(one.state) for one in found.values()} == {"missing"}
    assert found["mlp_step"].reason == f"`{FORMULAS}` cannot be audited: it is a link that leads out of the checkout"


def test_linked_folders_are_not_followed_out(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "formulas.py").write_text(SECRET, encoding="utf-8")
    for path in (mini.folder / "pkg").iterdir():
        path.unlink()
    (mini.folder / "pkg").rmdir()
    (mini.folder / "pkg").symlink_to(outside)
    assert set(states(linked(mini, pinned)).values()) == {"missing"}


def test_links_within_the_checkout_are_followed(mini: Miniature, pinned: RuleSet) -> None:
    (mini.folder / FORMULAS).rename(mini.folder / "real.py")
    (mini.folder / FORMULAS).symlink_to("../real.py")
    assert set(states(audited(pinned, mini.folder)).values()) == {"ok"}


def test_links_in_circles_and_pipes_end(mini: Miniature, pinned: RuleSet) -> None:
    (mini.folder / FORMULAS).unlink()
    (mini.folder / FORMULAS).symlink_to("formulas.py")
    assert set(states(audited(pinned, mini.folder)).values()) == {"missing"}
    (mini.folder / FORMULAS).unlink()
    os.mkfifo(mini.folder / FORMULAS)
    os.mkfifo(mini.folder / "pkg" / "pipe.py")
    assert set(states(audited(pinned, mini.folder)).values()) == {"missing"}


def test_a_link_at_the_pinned_commit_is_not_followed(mini: Miniature, tmp_path: Path) -> None:
    (mini.folder / "link.py").symlink_to("/etc/hostname")
    commit = mini.commit()
    rules = load_rules(tmp_path / "r", commit, {"one": ("link.py#L1", ""), "two": ("link.py#L2", "")})
    found = audited(rules, mini.folder, "HEAD")
    assert states(found)["two"] == "broken"  # the link's own text has one line


def test_a_pointer_to_a_repository_that_knows_nothing_of_it(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    thief = tmp_path / "thief"
    thief.mkdir()
    (thief / ".git").write_text(f"gitdir: {mini.folder / '.git'}\n", encoding="utf-8")
    found = verdicts(audited(pinned, thief))
    assert {str(one.state) for one in found.values()} == {"unverified"}
    assert "does not lead to a repository that knows this checkout" in found["mlp_step"].reason
    with pytest.raises(EngineError, match="E811"):
        audited(pinned, thief, "HEAD")


def test_huge_and_binary_files(mini: Miniature, tmp_path: Path) -> None:
    commit = mini.commit({"huge.py": b"x = 1\n" * 1_000_000, "binary.py": b"x = 1\0\n", "small.py": "x = 1\ny = 2\n"})
    cited = {"huge": ("huge.py#L1", ""), "binary": ("binary.py#L1", ""), "small": ("small.py#L2", "")}
    rules = load_rules(tmp_path / "r", commit, cited)
    for at in (None, "HEAD"):
        found = verdicts(audited(rules, mini.folder, at))
        assert (found["huge"].state, found["binary"].state, found["small"].state) == ("broken", "broken", "ok")
        assert "`huge.py` cannot be audited: the file is too large: 5.0 MB" in found["huge"].reason
        assert "`binary.py` cannot be audited: the file is binary" in found["binary"].reason
    mini.commit({"small.py": b"y = 2\n" * 1_000_000})
    for at in (None, "HEAD"):
        assert "too large" in verdicts(audited(rules, mini.folder, at))["small"].reason


@pytest.mark.parametrize(
    "content",
    [
        "(" * 90_000 + "\n",
        "x = " + "-" * 200_000 + "1\n",
        "if x:\n" + "".join(" " * depth + "if x:\n" for depth in range(1, 1500)) + " " * 1500 + "y = 2\n",
        "y = " + "1 + " * 200_000 + "1\n",
        "a = 1\nb = 2\n" * 60_000,
        "y = 3\n" * 120_000,
        "'''" + "\n" * 300_000,
        "\\\n" * 200_000,
        "\r" * 300_000,
    ],
)  # fmt: skip
def test_files_that_are_hard_to_read_end_in_time(mini: Miniature, tmp_path: Path, content: str) -> None:
    base = "a = 1\ny = 2\nb = 2\n"
    commit = mini.commit({"file.py": base})
    rules = load_rules(tmp_path / "r", commit, {"one": ("file.py#L2", ""), "more": ("file.py#L1-L3", "")})
    mini.commit({"file.py": content})
    begin = processor_seconds()
    found = states(audited(rules, mini.folder, "HEAD"))
    assert processor_seconds() - begin < 10
    assert set(found.values()) <= {"moved", "changed", "missing", "ambiguous"}


def test_damaged_repositories(mini: Miniature, pinned: RuleSet) -> None:
    (mini.folder / ".git" / "config").write_text("[core\nnonsense", encoding="utf-8")
    assert set(states(audited(pinned, mini.folder)).values()) == {"ok"}  # objects are read without it
    for path in (mini.folder / ".git" / "objects").rglob("*"):
        if path.is_file():
            path.chmod(0o644)
            path.write_bytes(b"nonsense")
    with pytest.raises(EngineError, match="E811"):
        audited(pinned, mini.folder)


def test_git_is_needed_only_for_revisions(mini: Miniature, pinned: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audit.git.shutil.which", lambda name: None)
    found = verdicts(audited(pinned, mini.folder))
    assert {str(one.state) for one in found.values()} == {"unverified"}
    assert "git is not installed" in found["mlp_step"].reason
    with pytest.raises(EngineError, match=r"E811.*git is not installed"):
        audited(pinned, mini.folder, "HEAD")


def test_slow_git_is_given_up(mini: Miniature, pinned: RuleSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.audit.git.TIMEOUT_S", 0.000_1)
    with pytest.raises(EngineError, match=r"E811.*git took longer than"):
        audited(pinned, mini.folder, "HEAD")


def test_nothing_is_left_behind(
    mini: Miniature, pinned: RuleSet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(scratch))
    before = {path: path.stat().st_mtime_ns for path in (mini.folder / ".git").rglob("*") if path.is_file()}
    audited(pinned, mini.folder, "HEAD")
    audited(pinned, mini.folder)
    assert {path: path.stat().st_mtime_ns for path in (mini.folder / ".git").rglob("*") if path.is_file()} == before
    assert not list(scratch.iterdir())


def test_a_folder_without_a_repository_is_not_looked_for_above(mini: Miniature) -> None:
    assert find_repository(mini.folder / "pkg") is None


def test_a_closed_repository_cannot_be_read(mini: Miniature) -> None:
    repository = find_repository(mini.folder)
    assert isinstance(repository, Repository)
    repository.close()
    with pytest.raises(GitError):
        repository.read("0" * 40, ["a"])
