"""Tells which recorded format a file has, from what stands in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.diagnostics import EngineError, Findings, Source
from engine.ruleset import RuleSet
from engine.validate import cases, logs, models, runs, saved
from engine.validate.report import Row, Skipped

Adapter = Callable[[RuleSet, Any], Iterator[Row | Skipped]]


def recognize(source: Source, content: Any) -> Adapter:
    """Returns what compares a file's records with the rules.

    Raises:
        EngineError: the content has no known format (E113).
    """
    first = _first(content)
    for keys, adapter in _FORMATS:
        if keys <= first:
            return adapter
    findings = Findings()
    findings.add(
        "E113",
        "nothing is known of records like these",
        source.whole(),
        help="known are measured runs, parameters and saved tensors of recorded models, runs of the log's estimate, "
        "and published cases",
    )
    raise EngineError(findings.sorted())


_FORMATS: tuple[tuple[set[str], Adapter], ...] = (
    ({"model", "parallel", "measured"}, runs.rows),
    ({"args", "ranks", "world_size", "resolved"}, models.rows),
    ({"args", "emulation", "storage_bytes"}, saved.rows),
    ({"args", "intermediates", "total_mib"}, logs.rows),
    ({"preset", "expect"}, cases.rows),
)
"""Keys that the first record of each format has, and what reads it."""


def _first(content: Any) -> set[str]:
    """Returns the keys of the first record."""
    records = content.get("records") if isinstance(content, Mapping) else content
    if isinstance(records, list) and records and isinstance(records[0], Mapping):
        return set(records[0])
    return set(content) if isinstance(content, Mapping) else set()
