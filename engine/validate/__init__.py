"""Compares predictions with what was recorded: measured runs, models that real code built, published cases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from engine.diagnostics import EngineError
from engine.ruleset import RuleSet
from engine.validate.data import read
from engine.validate.formats import recognize
from engine.validate.report import Report, Row, Skipped

__all__ = ["Report", "Row", "Skipped", "validate"]


def validate(rules: RuleSet, paths: Iterable[str | Path]) -> Report:
    """Predicts every record of some files and sets it against what was recorded.

    Args:
        rules: a loaded rule set.
        paths: files of recorded data, plain or compressed (.xz), or folders of them. Which format a file has is seen
            from its content; in a folder, files of other content are passed over.

    Returns:
        The rows, and the records that no input expresses.

    Raises:
        EngineError: a file cannot be read, or has no known format (E113).
    """
    entries = list(_entries(rules, paths))
    return Report(
        tuple(entry for entry in entries if isinstance(entry, Row)),
        tuple(entry for entry in entries if isinstance(entry, Skipped)),
    )


def _entries(rules: RuleSet, paths: Iterable[str | Path]) -> Iterator[Row | Skipped]:
    for path in map(Path, paths):
        for source, content in read(path):
            try:
                adapter = recognize(source, content)
            except EngineError:
                if path.is_dir():
                    continue
                raise
            yield from adapter(rules, content)
