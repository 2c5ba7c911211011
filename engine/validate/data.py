"""Reads files of recorded data: YAML, JSON, and lines of JSON, plain or compressed."""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.diagnostics import EngineError, Findings, Source, Span
from engine.files.text_file import decode, read_text
from engine.files.yaml_source import parse, to_plain

LIMIT_BYTES = 100_000_000

_SUFFIXES = {".yaml", ".yml", ".json", ".jsonl"}


def read(path: Path) -> Iterator[tuple[Source, Any]]:
    """Yields the content of a file, or of each file of a folder that could hold records.

    Raises:
        EngineError: a file cannot be read (E101 to E111, E113).
    """
    if not path.is_dir():
        yield _file(path)
        return
    for entry in sorted(path.iterdir()):
        plain = entry.with_suffix("") if entry.suffix == ".xz" else entry
        if entry.is_file() and plain.suffix in _SUFFIXES:
            yield _file(entry)


def _file(path: Path) -> tuple[Source, Any]:
    source = _decompressed(path) if path.suffix == ".xz" else read_text(path, limit_bytes=LIMIT_BYTES)
    start = source.text.lstrip()[:1]
    if start == "{":
        return source, _json(source)
    findings = Findings()
    tree = parse(source, findings)
    findings.raise_if_errors()
    return source, to_plain(tree) if tree is not None else None


def _decompressed(path: Path) -> Source:
    try:
        with lzma.open(path) as stream:
            data = stream.read(LIMIT_BYTES + 1)
    except FileNotFoundError:
        return read_text(path)  # it says what is nearby
    except (OSError, lzma.LZMAError, EOFError) as error:
        raise _error("E101", f"cannot read the file: {error}".lower(), path) from None
    if len(data) > LIMIT_BYTES:
        most = f"{LIMIT_BYTES / 1e6:,.0f} MB"
        raise _error("E103", f"the file is too large: more than {most} when it is unpacked", path)
    return decode(data, str(path))


def _json(source: Source) -> Any:
    """Reads one JSON value, or a list of them, one a line."""
    try:
        return json.loads(source.text)
    except json.JSONDecodeError as whole:
        lines = source.text.splitlines()
        try:
            return [json.loads(line) for line in lines if line.strip()]
        except json.JSONDecodeError:
            span = Span(source, whole.lineno, whole.colno, whole.lineno, whole.colno + 1)
            findings = Findings()
            findings.add("E113", f"the file is not JSON: {whole.msg.lower()}", span)
            raise EngineError(findings.sorted()) from None


def _error(code: str, message: str, path: Path) -> EngineError:
    findings = Findings()
    findings.add(code, message, Source(str(path), "").whole())
    return EngineError(findings.sorted())
