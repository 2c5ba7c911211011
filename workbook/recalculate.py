"""Recalculates a workbook in spreadsheet engines that nobody here wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from engine.diagnostics import Findings


class Recalculated(Protocol):
    """A recalculated workbook."""

    def value(self, sheet: str, row: int, column: int) -> Any:
        """Returns what a cell shows: a number, a text, an error such as `#N/A`, or None if it is empty."""

    def enter(self, sheet: str, row: int, column: int, value: float | str | None) -> None:
        """Types a value into a cell, or empties it; what depends on it is recalculated before the next `value`."""


class IronCalc:
    """A workbook loaded in IronCalc, which always recalculates."""

    def __init__(self, path: Path) -> None:
        try:
            import ironcalc
        except ImportError:
            findings = Findings()
            findings.add("E908", "the package `ironcalc` is not installed", help='pip install "rank-ledger[verify]"')
            findings.raise_if_errors()
        self._model = ironcalc.load_from_xlsx(str(path))
        self._sheets = {item["name"]: number for number, item in enumerate(self._model.get_worksheets_properties())}
        self._stale = True

    def value(self, sheet: str, row: int, column: int) -> Any:
        """See `Recalculated.value`."""
        if self._stale:
            self._model.evaluate()
            self._stale = False
        return self._model.get_cell_value(self._sheets[sheet], row, column)

    def enter(self, sheet: str, row: int, column: int, value: float | str | None) -> None:
        """See `Recalculated.enter`."""
        place = self._sheets[sheet], row, column
        if value is None:
            self._model.clear_cell_contents(*place)
        elif isinstance(value, str):
            self._model.update_cell_with_text(*place, value)
        else:
            self._model.update_cell_with_number(*place, float(value))
        self._stale = True
