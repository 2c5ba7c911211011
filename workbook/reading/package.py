"""Opens an .xlsx file that somebody else may have written: sizes are checked before anything is unpacked."""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from types import TracebackType
from typing import IO
from xml.etree.ElementTree import Element, ParseError

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import iterparse

from engine import collector
from engine.diagnostics import EngineError, Findings, Source, Span
from workbook.cells import letters
from workbook.reading.cell_xml import Content, content_of, text_of, to_number

MOST_BYTES = 50_000_000
MOST_UNPACKED = 200_000_000
MOST_PART = 60_000_000
MOST_PARTS = 500
MOST_RATIO = 200
RATIO_FROM = 1_000_000
MOST_CELLS = 150_000
MOST_ROWS = 20_000

_MALFORMED = (ParseError, zipfile.BadZipFile, zlib.error, EOFError, ValueError, NotImplementedError, LookupError)
_OLD_MARK = b"\xd0\xcf\x11\xe0"
_ZIP_MARK = b"PK\x03\x04"
_ACTIVE = re.compile(
    r"vbaproject|externallinks/|activex/|embeddings/|macrosheets/|dialogsheets/|ctrlprops/|connections\.xml|querytables/",
    re.IGNORECASE,
)
_ADDRESS = re.compile(r"([A-Z]{1,3})([0-9]{1,7})\Z")
_AREA = re.compile(
    r"(?:'((?:[^']|'')+)'|([A-Za-z0-9_.]+))!\$?([A-Z]{1,3})\$?([0-9]+)(?::\$?([A-Z]{1,3})\$?([0-9]+))?\Z"
)
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"


@dataclass(frozen=True, slots=True)
class Area:
    """A cell or a range that a name stands for."""

    sheet: str
    row: int
    column: int
    last_row: int
    last_column: int


Cells = dict[tuple[int, int], Content]


def cell_place(path: Path, sheet: str, address: str) -> Span:
    """Returns the place of a cell for findings, or of a range such as `B7:D7`."""
    return Source(f"{path}, sheet {sheet}, {'cells' if ':' in address else 'cell'} {address}").whole()


class Package:
    """An open file; use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Opens a file.

        Raises:
            EngineError: it cannot be read (E101), is no workbook (E901), is too large (E902), or holds macros, links
                to other files or the like (E903).
        """
        self.path = path
        self._zip = self._open()
        self._texts: list[str] | None = None
        try:
            self._refuse_what_is_large()
            self._refuse_what_acts()
            self._parts = {entry.filename: entry for entry in self._zip.infolist()}
            self._sheets = self._find_sheets()
            self.names = dict(self._find_names())
            self.scoped = tuple(self._find_scoped())
        except BaseException:
            self._zip.close()
            raise

    def __enter__(self) -> Package:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._zip.close()

    @property
    def sheets(self) -> tuple[str, ...]:
        """Titles of the sheets, in the order of their tabs."""
        return tuple(self._sheets)

    def where(self, sheet: str | None = None, row: int = 0, column: int = 0) -> Span:
        """Returns the place of a cell for findings, or of the file as a whole."""
        if sheet is None:
            return Source(str(self.path)).whole()
        return cell_place(self.path, sheet, f"{letters(column)}{row}")

    def error(self, code: str, message: str, help: str | None = None, *, at: Span | None = None) -> EngineError:
        """Returns an error about the file."""
        findings = Findings()
        findings.add(code, message, at or self.where(), help=help)
        return EngineError(findings.diagnostics)

    def _open(self) -> zipfile.ZipFile:
        try:
            size = self.path.stat().st_size
            if size > MOST_BYTES:
                raise self.error("E902", f"the file has {size / 1e6:,.0f} MB, the limit is {MOST_BYTES / 1e6:,.0f} MB")
            with self.path.open("rb") as stream:
                start = stream.read(8)
            if start.startswith(_OLD_MARK):
                raise self.error("E901", "the file has the older .xls format, or is encrypted", "save it as .xlsx")
            if not start.startswith(_ZIP_MARK):
                raise self.error("E901", "the file is no archive, as an .xlsx file is", "save it as .xlsx")
            return zipfile.ZipFile(self.path)
        except OSError as error:
            raise self.error("E101", f"cannot read the file: {(error.strerror or str(error)).lower()}") from None
        except _MALFORMED as error:
            raise self.error("E901", f"the archive is damaged: {error}") from None

    def _refuse_what_is_large(self) -> None:
        parts = self._zip.infolist()
        if len(parts) > MOST_PARTS:
            raise self.error("E902", f"the file has {len(parts):,} parts, the limit is {MOST_PARTS}")
        unpacked = sum(entry.file_size for entry in parts)
        if unpacked > MOST_UNPACKED:
            raise self.error(
                "E902", f"unpacked it has {unpacked / 1e6:,.0f} MB, the limit is {MOST_UNPACKED / 1e6:,.0f} MB"
            )
        for entry in parts:
            if entry.file_size > RATIO_FROM and entry.file_size > MOST_RATIO * max(entry.compress_size, 1):
                raise self.error("E902", f"{entry.filename} unpacks to more than {MOST_RATIO} times its size")
            if entry.flag_bits & 1:
                raise self.error("E901", "the file is encrypted", "save it without a password")

    def _refuse_what_acts(self) -> None:
        for entry in self._zip.infolist():
            if _ACTIVE.search(entry.filename):
                raise self.error("E903", f"the file holds {entry.filename}", "save it without macros and links")

    def _read(self, part: str, *wanted: str) -> Iterator[Element]:
        """Yields the wanted elements of a part, by their names without namespace.

        Raises:
            EngineError: the part is missing or malformed (E901), too large (E902), or declares entities (E903).
        """
        entry = self._parts.get(part)
        if entry is None:
            raise self.error("E901", f"the file has no part {part}")
        if entry.file_size > MOST_PART:
            raise self.error(
                "E902", f"{part} has {entry.file_size / 1e6:,.0f} MB, the limit is {MOST_PART / 1e6:,.0f} MB"
            )
        try:
            content = self._zip.read(entry)
            if content.count(b"<c ") > MOST_CELLS:  # told before it is parsed, which takes seconds
                raise self.error("E902", f"{part} has more than {MOST_CELLS:,} cells")
            yield from _elements(BytesIO(content), set(wanted))
        except DefusedXmlException:
            raise self.error("E903", f"{part} declares a document type or entities") from None
        except (
            ParseError,
            zipfile.BadZipFile,
            zlib.error,
            EOFError,
            OSError,
            ValueError,
            NotImplementedError,
            LookupError,
        ) as error:
            raise self.error("E901", f"{part} cannot be read: {error}") from None

    def _find_sheets(self) -> dict[str, str]:
        """Returns the part of each sheet by title."""
        targets = {}
        for element in self._read("xl/_rels/workbook.xml.rels", "Relationship"):
            target = element.get("Target", "")
            targets[element.get("Id", "")] = target.removeprefix("/") if target.startswith("/") else f"xl/{target}"
            if "externalLink" in element.get("Type", ""):
                raise self.error("E903", "the file links to another workbook", "break the links and save it again")
        found = {}
        for element in self._read("xl/workbook.xml", "sheet"):
            found[element.get("name", "")] = targets.get(element.get(_RELATION, ""), "")
        return found

    def _find_names(self) -> Iterator[tuple[str, Area]]:
        for element in self._read("xl/workbook.xml", "definedName"):
            match = _AREA.match(element.text or "")
            if match and element.get("localSheetId") is None:
                sheet = (match[1] or match[2] or "").replace("''", "'")
                row, column = int(match[4]), to_number(match[3])
                last_row, last_column = (int(match[6]), to_number(match[5])) if match[5] else (row, column)
                yield element.get("name", ""), Area(sheet, row, column, last_row, last_column)

    def _find_scoped(self) -> Iterator[tuple[str, str]]:
        """Yields names that hold on one sheet only, each with the title of that sheet."""
        titles = list(self._sheets)
        for element in self._read("xl/workbook.xml", "definedName"):
            place = element.get("localSheetId")
            if place is not None:
                number = int(place) if place.isdigit() else -1
                yield element.get("name", ""), titles[number] if 0 <= number < len(titles) else place

    def _shared_texts(self) -> list[str]:
        if self._texts is None:
            part = "xl/sharedStrings.xml"
            self._texts = [text_of(element) for element in self._read(part, "si")] if part in self._parts else []
        return self._texts

    @collector.paused()
    def cells(self, sheet: str) -> Cells:
        """Returns the cells of a sheet that hold something.

        Raises:
            EngineError: there is no such sheet (E904), or it cannot be read (E901 to E903).
        """
        if sheet not in self._sheets:
            raise self.error("E904", f"the workbook has no sheet {sheet}")
        texts = self._shared_texts()
        shared: dict[str, tuple[str, str]] = {}
        found: Cells = {}
        for number, element in enumerate(self._read(self._sheets[sheet], "c")):
            match = _ADDRESS.match(element.get("r", ""))
            if not match:
                raise self.error("E901", f"sheet {sheet} has a cell without an address")
            row = int(match[2])
            if row > MOST_ROWS or number >= MOST_CELLS:
                raise self.error("E902", f"sheet {sheet} reaches to cell {match[0]}, which no sheet of a plan does")
            content = content_of(element, match[0], texts, shared)
            if content is not None:
                found[row, to_number(match[1])] = content
        return found


def _elements(stream: IO[bytes], wanted: set[str]) -> Iterator[Element]:
    """Yields wanted elements as they end, and forgets what has been yielded."""
    root: Element | None = None
    for event, element in iterparse(stream, events=("start", "end"), forbid_dtd=True):
        if root is None:
            root = element
        name = element.tag.rpartition("}")[2]
        if event == "end" and name in wanted:
            yield element
            element.clear()
        elif event == "end" and name == "row":
            element.clear()
