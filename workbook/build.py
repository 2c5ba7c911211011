"""Writes a planned workbook with openpyxl."""

from __future__ import annotations

from pathlib import Path

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName

from workbook.cells import Plan


def write(plan: Plan, path: Path) -> None:
    """Writes a workbook without cached values."""
    book = Workbook()
    book.remove(book.active)
    for sheet in plan.sheets:
        target = book.create_sheet(sheet.title)
        for cell in sheet.cells.values():
            if cell.kind == "blank":
                continue
            place = target.cell(cell.row, cell.column)
            if cell.kind == "formula":
                place.value = f"={cell.content}"
            else:
                place.value = cell.content
                if cell.kind == "text":
                    place.data_type = "s"
    for name, address in plan.names.items():
        book.defined_names[name] = DefinedName(name, attr_text=address)
    book.save(path)
