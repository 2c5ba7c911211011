"""A summary, or a table of values, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.evaluating.checks import show
from engine.render.numbers import GB, GIB, gigabytes, plain, scaled, share
from engine.render.overlays import overlay_lines
from engine.render.summary import Row, Stages, Summary, Verdict, value_rows
from engine.render.table import aligned, bar, cells, fitted, padded, wrapped
from engine.result import CheckOutcome, Result

Paint = Callable[[str, str], str]
"""From a text and a style (bold, dim, a colour, both or none, with a space between) to what a terminal takes."""

VERDICTS = {
    "fits": ("FITS", "green"),
    "tight": ("TIGHT", "yellow"),
    "does_not_fit": ("DOES NOT FIT", "red"),
    "invalid": ("INVALID", "red"),
    "incomplete": ("INCOMPLETE", "yellow"),
    "unknown": ("UNKNOWN", "yellow"),
}
LEVELS = {"error": "red", "warning": "yellow", "note": "cyan"}
_BAR = (8, 24)
_TITLE = 34
_NUMBERS = 43  # what the shortest bar, the share and both sizes take
_TITLE_ROOM = 20
_FIRST_INPUTS = 6  # of many that stand at their defaults, so that the list does not push the checks off the screen


def unpainted(text: str, style: str) -> str:
    """Leaves a text as it is: no colour."""
    return text


def summary_text(summary: Summary, width: int, paint: Paint = unpainted, *, all_inputs: bool = True) -> str:
    """Lays out a summary in the given number of columns.

    Args:
        summary: what to show.
        width: columns.
        paint: colours a text.
        all_inputs: whether to name every input that was not given, and not only the first ones.
    """
    blocks = [_head(summary, width, paint)]
    if summary.ledger:
        blocks.append(_ledger(summary, width, paint))
    blocks += [[paint(title, "bold"), *value_lines(rows, width, paint)] for title, rows in summary.tables if rows]
    if summary.stages and len(summary.stages.rows) > 1:
        blocks.append(_stages(summary.stages, summary.verdict, width, paint))
    if summary.not_given:
        blocks.append(_inputs(summary, width, paint, all_inputs))
    if summary.overlays:
        lines = [line for one in summary.overlays for line in _prose(one, width, 2, 4)]
        blocks.append([paint("Laid over the rules", "bold"), *lines])
    if summary.notes:
        notes = [line for note in summary.notes for line in _prose(note, width, 2, 4)]
        blocks.append([paint("Read as", "bold"), *notes])
    if summary.checks:
        blocks.append(check_lines(summary.checks, width, paint))
    if summary.verdict:
        blocks.append(_verdict(summary.verdict, summary.stage_count, width, paint))
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks) + "\n"


def selection_text(result: Result, ids: Sequence[str], width: int, paint: Paint = unpainted) -> str:
    """Lays out the values of particular ids; failed checks follow only where they make the configuration invalid."""
    lines = value_lines(list(value_rows(result, ids)), width, paint)
    if result.verdict == "invalid":
        failed = [check for check in result.failed_checks if check.level == "error"]
        lines += ["", *check_lines(failed, width, paint)]
    for one in overlay_lines(result.rules):
        lines += ["", *_prose(one, width, 0, 2)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def value_lines(rows: Sequence[Row], width: int, paint: Paint = unpainted) -> list[str]:
    """Lays out values: id, value, unit, GB where there are bytes, and the title or why there is no value."""
    table = [["", "value", "", "GB"]]
    for row in rows:
        unit = "" if row.unit in ("1", "flag", "enum") else row.unit
        name = f"{row.id}[{row.index}]" if row.index else row.id
        size = gigabytes(row.value) if row.unit == "B" and row.value is not None else ""
        table.append([name, fitted(plain(row.value), width // 3), unit, size])
    if not any(row.unit == "B" for row in rows):
        table = [line[:3] for line in table]
    first, *others = ["  ".join(line) for line in aligned(table, "<><>"[: len(table[0])])]
    lines = [paint(first, "dim")]
    room = width - cells(first) - 2
    for row, text in zip(rows, others, strict=True):
        if row.problem:
            lines.append(f"{text}  {paint(row.problem, 'yellow')}")
        elif room >= _TITLE_ROOM and row.index.partition("–")[0] in ("", "0"):
            lines.append(f"{text}  {paint(fitted(row.title, room), 'dim')}")
        else:
            lines.append(text)
    return lines


def check_lines(checks: Sequence[CheckOutcome], width: int, paint: Paint = unpainted) -> list[str]:
    """Lays out checks: the counts, then those that fail with what to do, then those that are not known."""
    failed = [check for level in LEVELS for check in checks if check.status == "fail" and check.level == level]
    unknown = [check for check in checks if check.status == "unknown"]
    lines = [f"{paint('Checks', 'bold')}  {check_counts(checks)}"]
    for check in failed:
        lines.append(f"  {paint(padded(check.level, 7), LEVELS[check.level])}  {paint(check.id, 'dim')}")
        lines += _prose(check.message, width, 11)
        lines += _prose(f"→ {check.hint}", width, 11, 13) if check.hint else []
        lines += _prose(f"→ {nearest_values(check)}", width, 11, 13) if check.nearest else []
    for check in unknown:  # they say little and may be many: id and reason share a line
        first, *more = _prose(f"{check.id}: {check.message}", width, 11, 13)
        lines += [f"  {paint('unknown', 'yellow')}  {first.lstrip()}", *more]
    return lines


def nearest_values(check: CheckOutcome) -> str:
    """Says with which values of single inputs a failed check would hold."""
    parts = [f"{name} {' or '.join(map(show, values))}" for name, values in check.nearest.items()]
    return "it would hold with " + ", or ".join(parts)


def check_counts(checks: Sequence[CheckOutcome]) -> str:
    """Returns how many checks hold, fail by level, and are not known."""
    statuses = [check.level if check.status == "fail" else check.status for check in checks]
    names = {
        "pass": ("pass", "pass"),
        **{level: (level, f"{level}s") for level in LEVELS},
        "unknown": ("not known",) * 2,
    }
    counts = [(statuses.count(status), name) for status, name in names.items()]
    return ", ".join(f"{count} {name[count > 1]}" for count, name in counts if count)


def _head(summary: Summary, width: int, paint: Paint) -> list[str]:
    lines = wrapped(summary.configuration, width, separator=" · ")
    return [paint(summary.preset, "bold"), *(line.removesuffix(" ·") for line in lines)]


def _ledger(summary: Summary, width: int, paint: Paint) -> list[str]:
    *parts, total = summary.ledger
    table = [[summary.ledger_title, "share", "GB", "GiB", "rule"]]
    for row in summary.ledger:
        title = "Total" if row is total else fitted(row.title, min(_TITLE, width - _NUMBERS))
        sizes = [share(row.value, total.value), gigabytes(row.value, GB), gigabytes(row.value, GIB)]
        table.append([f"  {title}", *sizes, row.id])
    lines = aligned(table, "<>>><")
    if width - cells("  ".join(lines[0])) - 2 < _BAR[0]:  # a narrow terminal; other formats show the ids
        lines = [[*line[:4], ""] for line in lines]
    room = max(_BAR[0], min(_BAR[1], width - cells("  ".join(lines[0])) - 2))
    head, *rows, last = lines
    largest = max((row.value or 0 for row in parts), default=0)
    painted = [_ledger_line(head, " " * room, paint, "bold", "dim")]
    for row, line in zip(parts, rows, strict=True):
        drawn = padded(bar((row.value or 0) / largest if largest else 0, room), room)
        middle = drawn if row.problem else paint(drawn, "cyan")
        painted.append(_ledger_line(line, middle, paint, problem=row.problem))
    painted.append("  " + paint("─" * (cells("  ".join(last[:4])) + room), "dim"))
    painted.append(_ledger_line(last, " " * room, paint, "bold", "bold", problem=total.problem))
    return painted


def _ledger_line(
    line: list[str], middle: str, paint: Paint, title: str = "", numbers: str = "", problem: str = ""
) -> str:
    """Joins title, bar, numbers and id, painted in the given styles; a problem takes the place of bar and numbers."""
    sizes = "  ".join(line[1:4])
    between = f"{middle}  {paint(sizes, numbers)}"
    if problem:
        room = cells(middle) + 2 + cells(sizes)
        between = paint(padded(fitted(problem, room), room), "yellow")
    return f"{paint(line[0], title)}  {between}  {paint(line[4], 'dim')}"


def _stages(stages: Stages, verdict: Verdict | None, width: int, paint: Paint) -> list[str]:
    capacity = verdict.capacity if verdict and stages.total is not None else None
    heads = [label.split() for label in stages.labels] + ([["used"]] if capacity else [])
    depth = max(map(len, heads))
    table = [["", *([*[""] * (depth - len(head)), *head][line] for head in heads)] for line in range(depth)]
    for name, heaviest, values in stages.rows:
        cells_ = [stage_cell(value, unit) for value, unit in zip(values, stages.units, strict=True)]
        used = [share(values[stages.total], capacity)] if capacity and stages.total is not None else []
        table.append([f"  {name}{' *' if heaviest else ''}", *cells_, *used])
    lines = aligned(table, "<" + ">" * len(heads))
    remarks = ["bytes in GB"] * ("B" in stages.units) + ["* is the heaviest"] * any(row[1] for row in stages.rows)
    head = paint("All stages", "bold") + paint("".join(f", {remark}" for remark in remarks), "dim")
    styles = ["dim"] * depth + ["bold" if row[1] else "" for row in stages.rows]
    pieces = _columns_that_fit([cells(cell) + 2 for cell in lines[0]], width + 2)
    return [
        head,
        *(
            paint("  ".join([line[0], *line[piece]]), style)
            for piece in pieces
            for line, style in zip(lines, styles, strict=True)
        ),
    ]


def _columns_that_fit(widths: Sequence[int], width: int) -> list[slice]:
    """Cuts a table that is too wide into pieces, each with the first column before it."""
    pieces: list[slice] = []
    start, used = 1, widths[0]
    for column in range(1, len(widths)):
        if column > start and used + widths[column] > width:
            pieces.append(slice(start, column))
            start, used = column, widths[0]
        used += widths[column]
    return [*pieces, slice(start, len(widths))]


def stage_cell(value: Any, unit: str) -> str:
    """Returns a value of the table of stages: bytes in GB, counts of elements in short."""
    if unit == "B" or value is None:
        return gigabytes(value)
    return scaled(value) if unit == "elem" else plain(value)


def _inputs(summary: Summary, width: int, paint: Paint, all_inputs: bool) -> list[str]:
    lines = [paint("Not given", "bold")]
    for origin, names in summary.not_given:
        shown = [fitted(name, width - 12) for name in names]
        if not all_inputs and origin in ("default", "absent") and len(names) > _FIRST_INPUTS:
            shown = [*shown[:_FIRST_INPUTS], f"{len(names) - _FIRST_INPUTS} more with --inputs"]
        first, *more = wrapped(shown, width, 11)
        lines += [f"  {paint(padded(origin, 7), 'yellow' if origin == 'missing' else 'dim')}  {first}", *more]
    unread = [f"  {paint('other', 'dim')}    {summary.unread} that nothing here reads"] if summary.unread else []
    return [*lines, *unread]


def _verdict(verdict: Verdict, stage_count: int, width: int, paint: Paint) -> list[str]:
    name, style = VERDICTS.get(verdict.name, (verdict.name.replace("_", " ").upper(), "yellow"))
    first, *more = _prose(verdict_sentence(verdict, stage_count), width, len(name) + 2) or [""]
    return [f"{paint(name, f'bold {style}')}  {first.lstrip()}", *more]


def verdict_sentence(verdict: Verdict, stage_count: int) -> str:
    """Says what the verdict rests on: the reason, the heaviest stage against the capacity, and what is left."""
    parts = [verdict.reason] if verdict.reason else []
    if verdict.peak is not None and verdict.capacity:
        where = f"stage {verdict.stage} holds " if verdict.stage is not None and stage_count > 1 else ""
        used = f"{where}{gigabytes(verdict.peak)} of {gigabytes(verdict.capacity)} GB"
        left = verdict.capacity - verdict.peak
        used += f" ({share(verdict.peak, verdict.capacity)})"
        parts.append(f"{used}, {gigabytes(abs(left))} GB {'left' if left >= 0 else 'too much'}")
    elif verdict.peak is not None:
        where = f"stage {verdict.stage}" if verdict.stage is not None and stage_count > 1 else "a rank"
        parts.append(f"{where} holds {gigabytes(verdict.peak)} GB")
    if verdict.low is not None and verdict.high is not None:
        parts.append(f"likely between {gigabytes(verdict.low)} and {gigabytes(verdict.high)} GB")
    if verdict.phase:
        parts.append(f"reached in: {verdict.phase}")
    return "; ".join(parts)


def _prose(text: str, width: int, indent: int, hanging: int | None = None) -> list[str]:
    """Fills indented lines with a text; lines after the first are indented by `hanging`."""
    later = indent if hanging is None else hanging
    lines = wrapped(text.split(), width, later, separator=" ")
    return [" " * indent + line if position == 0 else line for position, line in enumerate(lines)]
