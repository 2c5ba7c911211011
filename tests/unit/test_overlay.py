"""Overlays replace or add declarations by id, under the same rules as if all stood in one place."""

from pathlib import Path

import pytest

from engine import EngineError, RuleSet, evaluate

BASE = """
inputs:
  hidden_size: {title: Hidden size, type: int, group: model, min: 1, max: 65536, required: true}
rules:
  weights: {title: Weights, unit: elem, formula: elem(hidden_size * 2), assumption: an example}
  total: {title: Total, unit: elem, formula: weights + elem(1), assumption: an example}
"""
OTHER = "rules:\n  weights: {title: Weights, unit: elem, formula: FORMULA, assumption: another example}\n"


@pytest.fixture
def folders(tmp_path: Path) -> tuple[Path, Path]:
    for name, text in (("rules", BASE), ("site", OTHER.replace("FORMULA", "elem(hidden_size * 3)"))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.yaml").write_text(text, encoding="utf-8")
    return tmp_path / "rules", tmp_path / "site"


def test_an_overlay_replaces_by_id_and_says_so(folders: tuple[Path, Path]) -> None:
    rules = RuleSet.load(folders[0], overlay=folders[1])
    assert evaluate(rules, {"hidden_size": 8})["total"].value == 25
    (one,) = rules.overrides
    assert (one.section, one.id) == ("rules", "weights")
    assert str(one.span).endswith("a.yaml:2:3")
    assert one.replaced is not None
    assert str(one.replaced).endswith("a.yaml:5:3")
    assert list(rules.rules) == ["weights", "total"]


def test_the_base_is_as_it_was(folders: tuple[Path, Path]) -> None:
    RuleSet.load(folders[0], overlay=folders[1])
    plain = RuleSet.load(folders[0])
    assert evaluate(plain, {"hidden_size": 8})["total"].value == 17
    assert plain.overrides == ()
    assert plain.digest != RuleSet.load(folders[0], overlay=folders[1]).digest


def test_a_later_overlay_wins_and_an_edit_is_seen(folders: tuple[Path, Path], tmp_path: Path) -> None:
    last = tmp_path / "last.yaml"
    last.write_text(OTHER.replace("FORMULA", "elem(hidden_size * 5)"), encoding="utf-8")
    rules = RuleSet.load(folders[0], overlay=[folders[1], last])
    assert evaluate(rules, {"hidden_size": 8})["weights"].value == 40
    last.write_text(OTHER.replace("FORMULA", "elem(hidden_size * 7)"), encoding="utf-8")
    assert evaluate(RuleSet.load(folders[0], [folders[1], last]), {"hidden_size": 8})["weights"].value == 56


def test_what_an_overlay_adds_is_no_replacement(folders: tuple[Path, Path]) -> None:
    more = "rules:\n  more: {title: More, unit: elem, formula: total, assumption: an example}\n"
    (folders[1] / "b.yaml").write_text(more, encoding="utf-8")
    rules = RuleSet.load(folders[0], overlay=folders[1])
    assert [one.id for one in rules.overrides if one.replaced is None] == ["more"]
    assert list(rules.rules) == ["weights", "total", "more"]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (OTHER.replace("FORMULA", "B(hidden_size)"), "E306"),
        (OTHER.replace("FORMULA", "elem(hiden_size)"), "E303"),
        (OTHER.replace("FORMULA", "total"), "E406"),
        (OTHER.replace("weights:", "Weights:").replace("FORMULA", "elem(1)"), "E207"),
        ("rules:\n  hidden_size: {title: A rule, unit: elem, formula: elem(1), assumption: an example}\n", "E206"),
        ("", "E107"),
    ],
)
def test_an_overlay_is_checked_as_strictly(folders: tuple[Path, Path], text: str, code: str) -> None:
    (folders[1] / "a.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(EngineError) as caught:
        RuleSet.load(folders[0], overlay=folders[1])
    assert code in {finding.code for finding in caught.value.diagnostics}
