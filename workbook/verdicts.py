"""Verdicts in words and colours."""

from __future__ import annotations

from engine.render.text import VERDICTS
from workbook.cells import Highlight, Presented, Shown
from workbook.context import Context

COLORS = {"green": "good", "yellow": "middling", "red": "bad"}
"""Highlight for each colour of a verdict."""


def in_words(shown: Presented) -> Presented:
    """A verdict as people write it."""
    text = shown.text
    for word in VERDICTS:
        if "_" in word:
            text = f'IF({shown.text}="{word}","{word.replace("_", " ")}",{text})'

    def expect(context: Context) -> Shown:
        found = shown.expect(context)
        return found.replace("_", " ") if isinstance(found, str) else found

    return Presented(text, expect)


def coloured(cells: str) -> list[Highlight]:
    """Returns the highlights of a range of verdicts in words."""
    first = cells.partition(":")[0]
    return [
        Highlight(cells, f'{first}="{word.replace("_", " ")}"', COLORS[color]) for word, (_, color) in VERDICTS.items()
    ]
