"""Recalculation in LibreOffice Calc, without its window: a file without values is opened, calculated and saved."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from workbook.reading.cell_xml import Content
from workbook.reading.package import Package
from workbook.recalculation.engines import INSTALL, missing

SECONDS = 120


class LibreOffice:
    """What LibreOffice saved.

    Attributes:
        name: the engine with its version.
    """

    def __init__(self, path: Path) -> None:
        with tempfile.TemporaryDirectory(prefix="rank-ledger-") as folder:
            saved = convert(require(), path, "xlsx", Path(folder))
            with Package(saved) as package:
                self._cells: dict[str, dict[tuple[int, int], Content]] = {
                    sheet: package.cells(sheet) for sheet in package.sheets
                }
        self.name = "LibreOffice"

    def value(self, sheet: str, row: int, column: int) -> Any:
        """See `workbook.recalculation.engines.Recalculated.value`."""
        found = self._cells[sheet].get((row, column))
        return None if found is None else found.value


def require() -> str:
    """Returns the path of the program.

    Raises:
        EngineError: it is not installed (E908).
    """
    program = find()
    if program is None:
        raise missing("LibreOffice Calc (`soffice`)", INSTALL["libreoffice"])
    return program


def find() -> str | None:
    """Returns the path of the program, None where it is not installed."""
    return shutil.which("soffice") or shutil.which("libreoffice")


def convert(program: str, path: Path, form: str, folder: Path) -> Path:
    """Converts a file with a profile of its own, since two runs on one profile lose outputs.

    Raises:
        OSError: there is no result.
    """
    profile, out = folder / "profile", folder / "out"
    command = [
        program, f"-env:UserInstallation={profile.absolute().as_uri()}", "--headless", "--norestore",
        "--convert-to", form, "--outdir", str(out), str(path),
    ]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise OSError(f"LibreOffice did not finish within {SECONDS} s") from None
    result = out / f"{path.stem}.{form}"
    if not result.is_file():
        raise OSError(f"LibreOffice made no file: {done.stderr.decode(errors='replace').strip() or 'no reason given'}")
    return result


load = LibreOffice
