"""Puts the value of every formula into a saved workbook, beside its formula, and makes the file the same each time.

openpyxl writes formulas without values, so previewers and readers that do not calculate would show nothing. This works
on the finished file: it must come after every save.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from workbook.cells import letters

Value = float | int | str
ERROR = re.compile(r"#(?:N/A|DIV/0!|VALUE!|NUM!|REF!|NAME\?)\Z")

_FORMULA_CELL = re.compile(
    rb'<c r="([A-Z]+[0-9]+)"([^>]*)><f>(.*?)</f><v\s*/>\s*</c>|<c r="([A-Z]+[0-9]+)"([^>]*)><f>(.*?)</f><v></v></c>',
    re.DOTALL,
)
_TYPE = re.compile(rb'\s+t="[^"]*"')
_STAMP = (1980, 1, 1, 0, 0, 0)
_CREATED = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:)")


def inject(path: Path, values: Mapping[int, Mapping[tuple[int, int], Value]]) -> None:
    """Adds values to a workbook's formula cells.

    Args:
        path: a workbook saved by openpyxl; it is replaced.
        values: for each sheet, from 1 in tab order, the value by row and column. An error is a text such as `#N/A`.

    Raises:
        KeyError: a formula cell has no value.
    """
    with zipfile.ZipFile(path) as archive:
        parts = [(entry.filename, archive.read(entry.filename)) for entry in archive.infolist()]
    temporary = path.with_name(f".{path.name}.tmp")
    with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            archive.writestr(_entry(name), _changed(name, content, values))
    temporary.replace(path)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _changed(name: str, content: bytes, values: Mapping[int, Mapping[tuple[int, int], Value]]) -> bytes:
    sheet = re.fullmatch(r"xl/worksheets/sheet(\d+)\.xml", name)
    if sheet:
        by_address = {
            f"{letters(column)}{row}".encode(): value for (row, column), value in values.get(int(sheet[1]), {}).items()
        }
        return _FORMULA_CELL.sub(lambda match: _filled(match, by_address), content)
    if name.startswith("xl/worksheets/_rels/"):
        return content.replace(b'Target="/xl/', b'Target="../')  # some readers know only relative targets
    if name == "docProps/core.xml":
        return _CREATED.sub(rb"\g<1>2000-01-01T00:00:00Z\g<2>", content)
    return content


def _filled(match: re.Match[bytes], values: Mapping[bytes, Value]) -> bytes:
    address, attributes, formula = match.group(1, 2, 3) if match[1] else match.group(4, 5, 6)
    value = values[address]
    kind = b""
    if isinstance(value, str):
        kind = b' t="e"' if ERROR.match(value) else b' t="str"'
        text = escape(value)
    else:
        text = repr(int(value)) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value))
    return b'<c r="%s"%s%s><f>%s</f><v>%s</v></c>' % (address, _TYPE.sub(b"", attributes), kind, formula, text.encode())
