"""Compares lines as code: without comments, docstrings and layout, but with the nesting of statements."""

from __future__ import annotations

import io
import re
import tokenize
from dataclasses import dataclass

from engine.audit.places import Lines

_PASSED_OVER = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.INDENT, tokenize.DEDENT})
_WORD = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Token:
    """A token: `indent` is the column of the first token of a statement, None for the others."""

    text: str
    first: int
    last: int
    indent: int | None
    docstring: bool = False


def python_tokens(text: str, before: int = 0) -> list[Token] | None:
    """Splits Python statements that begin after so many lines of a file; None where this Python cannot."""
    tokens: list[Token] = []
    line: list[tokenize.TokenInfo] = []
    try:
        for found in tokenize.generate_tokens(io.StringIO(text).readline):
            if found.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
                tokens.extend(_logical_line(line, before))
                line = []
            elif found.type not in _PASSED_OVER:
                line.append(found)
    except (tokenize.TokenError, SyntaxError, RecursionError):
        return None
    return tokens


def _logical_line(line: list[tokenize.TokenInfo], before: int) -> list[Token]:
    alone = len(line) == 1 and line[0].type == tokenize.STRING
    return [
        Token(one.string, one.start[0] + before, one.end[0] + before, one.start[1] if position == 0 else None, alone)
        for position, one in enumerate(line)
    ]


def code(tokens: list[Token], lines: Lines) -> tuple[str | int, ...]:
    """Returns what the tokens of some lines say: their texts, and how far each statement is indented.

    Indentation counts from the first statement that begins in the lines. Docstrings are left out unless there is
    nothing else.
    """
    inside = [one for one in tokens if one.first <= lines.last and lines.first <= one.last]
    said = [one for one in inside if not one.docstring] or inside
    base = next((one.indent for one in said if one.indent is not None), 0)
    result: list[str | int] = []
    for one in said:
        if one.indent is not None:
            result.append(one.indent - base)
        result.append(one.text)
    return tuple(result)


def words(lines: list[str]) -> tuple[str, ...]:
    """Returns the words and signs of lines in a language without a tokenizer here."""
    return tuple(word for line in lines for word in _WORD.findall(line))
