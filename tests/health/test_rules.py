"""What holds for every shipped rule and check."""

from __future__ import annotations

import re
from collections import defaultdict
from pathlib import Path

from engine import RuleSet
from engine.evaluating.excel_rules import branches_of, excel_text
from engine.evaluating.ruletest import run
from engine.expr.to_excel import MAX_LENGTH, SAFE_FUNCTIONS
from engine.expr.to_latex import latex_cases
from engine.loading.names import invalid_name

RULES = RuleSet.load()

_STRING = re.compile(r'"(?:[^"]|"")*"')
_UNSAFE = re.compile(r"[\^&%{}!#]|_xlfn|TRUE|FALSE")
_CALL = re.compile(r"([A-Za-z_][A-Za-z0-9_.]*)\(")


def test_titles_and_units() -> None:
    bare = [
        id for id, rule in RULES.computed.items() if not rule.title.strip() or rule.title.endswith(".") or not rule.unit
    ]
    assert bare == []


def test_every_branch_says_where_it_comes_from() -> None:
    assert [
        (id, position)
        for id, rule in RULES.computed.items()
        for position, branch in enumerate(rule.branches)
        if not branch.citations and not (branch.assumption or "").strip()
    ] == []


def test_own_tests_pass_and_take_every_branch() -> None:
    taken: dict[str, set[int]] = defaultdict(set)
    problems = []
    for outcome in run(RULES):
        taken[outcome.rule].update(outcome.branch if isinstance(outcome.branch, list) else [outcome.branch])
        if outcome.problem:
            problems.append((outcome.rule, outcome.position, outcome.problem))
    assert problems == []
    missed = {id: set(range(len(rule.branches))) - taken[id] for id, rule in RULES.computed.items()}
    assert {id: branches for id, branches in missed.items() if branches} == {}


def test_checks_are_shown_to_pass_and_to_fail() -> None:
    expected = {id: {test.expect for test in check.tests} for id, check in RULES.checks.items()}
    assert [id for id, outcomes in expected.items() if not outcomes >= {"pass", "fail"}] == []


def test_excel_text_uses_the_proven_subset() -> None:
    problems = []
    for id, rule in RULES.computed.items():
        text = excel_text(RULES, rule)
        bare = _STRING.sub("", text.replace('"<"&', ""))
        if not set(_CALL.findall(bare)) <= SAFE_FUNCTIONS or _UNSAFE.search(bare) or len(text) >= MAX_LENGTH:
            problems.append((id, text))
    assert problems == []


def test_latex_is_balanced() -> None:
    problems = []
    for id, rule in RULES.computed.items():
        text = latex_cases(branches_of(rule))
        if not text or text.count("{") != text.count("}") or text.count(r"\left") != text.count(r"\right"):
            problems.append((id, text))
    assert problems == []


def test_evidence_is_declared_and_used() -> None:
    used = {key for rule in RULES.computed.values() for key in rule.evidence}
    assert used == set(RULES.sources["datasets"])


def test_recorded_data_is_described(repository: Path) -> None:
    data = repository / "tests" / "data"
    described = set(re.findall(r"^\| `([^`]+)`", (data / "README.md").read_text(encoding="utf-8"), re.MULTILINE))
    assert described == {path.name for path in data.iterdir()} - {"README.md"}


def test_ids_are_names_that_launchers_and_spreadsheets_take() -> None:
    names = [*RULES.computed, *RULES.inputs, *RULES.slots, *RULES.tables]
    assert [name for name in names if invalid_name(name)] == []
    assert [name for name in names if not re.fullmatch(r"[a-z][a-z0-9_]*", name)] == []
