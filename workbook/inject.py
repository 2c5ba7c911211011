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
Values = Mapping[int, Mapping[tuple[int, int], Value]]
ERROR = re.compile(r"#(?:N/A|DIV/0!|VALUE!|NUM!|REF!|NAME\?)\Z")

_FORMULA_CELL = re.compile(rb'<c r="([A-Z]+[0-9]+)"([^>]*)><f>([^<]*)</f><v\s*(?:/>|></v>)\s*</c>')
_EMPTY_CELL = re.compile(rb'(<c r="[A-Z]+[0-9]+" s="[0-9]+") t="n" />')  # some readers take one with a type for a 0
_NUMBER_CELL = re.compile(rb'(<c r="([A-Z]+[0-9]+)"[^>]*><v>)[^<]*(</v></c>)')
_TYPE = re.compile(rb'\s+t="[^"]*"')
_STAMP = (1980, 1, 1, 0, 0, 0)
_CREATED = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*(</dcterms:)")


def finish(path: Path, values: Values, numbers: Values) -> None:
    """Adds values to a workbook's formula cells, and fixes what would differ from one run to the next.

    Args:
        path: a workbook saved by openpyxl; it is replaced.
        values: for each sheet, from 1 in tab order, the value of formulas by row and column. An error is a text such as
            `#N/A`. Nothing at all leaves formulas without values.
        numbers: the same for numbers that are no formulas; openpyxl writes only 16 of their digits.

    Raises:
        KeyError: a formula cell has no value.
    """
    with zipfile.ZipFile(path) as archive:
        parts = [(entry.filename, archive.read(entry.filename)) for entry in archive.infolist()]
    temporary = path.with_name(f"{path.name}.zip")
    try:
        with zipfile.ZipFile(temporary, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in parts:
                sheet = re.fullmatch(r"xl/worksheets/sheet(\d+)\.xml", name)
                if sheet:
                    number = int(sheet[1])
                    content = _cells(content, values.get(number, {}), numbers.get(number, {}))
                archive.writestr(_entry(name), _settled(name, content))
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _settled(name: str, content: bytes) -> bytes:
    """Returns a part without what depends on the time, or on how a reader takes targets."""
    if name.startswith("xl/worksheets/_rels/"):
        return content.replace(b'Target="/xl/', b'Target="../')  # some readers know only relative targets
    if name == "docProps/core.xml":
        return _CREATED.sub(rb"\g<1>2000-01-01T00:00:00Z\g<2>", content)
    return content


def _cells(content: bytes, values: Mapping[tuple[int, int], Value], numbers: Mapping[tuple[int, int], Value]) -> bytes:
    content = _EMPTY_CELL.sub(rb"\1/>", content)
    if numbers:
        exact = {f"{letters(column)}{row}".encode(): value for (row, column), value in numbers.items()}
        content = _NUMBER_CELL.sub(lambda match: _exact(match, exact), content)
    if values:
        shown = {f"{letters(column)}{row}".encode(): value for (row, column), value in values.items()}
        content = _FORMULA_CELL.sub(lambda match: _filled(match, shown), content)
    return content


def _exact(match: re.Match[bytes], numbers: Mapping[bytes, Value]) -> bytes:
    value = numbers.get(match[2])
    return match[0] if value is None else match[1] + _digits(value).encode() + match[3]


def _filled(match: re.Match[bytes], values: Mapping[bytes, Value]) -> bytes:
    address, attributes, formula = match.group(1, 2, 3)
    value = values[address]
    kind = b""
    if isinstance(value, str):
        kind = b' t="e"' if ERROR.match(value) else b' t="str"'
        text = escape(value)
    else:
        text = _digits(value)
    attributes = _TYPE.sub(b"", attributes) + kind
    return b'<c r="%s"%s><f>%s</f><v>%s</v></c>' % (address, attributes, formula, text.encode())


def _digits(value: Value) -> str:
    number = float(value)
    return repr(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
