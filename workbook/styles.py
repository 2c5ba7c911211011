"""How cells look: one style a purpose, so that a person sees what to type into and what is computed."""

from __future__ import annotations

from dataclasses import dataclass

FONT = "Arial"


@dataclass(frozen=True, slots=True)
class Style:
    """Look of a cell; colours are RRGGBB, sizes in points, `format` is a number format."""

    bold: bool = False
    italic: bool = False
    size: float = 10
    color: str = "000000"
    fill: str | None = None
    format: str = "General"
    align: str | None = None
    indent: int = 0
    shrink: bool = False
    wrap: bool = False
    underline: bool = False
    border: bool = False
    top: bool = False
    locked: bool = True
    mono: bool = False


_INPUT = "FFF8D6"
_HEAD = "1F3864"
_GROUP = "D9E2F3"
_SIZE = "#,##0.00"
_VALUE = "General"

STYLES: dict[str, Style] = {
    "plain": Style(),
    "title": Style(bold=True, size=16, color=_HEAD),
    "section": Style(bold=True, size=12, color=_HEAD),
    "header": Style(bold=True, color="FFFFFF", fill=_HEAD, wrap=True, align="left"),
    "header_right": Style(bold=True, color="FFFFFF", fill=_HEAD, wrap=True, align="right"),
    "header_center": Style(bold=True, color="FFFFFF", fill=_HEAD, wrap=True, align="center"),
    "index": Style(bold=True, color="FFFFFF", fill=_HEAD, align="right"),
    "group": Style(bold=True, color=_HEAD, fill=_GROUP),
    "label": Style(),
    "label_main": Style(bold=True, shrink=True),
    "label_long": Style(shrink=True),
    "label_total": Style(bold=True, top=True),
    "quiet": Style(color="595959", size=9),
    "unit": Style(color="595959", size=9, indent=1),
    "wrapped": Style(wrap=True, size=9),
    "message": Style(wrap=True, size=9, indent=1),
    "label_wrapped": Style(wrap=True),
    "chart_title": Style(bold=True, color=_HEAD),
    "left": Style(align="left"),
    "right": Style(align="right", size=9),
    "right_word": Style(align="right", size=9, bold=True, color=_HEAD),
    "code": Style(color="404040", size=8, mono=True),
    "code_apart": Style(color="404040", size=8, mono=True, indent=1),
    "link": Style(color="0563C1", underline=True, size=9),
    "input": Style(fill=_INPUT, border=True, color="0000C0", align="right", locked=False),
    "input_count": Style(fill=_INPUT, border=True, color="0000C0", format="#,##0", align="right", locked=False),
    "input_text": Style(fill=_INPUT, border=True, color="0000C0", align="right", locked=False),
    "input_choice": Style(fill=_INPUT, border=True, color="0000C0", align="left", locked=False),
    "fixed": Style(color="7F7F7F", fill="F2F2F2", size=9, align="right"),
    "active": Style(bold=True, align="right"),
    "active_count": Style(bold=True, format="#,##0", align="right"),
    "value": Style(format=_VALUE, align="right"),
    "value_total": Style(format=_VALUE, align="right", bold=True, top=True),
    "number": Style(format="#,##0", align="right"),
    "size": Style(format=_SIZE, align="right"),
    "size_quiet": Style(format=_SIZE, align="right", size=9, color="595959"),
    "size_total": Style(format=_SIZE, align="right", bold=True, top=True),
    "change": Style(format="+#,##0.00;-#,##0.00;0.00", align="right", italic=True, color="595959"),
    "of_capacity": Style(format='0.0%" of capacity"', align="right", color="595959"),
    "percent": Style(format="0.0%", align="right"),
    "percent_total": Style(format="0.0%", align="right", bold=True, top=True),
    "bar": Style(format=";;;"),
    "helper": Style(color="7F7F7F", size=9, align="right"),
    "faint": Style(color="BFBFBF", align="right"),
    "center": Style(align="center", wrap=True, size=9),
    "status": Style(align="center", bold=True, size=9),
    "big": Style(bold=True, size=14, format=_SIZE, align="right"),
    "big_text": Style(bold=True, size=12, align="left"),
    "verdict": Style(bold=True, size=20, align="center"),
}

HIGHLIGHTS: dict[str, Style] = {
    "good": Style(color="006100", fill="C6EFCE"),
    "middling": Style(color="7F6000", fill="FFEB9C"),
    "bad": Style(color="9C0006", fill="FFC7CE"),
    "whole": Style(color="595959", fill="F2F2F2"),
    "plain_note": Style(color="1F3864", fill="DDEBF7"),
    "changed": Style(color="C55A11", fill="FCE4D6"),
    "stale": Style(color="A6A6A6", fill="F2F2F2"),
}
"""Looks that a condition gives to a cell; of these only colours count."""


PAD = 4
"""Points of a row's height that its lines do not take."""
ONE_LINE = 16.5
"""Height in points of a row with one line."""


def height_of(*texts: tuple[str, float]) -> float:
    """Returns the height in points of a row of wrapped texts, each with the width of its column in digits.

    Letters are narrower than digits, the more so as prose is a size smaller; a part of that goes to broken words.
    """
    lines = max(-(-len(text) // max(1, int(width * 1.2))) for text, width in texts)
    return PAD + (ONE_LINE - PAD) * max(1, lines)
