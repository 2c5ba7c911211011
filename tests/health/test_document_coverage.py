"""Everything that the memory-model document says is carried by a rule, check, slice, scenario, advice or note."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import RuleSet
from tests.support import document_coverage
from tests.support.document_coverage import SECTIONS, Item


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def items(repository: Path) -> list[Item]:
    return document_coverage.read(repository / "docs" / "document-coverage.yaml")


def test_every_item_is_carried_by_something_that_exists(rules: RuleSet, items: list[Item], repository: Path) -> None:
    assert list(document_coverage.problems(items, rules, repository / "presets")) == []


def test_cited_sections_are_sections(rules: RuleSet) -> None:
    assert document_coverage.cited_sections(rules) <= set(SECTIONS)


def test_ten_pitfalls_and_seven_overheads(items: list[Item]) -> None:
    pitfalls = [item.at for item in items if item.section == "9" and item.kind == "pitfall"]
    assert len(pitfalls) == 10
    overheads = {item.at.split(",")[0] for item in items if item.section == "8" and item.at.startswith("entry")}
    assert overheads == {f"entry {number}" for number in range(1, 8)}


def test_page_is_fresh(items: list[Item], repository: Path, update_golden: bool) -> None:
    path = repository / "docs" / "document-coverage.md"
    expected = document_coverage.page(items)
    if update_golden:
        path.write_text(expected, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == expected


def test_an_item_without_id_is_found(rules: RuleSet, repository: Path) -> None:
    wrong = [
        Item("1", "nowhere", "fact", "lost", ()),
        Item("1", "elsewhere", "fact", "carried by a lost rule", ("document_gone_bytes",)),
        Item("1", "elsewhere", "fact", "one two three four five six seven", ("num_layers",)),
    ]
    found = list(document_coverage.problems(wrong, rules, repository / "presets"))
    assert [problem for problem in found if "has no item" not in problem] == [
        "1, elsewhere stands there 2 times",
        "1, nowhere: nothing carries it",
        "1, elsewhere: there is no document_gone_bytes",
        "1, elsewhere: a subject has at most 6 English words",
    ]
    assert "section 2.1 has no item" in found
