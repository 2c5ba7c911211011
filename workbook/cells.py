"""Cells of a planned workbook: what stands where, before any file format comes into play."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Kind = Literal["text", "number", "formula", "blank"]


@dataclass(frozen=True, slots=True)
class Source:
    """What of the engine's result a formula cell shows.

    Attributes:
        id: rule, check or input.
        index: position in a vector, None for a single value.
    """

    id: str
    index: int | None = None


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        row: from 1.
        column: from 1.
        kind: a formula's content has no leading `=`.
        content: text, number or formula.
        style: name of a style in `workbook.styles`.
        source: what of the engine's result it shows; None for a cell that only presents or is typed.
        shown: value of a formula that only presents: a number, a text, or an error such as `#N/A`.
        link: address that the cell links to.
    """

    row: int
    column: int
    kind: Kind
    content: Any
    style: str = "plain"
    source: Source | None = None
    shown: float | str | None = None
    link: str | None = None


@dataclass(slots=True)
class Sheet:
    """One sheet: its cells by position.

    Attributes:
        title: as shown on the tab.
        cells: by row and column.
        widths: column widths in characters.
        freeze: first row and column that scroll.
        validations: allowed values of ranges: (range, list of texts or (low, high)).
        outline: rows that are folded below a heading.
    """

    title: str
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    widths: dict[int, float] = field(default_factory=dict)
    freeze: tuple[int, int] = (1, 1)
    validations: list[tuple[str, Any]] = field(default_factory=list)
    outline: set[int] = field(default_factory=set)

    def put(self, row: int, column: int, content: Any, style: str = "plain", *, link: str | None = None) -> None:
        """Puts a text or number, or nothing for None."""
        kind: Kind = "blank" if content is None else "text" if isinstance(content, str) else "number"
        self.cells[row, column] = Cell(row, column, kind, content, style, link=link)

    def formula(self, row: int, column: int, text: str, source: Source, style: str = "value") -> None:
        """Puts a formula that shows something of the engine's result."""
        self.cells[row, column] = Cell(row, column, "formula", text, style, source)

    def present(self, row: int, column: int, text: str, shown: float | str, style: str = "helper") -> None:
        """Puts a formula that only presents: a choice among cells, a scaled number, a joined text."""
        self.cells[row, column] = Cell(row, column, "formula", text, style, shown=shown)

    def address(self, row: int, column: int, *, last: int | None = None) -> str:
        """Returns the absolute address of a cell, or of a row of cells up to the column `last`."""
        title = self.title.replace("'", "''")
        name = f"'{title}'" if not title.isidentifier() else title
        end = f":${letters(last)}${row}" if last else ""
        return f"{name}!${letters(column)}${row}{end}"


def letters(column: int) -> str:
    """Returns the letters of a column number from 1."""
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


@dataclass(slots=True)
class Plan:
    """A whole workbook.

    Attributes:
        sheets: in the order of their tabs.
        names: defined names and the absolute address of each.
    """

    sheets: list[Sheet] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)

    def sheet(self, title: str) -> Sheet:
        """Returns a sheet by title.

        Raises:
            KeyError: there is no such sheet.
        """
        for sheet in self.sheets:
            if sheet.title == title:
                return sheet
        raise KeyError(title)
