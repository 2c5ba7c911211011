"""Cells of a planned workbook: what stands where, before any file format comes into play."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from workbook.styles import ONE_LINE, height_of

if TYPE_CHECKING:
    from workbook.context import Context

Kind = Literal["text", "number", "formula"]
Role = Literal["rule", "input", "reference", "presentation"]
"""What a formula is: a rule's, that of an input's active value, one that points at a cell, or one that presents."""
Shown = float | int | str
"""What a formula cell shows; an error is a text such as `#N/A`."""

NAME_HEADER = "Name in formulas"
"""Header of the column that holds the id of an input or rule on every sheet of such rows; readers look for it."""

HERE = "\x00"
"""Stands for the letters of the column in a formula that is printed once and then put into many columns."""


@dataclass(frozen=True, slots=True)
class Source:
    """What of the engine's result a formula cell shows.

    Attributes:
        id: rule, check or name that an input provides.
        index: position in a vector, -1 for the last, None for a single value.
        variant: number of the scenario whose result is meant; None for the one that is selected.
    """

    id: str
    index: int | None = None
    variant: int | None = None


class Presented(NamedTuple):
    """A formula that only presents (see `workbook.sheets.present`), and what it shows."""

    text: str
    expect: Callable[[Context], Shown]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell.

    Attributes:
        row: from 1.
        column: from 1.
        kind: a formula's content has no leading `=`.
        content: text, number or formula; None for an empty cell that is typed into or only has a style.
        style: name of a style in `workbook.styles`.
        source: what of the engine's result it shows, for a formula that is printed from a rule or an input.
        expect: what it shows, for a formula that only presents.
        role: what a formula is.
        link: address that the cell links to: `https://…`, or `#'Sheet'!A1` within the workbook.
    """

    row: int
    column: int
    kind: Kind
    content: Any
    style: str = "plain"
    source: Source | None = None
    expect: Callable[[Context], Shown] | None = None
    role: Role = "presentation"
    link: str | None = None

    @property
    def address(self) -> str:
        """Address within the sheet, such as `B7`."""
        return f"{letters(self.column)}{self.row}"


@dataclass(frozen=True, slots=True)
class Validation:
    """What may be typed into a range.

    Attributes:
        range: such as `D7:J7`.
        kind: `list` or `custom`.
        formula: the list's range or texts, or the condition, without a leading `=`.
        message: what is told to a person who types something else.
    """

    range: str
    kind: Literal["list", "custom"]
    formula: str
    message: str


@dataclass(frozen=True, slots=True)
class Highlight:
    """A style that a range takes where a condition holds.

    Attributes:
        range: such as `A7:J9`.
        condition: a formula for the first cell of the range, without a leading `=`.
        style: name of a style in `workbook.styles.HIGHLIGHTS`.
    """

    range: str
    condition: str
    style: str


@dataclass(slots=True)
class Sheet:
    """One sheet: its cells by position, and how it looks.

    Attributes:
        title: as shown on the tab.
        cells: by row and column.
        widths: column widths in characters.
        heights: row heights in points.
        freeze: first row and column that scroll.
        outline: level of rows that fold below a heading.
        folded_columns: first and last column of ranges of helper columns, folded.
        merged: ranges that are one cell.
        tab: colour of the tab, RRGGBB.
        protected: whether only cells of style `input` can be changed.
        print_rows: rows that are repeated on each printed page.
        print_columns: number of columns that are printed; None for all.
        print_last: last row that is printed; None for the last of all.
        print_tall: pages that lie below each other; 0 for as many as it takes.
        print_wide: pages that lie beside each other; the first column is repeated where there are several.
    """

    title: str
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)
    widths: dict[int, float] = field(default_factory=dict)
    heights: dict[int, float] = field(default_factory=dict)
    freeze: tuple[int, int] = (1, 1)
    validations: list[Validation] = field(default_factory=list)
    highlights: list[Highlight] = field(default_factory=list)
    outline: dict[int, int] = field(default_factory=dict)
    folded_columns: list[tuple[int, int]] = field(default_factory=list)
    merged: list[str] = field(default_factory=list)
    tab: str | None = None
    protected: bool = False
    print_rows: tuple[int, int] | None = None
    print_columns: int | None = None
    print_last: int | None = None
    print_tall: int = 0
    print_wide: int = 1

    def put(self, row: int, column: int, content: Any, style: str = "plain", *, link: str | None = None) -> None:
        """Puts a text or number; None puts an empty cell."""
        kind: Kind = "number" if isinstance(content, int | float) else "text"
        self.cells[row, column] = Cell(row, column, kind, content, style, link=link)

    def put_long(self, row: int, column: int, text: str, width: float, style: str = "label_wrapped") -> None:
        """Puts a text that takes more lines, and a higher row, where it is longer than its column is wide."""
        self.put(row, column, text, style)
        self.heights[row] = max(height_of((text, width)), self.heights.get(row, ONE_LINE))

    def formula(
        self, row: int, column: int, text: str, source: Source, style: str = "value", *, role: Role = "rule"
    ) -> None:
        """Puts a formula that shows something of the engine's result."""
        self.cells[row, column] = Cell(row, column, "formula", text, style, source, role=role)

    def present(self, row: int, column: int, presented: Presented, style: str = "plain") -> None:
        """Puts a formula that only presents: a choice among cells, a scaled number, a joined text."""
        self.cells[row, column] = Cell(row, column, "formula", presented.text, style, expect=presented.expect)

    def formulas(self) -> Iterator[Cell]:
        """Yields the formula cells."""
        return (cell for cell in self.cells.values() if cell.kind == "formula")

    def address(self, row: int, column: int, *, last: int | None = None) -> str:
        """Returns the absolute address of a cell, or of a row of cells up to the column `last`."""
        return f"{self.quoted}!{absolute(row, column)}" + (f":{absolute(row, last)}" if last else "")

    @property
    def quoted(self) -> str:
        """The title as formulas write it."""
        return self.title if self.title.isidentifier() else "'" + self.title.replace("'", "''") + "'"


@cache
def letters(column: int) -> str:
    """Returns the letters of a column number from 1."""
    text = ""
    while column:
        column, rest = divmod(column - 1, 26)
        text = chr(65 + rest) + text
    return text


def absolute(row: int, column: int) -> str:
    """Returns the absolute address of a cell within its sheet, such as `$B$7`."""
    return f"${letters(column)}${row}"


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart of stacked bars with a line, and the cells that it draws.

    Attributes:
        anchor: its upper left cell.
        columns: width in columns of its sheet.
        rows: height in rows.
        sheet: title of the sheet with the data.
        header: row of the names of the series.
        last: last row of the data.
        labels: column of the labels.
        parts: columns of the stacked series.
        capacity: column of the line.
    """

    anchor: str
    columns: int
    rows: int
    sheet: str
    header: int
    last: int
    labels: int
    parts: tuple[int, ...]
    capacity: int | None


@dataclass(slots=True)
class Plan:
    """A whole workbook.

    Attributes:
        sheets: in the order of their tabs.
        names: defined names and the absolute address of each.
        charts: the chart of a sheet, by title.
    """

    sheets: list[Sheet] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    charts: dict[str, Chart] = field(default_factory=dict)

    def sheet(self, title: str) -> Sheet:
        """Returns a sheet by title.

        Raises:
            KeyError: there is no such sheet.
        """
        for sheet in self.sheets:
            if sheet.title == title:
                return sheet
        raise KeyError(title)
