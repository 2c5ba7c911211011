"""Recalculates a workbook in spreadsheet engines that nobody here wrote."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

from engine.diagnostics import EngineError, Findings

ENGINES = ("ironcalc", "formulas", "libreoffice")


class Recalculated(Protocol):
    """A recalculated workbook."""

    name: str
    """The engine with its version."""

    def value(self, sheet: str, row: int, column: int) -> Any:
        """Returns what a cell shows: a number, a text, an error such as `#N/A`, or None if it is empty."""


def recalculate(path: Path, engine: str) -> Recalculated:
    """Loads and recalculates a workbook without values.

    Args:
        path: an .xlsx file that was written here; files of others are never given to these engines.
        engine: one of `ENGINES`.

    Raises:
        EngineError: the engine is not installed (E908).
    """
    load: Callable[[Path], Recalculated] = import_module(f"workbook.recalculation.in_{engine}").load
    return load(path)


def missing(what: str, install: str) -> EngineError:
    """Returns the error for an engine that is not installed."""
    findings = Findings()
    findings.add("E908", f"{what} is not installed", help=install)
    return EngineError(findings.diagnostics)


INSTALL: Mapping[str, str] = {
    "ironcalc": "pip install ironcalc",
    "formulas": "pip install formulas",
    "libreoffice": "apt-get install libreoffice-calc-nogui, or the application from libreoffice.org",
}
