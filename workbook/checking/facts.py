"""What a workbook says of itself, without any rules: what it was built from, and what was typed into it since."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbook.cells import NAME_HEADER, letters
from workbook.checking.carried import shown
from workbook.frame import Frame
from workbook.reading.cell_xml import Content
from workbook.reading.package import Area, Cells, Package
from workbook.reading.read import NO_PLAN
from workbook.sheets.texts import FORMAT
from workbook.state import WHAT_IFS


@dataclass(frozen=True, slots=True)
class Built:
    """What a workbook was built from.

    Attributes:
        by: version of the program.
        preset: name of the preset.
        rules: digest of the rules.
        frame: room of its sheets.
        shown: text of the choice of scenario, as it stands now.
        what_ifs: number of columns of what-ifs that hold something, as they stand now.
    """

    by: str
    preset: str
    rules: str
    frame: Frame
    shown: str
    what_ifs: int


@dataclass(frozen=True, slots=True)
class InputChange:
    """An input that is not what it was when the workbook was built.

    Attributes:
        name: of the cell; of a pattern with the index in brackets.
        sheet: title of the sheet.
        address: of the cell that is typed into.
        built: what it held, as text.
        now: what it holds, as text; a formula with the value that is stored with it.
    """

    name: str
    sheet: str
    address: str
    built: str
    now: str


class Facts:
    """Reads a file by its own names and headers."""

    def __init__(self, package: Package) -> None:
        """Takes an open file.

        Raises:
            EngineError: it is not one that was built here (E904), or has another format (E905).
        """
        self._package = package
        self._sheets: dict[str, Cells] = {}
        layout = str(self._value("workbook_format")).partition(".")[0]
        if layout != FORMAT:
            raise package.error("E905", f"the file has format {layout}, this program reads {FORMAT}")

    def cells(self, sheet: str) -> Cells:
        """Returns the cells of a sheet; each sheet is read once."""
        if sheet not in self._sheets:
            self._sheets[sheet] = self._package.cells(sheet)
        return self._sheets[sheet]

    def built(self) -> Built:
        """Returns what the workbook was built from."""
        room = [self._value(f"room_{domain}") for domain in Frame.domains()]
        if not all(isinstance(width, float) and 0 < width <= 16_000 for width in room):
            raise self._package.error("E904", "sheet Read me does not say how many layers and stages there is room for")
        headers = self.area("input_headers")
        rows = self.rows(headers.sheet)
        filled = {
            column
            for row in rows
            for column in range(headers.column + 1, headers.column + 1 + WHAT_IFS)
            if _held(self.cells(headers.sheet).get((row, column))) != "nothing"
        }
        return Built(
            by=str(self._value("built_by") or ""),
            preset=str(self._value("built_preset") or ""),
            rules=str(self._value("rule_set_digest") or ""),
            frame=Frame(*(int(width) for width in room if isinstance(width, float))),
            shown=str(self._value("scenario_choice") or ""),
            what_ifs=len(filled),
        )

    def rows(self, sheet: str) -> dict[int, str]:
        """Returns the id that each row of a sheet is about."""
        cells = self.cells(sheet)
        heads = [place for place, content in cells.items() if content.value == NAME_HEADER]
        if not heads:
            return {}
        top, column = min(heads)
        found = ((row, content.value) for (row, at), content in cells.items() if at == column and row > top)
        return {row: id for row, id in found if isinstance(id, str) and id}

    def changes(self) -> list[InputChange]:
        """Returns the inputs that are not what they were, in the order in which they stand."""
        entered, built = self.area("input_headers"), self.area("built_header")
        cells = self.cells(entered.sheet)
        found = []
        for row, name in sorted(self.rows(entered.sheet).items()):
            old, new = cells.get((row, built.column)), cells.get((row, entered.column))
            if not _same(old, new):
                address = f"{letters(entered.column)}{row}"
                found.append(InputChange(name, entered.sheet, address, _held(old), _held(new)))
        return [*found, *self._entries()]

    def _entries(self) -> Iterator[InputChange]:
        for name, area in sorted(self._package.names.items()):
            typed = self._package.names.get(name.removesuffix("_built") + "_typed")
            if not name.endswith("_built") or typed is None:
                continue
            for position in range(area.last_column - area.column + 1):
                old = self.cells(area.sheet).get((area.row, area.column + position))
                new = self.cells(typed.sheet).get((typed.row, typed.column + position))
                if not _same(old, new):
                    address = f"{letters(typed.column + position)}{typed.row}"
                    entry = f"{name.removesuffix('_built')}[{position}]"
                    yield InputChange(entry, typed.sheet, address, _held(old), _held(new))

    def area(self, name: str) -> Area:
        """Returns the place of a name.

        Raises:
            EngineError: the workbook has no such name (E904).
        """
        found = self._package.names.get(name)
        if found is None or found.sheet not in self._package.sheets:
            raise self._package.error("E904", f"the workbook has no name `{name}`", NO_PLAN)
        return found

    def _value(self, name: str) -> float | str | bool | None:
        area = self.area(name)
        content = self.cells(area.sheet).get((area.row, area.column))
        return None if content is None or content.error else content.value


def _same(old: Content | None, new: Content | None) -> bool:
    one, other = (None if content is None or content.value == "" else content.value for content in (old, new))
    if isinstance(one, str) and isinstance(other, str):
        return one.casefold() == other.casefold()
    return one == other and isinstance(one, bool) is isinstance(other, bool)


def _held(content: Content | None) -> str:
    if content is None or content.formula is None:
        return shown(None if content is None else content.value)
    return f"={content.formula}" + ("" if content.value in (None, "") else f" ({shown(content.value)})")
