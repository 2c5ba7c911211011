"""What a comparison of predictions with recorded values comes to."""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

Number = float | bool | str | list[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One quantity of one record.

    Attributes:
        id: the record's id or name, with `#rank<n>` for one of its ranks.
        quantity: what is compared: `parameters.<category>`, `saved.<part>`, a measured quantity, or a rule.
        predicted: value by the rules.
        recorded: value of the record.
        ok: whether they agree, for a row that must be exact or carries a tolerance; None for a measurement, which is
            summarized instead.
        framework: what was run, for summaries; empty where records have no such kinds.
        family: kind of architecture, for summaries.
        half_width: bytes by which the prediction says it may be off; None without such an interval.
        terms: terms of the prediction that are neither states nor what layers keep, and their bytes, largest first.
    """

    id: str
    quantity: str
    predicted: Number
    recorded: Number
    ok: bool | None
    framework: str = ""
    family: str = ""
    half_width: float | None = None
    terms: tuple[tuple[str, float], ...] = ()

    @property
    def error(self) -> float | None:
        """Relative error of a number, None where there is none."""
        if isinstance(self.predicted, (str, bool, list)) or isinstance(self.recorded, (str, bool, list)):
            return None
        if self.recorded == 0:
            return 0.0 if self.predicted == 0 else math.inf
        return (self.predicted - self.recorded) / abs(self.recorded)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A record, or a part of one, that no input expresses; it is counted and named."""

    id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Summary:
    """Errors of a group of rows.

    Attributes:
        rows: how many.
        judged: how many of them must be exact or carry a tolerance.
        failed: how many of those do not agree.
        median, p90, largest: of the absolute relative error; None where no row is a number.
        bias: median of the relative error with its sign.
        covered: share of rows that their interval holds; None without intervals.
    """

    rows: int
    judged: int
    failed: int
    median: float | None = None
    p90: float | None = None
    largest: float | None = None
    bias: float | None = None
    covered: float | None = None


@dataclass(frozen=True)
class Report:
    """All rows of a comparison, and what could not be compared."""

    rows: tuple[Row, ...]
    skipped: tuple[Skipped, ...] = field(default=())

    @property
    def failed(self) -> tuple[Row, ...]:
        """Rows that had to agree and do not."""
        return tuple(row for row in self.rows if row.ok is False)

    @cached_property
    def by_quantity(self) -> Mapping[str, Summary]:
        """Summary of each quantity."""
        return self._grouped(lambda row: row.quantity)

    @cached_property
    def by_framework(self) -> Mapping[str, Summary]:
        """Summary of each measured quantity and framework."""
        return self._grouped(lambda row: f"{row.framework}: {row.quantity}" if row.framework else "")

    @cached_property
    def by_family(self) -> Mapping[str, Summary]:
        """Summary of each measured quantity and kind of architecture."""
        return self._grouped(lambda row: f"{row.family}: {row.quantity}" if row.family else "")

    def largest_misses(self, count: int) -> tuple[Row, ...]:
        """Returns the rows with the largest relative errors, among those that are summarized or do not agree."""
        off = [row for row in self.rows if row.ok is not True and row.error not in (None, 0.0)]
        return tuple(sorted(off, key=lambda row: -abs(row.error or 0.0))[:count])

    def to_dict(self) -> dict[str, Any]:
        """Returns rows, what was skipped, and the summaries, as JSON has them."""
        return {
            "rows": [
                {
                    "id": row.id,
                    "quantity": row.quantity,
                    "predicted": row.predicted,
                    "recorded": row.recorded,
                    "ok": row.ok,
                }
                for row in self.rows
            ],
            "skipped": [{"id": entry.id, "reason": entry.reason} for entry in self.skipped],
            "summary": {
                "rows": len(self.rows),
                "failed": len(self.failed),
                "skipped": len(self.skipped),
                "by_quantity": _plain(self.by_quantity),
                "by_framework": _plain(self.by_framework),
                "by_family": _plain(self.by_family),
            },
        }

    def to_json(self) -> str:
        """Returns the report as JSON."""
        return json.dumps(self.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)

    def _grouped(self, key: Callable[[Row], str]) -> Mapping[str, Summary]:
        groups: dict[str, list[Row]] = {}
        for row in self.rows:
            if name := key(row):
                groups.setdefault(name, []).append(row)
        return {name: summarize(groups[name]) for name in sorted(groups)}


def summarize(rows: Iterable[Row]) -> Summary:
    """Summarizes the errors of rows."""
    rows = list(rows)
    judged = [row for row in rows if row.ok is not None]
    errors = [row.error for row in rows if row.error is not None and math.isfinite(row.error)]
    sizes = sorted(map(abs, errors))
    intervals = [row for row in rows if row.half_width is not None]
    return Summary(
        rows=len(rows),
        judged=len(judged),
        failed=sum(row.ok is False for row in judged),
        median=statistics.median(sizes) if sizes else None,
        p90=sizes[math.ceil(0.9 * len(sizes)) - 1] if sizes else None,
        largest=sizes[-1] if sizes else None,
        bias=statistics.median(errors) if errors else None,
        covered=sum(map(_held, intervals)) / len(intervals) if intervals else None,
    )


def _held(row: Row) -> bool:
    assert isinstance(row.predicted, float) and isinstance(row.recorded, float) and row.half_width is not None
    return abs(row.predicted - row.recorded) <= row.half_width


def _plain(summaries: Mapping[str, Summary]) -> dict[str, dict[str, Any]]:
    return {
        name: {key: getattr(summary, key) for key in Summary.__slots__ if getattr(summary, key) is not None}
        for name, summary in summaries.items()
    }
