"""A summary, or a table of values, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from engine.render.numbers import ABSENT, GB, GIB, gigabytes, plain, share
from engine.render.summary import Row, Stages, Summary, value_rows
from engine.render.text import VERDICTS, check_counts, nearest_values, stage_cell, verdict_sentence
from engine.result import CheckOutcome, Result


def summary_markdown(summary: Summary) -> str:
    """Returns a summary as a page."""
    lines = [f"# {escaped(summary.preset)}", ""]
    if summary.configuration:
        lines += [escaped(" · ".join(summary.configuration)), ""]
    if summary.verdict:
        name, _ = VERDICTS.get(summary.verdict.name, (summary.verdict.name.upper(), ""))
        sentence = verdict_sentence(summary.verdict, summary.stage_count)
        lines += [f"**{name}**" + (f" {escaped(sentence)}" if sentence else ""), ""]
    lines += _ledger(summary)
    for title, rows in summary.tables:
        lines += [f"## {escaped(title)}", "", *_values(rows), ""]
    if summary.stages and len(summary.stages.rows) > 1:
        lines += _stages(summary.stages, summary.verdict.capacity if summary.verdict else None)
    lines += _checks(summary.checks)
    if summary.not_given:
        lines += ["## Inputs that were not given", "", *table(["origin", "inputs"], "<<", _origins(summary)), ""]
    if summary.overlays:
        lines += ["## Laid over the rules", "", *(f"- {escaped(one)}" for one in summary.overlays), ""]
    if summary.notes:
        lines += ["## Read as", "", *(f"- {escaped(note)}" for note in summary.notes), ""]
    return "\n".join(lines)


def selection_markdown(result: Result, ids: Sequence[str]) -> str:
    """Returns the values of particular ids as a table."""
    lines = [*_values(list(value_rows(result, ids))), ""]
    if result.verdict == "invalid":
        lines += _checks([check for check in result.failed_checks if check.level == "error"])
    return "\n".join(lines)


def escaped(text: str) -> str:
    """Escapes what Markdown would act on in running text; text between backticks stays as it is."""
    parts = text.split("`")
    paired = len(parts) % 2 == 1
    for position in range(0, len(parts), 2 if paired else 1):
        for sign in "\\*_[]<>#":
            parts[position] = parts[position].replace(sign, "\\" + sign)
    return ("`" if paired else "\\`").join(parts)


def table(heads: Sequence[str], align: str, rows: Iterator[Sequence[str]] | Sequence[Sequence[str]]) -> list[str]:
    """Returns the lines of a table; `align` has one of `<` and `>` a column."""
    lines = [list(heads), ["---:" if side == ">" else "---" for side in align], *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines]


def _code(id: str) -> str:
    return f"`{id}`"


def _ledger(summary: Summary) -> list[str]:
    if not summary.ledger:
        return []
    whole = summary.ledger[-1].value
    rows = []
    for row in summary.ledger:
        cells = [escaped(row.title), share(row.value, whole), gigabytes(row.value, GB), gigabytes(row.value, GIB)]
        if row is summary.ledger[-1]:
            cells = [f"**{cell}**" for cell in cells]
        rows.append([*cells, _code(row.id) + (f" ({escaped(row.problem)})" if row.problem else "")])
    return [f"## {summary.ledger_title}", "", *table(["component", "share", "GB", "GiB", "rule"], "<>>><", rows), ""]


def _values(rows: Sequence[Row]) -> list[str]:
    bytes_too = any(row.unit == "B" for row in rows)
    lines = []
    for row in rows:
        name = _code(f"{row.id}[{row.index}]" if row.index else row.id)
        sizes = [gigabytes(row.value, GB) if row.unit == "B" else ""] if bytes_too else []
        lines.append([name, escaped(plain(row.value)), row.unit, *sizes, escaped(row.problem or row.title)])
    heads = ["id", "value", "unit", *(["GB"] if bytes_too else []), "title"]
    return table(heads, "<><><" if bytes_too else "<><<", lines)


def _stages(stages: Stages, capacity: float | None) -> list[str]:
    heads = [
        "stage",
        *(f"{label}, GB" if unit == "B" else label for label, unit in zip(stages.labels, stages.units, strict=True)),
    ]
    if capacity and stages.total is not None:
        heads.append("used")
    rows = []
    for name, heaviest, values in stages.rows:
        cells = [stage_cell(value, unit) for value, unit in zip(values, stages.units, strict=True)]
        if capacity and stages.total is not None:
            cells.append(share(values[stages.total], capacity))
        rows.append([f"**{cell}**" if heaviest else cell for cell in (name, *cells)])
    return ["## All stages", "", *table(heads, ">" * len(heads), rows), ""]


def _checks(checks: Sequence[CheckOutcome]) -> list[str]:
    if not checks:
        return []
    failed = [check for check in checks if check.status == "fail"]
    unknown = [check for check in checks if check.status == "unknown"]
    lines = ["## Checks", "", f"{check_counts(checks)}."]
    lines += [""] if failed or unknown else []
    for check in failed:
        hint = f" → {escaped(check.hint)}" if check.hint else ""
        hint += f" → {escaped(nearest_values(check))}" if check.nearest else ""
        lines.append(f"- **{check.level}** {_code(check.id)}: {escaped(check.message)}{hint}")
    lines += [f"- unknown {_code(check.id)}: {escaped(check.message)}" for check in unknown]
    return [*lines, ""]


def _origins(summary: Summary) -> Iterator[list[str]]:
    for origin, names in summary.not_given:
        yield [origin, ", ".join(f"`{name}`" for name in names) or ABSENT]
    if summary.unread:
        yield ["not read", f"{summary.unread} more"]
