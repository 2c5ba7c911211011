"""Places in a source: lines of a file, as citations and commands write them."""

from __future__ import annotations

import re
from dataclasses import dataclass

_RANGE = re.compile(r"L([1-9][0-9]{0,8})(?:-L?([1-9][0-9]{0,8}))?\Z")
_WRITTEN = re.compile(
    r"(?:(?P<repo>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{4,40}):|(?P<alias>[a-z][a-z0-9_]*):)?(?P<rest>.+)\Z"
)
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True, order=True)
class Lines:
    """Lines of a file: both ends count from 1 and are included."""

    first: int
    last: int

    def __str__(self) -> str:
        return f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"

    def __len__(self) -> int:
        return self.last - self.first + 1

    def __contains__(self, line: int) -> bool:
        return self.first <= line <= self.last

    def overlaps(self, other: Lines) -> bool:
        """Whether the two have a line in common."""
        return self.first <= other.last and other.first <= self.last

    def numbers(self) -> range:
        """Returns the line numbers."""
        return range(self.first, self.last + 1)


@dataclass(frozen=True, slots=True)
class Place:
    """Lines of a file of a source, and the symbol that they are in (empty at module level)."""

    path: str
    lines: Lines
    symbol: str = ""

    def __str__(self) -> str:
        return f"{self.path}#{self.lines}" + (f" in {self.symbol}" if self.symbol else "")


@dataclass(frozen=True, slots=True)
class Reference:
    """A place as a person writes it: `repo` or `alias` may be left out, and so may the lines."""

    path: str
    lines: Lines | None
    alias: str | None = None
    repo: str | None = None


def parse_lines(text: str) -> Lines:
    """Reads `L5` or `L5-L9`.

    Raises:
        ValueError: the text is not of this form, or the lines run backwards.
    """
    match = _RANGE.match(text)
    if match is None:
        raise ValueError(f"`{text}` is not of the form L5 or L5-L9")
    lines = Lines(int(match[1]), int(match[2] or match[1]))
    if lines.last < lines.first:
        raise ValueError(f"the lines run backwards: {lines}")
    return lines


def parse_where(where: str) -> tuple[str, Lines]:
    """Reads `path#L5-L9`, the part of a citation after its alias.

    Raises:
        ValueError: the text is not of this form.
    """
    path, sign, lines = where.rpartition("#")
    if not sign:
        raise ValueError(f"`{where}` names no lines")
    return path, parse_lines(lines)


def parse_reference(text: str) -> Reference:
    """Reads a place as `path#L5`, `path`, `alias:path#L5` or `owner/repo@commit:path#L5`.

    Raises:
        ValueError: the text is not of this form.
    """
    match = _WRITTEN.match(text.strip())
    if match is None:
        raise ValueError("a place is written path#L5-L9, or alias:path#L5-L9")
    path, sign, lines = match["rest"].partition("#")
    return Reference(path, parse_lines(lines) if sign else None, match["alias"], match["repo"])


def unsafe_path(path: str) -> str | None:
    """Returns why a path of a citation must not be followed; None for a plain path inside a source."""
    parts = path.split("/")
    if path.startswith("-"):
        return "it looks like an option"
    if path.startswith("/") or re.match(r"[A-Za-z]:", path):
        return "it is not relative to the checkout"
    if "\\" in path or _CONTROL.search(path) or "" in parts:
        return "it is not a plain path"
    if any(part in (".", "..") for part in parts):
        return "it leads out of its folder"
    if any(part.casefold() == ".git" for part in parts):
        return "it leads into the repository's own files"
    return None
