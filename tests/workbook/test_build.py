"""What is written: constructs that spreadsheets agree on, values beside formulas, the same bytes each time."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest
from openpyxl import Workbook, load_workbook
from openpyxl.comments import Comment
from openpyxl.formula import Tokenizer

from engine import Preset, RuleSet
from engine.diagnostics import EngineError
from engine.expr.to_excel import SAFE_FUNCTIONS
from engine.names import invalid_name
from workbook.build import build, make
from workbook.cells import Plan, Sheet
from workbook.context import Context, values
from workbook.frame import Frame
from workbook.inject import finish
from workbook.plan import CONTROLS, plan
from workbook.state import from_preset

PRESENTING = {"COUNT", "FIND", "IFERROR", "ISNUMBER", "LEFT", "NA", "SUMPRODUCT", "TEXT"}
"""Functions of cells that only present or choose an input; spreadsheet.md lists them as right everywhere."""
LONGEST = 8192
DEEPEST = 64


@pytest.fixture(scope="module")
def planned(rules: RuleSet, document: Preset) -> Plan:
    return plan(rules, from_preset(rules, document))


def test_formulas_keep_to_the_safe_subset(planned: Plan) -> None:
    titles = {sheet.title for sheet in planned.sheets}
    for formula in {cell.content for sheet in planned.sheets for cell in sheet.formulas()}:
        assert len(formula) < LONGEST
        depth = deepest = 0
        for token in Tokenizer(f"={formula}").items:
            if token.type == "FUNC":
                depth += 1 if token.subtype == "OPEN" else -1
                deepest = max(deepest, depth)
                if token.subtype == "OPEN":
                    assert token.value[:-1] in SAFE_FUNCTIONS | PRESENTING, formula
            elif token.type == "OPERAND" and token.subtype == "RANGE":
                assert _is_reference(token.value, planned, titles), (token.value, formula)
            elif token.type == "OPERAND" and token.subtype == "NUMBER":
                assert re.fullmatch(r"[0-9]+(\.[0-9]+)?", token.value), formula
                assert len(token.value.replace(".", "").strip("0")) <= 15, formula
            elif token.type == "OPERAND":
                assert token.subtype == "TEXT", (token.value, formula)
                assert len(token.value) <= 257, formula
            else:
                assert token.type in ("SEP", "PAREN", "OPERATOR-INFIX"), (token.value, token.type, formula)
                assert token.value not in ("^", "%", "{", "}"), formula
        assert deepest <= DEEPEST


def _is_reference(text: str, planned: Plan, titles: set[str]) -> bool:
    if text in planned.names:
        return True
    sheet, _, cells = text.rpartition("!")
    if sheet and sheet.strip("'") not in titles:
        return False
    return re.fullmatch(r"\$?[A-Z]{1,3}\$?[0-9]+(:\$?[A-Z]{1,3}\$?[0-9]+)?", cells) is not None


def test_names_are_read_alike_everywhere(planned: Plan) -> None:
    assert [name for name in planned.names if invalid_name(name)] == []
    assert len({name.casefold() for name in planned.names}) == len(planned.names)
    assert set(CONTROLS) <= planned.names.keys()
    for address in planned.names.values():
        assert re.fullmatch(r"('[^']+'|\w+)!\$[A-Z]+\$[0-9]+(:\$[A-Z]+\$[0-9]+)?", address)


def test_names_of_cells_are_no_ids_of_rules(rules: RuleSet) -> None:
    own = {f"{item.id}_every" for item in rules.inputs.values() if item.kind == "layer_vector"}
    assert not (own | set(CONTROLS)) & rules.symbols.types.keys()


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
