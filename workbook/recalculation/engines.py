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


def loader(engine: str) -> Callable[[Path], Recalculated]:
    """Returns what loads and recalculates a workbook without values.

    It takes an .xlsx file that was written here; files of others are never given to these engines.

    Args:
        engine: one of `ENGINES`.

    Raises:
        EngineError: the engine is not installed (E908).
    """
    module = import_module(f"workbook.recalculation.in_{engine}")
    module.require()
    load: Callable[[Path], Recalculated] = module.load
    return load


def package(name: str) -> Any:
    """Returns the package of an engine that is one.

    Raises:
        EngineError: it is not installed (E908).
    """
    try:
        return import_module(name)
    except ImportError:
        raise missing(f"the package `{name}`", INSTALL[name]) from None


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
