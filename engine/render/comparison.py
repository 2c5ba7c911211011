"""Variants of a configuration in the accounts of a view: a row a variant, the accounts side by side."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from engine.evaluating.artifact import number
from engine.explaining.comparison import Variant
from engine.render.labels import column_labels
from engine.render.markdown import escaped
from engine.render.numbers import GB
from engine.render.table import aligned, cells, wrapped
from engine.render.tabular import harmless
from engine.render.text import VERDICTS, Paint, stage_cell, unpainted
from engine.result import Result

SCHEMA = "rank-ledger/comparison/1"

_GAP = "    "  # between accounts


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `kind` is `value`, `difference` (of the value of `id` to the configuration as given) or `verdict`."""

    account: str
    id: str
    label: str
    unit: str
    kind: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Variants in accounts.

    Attributes:
        title: of the view.
        preset: where the inputs came from.
        columns: of all accounts, one after the other.
        variants: the rows.
        entries: for each variant a value a column; None without a value.
        differing: whether there is a configuration as given, to which differences are shown.
    """

    title: str
    preset: str
    columns: tuple[Column, ...]
    variants: tuple[Variant, ...]
    entries: tuple[tuple[Any, ...], ...]
    differing: bool


def compare(variants: Sequence[Variant], view: str, given: Result | None = None) -> Comparison:
    """Sets variants side by side.

    Args:
        variants: at least one.
        view: a view of kind comparison.
        given: the configuration as given; None where there is no difference to show.
    """
    first = variants[0].result
    body = first.rules.views[view].body
    columns = tuple(column for account in body.accounts for column in _columns(account, first, given is not None))
    entries = tuple(tuple(_entry(column, variant.result, given) for column in columns) for variant in variants)
    return Comparison(body.title, first.preset.path, columns, tuple(variants), entries, given is not None)


def _columns(account: Any, result: Result, differing: bool) -> Iterator[Column]:
    ids = [*account.rows, *([account.total] if account.total else [])]
    for id, label in zip(ids, column_labels(ids, account.total), strict=True):
        yield Column(account.title, id, label, result[id].unit, "value")
    if account.total and differing:
        yield Column(account.title, account.total, "change", result[account.total].unit, "difference")
    if account.verdict:
        yield Column(account.title, account.verdict, "verdict", "enum", "verdict")


def _entry(column: Column, result: Result, given: Result | None) -> Any:
    if column.kind == "verdict":
        return "invalid" if result.verdict == "invalid" else result.get(column.id) or "unknown"
    value = result.get(column.id)
    if column.kind == "value" or value is None or given is None:
        return value
    before = given.get(column.id)
    return None if before is None else value - before


def text(comparison: Comparison, width: int | None, paint: Paint = unpainted) -> str:
    """Lays the comparison out; accounts that do not fit beside each other come one below the other.

    Args:
        comparison: what to show.
        width: columns that there are; None for as many as are needed.
        paint: puts styles on texts.
    """
    accounts: dict[str, list[int]] = {}
    for position, column in enumerate(comparison.columns):
        accounts.setdefault(column.account, []).append(position)
    blocks = [_block(comparison, title, positions) for title, positions in accounts.items()]
    names = _padded(["", "", *[""] * (_depth(comparison) - 1), *(variant.id for variant in comparison.variants)])
    lines = [paint(comparison.title, "bold") + paint(", bytes in GB", "dim"), paint(comparison.preset, "dim")]
    for group in _side_by_side(blocks, width and width - cells(names[0])):
        rows = [_GAP.join((name, *parts)).rstrip() for name, *parts in zip(names, *group, strict=True)]
        head = len(rows) - len(comparison.variants)
        lines += ["", *(paint(row, "bold" if place == 0 else "dim") for place, row in enumerate(rows[:head]))]
        lines += [_styled(row, paint) for row in rows[head:]]
    notes = list(_notes(comparison, width or 100))
    return "\n".join([*lines, *([""] if notes else []), *notes]) + "\n"


def _depth(comparison: Comparison) -> int:
    return max(len(column.label.split()) for column in comparison.columns)


def _block(comparison: Comparison, title: str, positions: Sequence[int]) -> list[str]:
    columns = [comparison.columns[position] for position in positions]
    depth = _depth(comparison)
    heads = [[""] * (depth - len(column.label.split())) + column.label.split() for column in columns]
    rows = [[head[line] for head in heads] for line in range(depth)]
    rows += [[shown(columns[place], entry[at]) for place, at in enumerate(positions)] for entry in comparison.entries]
    align = "".join("<" if column.kind == "verdict" else ">" for column in columns)
    return _padded([title, *("  ".join(row) for row in aligned(rows, align))])


def _padded(lines: Sequence[str]) -> list[str]:
    return [row[0] for row in aligned([[line] for line in lines], "<")]


def _side_by_side(blocks: Sequence[list[str]], width: int | None) -> Iterator[list[list[str]]]:
    group: list[list[str]] = []
    for block in blocks:
        taken = sum(len(_GAP) + cells(other[0]) for other in [*group, block])
        if group and width is not None and taken > width:
            yield group
            group = []
        group.append(block)
    yield group


def shown(column: Column, value: Any) -> str:
    """Returns one cell; bytes in GB, a difference with its sign."""
    if column.kind == "verdict":
        return str(value).replace("_", " ")
    if column.kind == "difference" and value is not None and column.unit == "B":
        return f"{value / GB:+,.2f}" if round(value / GB, 2) else "0.00"
    return stage_cell(value, column.unit)


def _styled(row: str, paint: Paint) -> str:
    for name, (_, style) in VERDICTS.items():
        word = name.replace("_", " ")
        if f"  {word}" in row and style:
            return row.replace(f"  {word}", "  " + paint(word, style), 1)
    return row


def _notes(comparison: Comparison, width: int) -> Iterator[str]:
    margin = max(cells(variant.id) for variant in comparison.variants) + 2
    for variant in comparison.variants:
        words = f"{variant.title}. {variant.note}" if variant.note else variant.title
        first, *more = wrapped(words.split(), width - margin, separator=" ")
        yield f"{variant.id.ljust(margin)}{first}"
        yield from (" " * margin + line for line in more)


def markdown(comparison: Comparison) -> str:
    """Returns the comparison as a table and its notes as a list."""
    heads = [f"{column.account}: {column.label}" + (", GB" * (column.unit == "B")) for column in comparison.columns]
    align = ["---" if column.kind == "verdict" else "---:" for column in comparison.columns]
    lines = [f"# {escaped(comparison.title)}", "", escaped(comparison.preset), ""]
    lines += [f"| | {' | '.join(heads)} |", f"| --- | {' | '.join(align)} |"]
    for variant, entry in zip(comparison.variants, comparison.entries, strict=True):
        row = [shown(column, value) for column, value in zip(comparison.columns, entry, strict=True)]
        lines.append(f"| `{variant.id}` | {' | '.join(row)} |")
    lines += ["", *(f"- `{variant.id}`: {escaped(_sentence(variant))}" for variant in comparison.variants), ""]
    return "\n".join(lines)


def _sentence(variant: Variant) -> str:
    return f"{variant.title}. {variant.note}" if variant.note else variant.title


def csv_text(comparison: Comparison) -> str:
    """Returns the comparison as CSV, a line a variant, in full precision; a difference is named after its total."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    names = [column.id + "_change" * (column.kind == "difference") for column in comparison.columns]
    writer.writerow(["id", "title", *names, "note"])
    for variant, entry in zip(comparison.variants, comparison.entries, strict=True):
        values = ["" if value is None else number(value) for value in entry]
        writer.writerow([harmless(cell) for cell in (variant.id, variant.title, *values, variant.note or "")])
    return stream.getvalue()


def json_text(comparison: Comparison) -> str:
    """Returns the comparison as versioned JSON; numbers in the units that are stated, a difference under `change`."""
    columns = [
        {"account": column.account, "id": column.id, "kind": column.kind, "unit": column.unit}
        for column in comparison.columns
    ]
    variants = [
        {
            "id": variant.id,
            "title": variant.title,
            "note": variant.note,
            "set": dict(variant.changes),
            "verdict": variant.result.verdict,
            "failed_checks": [check.id for check in variant.result.failed_checks if check.level == "error"],
            "values": {
                column.id: number(value)
                for column, value in zip(comparison.columns, entry, strict=True)
                if column.kind != "difference"
            },
            "change": {
                column.id: number(value)
                for column, value in zip(comparison.columns, entry, strict=True)
                if column.kind == "difference"
            },
        }
        for variant, entry in zip(comparison.variants, comparison.entries, strict=True)
    ]
    content = {"schema": SCHEMA, "title": comparison.title, "preset": comparison.preset, "columns": columns}
    return json.dumps(content | {"variants": variants}, indent=2, ensure_ascii=False, allow_nan=False)
