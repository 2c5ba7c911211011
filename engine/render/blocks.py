"""Blocks of a page, laid out as text for a terminal and as Markdown."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from engine.render.table import aligned, fitted

NO_BREAK = "\N{NO-BREAK SPACE}"
"""Stands between words that stay on one line."""

_BREAKS = re.compile(r"[^,+\-*/]+[,+\-*/]?|[,+\-*/]")  # where an Excel formula may go on in the next line
_PATH = re.compile(r"[^ /]*/|[^ /]+| ")
_INDENT = "  "
_LEAST = 16  # cells that the last column keeps


@dataclass(frozen=True, slots=True)
class Prose:
    """A sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Code:
    """A formula, in the language `text`, `latex` or `excel`."""

    text: str
    language: str = "text"


@dataclass(frozen=True, slots=True)
class Cited:
    """A citation: its written form, link and note."""

    text: str
    url: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class Facts:
    """Short labels with what they stand for."""

    facts: Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Rows:
    """A table; `align` has one of `<` and `>` a column. Without a head, the last column is shortened to fit."""

    rows: Sequence[Sequence[str]]
    head: Sequence[str] = ()
    align: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """Lines of a file with their numbers, which stay as they are."""

    lines: Sequence[tuple[int, str]]


Part = Prose | Code | Cited | Facts | Rows | Listing


@dataclass(frozen=True, slots=True)
class Block:
    """A heading and what stands under it."""

    heading: str
    parts: Sequence[Part]


def as_text(head: Iterable[str], blocks: Iterable[Block], width: int) -> str:
    """Lays a page out for a terminal.

    Args:
        head: lines above all blocks.
        blocks: what follows, a blank line before each.
        width: columns to fill; links are kept whole even where they are longer.
    """
    lines = [line for text in head for line in textwrap.wrap(text, width)]
    for block in blocks:
        lines += [*[""] * bool(lines), *_filled(block.heading, width)]
        for part in block.parts:
            lines += [_INDENT + line for line in _text(part, width - len(_INDENT))]
    return "\n".join(line.replace(NO_BREAK, " ").rstrip() for line in lines) + "\n"


def as_markdown(head: Sequence[str], blocks: Iterable[Block]) -> str:
    """Lays a page out as Markdown; `head` holds its first paragraphs."""
    paragraphs = list(head)
    for block in blocks:
        paragraphs.append(f"## {block.heading}")
        paragraphs += [_markdown(part) for part in block.parts]
    return "\n\n".join(paragraph.replace(NO_BREAK, " ") for paragraph in paragraphs) + "\n"


def _text(part: Part, width: int) -> Iterator[str]:
    match part:
        case Prose():
            yield from _filled(part.text, width)
        case Code(language="excel"):
            yield from _excel(part.text, width)
        case Code():
            for line in part.text.splitlines():
                yield from _filled(line, width)
        case Cited():
            yield from _citation(part, width)
        case Facts():
            margin = max(len(label) for label, _ in part.facts) + 2
            for label, fact in part.facts:
                first, *more = _filled(fact, width - margin)
                yield label.ljust(margin) + first
                yield from (" " * margin + line for line in more)
        case Listing():
            yield from _numbered(part)
        case Rows():
            for piece in _pieces(part, width):
                yield from _rows(piece, width)


def _numbered(listing: Listing) -> Iterator[str]:
    margin = len(str(listing.lines[-1][0])) if listing.lines else 0
    for number, line in listing.lines:
        plain = "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in line.expandtabs(4))
        yield f"{number:>{margin}}  {plain}"


def _pieces(table: Rows, width: int) -> Iterator[Rows]:
    """Splits a table with a head that is too wide into several, each with the first column again."""
    if not table.head:
        yield table
        return
    widths = [max(len(row[column]) for row in (table.head, *table.rows)) + 2 for column in range(len(table.head))]
    start = 1
    while start < len(widths):
        stop = start + 1
        while stop < len(widths) and widths[0] + sum(widths[start : stop + 1]) - 2 <= width:
            stop += 1
        rows = [[row[0], *row[start:stop]] for row in table.rows]
        yield Rows(rows, [table.head[0], *table.head[start:stop]], table.align[0] + table.align[start:stop])
        start = stop


def _rows(table: Rows, width: int) -> Iterator[str]:
    rows = [table.head, *table.rows] if table.head else table.rows
    for *cells, last in aligned(rows, table.align or "<" * len(rows[0])) if rows else ():
        start = "".join(f"{cell}  " for cell in cells)
        yield start + fitted(last.rstrip(), max(width - len(start), _LEAST))


def _filled(text: str, width: int) -> list[str]:
    # a word that is longer than the line is kept whole: it is a name or a part of a formula
    lines = textwrap.wrap(
        text, max(width, _LEAST), subsequent_indent=_INDENT, break_long_words=False, break_on_hyphens=False
    )
    return lines or [""]


def _citation(cited: Cited, width: int) -> Iterator[str]:
    yield from folded(cited.text, width)
    if cited.url:
        yield _INDENT + cited.url  # kept whole, so that a terminal makes it a link
    if cited.note:
        yield from (_INDENT + line for line in _filled(cited.note, width - len(_INDENT)))


def folded(citation: str, width: int) -> list[str]:
    """Breaks the written form of a citation: before ` in symbol`, and a path that is longer than a line after a `/`."""
    lines = [""]
    for piece in _PATH.findall(f" in{NO_BREAK}".join(citation.rsplit(" in ", 1))):
        if len(lines[-1] + piece.rstrip()) > width and lines[-1].strip():
            lines[-1] = lines[-1].rstrip()
            lines.append(_INDENT)
        rest = piece if lines[-1].strip() else piece.lstrip()
        while len(lines[-1] + rest.rstrip()) > width:  # a single name that is longer than a line
            cut = width - len(lines[-1])
            lines[-1:] = [lines[-1] + rest[:cut], _INDENT]
            rest = rest[cut:]
        lines[-1] += rest
    return [line.replace(NO_BREAK, " ") for line in lines]


def _excel(formula: str, width: int) -> Iterator[str]:
    """Breaks a formula after operators; a spreadsheet reads it with the line breaks, too."""
    line = ""
    for piece in _BREAKS.findall(formula):
        if line and len(line) + len(piece) > width:
            yield line
            line = _INDENT
        line += piece
    yield line


def _markdown(part: Part) -> str:
    match part:
        case Prose():
            return part.text
        case Code(language="latex"):
            return f"$$\n{part.text}\n$$"
        case Code():
            return f"```{'' if part.language == 'text' else part.language}\n{part.text}\n```"
        case Cited():
            link = f"[{part.text}]({part.url})" if part.url else part.text
            return f"- {link}" + (f": {part.note}" if part.note else "")
        case Facts():
            return "\n".join(f"- {label}: {fact}" for label, fact in part.facts)
        case Listing():
            return "````\n" + "\n".join(_numbered(part)) + "\n````"
        case Rows() if part.head:
            rule = ["---:" if sign == ">" else "---" for sign in part.align]
            return "\n".join("| " + " | ".join(row) + " |" for row in (part.head, rule, *part.rows))
    return "\n".join(f"- `{row[0]}` {', '.join(cell for cell in row[1:] if cell)}" for row in part.rows)
