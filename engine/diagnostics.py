"""Findings about files, rules and presets, and how they are shown: what, where, why, how to mend."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from engine.codes import REGISTRY, Severity

__all__ = ["Diagnostic", "EngineError", "Findings", "Severity", "Source", "Span", "nearest", "render", "summary"]

MAX_FINDINGS = 500

_LINE_BREAK = re.compile(r"\r\n?|\n")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_EXCERPT_WIDTH = 140
_ANSI = {Severity.ERROR: "\x1b[1;31m", Severity.WARNING: "\x1b[1;33m", Severity.NOTE: "\x1b[1;36m"}
_BOLD, _BLUE, _RESET = "\x1b[1m", "\x1b[1;34m", "\x1b[0m"


@dataclass(frozen=True, slots=True)
class Source:
    """A text that findings point into.

    Attributes:
        path: the path as it is shown to the user.
        text: the whole text; empty where there is none to show.
    """

    path: str
    text: str = field(default="", repr=False)
    _starts: list[int] = field(default_factory=list, init=False, repr=False, compare=False)

    def line_starts(self) -> list[int]:
        """Returns the offset at which each line begins; computed once."""
        if not self._starts:
            self._starts.append(0)
            self._starts.extend(match.end() for match in _LINE_BREAK.finditer(self.text))
        return self._starts

    def position(self, offset: int) -> tuple[int, int]:
        """Returns the 1-based line and column of a character offset."""
        starts = self.line_starts()
        line = bisect_right(starts, offset)
        return line, offset - starts[line - 1] + 1

    def span(self, start: int, end: int) -> Span:
        """Returns the span of the characters [start, end)."""
        return Span(self, *self.position(start), *self.position(max(start, end)))

    def whole(self) -> Span:
        """Returns the span that stands for the file as a whole: line 0, shown without a position."""
        return Span(self, 0, 0, 0, 0)

    def line(self, number: int) -> str:
        """Returns the text of a 1-based line without its line break, empty if there is no such line."""
        starts = self.line_starts()
        if not 1 <= number <= len(starts):
            return ""
        stop = starts[number] if number < len(starts) else len(self.text)
        return self.text[starts[number - 1] : stop].rstrip("\r\n")


class Span(NamedTuple):
    """A stretch of a source; lines and columns count from 1, `end_column` is exclusive, line 0 is the whole file."""

    source: Source
    line: int
    column: int
    end_line: int
    end_column: int

    def __str__(self) -> str:
        path = _plain(self.source.path)
        return f"{path}:{self.line}:{self.column}" if self.line else path


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding.

    Attributes:
        code: a code of `engine.codes.REGISTRY`.
        message: what is wrong, in one sentence without a full stop.
        span: where; None if it is in no file.
        help: how to mend it.
        related: other places that explain the finding, each with a remark.
        severity: error, warning or note.
    """

    code: str
    message: str
    span: Span | None = None
    help: str | None = None
    related: tuple[tuple[Span, str], ...] = ()
    severity: Severity = Severity.ERROR

    def __str__(self) -> str:
        return "\n".join(_lines(self, color=False))


class EngineError(Exception):
    """The work cannot be done; `str()` gives all findings as text."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        super().__init__(self.diagnostics)

    def __str__(self) -> str:
        return render(self.diagnostics).rstrip("\n")


_UNKNOWN = ("E303", "E407", "E408")
"""Codes of findings about names that nothing declares."""


class Findings:
    """Collects findings, so that all of them can be shown at once.

    Attributes:
        diagnostics: the findings so far.
        unusable: ids whose declarations have findings; that they are unknown elsewhere is no finding of its own.
    """

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        self.unusable: set[str] = set()

    def add(
        self,
        code: str,
        message: str,
        span: Span | None = None,
        *,
        help: str | None = None,
        related: Sequence[tuple[Span, str]] = (),
        severity: Severity | None = None,
    ) -> None:
        """Adds a finding; its severity is that of the code unless one is given.

        Raises:
            KeyError: the code is not in the registry.
            EngineError: there are `MAX_FINDINGS` already; a hostile file could hold millions.
        """
        if code in _UNKNOWN and any(f"`{id}`" in message for id in self.unusable):
            return
        severity = severity or REGISTRY[code].severity
        if len(self.diagnostics) >= MAX_FINDINGS:
            help_text = "mend these first; the others may come from the same cause"
            stop = Diagnostic("E112", f"stopped after {MAX_FINDINGS} findings", help=help_text)
            raise EngineError([*self.diagnostics, stop])
        self.diagnostics.append(Diagnostic(code, message, span, help, tuple(related), severity))

    @property
    def has_errors(self) -> bool:
        """Whether there is a finding of severity error."""
        return any(item.severity is Severity.ERROR for item in self.diagnostics)

    def sorted(self) -> list[Diagnostic]:
        """Returns the findings by file and position, each once."""
        return _in_order(self.diagnostics)

    def raise_if_errors(self) -> None:
        """Raises all findings, warnings too, if one of them is an error.

        Raises:
            EngineError: there is a finding of severity error.
        """
        if self.has_errors:
            raise EngineError(self.sorted())


def nearest(name: str, candidates: Iterable[str]) -> str | None:
    """Returns the candidate that a misspelt name most likely means, None if none is near.

    A close spelling comes first (`seq_lenght`), then the initials of the words (`mbs` for `micro_batch_size`), then
    the only candidate that begins alike, the last letter not counted (`seqq` for `seq_length`).
    """
    import difflib

    by_folded = {candidate.casefold(): candidate for candidate in candidates}
    folded = name.casefold().lstrip("-").replace("-", "_")
    close = difflib.get_close_matches(folded, by_folded, n=1, cutoff=0.7)
    if close:
        return by_folded[close[0]]
    initials = [key for key in by_folded if "_" in key and "".join(word[:1] for word in key.split("_")) == folded]
    if len(initials) == 1:
        return by_folded[initials[0]]
    stem = folded[:-1]
    alike = [key for key in by_folded if key.startswith(stem)] if len(stem) >= 3 else []
    return by_folded[alike[0]] if len(alike) == 1 else None


def render(diagnostics: Iterable[Diagnostic], *, color: bool = False) -> str:
    """Returns all findings as text, by file and position, then a line that counts them; empty if there are none."""
    ordered = _in_order(diagnostics)
    if not ordered:
        return ""
    blocks = ["\n".join(_lines(item, color=color)) for item in ordered]
    return "\n\n".join([*blocks, summary(ordered)]) + "\n"


def summary(diagnostics: Iterable[Diagnostic]) -> str:
    """Returns the count of findings, such as `3 errors, 1 warning`; `no findings` if there are none."""
    found = [item.severity for item in diagnostics]
    counts = [(found.count(severity), severity) for severity in Severity]
    return ", ".join(f"{count} {kind}{'s' if count > 1 else ''}" for count, kind in counts if count) or "no findings"


def _in_order(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    def key(item: Diagnostic) -> tuple[str, int, int, str, str]:
        if item.span is None:
            return "", 0, 0, item.code, item.message
        return item.span.source.path, item.span.line, item.span.column, item.code, item.message

    return sorted(dict.fromkeys(diagnostics), key=key)


def _lines(item: Diagnostic, *, color: bool) -> list[str]:
    def paint(text: str, style: str) -> str:
        return f"{style}{text}{_RESET}" if color and text else text

    where = f"{item.span}: " if item.span else ""
    message = _plain(item.message)
    kind = paint(f"{item.severity}[{item.code}]", _ANSI[item.severity])
    lines = [f"{paint(where, _BOLD)}{kind}{paint(': ' + message, _BOLD)}"]
    margin = " "
    if item.span and item.span.line and item.span.source.text:
        number = str(item.span.line)
        margin = " " * len(number)
        text, before, marks = _excerpt(item.span)
        lines.append(paint(f" {margin} |", _BLUE))
        lines.append(f"{paint(f' {number} |', _BLUE)} {text}".rstrip())
        lines.append(f"{paint(f' {margin} |', _BLUE)} {before}{paint(marks, _ANSI[item.severity])}")
    remarks = [("help", item.help)] if item.help else []
    remarks += [("note", f"{span}: {remark}") for span, remark in item.related]
    for label, remark in remarks:
        first, *rest = _plain(remark).split("\n")
        lines.append(f" {margin} {paint('=', _BLUE)} {paint(label, _BOLD)}: {first}")
        lines.extend(f" {margin}   {line}" for line in rest)
    return lines


def _excerpt(span: Span) -> tuple[str, str, str]:
    """Returns the first line of a span, what stands before the mark on the line below, and the mark itself."""
    line = span.source.line(span.line)
    start = min(span.column - 1, len(line))
    stop = span.end_column - 1 if span.end_line == span.line else len(line.rstrip())
    stop = max(min(stop, len(line)), start)
    cut_left = cut_right = ""
    if len(line) > _EXCERPT_WIDTH:
        left = max(0, min(start - _EXCERPT_WIDTH // 4, len(line) - _EXCERPT_WIDTH))
        cut_left = "..." if left else ""
        cut_right = "..." if left + _EXCERPT_WIDTH < len(line) else ""
        line = line[left : left + _EXCERPT_WIDTH]
        start, stop = start - left, min(stop - left, _EXCERPT_WIDTH)
    line = _CONTROL.sub("\N{REPLACEMENT CHARACTER}", line)
    before = " " * len(cut_left) + "".join(char if char == "\t" else " " * _width(char) for char in line[:start])
    marks = "^" * max(1, sum(_width(char) for char in line[start:stop]))
    return cut_left + line + cut_right, before, marks


def _width(char: str) -> int:
    """Returns how many terminal cells a character takes."""
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _plain(text: str) -> str:
    """Escapes what would act on a terminal or hide from the reader; texts quote parts of files that others wrote."""
    return _CONTROL.sub(lambda match: ascii(match.group())[1:-1], text)
