"""The shipped rules: every branch and number has a source, and the estimator that they retell is cited whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from engine import RuleSet
from engine.audit import audit, lock
from engine.audit.checkout import open_checkout
from engine.audit.collect import citations
from engine.audit.places import Lines, parse_where
from engine.audit.statements import statements
from engine.expr.nodes import Number, walk
from engine.linting.constants import PLAIN, uncited
from engine.rules import Citation

CHECKOUT = os.environ.get("MEGATRON_LM", "")
RULES = RuleSet.load()
RECORDED = Path(__file__).parent.parent / "data" / "log-estimator-statements.json"


def recorded() -> dict[str, Any]:
    """Returns which lines of the estimator hold each of its statements, at the pinned commit."""
    data: dict[str, Any] = json.loads(RECORDED.read_text(encoding="utf-8"))
    return data


def test_every_branch_cites_or_says_what_it_assumes() -> None:
    bare = [
        f"{computed.id} [case {number}]"
        for computed in RULES.computed.values()
        for number, branch in enumerate(computed.branches, 1)
        if not branch.citations and not (branch.assumption or "").strip()
    ]
    assert bare == []


def test_every_number_stands_in_something_cited() -> None:
    assert [(holder, number) for holder, number, _ in uncited(RULES)] == []
    numbers = {
        part.raw
        for computed in RULES.computed.values()
        for branch in computed.branches
        for part in walk(branch.formula.node)
        if isinstance(part, Number) and part.value not in PLAIN
    }
    assert len(numbers) > 30  # there is something that could be without a source


def _cited(path: str) -> Iterator[tuple[str, Citation, Lines]]:
    for one in citations(RULES):
        if one.citation.kind == "code" and one.citation.source == "megatron":
            where, lines = parse_where(one.citation.where)
            if where == path:
                yield one.rule, one.citation, lines


def test_the_lock_holds_every_citation_as_it_stands() -> None:
    """Where this fails: engine accept --rules rules --source megatron=CHECKOUT --source te=CHECKOUT."""
    found = audit(RULES, {}, locked=True)
    assert [f"{one.cited.label}: {one.verdict.reason}" for one in found.code_citations if one.state == "broken"] == []
    keys = {one.cited.key for one in found.code_citations}
    assert set(lock.read(RULES.path)) == keys


def test_the_estimator_is_cited_whole() -> None:
    data = recorded()
    assert RULES.sources["sources"]["megatron"].commit == data["commit"]
    watch = RULES.watch["log_estimator"]
    assert (watch.path, tuple(watch.symbols), watch.min_coverage) == (data["path"], ("*",), 100)
    cited: set[int] = set()
    for rule, _, lines in _cited(data["path"]):
        if not rule.startswith("watch."):
            cited.update(lines.numbers())
    waived = {number for waiver in watch.waivers for number in parse_where(waiver.citation.where)[1].numbers()}
    assert all(waiver.reason.strip() for waiver in watch.waivers)
    left = [said for said in data["statements"] if not set(said) <= cited | waived]
    assert left == []
    assert len([said for said in data["statements"] if set(said) <= cited]) >= 114  # waiving is the exception


@pytest.mark.skipif(not CHECKOUT, reason="MEGATRON_LM does not name a checkout of Megatron-LM")
def test_the_recorded_statements_are_those_of_the_source() -> None:
    data = recorded()
    with ExitStack() as closing:
        checkout = open_checkout("megatron", Path(CHECKOUT), data["commit"], data["commit"], closing)
        text = checkout.target.read(data["path"])
    assert text is not None
    assert [sorted(text.said(one.lines)) for one in statements(text, ["*"])] == data["statements"]
