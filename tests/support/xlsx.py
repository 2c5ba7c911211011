"""Changes to .xlsx files as applications and attackers make them."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from pathlib import Path

from openpyxl import load_workbook

from engine import collector


@collector.paused()
def type_into(path: Path, target: Path, cells: dict[tuple[str, str], object]) -> Path:
    """Saves a copy in which values stand in cells, by sheet and address, as an application without a cache saves it."""
    book = load_workbook(path)
    for (sheet, address), value in cells.items():
        book[sheet][address].value = value
    book.save(target)
    return target


def rewrite(path: Path, target: Path, change: Callable[[str, bytes], bytes | None], more: dict[str, bytes]) -> Path:
    """Copies an archive part by part; `change` returns a part's new content, or None to leave the part out."""
    with zipfile.ZipFile(path) as source, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in source.namelist():
            content = change(name, source.read(name))
            if content is not None:
                archive.writestr(name, content)
        for name, content in more.items():
            archive.writestr(name, content)
    return target


def part_of(path: Path, sheet: str) -> str:
    """Returns the part that holds a sheet of a file that was built here."""
    return f"xl/worksheets/sheet{load_workbook(path).sheetnames.index(sheet) + 1}.xml"


def put_cell(path: Path, target: Path, sheet: str, address: str, cell: str) -> Path:
    """Replaces the XML of one cell; `{}` in the text stands for its attributes r and s."""
    part = part_of(path, sheet)

    def change(name: str, content: bytes) -> bytes:
        if name != part:
            return content
        pattern = rf'<c (r="{address}" s="[0-9]+")[^>]*?(?:/>|>.*?</c>)'
        text, count = re.subn(pattern, lambda match: cell.format(match[1]), content.decode(), count=1, flags=re.S)
        assert count == 1
        return text.encode()

    return rewrite(path, target, change, {})
