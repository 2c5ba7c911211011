"""A summary, or a table of values, for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from engine.render.numbers import GB, GIB, gigabytes, plain, share
from engine.render.summary import Row, Stages, Summary, Verdict, value_rows
from engine.render.table import aligned, bar, cells, fitted, padded, wrapped
from engine.result import CheckOutcome, Result

Paint = Callable[[str, str], str]
"""From a text and a style (`bold`, `dim`, `red`, `green`, `yellow`, `cyan`) to the text as a terminal takes it."""

VERDICTS = {
    "fits": ("FITS", "green"),
    "tight": ("TIGHT", "yellow"),
    "does_not_fit": ("DOES NOT FIT", "red"),
    "invalid": ("INVALID", "red"),
    "incomplete": ("INCOMPLETE", "yellow"),
    "unknown": ("UNKNOWN", "yellow"),
}
_LEVELS = {"error": "red", "warning": "yellow", "note": "cyan"}
_BAR = 16
_TITLE = 34


def unpainted(text: str, style: str) -> str:
    """Leaves a text as it is: no colour."""
    return text


def summary_text(summary: Summary, width: int, paint: Paint = unpainted) -> str:
    """Lays out a summary in the given number of columns."""
    blocks = [_head(summary, width, paint)]
    if summary.ledger:
        blocks.append(_ledger(summary, width, paint))
    blocks += [[paint(title, "bold"), *value_lines(rows, width, paint)] for title, rows in summary.tables if rows]
    if summary.stages and len(summary.stages.rows) > 1:
        blocks.append(_stages(summary.stages, summary.verdict, width, paint))
    if summary.not_given:
        blocks.append(_inputs(summary, width, paint))
    if summary.notes:
        blocks.append(
            [paint("Read as", "bold"), *("  " + line for note in summary.notes for line in _prose(note, width, 2))]
        )
    if summary.checks:
        blocks.append(check_lines(summary.checks, width, paint))
    if summary.verdict:
        blocks.append(_prose_verdict(summary.verdict, summary.stage_count, width, paint))
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks) + "\n"


def selection_text(result: Result, ids: Sequence[str], width: int, paint: Paint = unpainted) -> str:
    """Lays out the values of particular ids; failed checks follow only where they make the configuration invalid."""
    lines = value_lines(list(value_rows(result, ids)), width, paint)
    if result.verdict == "invalid":
        failed = [check for check in result.failed_checks if check.level == "error"]
        lines += ["", *check_lines(failed, width, paint)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def value_lines(rows: Sequence[Row], width: int, paint: Paint = unpainted) -> list[str]:
    """Lays out values: id, value, unit, GB and GiB where there are bytes, and the title or why there is no value."""
    table = [["", "value", "", "GB", "GiB"]]
    for row in rows:
        size = row.value if row.unit == "B" else None
        sizes = [gigabytes(size, GB), gigabytes(size, GIB)] if size is not None else ["", ""]
        unit = "" if row.unit in ("1", "flag", "enum") else row.unit
        name = f"{row.id}[{row.index}]" if row.index else row.id
        table.append([name, fitted(plain(row.value), width // 3), unit, *sizes])
    if not any(row.unit == "B" for row in rows):
        table = [line[:3] for line in table]
    first, *others = ["  " + "  ".join(line) for line in aligned(table, "<><>>"[: len(table[0])])]
    lines = [paint(first, "dim")]
    room = width - cells(first) - 2
    for row, text in zip(rows, others, strict=True):
        if row.problem:
            lines.append(f"{text}  {paint(row.problem, 'yellow')}")
        elif room >= 16 and row.index.partition("–")[0] in ("", "0"):
            lines.append(f"{text}  {paint(fitted(row.title, room), 'dim')}")
        else:
            lines.append(text)
    return lines


def check_lines(checks: Sequence[CheckOutcome], width: int, paint: Paint = unpainted) -> list[str]:
    """Lays out checks: the counts, then those that fail with what to do, then those that are not known."""
    failed = [check for check in checks if check.status == "fail"]
    unknown = [check for check in checks if check.status == "unknown"]
    passed = len(checks) - len(failed) - len(unknown)
    counts = [f"{passed} pass"] * bool(passed) + [f"{len(failed)} fail"] * bool(failed)
    counts += [f"{len(unknown)} not known"] * bool(unknown)
    lines = [f"{paint('Checks', 'bold')}  {', '.join(counts)}"]
    for check in sorted(failed, key=lambda check: list(_LEVELS).index(check.level)):
        head, *more = _prose(check.message, width, 11)
        lines.append(f"  {paint(padded(check.level, 7), _LEVELS[check.level])}  {head}")
        lines += [" " * 11 + line for line in more]
        if check.hint:
            lines += [" " * 11 + line for line in _prose(check.hint, width, 11)]
        lines.append(" " * 11 + paint(f"check {check.id}", "dim"))
    for check in unknown:
        head, *more = _prose(f"{check.id}: {check.message}", width, 11)
        lines.append(f"  {paint('unknown', 'yellow')}  {head}")
        lines += [" " * 11 + line for line in more]
    return lines


def _head(summary: Summary, width: int, paint: Paint) -> list[str]:
    return [paint(summary.preset, "bold"), *wrapped(summary.configuration, width, separator=" · ")]


def _ledger(summary: Summary, width: int, paint: Paint) -> list[str]:
    whole = summary.ledger[-1].value
    largest = max((row.value or 0 for row in summary.ledger[:-1]), default=0)
    stage = "Memory of a rank"
    if summary.stage is not None and summary.stage_count > 1:
        stage = f"Stage {summary.stage}, the heaviest of {summary.stage_count}"
    table = [[stage, "", "share", "GB", "GiB", "rule"]]
    for row in summary.ledger:
        sizes = [share(row.value, whole), gigabytes(row.value, GB), gigabytes(row.value, GIB)]
        drawn = bar(row.value / largest, _BAR) if row.value and largest and row is not summary.ledger[-1] else ""
        table.append(["  " + fitted(row.title, _TITLE), drawn.ljust(_BAR), *sizes, row.id])
    lines = aligned(table, "<<>>><")
    if max(sum(map(cells, line)) + 2 * (len(line) - 1) for line in lines) > width:
        lines = [line[:-1] for line in lines]
    painted = [[paint(lines[0][0], "bold"), *(paint(cell, "dim") for cell in lines[0][1:])]]
    for row, line in zip(summary.ledger, lines[1:], strict=True):
        title, drawn, *sizes = line
        middle = paint(drawn, "cyan")
        if row.problem:
            middle = paint(padded(fitted(row.problem, cells(drawn)), cells(drawn)), "yellow")
        ids = [paint(cell, "dim") for cell in sizes[3:]]
        if row is summary.ledger[-1]:
            painted.append([paint("  " + "─" * (cells("  ".join(line[:5])) - 2), "dim")])
            title, sizes = paint(title, "bold"), [paint(cell, "bold") for cell in sizes]
        painted.append([title, middle, *sizes[:3], *ids])
    return ["  ".join(line) for line in painted]


def _stages(stages: Stages, verdict: Verdict | None, width: int, paint: Paint) -> list[str]:
    capacity = verdict.capacity if verdict and stages.total is not None else None
    heads = [
        f"{label} {'GB' if unit == 'B' else ''}".split()
        for label, unit in zip(stages.labels, stages.units, strict=True)
    ]
    heads += [["used"]] if capacity else []
    depth = max(map(len, heads))
    table = [["", *([*[""] * (depth - len(head)), *head][line] for head in heads)] for line in range(depth)]
    table[0][0] = "All stages"
    for name, heaviest, values in stages.rows:
        row = [f"  {name}{' *' if heaviest else ''}"]
        row += [
            gigabytes(value) if unit == "B" else plain(value) for value, unit in zip(values, stages.units, strict=True)
        ]
        if capacity and stages.total is not None:
            row.append(share(values[stages.total], capacity))
        table.append(row)
    lines = aligned(table, "<" + ">" * len(heads))
    texts = ["  ".join(line) for line in lines]
    painted = [paint(lines[0][0], "bold") + paint("  " + "  ".join(lines[0][1:]), "dim")]
    painted += [paint(text, "dim") for text in texts[1:depth]]
    painted += [paint(text, "bold") if row[1] else text for row, text in zip(stages.rows, texts[depth:], strict=True)]
    return painted


def _inputs(summary: Summary, width: int, paint: Paint) -> list[str]:
    unread = f"  {summary.unread} more are read by nothing shown here" if summary.unread else ""
    lines = [paint("Not given", "bold") + paint(unread, "dim")]
    for origin, names in summary.not_given:
        first, *more = wrapped(names, width, 11)
        lines += [f"  {paint(padded(origin, 7), 'yellow' if origin == 'missing' else 'dim')}  {first}", *more]
    return lines


def _prose_verdict(verdict: Verdict, stage_count: int, width: int, paint: Paint) -> list[str]:
    name, style = VERDICTS.get(verdict.name, (verdict.name.replace("_", " ").upper(), "yellow"))
    sentence = verdict_sentence(verdict, stage_count)
    first, *more = _prose(sentence, width, len(name) + 2) if sentence else [""]
    return [f"{paint(name, style)}  {first}", *(" " * (len(name) + 2) + line for line in more)]


def verdict_sentence(verdict: Verdict, stage_count: int) -> str:
    """Says what the verdict rests on: the reason, the heaviest stage against the capacity, and what is left."""
    parts = [verdict.reason] if verdict.reason else []
    if verdict.peak is not None and verdict.capacity:
        where = f"stage {verdict.stage} holds " if verdict.stage is not None and stage_count > 1 else ""
        used = f"{where}{gigabytes(verdict.peak)} of {gigabytes(verdict.capacity)} GB"
        left = verdict.capacity - verdict.peak
        used += f" ({share(verdict.peak, verdict.capacity)})"
        parts.append(f"{used}, {gigabytes(abs(left))} GB {'left' if left >= 0 else 'too much'}")
    return "; ".join(parts)


def _prose(text: str, width: int, indent: int) -> list[str]:
    return wrapped(text.split(), width - indent, separator=" ") or [""]
