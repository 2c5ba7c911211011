"""Where each character of a YAML scalar's value stands in the file.

The scalar is read once more by the folding and escaping rules of its style. The caller gets positions only if that
reading gives the parser's value, so a rare construct costs precision, never correctness.
"""

from __future__ import annotations

import re
from itertools import pairwise

_LINES = re.compile(r"\r\n?|\n")
_FOLD = re.compile(r"[ \t]*(?:\r\n?|\n)[ \t\r\n]*")
_ESCAPED_BREAK = re.compile(r"\\(?:\r\n?|\n)[ \t]*")
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}
_ESCAPES = {
    "0": "\0", "a": "\a", "b": "\b", "t": "\t", "\t": "\t", "n": "\n", "v": "\v", "f": "\f", "r": "\r", "e": "\x1b",
    " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip

_Piece = tuple[str, int, int]  # a character of the value, and the stretch [start, end) that stands for it


def value_offsets(text: str, start: int, end: int, value: str, style: str) -> list[tuple[int, int]] | None:
    """Returns the stretch of `text` that stands for each character of `value`, None if that cannot be told.

    Args:
        text: the whole file.
        start: offset of the scalar's first character, a quote or block indicator included.
        end: offset behind the scalar's last character.
        value: the scalar's value as text.
        style: "" plain, `'` or `"` quoted, `|` or `>` block.
    """
    if style in ("|", ">"):
        return _block_offsets(text, start, end, value, folded=style == ">")
    inset = 1 if style else 0
    try:
        pieces = _flow_pieces(text, start + inset, end - inset, style)
    except (IndexError, KeyError, ValueError):
        return None
    if "".join(piece[0] for piece in pieces) != value:
        return None
    return [(begin, stop) for _, begin, stop in pieces]


def _flow_pieces(text: str, position: int, end: int, style: str) -> list[_Piece]:
    pieces: list[_Piece] = []
    while position < end:
        char = text[position]
        fold = _FOLD.match(text, position, end) if char in " \t\r\n" else None
        if fold:
            breaks = len(_LINES.findall(fold.group()))
            pieces.extend((folded, position, position + 1) for folded in ("\n" * (breaks - 1) or " "))
            position = fold.end()
        elif char == "'" and style == "'":
            pieces.append((char, position, position + 2))
            position += 2
        elif char == "\\" and style == '"':
            escaped_break = _ESCAPED_BREAK.match(text, position, end)
            if escaped_break:
                position = escaped_break.end()
                continue
            letter = text[position + 1]
            length = 2 + _HEX_DIGITS.get(letter, 0)
            digits = text[position + 2 : position + length]
            pieces.append((chr(int(digits, 16)) if digits else _ESCAPES[letter], position, position + length))
            position += length
        else:
            pieces.append((char, position, position + 1))
            position += 1
    return pieces


def _block_offsets(text: str, start: int, end: int, value: str, *, folded: bool) -> list[tuple[int, int]] | None:
    breaks = [match.span() for match in _LINES.finditer(text, start, end)]
    lines = [(before[1], after[0]) for before, after in pairwise([*breaks, (end, end)])]  # without the header line
    widths = [stop - begin - len(text[begin:stop].lstrip(" ")) for begin, stop in lines if text[begin:stop].strip(" ")]
    if not widths:
        return None
    # The first line tells the indentation, unless the header does (`|2`): then it may begin with spaces of its own.
    for indent in range(widths[0], -1, -1):
        pieces = _block_pieces(text, lines, indent, folded=folded)
        if "".join(piece[0] for piece in pieces).rstrip("\n") == value.rstrip("\n"):
            offsets = [(begin, stop) for _, begin, stop in pieces[: len(value)]]
            return offsets + [(end, end)] * (len(value) - len(offsets))
    return None


def _block_pieces(text: str, lines: list[tuple[int, int]], indent: int, *, folded: bool) -> list[_Piece]:
    pieces: list[_Piece] = []
    previous_end: int | None = None  # end of the last line with content
    previous_set_in = False
    blanks: list[_Piece] = []
    for begin, stop in lines:
        content = begin + indent
        if content >= stop:
            blanks.append(("\n", begin, begin + 1))
            continue
        set_in = text[content] in " \t"
        if previous_end is not None:
            join = (previous_end, previous_end + 1)
            if not folded or previous_set_in or set_in:
                pieces.append(("\n", *join))
            elif not blanks:
                pieces.append((" ", *join))
        pieces.extend(blanks)
        blanks = []
        pieces.extend((text[offset], offset, offset + 1) for offset in range(content, stop))
        previous_end, previous_set_in = stop, set_in
    if previous_end is not None:
        pieces.append(("\n", previous_end, previous_end + 1))
    return pieces
