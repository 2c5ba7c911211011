"""The workbook in LibreOffice: a real application, given files without values."""

from __future__ import annotations

import subprocess
from pathlib import Path
from random import Random
from typing import Any

import pytest

from engine import Preset, RuleSet
from tests.support.random_states import random_state
from workbook.build import build
from workbook.checking.audit import audit
from workbook.checking.verify import compare
from workbook.context import Context
from workbook.plan import plan
from workbook.reading.cell_xml import Content
from workbook.reading.package import Package
from workbook.reading.read import read
from workbook.recalculation.in_libreoffice import SECONDS, convert, find
from workbook.state import State, from_preset

PROGRAM = find()
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="LibreOffice (soffice) is not installed")
STATES = 20
PARTS = 4
"""How many tests share the states, so that they can run side by side."""


class Saved:
    """A file as LibreOffice saved it."""

    name = "LibreOffice"

    def __init__(self, path: Path) -> None:
        with Package(path) as package:
            self.names = package.names
            self._cells: dict[str, dict[tuple[int, int], Content]] = {
                sheet: package.cells(sheet) for sheet in package.sheets
            }

    def value(self, sheet: str, row: int, column: int) -> Any:
        found = self._cells[sheet].get((row, column))
        return None if found is None else found.value

    def named(self, name: str) -> Any:
        area = self.names[name]
        return self.value(area.sheet, area.row, area.column)


def convert_all(paths: list[Path], folder: Path) -> list[Saved]:
    """Converts files in one run: starting takes longer than calculating."""
    assert PROGRAM is not None
    profile, out = folder / "profile", folder / "saved"
    command = [PROGRAM, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", "xlsx"]
    subprocess.run(
        [*command, "--outdir", str(out), *map(str, paths)], capture_output=True, check=True, timeout=SECONDS * 4
    )
    return [Saved(out / path.name) for path in paths]


@pytest.mark.parametrize("part", range(PARTS))
def test_20_random_states(part: int, rules: RuleSet, document: Preset, repository: Path, tmp_path: Path) -> None:
    shipped = [Preset.load(path) for path in sorted((repository / "presets").glob("*.yaml"))]
    random, built = Random(20 + part), from_preset(rules, document)
    count = STATES // PARTS
    states: list[State] = [built, *(random_state(rules, random, built, shipped) for _ in range(count - 1))]
    book = plan(rules, built)
    paths = []
    for number, state in enumerate(states):
        planned = plan(rules, state)
        assert planned.names == book.names
        paths.append(tmp_path / f"plan{number}.xlsx")
        build(planned, None, paths[-1])
    for state, saved in zip(states, convert_all(paths, tmp_path), strict=True):
        found = compare(book, Context(rules, state), saved).differences
        assert [(one.sheet, one.cell.address, one.shown, one.wanted, one.cell.content) for one in found] == [], state


def test_the_documents_numbers(rules: RuleSet, document: Preset, tmp_path: Path) -> None:
    """Section 6 of the document, and the seven rows of its section 6.5, to the digits that it prints."""
    state = from_preset(rules, document)
    book = plan(rules, state)
    path = tmp_path / "plan.xlsx"
    build(book, None, path)
    (saved,) = convert_all([path], tmp_path)
    row = {
        cell.content: number
        for (number, column), cell in sorted(book.sheet("Ledger").cells.items(), reverse=True)
        if column == 3
    }
    expected = {
        "document_static_bytes": 12.42,
        "document_activation_bytes": 17.21,
        "document_first_stage_bytes": 29.64,
        "document_last_stage_bytes": 23.18,
    }
    for id, gigabytes in expected.items():
        assert round(saved.value("Ledger", row[id], 5) / 1e9, 2) == gigabytes, id
    assert saved.value("Ledger", row["document_verdict"], 5) == "fits"

    sheet = book.sheet("Scenarios")
    labels = {number: cell.content for (number, column), cell in sorted(sheet.cells.items()) if column == 1}
    (block,) = (number for number, label in labels.items() if label == "Document, first stage")
    total = min(number for number, label in labels.items() if label == "Total" and number > block)
    heads = {
        "As entered": 29.64,
        "No distributed optimizer": 53.35,
        "No sequence parallelism": 37.30,
        "No recomputation (formula)": 116.61,
        "Full recomputation in place of selective": 13.53,
        "One tensor-parallel rank, twice the data-parallel ranks": 62.87,
        "ZeRO-3 in place of ZeRO-1": 17.78,
    }
    shown = {
        cell.content: round(saved.value("Scenarios", total, column), 2)
        for (number, column), cell in sheet.cells.items()
        if number == 4 and column > 2 and cell.content in heads
    }
    assert shown == heads


def test_a_file_that_libreoffice_saved_is_read_and_verified(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    assert PROGRAM is not None
    saved = convert(PROGRAM, built, "xlsx", tmp_path)
    assert read(saved, rules).state == read(built, rules).state
    assert audit(saved, rules).departures == ()


def test_pages_are_sensible(built: Path, tmp_path: Path) -> None:
    """No sheet is spread over hundreds of pages."""
    assert PROGRAM is not None
    pdf = convert(PROGRAM, built, "pdf", tmp_path).read_bytes()
    assert 20 < pdf.count(b"/Type/Page/") + pdf.count(b"/Type /Page\n") + pdf.count(b"/Type/Page\n") < 200
