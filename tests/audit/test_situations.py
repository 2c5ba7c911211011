"""What the audit says in every situation that a source can get into, on a repository made by a script."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from engine import RuleSet
from tests.support.miniature import CITED, FORMULAS, SOURCE, Miniature, audited, load_rules, standard, states, verdicts

OK = dict.fromkeys(CITED, "ok")
MOVED = dict.fromkeys(CITED, "moved")


def replaced(old: str, new: str, text: str = SOURCE) -> str:
    assert text.count(old) == 1, f"{text.count(old)} times: {old!r}"
    return text.replace(old, new)


def test_at_its_own_commit_everything_is_ok(mini: Miniature, pinned: RuleSet) -> None:
    assert states(audited(pinned, mini.folder)) == OK
    assert states(audited(pinned, mini.folder, "HEAD")) == OK


def test_shift(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: replaced("import math\n", "import math\nimport sys\n\n")})
    result = audited(pinned, mini.folder, "main")
    assert states(result) == MOVED
    found = verdicts(result)["mlp_step"]
    assert found.now is not None
    assert (str(found.now), found.kind, found.method) == (f"{FORMULAS}#L45 in mlp", "lines", "diff")


def test_edit(mini: Miniature, pinned: RuleSet) -> None:
    commit = mini.commit({FORMULAS: replaced("total += 3", "total += 4")})
    result = audited(pinned, mini.folder, "HEAD")
    assert states(result) == OK | {"mlp_sum": "changed", "mlp_step": "changed"}
    found = verdicts(result)["mlp_step"]
    assert found.diff == ("@@ -1 +1 @@", "-        total += 3", "+        total += 4")
    assert found.similarity is not None
    assert 0.8 < found.similarity < 1
    assert found.change is not None
    assert (found.change.commit, found.change.date) == (commit, "2023-11-16")


def test_much_that_came_within_the_lines_is_shown_with_both_ends(mini: Miniature, tmp_path: Path) -> None:
    body = "".join(f"    value_{number} = {number} * config.hidden\n" for number in range(20))
    text = f"def long(config):\n    # why the first value is\n    # what it is\n{body}    return value_3\n"
    commit = mini.commit({"long.py": text})
    rules = load_rules(tmp_path / "r", commit, {"long": ("long.py#L2-L23", "long")})
    more = "".join(f"    other_{number} = config.heads + {number}\n" for number in range(15))
    edited = replaced("value_9 = 9", "value_9 = 8", text).replace("    value_15", f"{more}    value_15")
    mini.commit({"long.py": f"import sys\n\n{edited}"})
    found = verdicts(audited(rules, mini.folder, "HEAD"))["long"]
    assert (str(found.state), str(found.now)) == ("changed", "long.py#L4-L40 in long")
    assert len([line for line in found.diff if line.startswith("-")]) == 1
    assert len([line for line in found.diff if line.startswith("+")]) == 16


def test_edit_in_the_work_tree(mini: Miniature, pinned: RuleSet) -> None:
    mini.write(FORMULAS, replaced("total += 3", "total += 4"))
    result = audited(pinned, mini.folder)
    assert states(result) == OK | {"mlp_sum": "changed", "mlp_step": "changed"}
    assert verdicts(result)["mlp_step"].change is None
    assert states(audited(pinned, mini.folder, "HEAD")) == OK


def test_edit_of_a_line_with_a_twin_is_not_hidden_by_the_twin(mini: Miniature, pinned: RuleSet) -> None:
    text = SOURCE.split("\n")
    text[38] = "        ratio = ratio / 1"  # in mlp; the same line stands in attention
    mini.commit({FORMULAS: "\n".join(text)})
    assert states(audited(pinned, mini.folder, "HEAD")) == OK | {"mlp_ratio": "changed"}


def test_comment_only_edits(mini: Miniature, pinned: RuleSet) -> None:
    text = replaced("# the width of one head", "# how wide a head is")
    text = replaced("* config.hidden  # all matrices", "* config.hidden  # four of them", text)
    text = replaced('"""Heads of the attention."""', '"""Heads."""', text)
    mini.commit({FORMULAS: text})
    assert states(audited(pinned, mini.folder, "HEAD")) == OK | {"attention_weights": "cosmetic"}


def test_a_comment_that_comes_between_moves_the_end(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: replaced("        total += 3\n", "        # and three\n        total += 3\n")})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert str(found["mlp_sum"].now) == f"{FORMULAS}#L41-L44 in mlp"
    assert {found[rule].state for rule in ("mlp_sum", "mlp_step", "report_sum")} == {"moved"}


def test_docstring_edit_is_cosmetic(mini: Miniature, tmp_path: Path) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    rules = load_rules(
        tmp_path / "r", commit, {"sizes": (f"{FORMULAS}#L11-L13", "Config"), "doc": (f"{FORMULAS}#L13", "Config")}
    )
    mini.commit({FORMULAS: replaced('"""Heads of the attention."""', '"""Heads."""')})
    assert states(audited(rules, mini.folder, "HEAD")) == {"sizes": "cosmetic", "doc": "changed"}


def test_reindented_as_a_whole(mini: Miniature, pinned: RuleSet) -> None:
    body = SOURCE[SOURCE.index("    total = 0\n") : SOURCE.index("    return total * ratio")]
    inside = "    if config:\n" + "".join(f"    {line}\n" for line in body.splitlines())
    mini.commit({FORMULAS: replaced(body, inside)})
    assert states(audited(pinned, mini.folder, "HEAD")) == OK | {
        "mlp_sum": "moved", "mlp_step": "moved", "report_sum": "moved",
    }  # fmt: skip


def test_a_statement_that_leaves_its_loop_is_changed(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: replaced("        total += 3\n", "    total += 3\n")})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert found["mlp_sum"].state == "changed"
    assert found["mlp_sum"].reason == "the statements are nested in another way"
    assert found["mlp_step"].state == "ok"  # the one line says what it said


def test_space_inside_a_text_is_code(mini: Miniature, tmp_path: Path) -> None:
    rules = load_rules(tmp_path / "r", mini.git("rev-parse", "HEAD").strip(), {"said": (f"{FORMULAS}#L51", "report")})
    mini.commit({FORMULAS: replaced('f"total {', 'f"total  {')})
    assert states(audited(rules, mini.folder, "HEAD")) == {"said": "changed"}


def test_layout_is_cosmetic(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit(
        {
            FORMULAS: replaced(
                "    total = total + mlp(config, 2)\n", "    total = total + mlp(\n        config, 2\n    )\n"
            )
        }
    )
    assert states(audited(pinned, mini.folder, "HEAD")) == OK | {"report_sum": "cosmetic"}


def test_renamed_symbol(mini: Miniature, pinned: RuleSet) -> None:
    text = SOURCE.replace("mlp(config", "feed_forward(config")
    mini.commit({FORMULAS: text})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert {rule: str(one.state) for rule, one in found.items()} == OK | {
        "mlp_ratio": "moved", "mlp_sum": "moved", "mlp_step": "moved", "report_sum": "changed",
    }  # fmt: skip
    assert (found["mlp_sum"].kind, found["mlp_sum"].reason) == ("symbol", "now in `feed_forward`, was in `mlp`")


def test_renamed_file(mini: Miniature, pinned: RuleSet) -> None:
    mini.git("mv", FORMULAS, "pkg/estimate.py")
    mini.commit()
    for at in ("HEAD", None):
        found = verdicts(audited(pinned, mini.folder, at))
        assert {rule: str(one.state) for rule, one in found.items()} == MOVED
        assert {one.kind for one in found.values()} == {"file"}
        assert str(found["mlp_step"].now) == "pkg/estimate.py#L43 in mlp"


def test_renamed_and_edited_file(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: None, "pkg/estimate.py": replaced("total += 3", "total += 4")})
    assert states(audited(pinned, mini.folder, "HEAD")) == MOVED | {"mlp_sum": "changed", "mlp_step": "changed"}


def test_split_file(mini: Miniature, pinned: RuleSet) -> None:
    cut = SOURCE.index("def mlp(")
    end = SOURCE.index("def report(")
    other = "from pkg.formulas import Config\n\n\n" + SOURCE[cut:end]
    mini.commit({FORMULAS: SOURCE[:cut] + SOURCE[end:], "pkg/mlp.py": other})
    for at in ("HEAD", None):
        found = verdicts(audited(pinned, mini.folder, at))
        assert {rule: str(one.state) for rule, one in found.items()} == OK | {
            "mlp_ratio": "moved", "mlp_sum": "moved", "mlp_step": "moved", "report_sum": "moved",
        }  # fmt: skip
        assert str(found["mlp_ratio"].now) == "pkg/mlp.py#L5-L7 in mlp"
        assert found["mlp_ratio"].kind == "file"


def test_split_and_edited_symbol_is_followed(mini: Miniature, pinned: RuleSet) -> None:
    cut = SOURCE.index("def mlp(")
    end = SOURCE.index("def report(")
    moved = SOURCE[cut:end].replace("total += 3", "total += 4")
    mini.commit({FORMULAS: SOURCE[:cut] + SOURCE[end:], "pkg/mlp.py": moved})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert found["mlp_sum"].state == "changed"
    assert found["mlp_sum"].reason == "`mlp` is now in `pkg/mlp.py`"
    assert found["mlp_sum"].now is not None
    assert found["mlp_sum"].now.path == "pkg/mlp.py"


def test_deleted_lines(mini: Miniature, pinned: RuleSet) -> None:
    commit = mini.commit({FORMULAS: replaced("        total += 3\n", "")})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert {rule: str(one.state) for rule, one in found.items()} == OK | {
        "mlp_sum": "changed", "mlp_step": "missing", "report_sum": "moved",
    }  # fmt: skip
    assert found["mlp_step"].reason == "the lines are gone from `mlp`"
    assert found["mlp_step"].change is not None
    assert found["mlp_step"].change.commit == commit


def test_deleted_symbol_with_twins_elsewhere(mini: Miniature, pinned: RuleSet) -> None:
    cut = SOURCE.index("def mlp(")
    end = SOURCE.index("def report(")
    mini.commit({FORMULAS: SOURCE[:cut] + SOURCE[end:]})
    found = states(audited(pinned, mini.folder, "HEAD"))
    assert found["mlp_ratio"] == "missing"  # attention has the same lines, and always had
    assert found["mlp_sum"] == "missing"
    assert found["attention_ratio"] == "ok"


def test_deleted_file(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: None})
    for at in ("HEAD", None):
        assert states(audited(pinned, mini.folder, at)) == dict.fromkeys(CITED, "missing")


def test_duplicated_function(mini: Miniature, pinned: RuleSet) -> None:
    cut = SOURCE.index("def mlp(")
    end = SOURCE.index("def report(")
    copy = SOURCE[cut:end].replace("def mlp(", "def mlp_again(")
    mini.commit({FORMULAS: SOURCE[:cut] + copy + SOURCE[cut:]})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert found["mlp_sum"].state == "moved"
    assert found["mlp_sum"].now is not None
    assert found["mlp_sum"].now.symbol == "mlp"


def test_moved_to_two_places_is_ambiguous(mini: Miniature, pinned: RuleSet) -> None:
    cut = SOURCE.index("def mlp(")
    end = SOURCE.index("def report(")
    body = SOURCE[cut:end]
    copies = body.replace("def mlp(", "def first(") + body.replace("def mlp(", "def second(")
    mini.commit({FORMULAS: SOURCE[:cut] + SOURCE[end:].rstrip() + "\n\n\n" + copies})
    found = verdicts(audited(pinned, mini.folder, "HEAD"))
    assert found["mlp_sum"].state == "ambiguous"
    assert [place.symbol for place in found["mlp_sum"].candidates] == ["first", "second"]


def test_two_swapped_lines(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    lines = {"one": "L42", "other": "L43", "both": "L42-L43"}
    cited = {rule: (f"{FORMULAS}#{where}", "mlp") for rule, where in lines.items()}
    rules = load_rules(tmp_path / "r", mini.git("rev-parse", "HEAD").strip(), cited)
    old = "        total += layer * 8\n        total += 3\n"
    mini.commit({FORMULAS: replaced(old, "        total += 3\n        total += layer * 8\n")})
    found = verdicts(audited(rules, mini.folder, "HEAD"))
    assert {rule: str(one.state) for rule, one in found.items()} == {
        "one": "moved",
        "other": "moved",
        "both": "changed",
    }
    assert str(found["one"].now) == f"{FORMULAS}#L43 in mlp"
    assert str(found["other"].now) == f"{FORMULAS}#L42 in mlp"


def test_decorator(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    commit = mini.git("rev-parse", "HEAD").strip()
    rules = load_rules(
        tmp_path / "r", commit, {"whole": (f"{FORMULAS}#L36-L44", "mlp"), "head": (f"{FORMULAS}#L36", "mlp")}
    )
    mini.commit({FORMULAS: replaced("def mlp(", "@cached\ndef mlp(")})
    assert states(audited(rules, mini.folder, "HEAD")) == {"whole": "moved", "head": "moved"}
    after = mini.git("rev-parse", "HEAD").strip()
    decorated = load_rules(tmp_path / "d", after, {"mark": (f"{FORMULAS}#L36", "mlp")})
    assert states(audited(decorated, mini.folder, "HEAD")) == {"mark": "ok"}


def test_crlf(mini: Miniature, pinned: RuleSet) -> None:
    mini.commit({FORMULAS: SOURCE.replace("\n", "\r\n")})
    assert states(audited(pinned, mini.folder, "HEAD")) == OK
    mini.commit({FORMULAS: replaced("total += 3", "total += 4").replace("\n", "\r\n")})
    assert states(audited(pinned, mini.folder, "HEAD")) == OK | {"mlp_sum": "changed", "mlp_step": "changed"}


def test_not_utf8(mini: Miniature, tmp_path: Path) -> None:
    latin = SOURCE.replace("Formulas of a small model", "Größen").encode("latin-1")
    commit = mini.commit({FORMULAS: latin})
    rules = load_rules(tmp_path / "r", commit)
    assert states(audited(rules, mini.folder, "HEAD")) == OK
    mini.commit({FORMULAS: b"# \xfcber\n" + latin.replace(b"total += 3", b"total += 4")})
    assert states(audited(rules, mini.folder, "HEAD")) == MOVED | {"mlp_sum": "changed", "mlp_step": "changed"}


def test_a_file_that_this_python_cannot_parse(mini: Miniature, tmp_path: Path) -> None:
    broken = SOURCE + "\nprint 'old'\n"
    commit = mini.commit({FORMULAS: broken})
    rules = load_rules(tmp_path / "r", commit)
    assert states(audited(rules, mini.folder, "HEAD")) == OK
    mini.commit({FORMULAS: "x = 1\n" + broken.replace("total += 3", "total += 4")})
    assert states(audited(rules, mini.folder, "HEAD")) == MOVED | {"mlp_sum": "changed", "mlp_step": "changed"}


def test_other_languages_have_no_symbols(mini: Miniature, tmp_path: Path) -> None:
    page = "# Sizes\n\nhidden is 64\nheads are 4\n"
    commit = mini.commit({"docs/sizes.md": page})
    cited = {
        "page": ("docs/sizes.md#L3", ""),
        "title": ("docs/sizes.md#L1", ""),
        "named": ("docs/sizes.md#L3", "Sizes"),
    }
    rules = load_rules(tmp_path / "r", commit, cited)
    assert states(audited(rules, mini.folder, "HEAD")) == {"page": "ok", "title": "ok", "named": "ok"}
    mini.commit({"docs/sizes.md": "Draft.\n" + page.replace("64", "128")})
    assert states(audited(rules, mini.folder, "HEAD")) == {"page": "changed", "title": "moved", "named": "changed"}
    mini.commit({"docs/sizes.md": "Draft.\n\nheads are 4\nhidden is 64\n\nThe end.\n"})
    found = verdicts(audited(rules, mini.folder, "HEAD"))
    assert str(found["named"].now) == "docs/sizes.md#L4 in Sizes"


def test_shallow_clone_without_a_lock_cannot_be_verified(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE})
    mini.git("clone", "-q", "--depth", "1", f"file://{mini.folder}", str(tmp_path / "shallow"))
    found = verdicts(audited(pinned, tmp_path / "shallow"))
    assert {str(one.state) for one in found.values()} == {"unverified"}
    reason = found["mlp_sum"].reason
    assert "is not in the checkout; the clone is shallow" in reason
    assert "the citation is not in the lock" in reason


def test_plain_folder_without_a_lock_cannot_be_verified(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    shutil.copytree(mini.folder, tmp_path / "plain", ignore=shutil.ignore_patterns(".git"))
    found = verdicts(audited(pinned, tmp_path / "plain"))
    assert {str(one.state) for one in found.values()} == {"unverified"}
    assert found["mlp_sum"].reason == "the checkout is not a git repository, and the citation is not in the lock"


def test_unrelated_merge(mini: Miniature, pinned: RuleSet) -> None:
    mini.git("checkout", "-q", "--orphan", "other")
    mini.git("rm", "-rfq", ".")
    mini.commit({"other/readme.py": "total += 3\n"})
    mini.git("checkout", "-q", "main")
    edited = mini.commit({FORMULAS: replaced("total += 3", "total += 4")})
    mini.git("merge", "-q", "--allow-unrelated-histories", "-m", "merge", "other")
    result = audited(pinned, mini.folder, "HEAD")
    assert states(result) == OK | {"mlp_sum": "changed", "mlp_step": "changed"}
    change = verdicts(result)["mlp_step"].change
    assert change is not None
    assert change.commit == edited


@pytest.mark.parametrize(
    ("where", "symbol", "reason"),
    [
        (f"{FORMULAS}#L43", "attention", "these lines are in `mlp`, not as `in: attention` says"),
        (f"{FORMULAS}#L43", "", "these lines are in `mlp`, not as an empty `in` says"),
        (f"{FORMULAS}#L5", "mlp", "these lines are in no function or class, not as `in: mlp` says"),
        (f"{FORMULAS}#L31", "attention", "these lines are in `attention.shared`, not as `in: attention` says"),
        (f"{FORMULAS}#L43", "mlpp", "not as `in: mlpp` says; there is no such symbol in the file"),
        (f"{FORMULAS}#L50-L99", "report", "the file has only 52 lines"),
        (f"{FORMULAS}#L18-L19", "", "these lines hold nothing but comments and blank lines"),
        ("pkg/none.py#L1", "", "there is no `pkg/none.py` at the pinned commit"),
        ("../mini/pkg/formulas.py#L5", "", "the path cannot be followed: it leads out of its folder"),
        ("/etc/passwd#L1", "", "the path cannot be followed: it is not relative to the checkout"),
        ("--help#L1", "", "the path cannot be followed: it looks like an option"),
        (".git/config#L1", "", "the path cannot be followed: it leads into the repository's own files"),
        ("pkg#L1", "", "there is no `pkg` at the pinned commit"),
    ],
)
def test_broken_at_its_own_commit(mini: Miniature, tmp_path: Path, where: str, symbol: str, reason: str) -> None:
    rules = load_rules(tmp_path / "r", mini.git("rev-parse", "HEAD").strip(), {"one": (where, symbol)})
    result = audited(rules, mini.folder)
    assert states(result) == {"one": "broken"}
    assert reason in verdicts(result)["one"].reason
    assert result.failing([]) == result.code_citations


def test_a_bare_repository_is_read_at_head(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE})
    mini.git("clone", "-q", "--bare", str(mini.folder), str(tmp_path / "bare"))
    result = audited(pinned, tmp_path / "bare")
    assert states(result) == MOVED
    assert result.sources == {"mini": "HEAD"}


def test_a_linked_work_tree(mini: Miniature, pinned: RuleSet, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE})
    mini.git("worktree", "add", "-q", "--detach", str(tmp_path / "linked"))
    assert states(audited(pinned, tmp_path / "linked")) == MOVED
    assert states(audited(pinned, tmp_path / "linked", "HEAD~1")) == OK


def test_suspects_are_told_but_do_not_fail(mini: Miniature, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    load_rules(folder, mini.git("rev-parse", "HEAD").strip(), {"step": standard()["mlp_step"]})
    more = "rules:\n  twice: {title: Twice, unit: elem, formula: step * 2, assumption: an example}\n"
    (folder / "more.yaml").write_text(more, encoding="utf-8")
    mini.commit({FORMULAS: replaced("total += 3", "total += 4")})
    result = audited(RuleSet.load(folder), mini.folder)
    assert result.suspects() == {"twice": ("step",)}
    assert [one.cited.rule for one in result.failing()] == ["step"]
