"""Plain-text tables and bars for a terminal of fixed-width cells."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

_EIGHTHS = "▏▎▍▌▋▊▉"


def cells(text: str) -> int:
    """Returns how many terminal cells a text takes."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(sign) else 2 if unicodedata.east_asian_width(sign) in "WF" else 1 for sign in text
    )


def fitted(text: str, width: int) -> str:
    """Shortens a text to a number of cells, with an ellipsis where something was cut."""
    if cells(text) <= width:
        return text
    kept = ""
    for sign in text:
        if cells(kept + sign) > width - 1:
            break
        kept += sign
    return kept.rstrip() + "…" if width > 0 else ""


def padded(text: str, width: int, align: str = "<") -> str:
    """Pads a text to a number of cells, to the left (`<`) or right (`>`)."""
    space = " " * max(0, width - cells(text))
    return space + text if align == ">" else text + space


def aligned(rows: Sequence[Sequence[str]], align: str) -> list[list[str]]:
    """Pads all cells of a table to the widths of their columns.

    Args:
        rows: cells; each row has one a column.
        align: one of `<` and `>` a column.
    """
    widths = [max(map(cells, column)) for column in zip(*rows, strict=True)]
    return [[padded(*each) for each in zip(row, widths, align, strict=True)] for row in rows]


def bar(part: float, width: int) -> str:
    """Returns a bar for a part between 0 and 1; anything above zero shows."""
    eighths = max(round(min(part, 1.0) * width * 8), 1 if part > 0 else 0)
    full, rest = divmod(eighths, 8)
    return "█" * full + (_EIGHTHS[rest - 1] if rest else "")


def wrapped(words: Sequence[str], width: int, indent: int = 0, separator: str = ", ") -> list[str]:
    """Fills lines with items; the first line is indented by its caller, the others here.

    Args:
        words: items that are not broken.
        width: cells of a line, indent included.
        indent: cells before each line.
        separator: between items.
    """
    lines: list[str] = []
    for position, word in enumerate(words):
        text = word + (separator.rstrip() if position < len(words) - 1 else "")
        glue = separator[len(separator.rstrip()) :]
        if lines and indent + cells(lines[-1] + glue + text) <= width:
            lines[-1] += glue + text
        else:
            lines.append(text)
    return [lines[0], *(" " * indent + line for line in lines[1:])] if lines else []
