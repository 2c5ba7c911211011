"""Recalculation in IronCalc, which always recalculates and keeps a loaded workbook, so that inputs can be changed."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Any

from workbook.recalculation.engines import package


def require() -> Any:
    """Returns the package.

    Raises:
        EngineError: it is not installed (E908).
    """
    return package("ironcalc")


class IronCalc:
    """A workbook loaded in IronCalc.

    Attributes:
        name: the engine with its version.
    """

    def __init__(self, path: Path) -> None:
        self.name = f"ironcalc {version('ironcalc')}"
        self._model = require().load_from_xlsx(str(path))
        self._sheets = {item["name"]: number for number, item in enumerate(self._model.get_worksheets_properties())}
        self._stale = True

    def value(self, sheet: str, row: int, column: int) -> Any:
        """See `workbook.recalculation.engines.Recalculated.value`."""
        if self._stale:
            self._model.evaluate()
            self._stale = False
        return self._model.get_cell_value(self._sheets[sheet], row, column)

    def enter(self, sheet: str, row: int, column: int, value: float | str | None) -> None:
        """Types a value into a cell, or empties it; what depends on it is recalculated before the next `value`."""
        place = self._sheets[sheet], row, column
        if value is None:
            self._model.clear_cell_contents(*place)
        elif isinstance(value, str):
            self._model.update_cell_with_text(*place, value)
        else:
            self._model.update_cell_with_number(*place, float(value))
        self._stale = True


load = IronCalc
