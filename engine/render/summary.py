"""What `engine eval` shows of a result, before it becomes text: ledger, stages, inputs, checks, verdict."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from engine.evaluating.artifact import number
from engine.evaluating.resolve import ORIGINS
from engine.explaining.select import names_of, shown_by, view_ids
from engine.render.labels import column_labels, configuration_labels
from engine.render.numbers import written
from engine.render.overlays import overlay_lines
from engine.result import CheckOutcome, Result, Value


@dataclass(frozen=True, slots=True)
class Row:
    """One value of a table: an entry of a vector where `index` says which (`0`, or `1–6` for equal neighbours)."""

    id: str
    title: str
    index: str
    value: Any
    unit: str
    problem: str


@dataclass(frozen=True, slots=True)
class Stages:
    """All pipeline stages: ids as columns, stages as rows; equal neighbours are one row.

    Attributes:
        ids: columns.
        labels: short label of each column.
        units: unit of each column.
        rows: name of the stage or stages, whether the heaviest is among them, and the values; None without a value.
        total: column that adds up to the memory of a stage, None if there is none.
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    rows: tuple[tuple[str, bool, tuple[Any, ...]], ...]
    total: int | None


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict with what it rests on; numbers are bytes, None without a value.

    Attributes:
        phase: phase of the run in which the heaviest stage reaches its peak; empty where the rules name none.
        low: low end of the peak.
        high: high end of the peak.
    """

    name: str
    reason: str
    peak: float | None
    capacity: float | None
    stage: int | None
    phase: str = ""
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Summary:
    """Everything that is shown.

    Attributes:
        preset: where the inputs came from.
        configuration: short labels, in order.
        ledger: rows of the heaviest stage, of the first if that is not known; the last is the total.
        stage: the heaviest stage; None if it is not known.
        stage_count: number of stages.
        stages: all stages.
        tables: further tables: title and rows.
        not_given: for each origin the inputs that were read with their values.
        unread: number of inputs that were not given and that nothing shown reads.
        notes: what was understood in another way than it was written.
        checks: all checks.
        verdict: None where the rules declare none.
        overlays: what was laid over the rules.
    """

    preset: str
    configuration: tuple[str, ...]
    ledger: tuple[Row, ...]
    stage: int | None
    stage_count: int
    stages: Stages | None
    tables: tuple[tuple[str, tuple[Row, ...]], ...]
    not_given: tuple[tuple[str, tuple[str, ...]], ...]
    unread: int
    notes: tuple[str, ...]
    checks: tuple[CheckOutcome, ...]
    verdict: Verdict | None
    overlays: tuple[str, ...] = ()

    @property
    def ledger_title(self) -> str:
        """Says which stage the ledger is of."""
        if self.stage_count == 1:
            return "Memory of a rank"
        if self.stage is None:
            return f"Stage 0 of {self.stage_count}; the heaviest is not known"
        return f"Stage {self.stage}, the heaviest of {self.stage_count}"


def shown_ids(result: Result) -> tuple[str, ...]:
    """Returns the ids that are shown where nobody asks for particular ones."""
    views = result.rules.views
    if "summary" in views:
        return view_ids(views["summary"].body)
    ids = dict.fromkeys(id for view in views.values() for id in shown_by(result.rules, view))
    return tuple(ids) if ids else tuple(result.rules.computed)


def summarize(result: Result) -> Summary:
    """Collects what is shown of a result; views decide which rules make up which table."""
    views = result.rules.views
    body: Any = views["summary"].body if "summary" in views else None
    tables: list[tuple[str, tuple[Row, ...]]] = []
    if body is None:
        tables = [(view.title, tuple(value_rows(result, shown_by(result.rules, view)))) for view in views.values()]
        tables = tables or [("Rules", tuple(value_rows(result, result.rules.rules)))]
    elif body.rows:
        rows = value_rows(result, body.rows)
        tables = [
            ("Beside it", tuple(row for row in rows if not row.problem)) if body.ledger else (body.title, tuple(rows))
        ]
    stage = _peak_stage(result, body) if body else None
    ledger = tuple(_ledger(result, body, stage)) if body and body.ledger else ()
    shown = Summary(
        preset=result.preset.path,
        configuration=tuple(configuration_labels(result, body.configuration)) if body else (),
        ledger=ledger,
        stage=stage,
        stage_count=_stage_count(result, body),
        stages=_stages(result, body, stage) if body else None,
        tables=tuple(tables),
        not_given=(),
        unread=0,
        notes=tuple(note.message for note in result.notes),
        checks=result.checks,
        verdict=_verdict(result, body, ledger, stage),
        overlays=overlay_lines(result.rules),
    )
    not_given, unread = _not_given(result)  # after everything that is shown has been computed
    return replace(shown, not_given=not_given, unread=unread)


def value_rows(result: Result, ids: Iterable[str]) -> Iterator[Row]:
    """Yields one row an id, for a vector one row a run of equal entries."""
    for id in ids:
        for name in names_of(result.rules, id):
            value = result[name]
            title = _title(result, name)
            if isinstance(value.raw, list):
                for index, entry in runs(value.raw):
                    yield Row(name, title, index, number(entry), value.unit, "")
            else:
                yield Row(name, title, "", number(value.raw), value.unit, problem(value))


def runs(values: list[Any]) -> Iterator[tuple[str, Any]]:
    """Yields the runs of equal neighbours of a vector: `0`, `1–6`, …, and the value."""
    start = 0
    for index in range(1, len(values) + 1):
        if index == len(values) or values[index] != values[start]:
            yield (str(start) if index == start + 1 else f"{start}–{index - 1}"), values[start]
            start = index


def problem(value: Value) -> str:
    """Says in a few words why there is no value; empty if there is one."""
    if value.status == "unavailable":
        return "needs " + ", ".join(value.missing)
    return f"failed in {value.origin}" if value.status == "failed" else ""


def enumerated(names: Iterable[str], most: int = 4) -> str:
    """Lists names, the first few of many."""
    found = list(names)
    more = f" and {len(found) - most} more" if len(found) > most else ""
    return ", ".join(found[:most]) + more


def _title(result: Result, name: str) -> str:
    rule = result.rules.computed.get(name)
    if rule:
        return rule.title
    item = result.rules.slots[name]
    return item.title if item.id == name else f"{item.title}: {name.removeprefix(item.id + '_')}"


def _stage_count(result: Result, body: Any) -> int:
    values = [result.get(id) for id in (*body.ledger.rows, body.ledger.total)] if body and body.ledger else []
    return max((len(value) for value in values if isinstance(value, list)), default=1)


def _peak_stage(result: Result, body: Any) -> int | None:
    total = result.get(body.ledger.total) if body.ledger else None
    if not isinstance(total, list):
        return None
    index = result.get(body.peak_stage) if body.peak_stage else None
    return int(index) if index is not None and 0 <= index < len(total) else total.index(max(total))


def _ledger(result: Result, body: Any, stage: int | None) -> Iterator[Row]:
    assert body.ledger is not None
    for id in (*body.ledger.rows, body.ledger.total):
        value = result[id]
        raw = value.raw
        if isinstance(raw, list):
            raw = raw[stage or 0]
        yield Row(id, _title(result, id), "", number(raw), value.unit, problem(value))


def _stages(result: Result, body: Any, peak: int | None) -> Stages | None:
    ids = tuple(body.stages.rows if body.stages else [*body.ledger.rows, body.ledger.total] if body.ledger else ())
    values = [result[id] for id in ids]
    size = max((len(value.raw) for value in values if isinstance(value.raw, list)), default=0)
    if not size:
        return None
    columns = [value.raw if isinstance(value.raw, list) else [value.raw] * size for value in values]
    rows = []
    start = 0
    entries = list(zip(*columns, strict=True))
    for end in range(1, size + 1):
        if end == size or entries[end] != entries[start]:
            name = str(start) if end == start + 1 else f"{start}–{end - 1}"
            rows.append((name, peak is not None and start <= peak < end, tuple(map(number, entries[start]))))
            start = end
    total_id = body.ledger.total if body.ledger else None
    total = ids.index(total_id) if total_id in ids else None
    units = tuple(value.unit for value in values)
    return Stages(ids, tuple(column_labels(ids, total_id)), units, tuple(rows), total)


def _verdict(result: Result, body: Any, ledger: tuple[Row, ...], stage: int | None) -> Verdict | None:
    name = result.verdict
    if (body is None or body.verdict is None) and name != "invalid":
        return None
    reason = ""
    if name == "invalid":
        failed = sum(check.level == "error" for check in result.failed_checks)
        reason = "1 check does not hold" if failed == 1 else f"{failed} checks do not hold"
    elif name == "incomplete" and result.preset.flags is not None:
        reason = "not modelled: " + enumerated(result.preset.flags.unmodelled)
    elif body and body.verdict:
        reason = problem(result[body.verdict])

    def shown(id: str | None) -> Any:
        return result.get(id) if id else None

    peak = ledger[-1].value if ledger else None
    if body is None:
        return Verdict(name, reason, peak, None, stage)
    phase = (shown(body.phase) or "").replace("_", " ")
    return Verdict(name, reason, peak, shown(body.capacity), stage, phase, shown(body.low), shown(body.high))


def inputs_read(result: Result) -> dict[str, bool]:
    """Returns the inputs that have been read so far, and whether each has a value.

    The scope holds exactly what has been read.
    """
    scope = result.resolved.scope
    used: dict[str, bool] = {}
    for name, item in result.rules.slots.items():
        if name in scope or name in scope.troubles:
            used[item.id] = used.get(item.id, True) and name not in scope.troubles
    return used


def _not_given(result: Result) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], int]:
    """Returns the inputs that were not given but read, by origin, and how many others there are."""
    used = inputs_read(result)
    found: dict[str, list[str]] = {origin: [] for origin in ORIGINS if origin != "given"}
    unread = 0
    for name, (value, origin) in result.inputs.items():
        if origin != "given" and name in used:
            found[origin].append(_with_value(name, value, origin, known=used[name]))
        unread += origin != "given" and name not in used
    return tuple((origin, tuple(names)) for origin, names in found.items() if names), unread


def _with_value(name: str, value: Any, origin: str, *, known: bool) -> str:
    if origin == "missing":
        return name
    if not known:  # what would stand in for it has no value itself
        return f"{name}=?"
    return f"{name}={'none' if value is None else written(value)}"
