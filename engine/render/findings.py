"""Findings for programs: as JSON, and as the commands that annotate lines in a GitHub pull request."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from engine.diagnostics import Diagnostic, Severity, Span

SCHEMA = "rank-ledger/findings/1"
_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def findings_json(diagnostics: Sequence[Diagnostic]) -> str:
    """Returns findings as a versioned JSON text; lines and columns count from 1, `end_column` is exclusive."""
    counts = {f"{severity}s": sum(item.severity is severity for item in diagnostics) for severity in Severity}
    entries = [finding(item) for item in diagnostics]
    return json.dumps({"schema": SCHEMA, **counts, "findings": entries}, indent=2, ensure_ascii=False)


def findings_github(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns one workflow command a finding."""
    return "".join(_command(item) + "\n" for item in diagnostics)


def finding(item: Diagnostic) -> dict[str, Any]:
    """Returns a finding as a dictionary."""
    entry: dict[str, Any] = {"code": item.code, "severity": str(item.severity), "message": item.message}
    entry |= _place(item.span) if item.span else {}
    entry |= {"help": item.help} if item.help else {}
    if item.related:
        entry["related"] = [{"remark": remark, **_place(span)} for span, remark in item.related]
    return entry


def _place(span: Span) -> dict[str, Any]:
    if not span.line:
        return {"path": span.source.path}
    ends = {"end_line": span.end_line, "end_column": span.end_column}
    return {"path": span.source.path, "line": span.line, "column": span.column, **ends}


def _command(item: Diagnostic) -> str:
    properties = {"title": item.code}
    if item.span:
        properties["file"] = item.span.source.path
        if item.span.line:
            properties |= {"line": str(item.span.line), "endLine": str(item.span.end_line)}
            if item.span.line == item.span.end_line:  # columns are ignored otherwise
                properties |= {"col": str(item.span.column), "endColumn": str(item.span.end_column)}
    written = ",".join(f"{key}={_data(value, ':,')}" for key, value in properties.items())
    message = item.message + (f"\n{item.help}" if item.help else "")
    return f"::{_COMMANDS[item.severity]} {written}::{_data(message)}"


def _data(text: str, signs: str = "") -> str:
    """Escapes a value of a workflow command."""
    for sign in "%\r\n" + signs:
        text = text.replace(sign, f"%{ord(sign):02X}")
    return text
