"""Reads a text file that somebody else wrote: capped in size, UTF-8 only, with positions in bytes where it is not."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from engine.diagnostics import EngineError, Findings, Source, nearest

LIMIT_BYTES = 5_000_000

_WIDE_MARKS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16", b"\x00\x00\xfe\xff": "UTF-32"}
_KNOWN_STARTS = {
    b"PK\x03\x04": "a zip archive or a workbook",
    b"\x1f\x8b": "a gzip archive",
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"\x7fELF": "a program",
}


def read_text(path: str | Path, *, limit_bytes: int = LIMIT_BYTES, shown: str | None = None) -> Source:
    """Reads a file.

    Args:
        path: the file.
        limit_bytes: a larger file is refused by its size, without being read; from a pipe no more than this is read.
        shown: the path as findings show it, `path` itself if not given.

    Raises:
        EngineError: E101 cannot be read, E102 not UTF-8, E103 too large, E108 binary.
    """
    path = Path(path)
    shown = str(path) if shown is None else shown
    try:
        with path.open("rb") as stream:
            return read_stream(stream, shown, limit_bytes=limit_bytes)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        raise _error("E101", f"cannot read the file: {reason.lower()}", shown, _nearby(path, error)) from None


def read_stream(stream: BinaryIO, shown: str, *, limit_bytes: int = LIMIT_BYTES) -> Source:
    """Reads an open file or pipe, such as `sys.stdin.buffer`, under the same rules as `read_text`.

    Raises:
        EngineError: E102 not UTF-8, E103 too large, E108 binary.
    """
    try:
        status = os.fstat(stream.fileno())
        size = status.st_size if stat.S_ISREG(status.st_mode) else 0
    except OSError:  # not a file of the operating system
        size = 0
    data = stream.read(limit_bytes + 1) if size <= limit_bytes else b""
    if size > limit_bytes or len(data) > limit_bytes:
        have = f"{size / 1e6:,.1f} MB" if size else "more"
        message = f"the file is too large: {have}, where {limit_bytes / 1e6:,.1f} MB is the most that is read"
        raise _error("E103", message, shown, "check that this is the file you meant")
    return decode(data, shown)


def decode(data: bytes, shown: str) -> Source:
    """Decodes bytes that were read elsewhere, such as standard input; `shown` is the name that findings show.

    Raises:
        EngineError: E102 not UTF-8, E108 binary.
    """
    for mark, encoding in _WIDE_MARKS.items():
        if data.startswith(mark):
            help_text = "save it as UTF-8: `iconv -f UTF-16 -t UTF-8 old.yaml > new.yaml`".replace("UTF-16", encoding)
            raise _error("E102", f"the file is {encoding}, not UTF-8", shown, help_text)
    looks_like = next((kind for start, kind in _KNOWN_STARTS.items() if data.startswith(start)), None)
    zero = data.find(b"\0")
    if looks_like or zero >= 0:
        found = f"it begins like {looks_like}" if looks_like else f"byte {zero:,} is zero"
        raise _error("E108", f"the file is binary, not text: {found}", shown, "pass the YAML file itself")
    data = data.removeprefix(b"\xef\xbb\xbf")
    try:
        return Source(shown, data.decode("utf-8"))
    except UnicodeDecodeError as error:
        source = Source(shown, data.decode("utf-8", errors="replace"))
        offset = len(data[: error.start].decode("utf-8"))
        findings = Findings()
        findings.add(
            "E102",
            f"the file is not UTF-8: byte {error.start:,} is 0x{data[error.start]:02X}",
            source.span(offset, offset + 1),
            help="save the file as UTF-8; if it is Latin-1: `iconv -f LATIN1 -t UTF-8 old.yaml > new.yaml`",
        )
        raise EngineError(findings.diagnostics) from None


def _error(code: str, message: str, shown: str, help_text: str | None) -> EngineError:
    findings = Findings()
    findings.add(code, message, Source(shown).whole(), help=help_text)
    return EngineError(findings.diagnostics)


def _nearby(path: Path, error: Exception) -> str | None:
    """Returns a suggestion for a file that does not exist."""
    if isinstance(error, IsADirectoryError):
        return "name a file inside the directory"
    if not isinstance(error, FileNotFoundError):
        return None
    parent = path.parent
    if not parent.is_dir():
        return f"there is no directory `{parent}`"
    try:
        stems = {item.stem: item.name for item in parent.iterdir()}
    except OSError:
        return None
    guess = nearest(path.stem, stems)
    return f"did you mean `{parent / stems[guess]}`?" if guess else None
