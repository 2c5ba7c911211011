"""The workbook in workbook/examples is what the rules and the document's preset give."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from openpyxl import load_workbook

COMMAND = "engine workbook build rules/ presets/document-7b.yaml -o workbook/examples/document-7b.xlsx"


def contents(path: Path, *, values: bool) -> Iterator[tuple[str, object]]:
    book = load_workbook(path, data_only=values)
    for name, defined in sorted(book.defined_names.items()):
        yield name, defined.attr_text
    for sheet in book:
        yield sheet.title, sheet.protection.sheet
        for row in sheet.iter_rows():
            yield from ((f"{sheet.title}!{cell.coordinate}", cell.value) for cell in row if cell.value is not None)


@pytest.mark.parametrize("values", [False, True], ids=["formulas", "values"])
def test_the_example_is_fresh(values: bool, built: Path, repository: Path) -> None:
    example = repository / "workbook" / "examples" / "document-7b.xlsx"
    kept, wanted = dict(contents(example, values=values)), dict(contents(built, values=values))
    different = sorted(place for place in kept.keys() | wanted.keys() if kept.get(place) != wanted.get(place))
    assert not different, f"{len(different)} cells or names differ, first {different[:3]}; run: {COMMAND}"


def test_its_page_says_how_to_build_it(repository: Path) -> None:
    assert COMMAND in (repository / "workbook" / "examples" / "README.md").read_text(encoding="utf-8")
