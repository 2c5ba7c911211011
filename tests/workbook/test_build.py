"""What is written: constructs that spreadsheets agree on, values beside formulas, the same bytes each time."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment

from engine import Preset, RuleSet
from engine.diagnostics import EngineError
from workbook.build import build, make
from workbook.cells import Plan, Sheet
from workbook.context import Context, values
from workbook.frame import Frame
from workbook.inject import finish
from workbook.plan import plan
from workbook.state import from_preset


@pytest.fixture(scope="module")
def planned(rules: RuleSet, document: Preset) -> Plan:
    return plan(rules, from_preset(rules, document))


def test_titles_of_sheets_are_short_and_differ(planned: Plan) -> None:
    titles = [sheet.title for sheet in planned.sheets]
    assert len({title.casefold() for title in titles}) == len(titles)
    assert all(len(title) <= 31 and title.casefold() != "history" for title in titles)


def test_every_formula_has_its_value_in_the_file(rules: RuleSet, document: Preset, planned: Plan, built: Path) -> None:
    book = load_workbook(built, data_only=True)
    expected = values(planned, Context(rules, from_preset(rules, document)))
    for number, sheet in enumerate(planned.sheets, start=1):
        for cell in sheet.formulas():
            wanted = expected[number][cell.row, cell.column]
            found = book[sheet.title].cell(cell.row, cell.column).value
            assert found == (None if wanted == "" else wanted), (sheet.title, cell.address)


def test_applications_recalculate_when_they_open_it(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        assert 'fullCalcOnLoad="1"' in archive.read("xl/workbook.xml").decode()


def test_the_same_rules_and_preset_give_the_same_file(
    rules: RuleSet, document: Preset, built: Path, tmp_path: Path
) -> None:
    again = tmp_path / "again.xlsx"
    make(rules, document, again)
    assert again.read_bytes() == built.read_bytes()


def test_nothing_acts_or_reaches_out(built: Path) -> None:
    with zipfile.ZipFile(built) as archive:
        names = archive.namelist()
        external = [
            match
            for name in names
            if name.endswith(".rels")
            for match in re.findall(r'Target="([^"]*)" TargetMode="External"', archive.read(name).decode())
        ]
    assert not [name for name in names if re.search("vba|externalLink|embed|activeX", name)]
    assert external
    assert all(target.startswith("https://") for target in external)


def test_a_failed_build_leaves_the_file_as_it_was(rules: RuleSet, document: Preset, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(b"mine")
    with pytest.raises(EngineError):
        make(rules, Preset({**document.values, "device": "abacus"}), path)
    with pytest.raises(EngineError):
        make(rules, document, path, layer=1)
    state = from_preset(rules, document)
    incomplete = Plan([Sheet("Plan")])
    incomplete.sheets[0].formula(1, 1, "1", None)  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        build(incomplete, Context(rules, state), path)
    assert path.read_bytes() == b"mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["plan.xlsx"]


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "=cmd|'/c calc'!A0", "#N/A", "\t=1"])
def test_texts_of_others_stay_texts(text: str, tmp_path: Path) -> None:
    book = Plan([Sheet("Notes")])
    book.sheets[0].put(1, 1, text)
    path = tmp_path / "notes.xlsx"
    build(book, None, path)
    for _ in range(2):
        loaded = load_workbook(path)
        cell = loaded["Notes"]["A1"]
        assert (cell.value, cell.data_type) == (text, "s")
        assert cell.quotePrefix == (text[0] in "=+-@\t")
        loaded.save(path)


def test_a_preset_cannot_put_a_formula_into_a_cell(rules: RuleSet, document: Preset, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    make(rules, Preset(document.values, path="=HYPERLINK(1).yaml"), path)
    sheet = load_workbook(path)["Read me"]
    found = [cell for row in sheet.iter_rows() for cell in row if str(cell.value).startswith("=")]
    assert [cell.data_type for cell in found] == ["s"]


def test_comments_are_found_by_readers_of_relative_targets(tmp_path: Path) -> None:
    import ironcalc

    book = Workbook()
    book.active["A1"] = "=1+1"
    book.active["A1"].comment = Comment("why", "me")
    path = tmp_path / "comment.xlsx"
    book.save(path)
    finish(path, {1: {(1, 1): 2}}, {})
    model = ironcalc.load_from_xlsx(str(path))
    model.evaluate()
    assert model.get_cell_value(0, 1, 1) == 2
    assert load_workbook(path).active["A1"].comment.text == "why"


def test_numbers_keep_all_their_digits(tmp_path: Path) -> None:
    book = Plan([Sheet("Numbers")])
    numbers = [0.1 + 0.2, 192.99999999999997, 1 / 3, 2.0**60, 1e-300, 5]
    for row, number in enumerate(numbers, start=1):
        book.sheets[0].put(row, 1, number)
    path = tmp_path / "numbers.xlsx"
    build(book, None, path)
    assert [cell.value for (cell,) in load_workbook(path)["Numbers"].iter_rows()] == numbers


def test_the_room_follows_the_preset(rules: RuleSet, document: Preset) -> None:
    def room(**changes: object) -> Frame:
        return Frame.for_context(Context(rules, from_preset(rules, Preset({**document.values, **changes}))))

    assert room() == Frame(128, 32, 256)
    assert room(num_layers=300).layer == 300
    assert room(pipeline_model_parallel_size=64) == Frame(128, 64, 256)
    assert room(moe_layer_freq=[1] * 200).layer == 200
