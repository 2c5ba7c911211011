"""A file of a source, and what an audit asks of it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from functools import cached_property

from engine.audit.places import Lines
from engine.audit.symbols import Symbols, parse_python
from engine.audit.tokens import Token, python_tokens

LIMIT_BYTES = 5_000_000
MOST_TWINS = 300
VERSION = "n1"
"""Version of the normal form of lines; it stands before each digest, since the form will change one day."""

_COMMENT = {
    **dict.fromkeys(("py", "pyi", "yaml", "yml", "sh", "toml", "cfg"), "#"),
    **dict.fromkeys(("c", "h", "cc", "cpp", "cu", "cuh", "hpp", "js", "ts", "rs", "go", "java"), "//"),
}
_INDENTED = ("py", "pyi", "yaml", "yml")
_SURROGATE = re.compile("[\ud800-\udfff]")


class Unreadable(Exception):
    """A file is there but cannot be audited; the text says why."""


class SourceText:
    """A file: its lines, their normal form, symbols and tokens, each worked out when it is first asked for.

    Attributes:
        path: path in its source.
        data: content.
        lines: the lines without their ends; line 1 is `lines[0]`. What is not UTF-8 is kept as lone surrogates.
        keys: the lines with white space collapsed, for comparison of two files.
        norm: `keys` without comments: empty for a line that says nothing.
    """

    def __init__(self, path: str, data: bytes) -> None:
        if len(data) > LIMIT_BYTES:
            raise Unreadable(f"the file is too large: {len(data) / 1e6:,.1f} MB")
        if b"\0" in data:
            raise Unreadable("the file is binary")
        self.path = path
        self.data = data
        text = data.removeprefix(b"\xef\xbb\xbf").decode("utf-8", "surrogateescape")
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        self.lines = [line.removesuffix("\r") for line in lines]
        self.keys = [" ".join(line.split()) for line in self.lines]
        self._tokens: dict[Lines, list[Token] | None] = {}
        sign = _COMMENT.get(self.suffix)
        self.norm = ["" if sign and key.startswith(sign) else key for key in self.keys]

    @property
    def suffix(self) -> str:
        """The end of the file's name."""
        return self.path.rpartition(".")[2].casefold()

    @property
    def python(self) -> bool:
        """Whether the file is Python by its name."""
        return self.suffix in ("py", "pyi")

    @property
    def indented(self) -> bool:
        """Whether indentation has a meaning in the language."""
        return self.suffix in _INDENTED

    @cached_property
    def blob(self) -> str:
        """The id that git gives this content."""
        return hashlib.sha1(b"blob %d\0" % len(self.data) + self.data, usedforsecurity=False).hexdigest()

    @cached_property
    def symbols(self) -> Symbols | None:
        """Functions and classes; None in other languages, or where this Python cannot read the file."""
        tree = parse_python(self._plain()) if self.python else None
        return Symbols(tree) if tree is not None else None

    def tokens(self, lines: Lines) -> list[Token] | None:
        """Returns the Python tokens of the statements around lines; None where there are none to be had."""
        if not self.symbols:
            return None
        around = self.symbols.statements(lines)
        if around not in self._tokens:
            self._tokens[around] = python_tokens(self._plain(around), around.first - 1)
        return self._tokens[around]

    def _plain(self, lines: Lines | None = None) -> str:
        """The text with the same lines and columns, in signs that a parser takes."""
        wanted = self.lines[lines.first - 1 : lines.last] if lines else self.lines
        return _SURROGATE.sub("?", "\n".join(wanted).replace("\r", " ")) + "\n"

    def enclosing(self, lines: Lines) -> str:
        """Returns the symbol that lines are in, empty at module level and where there are no symbols."""
        return self.symbols.enclosing(lines) if self.symbols else ""

    def has(self, lines: Lines) -> bool:
        """Whether the file is long enough."""
        return lines.last <= len(self.lines)

    def said(self, lines: Lines) -> list[int]:
        """Returns the numbers of the lines that say something: neither blank nor a comment alone."""
        return [number for number in lines.numbers() if number <= len(self.norm) and self.norm[number - 1]]

    def coded(self, lines: Lines) -> list[int]:
        """Returns the numbers of the lines that hold more than a docstring; without tokens, of all that say a thing."""
        tokens = self.tokens(lines)
        if tokens is None:
            return self.said(lines)
        code = {number for one in tokens if not one.docstring for number in range(one.first, one.last + 1)}
        return [number for number in self.said(lines) if number in code]

    def said_text(self, lines: Lines) -> tuple[str, ...]:
        """Returns the normal form of what lines say."""
        return tuple(self.norm[number - 1] for number in self.said(lines))

    def digest(self, lines: Lines) -> str:
        """Returns the digest of the normal form of lines."""
        return digest(self.said_text(lines))

    def excerpt(self, lines: Lines) -> list[str]:
        """Returns the lines as they stand, safe to print."""
        return [_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", line) for line in self.lines[lines.first - 1 : lines.last]]

    @cached_property
    def _said(self) -> list[tuple[int, str]]:
        return [(number, text) for number, text in enumerate(self.norm, 1) if text]

    @cached_property
    def _starts(self) -> dict[str, list[int]]:
        starts: dict[str, list[int]] = {}
        for position, (_, text) in enumerate(self._said):
            starts.setdefault(text, []).append(position)
        return starts

    def find(self, wanted: Sequence[str]) -> list[Lines]:
        """Returns where the file says exactly this, whatever blank lines and comments lie between.

        There are at most `MOST_TWINS` of them: a file made of one line over and over would have a million.
        """
        found: list[Lines] = []
        for position in self._starts.get(wanted[0], ()) if wanted else ():
            if len(found) == MOST_TWINS:
                break
            window = self._said[position : position + len(wanted)]
            if len(window) == len(wanted) and all(text == want for (_, text), want in zip(window, wanted, strict=True)):
                found.append(Lines(window[0][0], window[-1][0]))
        return found


def digest(said: Sequence[str]) -> str:
    """Returns the digest of lines in their normal form."""
    return f"{VERSION}:" + hashlib.sha256("\n".join(said).encode("utf-8", "surrogateescape")).hexdigest()
