"""What an import understood, for a terminal, for programs, and in a line or two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from engine.evaluating.artifact import number
from engine.importing.megatron_flags import FlagReport
from engine.importing.report import LAUNCHER, Effective, Report
from engine.preset import Preset
from engine.render.findings import finding
from engine.render.numbers import written
from engine.render.summary import enumerated
from engine.render.table import aligned, fitted, padded, wrapped
from engine.render.text import VERDICTS, Paint, check_lines, unpainted

SCHEMA = "rank-ledger/import/1"
_ORIGINS = (LAUNCHER, "derived", "default", "absent", "missing")


def understood(preset: Preset) -> list[str]:
    """Says in a line or two what was read from a file that is no preset."""
    flags = preset.flags
    if flags is None or not flags.headline:
        return []
    lines = [f"{preset.path}: read {flags.headline}; they set {len(preset.values)} inputs"]
    parts = [f"not modelled: {enumerated(flags.unmodelled)}"] if flags.unmodelled else []
    parts += [f"not known: {enumerated(flags.unknown)}"] if flags.unknown else []
    remarks = sum(remark.code == "W501" for remark in flags.remarks)
    parts += [f"without a known value: {remarks}"] if remarks else []
    return [*lines, f"{preset.path}: {'; '.join(parts)}"] if parts else lines


def imported_text(report: Report, width: int, paint: Paint = unpainted) -> str:
    """Lays out a report in the given number of columns."""
    flags = report.flags
    blocks = [[f"{paint(report.preset.path, 'bold')}: {flags.headline}"], _given(report.effective, width, paint)]
    blocks.append(_follows(report.effective, width, paint))
    blocks += [
        _named("Not modelled", "they move memory; the verdict is incomplete", _with(flags.unmodelled), width, paint),
        _named("Not known to these rules", "", flags.unknown, width, paint),
        _named("Value not known", "counted as not given", _with(flags.unread), width, paint),
        _named("Without effect on memory", "", flags.unused, width, paint),
    ]
    if report.failed:
        blocks.append(check_lines(report.failed, width, paint))
    name, style = VERDICTS.get(report.verdict, (report.verdict.upper(), "yellow"))
    reason = f"  needs {', '.join(report.missing)}" if report.missing else ""
    blocks.append([f"{paint('Verdict', 'bold')}  {paint(name, f'bold {style}')}{reason}"])
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks if block) + "\n"


def _given(effective: Sequence[Effective], width: int, paint: Paint) -> list[str]:
    table = [
        [f"  {entry.flag}", entry.id, fitted(written(entry.value), width // 3), _line(entry)]
        for entry in sorted(effective, key=_position)
        if entry.origin == "given"
    ]
    rows = ["  ".join(row) for row in aligned(table, "<<<<")] if table else []
    return [paint("Given", "bold"), *rows] if rows else []


def _position(entry: Effective) -> tuple[int, int]:
    return (entry.place.line, entry.place.column) if entry.place is not None else (0, 0)


def _line(entry: Effective) -> str:
    return f"line {entry.place.line}" if entry.place is not None and entry.place.line else ""


def _follows(effective: Sequence[Effective], width: int, paint: Paint) -> list[str]:
    """The values that were not given and that the account of memory reads, by where they come from."""
    lines: list[str] = []
    for origin in _ORIGINS:
        found = [entry for entry in effective if entry.origin == origin and entry.read]
        for entry in found:
            if entry.why:
                head = f"  {padded(origin, 8)}  {_assigned(entry)}"
                lines.append(f"{head}  {paint(fitted(entry.why, max(20, width - len(head) - 2)), 'dim')}")
        fixed = [_assigned(entry) for entry in found if not entry.why]
        if fixed:
            first, *more = wrapped(fixed, width, 12)
            lines += [f"  {padded(origin, 8)}  {first}", *more]
    return [paint("Not given", "bold") + paint("  what holds instead", "dim"), *lines] if lines else []


def _assigned(entry: Effective) -> str:
    if entry.origin == "missing":
        return entry.id
    nothing = "none" if entry.origin == "absent" else "?"
    return f"{entry.id}={nothing if entry.value is None else written(entry.value)}"


def _with(reasons: Any) -> list[str]:
    return [f"{flag} ({why})" if why else flag for flag, why in reasons.items()]


def _named(title: str, remark: str, names: Iterable[str], width: int, paint: Paint) -> list[str]:
    found = list(names)
    if not found:
        return []
    first, *more = wrapped(found, width, 2)
    return [paint(title, "bold") + paint(f"  {remark}" if remark else "", "dim"), f"  {first}", *more]


def imported_dict(report: Report) -> dict[str, Any]:
    """Returns a report for programs."""
    flags: FlagReport = report.flags
    return {
        "schema": SCHEMA,
        "source": report.preset.path,
        "read": flags.headline,
        "verdict": report.verdict,
        "preset": {name: number(value) for name, value in report.preset.values.items()},
        "effective": [_entry(entry) for entry in report.effective],
        "no_effect": list(flags.unused),
        "not_modelled": dict(flags.unmodelled),
        "unknown": dict(flags.unknown),
        "not_known": dict(flags.unread),
        "remarks": [finding(remark) for remark in flags.remarks],
        "failed_checks": [
            {
                "id": check.id, "level": check.level, "message": check.message, "hint": check.hint,
                "nearest": {field: list(values) for field, values in check.nearest.items()},
            }
            for check in report.failed
        ],
    }  # fmt: skip


def _entry(entry: Effective) -> dict[str, Any]:
    shown: dict[str, Any] = {"input": entry.id, "flag": entry.flag, "value": entry.value, "origin": entry.origin}
    shown |= {"why": entry.why} if entry.why else {}
    shown |= {"source": entry.source} if entry.source else {}
    shown |= {"line": entry.place.line, "column": entry.place.column} if entry.place else {}
    return {**shown, "read": entry.read}
