"""Recalculation in the package `formulas`: pure Python, slow, for workbooks with little room."""

from __future__ import annotations

import logging
from contextlib import redirect_stderr
from importlib.metadata import version
from io import StringIO
from pathlib import Path
from typing import Any

from workbook.cells import letters
from workbook.recalculation.engines import package


def require() -> Any:
    """Returns the package.

    Raises:
        EngineError: it is not installed (E908).
    """
    return package("formulas")


class Formulas:
    """A workbook calculated by `formulas`.

    Attributes:
        name: the engine with its version.
    """

    def __init__(self, path: Path) -> None:
        self.name = f"formulas {version('formulas')}"
        logging.getLogger("schedula").setLevel(logging.ERROR)
        with redirect_stderr(StringIO()):  # it draws a progress bar
            model = require().ExcelModel().loads(str(path)).finish()
            self._solution = model.calculate()
        self._file = path.name

    def value(self, sheet: str, row: int, column: int) -> Any:
        """See `workbook.recalculation.engines.Recalculated.value`."""
        found = self._solution.get(f"'[{self._file}]{sheet.upper()}'!{letters(column)}{row}")
        if found is None:
            return None
        value = found.value[0, 0]
        return value.item() if hasattr(value, "item") else str(value) if isinstance(value, str) else value


load = Formulas
