"""Formulas and names of the shipped presets' workbooks keep to what spreadsheet applications agree on."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from openpyxl import load_workbook
from openpyxl.formula import Tokenizer
from openpyxl.utils.cell import column_index_from_string

from engine import Preset, RuleSet
from engine.expr.to_excel import SAFE_FUNCTIONS
from workbook.build import make
from workbook.cells import Plan
from workbook.context import Context
from workbook.frame import Frame
from workbook.plan import CONTROLS, plan
from workbook.state import from_preset

PRESENTING = {"COUNT", "FIND", "IFERROR", "ISERROR", "ISNUMBER", "LEFT", "NA", "SUMPRODUCT", "TEXT"}
"""Functions of cells that only present or choose an input; all applications agree on them too."""
LONGEST, DEEPEST, LONGEST_TEXT, MOST_DIGITS = 8192, 64, 255, 15
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
INFIX = {"+", "-", "*", "/", "&", "=", "<>", "<", ">", "<=", ">="}
STRING = re.compile(r'("(?:[^"]|"")*")')
REFERENCE = re.compile(
    r"(?<![\w.$!'])(?P<sheet>(?:'(?:[^']|'')+'|[A-Za-z]\w*)!)?"
    r"\$?(?P<left>[A-Z]{1,3})\$?(?P<top>[0-9]+)(?::\$?(?P<right>[A-Z]{1,3})\$?(?P<bottom>[0-9]+))?(?![\w.(!:])"
)

# Names that every application reads as names: not as a cell in either notation, nor as a reserved word.
NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*\Z")
A1 = re.compile(r"[A-Za-z]{1,3}[0-9]+\Z")
R1C1 = re.compile(r"(?:[Rr][0-9]*)?(?:[Cc][0-9]*)?\Z")
RESERVED = re.compile(r"(?i)_xl|true|false|print_area\Z|print_titles\Z|criteria\Z|database\Z|extract\Z|auto_")


class Formula(NamedTuple):
    """A formula and the title of the sheet that it stands on."""

    sheet: str
    text: str


@pytest.fixture(scope="module")
def plans(rules: RuleSet, repository: Path) -> list[Plan]:
    found = []
    for path in sorted((repository / "presets").glob("*.yaml")):
        state = from_preset(rules, Preset.load(path))
        found.append(plan(rules, state, Frame.for_context(Context(rules, state))))
    return found


def _formulas(book: Plan) -> Iterator[Formula]:
    """Yields the formulas of cells, of conditions and of what may be typed."""
    for sheet in book.sheets:
        texts = [cell.content for cell in sheet.formulas()]
        texts += [one.condition for one in sheet.highlights] + [one.formula for one in sheet.validations]
        yield from (Formula(sheet.title, text) for text in texts)


def test_formulas_keep_to_the_safe_subset(plans: list[Plan]) -> None:
    seen: set[tuple[str, Formula]] = set()
    for book in plans:
        extents, checked = _extents(book), set[Formula]()
        for formula in _formulas(book):
            if formula not in checked:
                checked.add(formula)
                seen |= {(trouble, formula) for trouble in _troubles(formula, book, extents)}
        assert len(checked) > 15_000
    assert sorted(seen)[:5] == []


@pytest.mark.parametrize(
    "text",
    [
        "NOW()", "OFFSET(A1,1,1)", "INDIRECT(\"A1\")", "LET(x,1,x)", "-A1", "A1^2", "A1%", "1E9", "{1,2}", "A0", "XFE1",
        "A1048577", "ZZ99999", "Elsewhere!A1", "[1]Plan!A1", "no_such_name", "TRUE", "#REF!", "1234567890.123456",
        "A1 B1", "xlfn.SINGLE(A1)",
    ],
)  # fmt: skip
def test_what_is_not_safe_is_told(text: str, plans: list[Plan]) -> None:
    assert list(_troubles(Formula("Plan", text), plans[0], _extents(plans[0])))


def _extents(book: Plan) -> dict[str, tuple[int, int]]:
    """Returns the last row and column of each sheet."""
    return {
        sheet.title: (max(row for row, _ in sheet.cells), max(column for _, column in sheet.cells))
        for sheet in book.sheets
    }


def _troubles(formula: Formula, book: Plan, extents: dict[str, tuple[int, int]]) -> Iterator[str]:
    if len(formula.text) >= LONGEST:
        yield "it is too long"
    pieces = STRING.split(formula.text)  # no text, text, no text, …
    for piece in pieces[::2]:
        for match in REFERENCE.finditer(piece):
            if not _inside(match, formula.sheet, extents):
                yield f"{match[0]} is no cell that is used"
    shape = "".join(piece if at % 2 else REFERENCE.sub("A1", piece) for at, piece in enumerate(pieces))
    yield from _tokens(shape, frozenset(book.names))


@cache
def _tokens(shape: str, names: frozenset[str]) -> tuple[str, ...]:
    """Returns what is wrong with a formula in which each cell is A1; formulas along a row share it."""
    found, depth = [], 0
    for token in Tokenizer(f"={shape}").items:
        match token.type, token.subtype:
            case "FUNC", "OPEN":
                depth += 1
                if token.value[:-1] not in SAFE_FUNCTIONS | PRESENTING:
                    found.append(f"the function {token.value[:-1]}")
            case "FUNC", _:
                depth -= 1
            case "OPERAND", "RANGE":
                if token.value not in names | {"A1"}:
                    found.append(f"{token.value} is neither a name nor a cell")
            case "OPERAND", "NUMBER":
                digits = token.value.replace(".", "").strip("0")
                if not re.fullmatch(r"[0-9]+(\.[0-9]+)?", token.value) or len(digits) > MOST_DIGITS:
                    found.append(f"the number {token.value}")
            case "OPERAND", "TEXT":
                if len(token.value) > LONGEST_TEXT + 2:
                    found.append("a text is too long")
            case ("SEP", "ARG") | ("PAREN", _):
                pass
            case "OPERATOR-INFIX", _ if token.value in INFIX:
                pass
            case _:
                found.append(f"{token.value!r} of type {token.type} {token.subtype}")
        if depth > DEEPEST:
            found.append("it is nested too deeply")
    return tuple(found)


def _inside(match: re.Match[str], own: str, extents: dict[str, tuple[int, int]]) -> bool:
    title = match["sheet"]
    place = extents.get(title[:-1].strip("'").replace("''", "'") if title else own)
    if place is None:
        return False
    columns = [column_index_from_string(letters) for letters in match.group("left", "right") if letters]
    rows = [int(digits) for digits in match.group("top", "bottom") if digits]
    within = max(rows) <= min(place[0], LAST_ROW) and max(columns) <= min(place[1], LAST_COLUMN)
    return min(rows) >= 1 and within


def test_names_are_read_alike_everywhere(plans: list[Plan]) -> None:
    for book in plans:
        extents = _extents(book)
        assert len({name.casefold() for name in book.names}) == len(book.names)
        assert set(CONTROLS) <= book.names.keys()
        for name, address in book.names.items():
            head = name.partition(".")[0]
            assert NAME.match(name), name
            assert not A1.match(head), name
            assert not R1C1.match(head), name
            assert not RESERVED.match(name), name
            assert name.upper() not in SAFE_FUNCTIONS | PRESENTING, name
            assert re.fullmatch(r"('[^']+'|\w+)!\$[A-Z]+\$[0-9]+(:\$[A-Z]+\$[0-9]+)?", address), (name, address)
            match = REFERENCE.fullmatch(address)
            assert match, (name, address)
            assert _inside(match, "", extents), (name, address)


def test_names_of_cells_are_no_ids_of_rules(rules: RuleSet) -> None:
    own = {f"{item.id}_every" for item in rules.inputs.values() if item.kind == "layer_vector"}
    assert not (own | set(CONTROLS)) & rules.symbols.types.keys()


def test_the_file_has_these_formulas_and_no_others(built: Path, plans: list[Plan]) -> None:
    """Nothing is added when the file is written: no array formula, shared formula or table."""
    with zipfile.ZipFile(built) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist() if name.endswith(".xml")}
    assert not [name for name in parts if "table" in name or "externalLink" in name]
    assert {match for part in parts.values() for match in re.findall(r"<f( [^>]*)>", part)} == set()
    known = {text for book in plans for _, text in _formulas(book)}
    book = load_workbook(built)
    found = {
        str(cell.value)[1:] for sheet in book for row in sheet.iter_rows() for cell in row if cell.data_type == "f"
    }
    assert found <= known
    assert len(found) > 10_000


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)"])
def test_titles_and_notes_cannot_become_formulas(text: str, rules: RuleSet, document: Preset, tmp_path: Path) -> None:
    item, (id, rule) = rules.inputs["hidden_size"], next(iter(rules.rules.items()))
    scenario = next(one for one in rules.scenarios.values() if one.changes)
    hostile = replace(
        rules,
        inputs={**rules.inputs, "hidden_size": replace(item, title=text, note=text)},
        rules={**rules.rules, id: replace(rule, title=text, note=text)},
        scenarios={**rules.scenarios, scenario.id: scenario._replace(title=text)},
    )
    path = tmp_path / "plan.xlsx"
    make(hostile, document, path)
    cells = [cell for sheet in load_workbook(path) for row in sheet.iter_rows() for cell in row if cell.value == text]
    assert len(cells) >= 6
    assert {(cell.data_type, cell.quotePrefix) for cell in cells} == {("s", True)}
