"""Words of a shell script: pieces of text that remember where they stand, and whether they are known."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from engine.diagnostics import Source, Span

MAX_TEXT = 200_000
BLANKS = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text.

    Attributes:
        text: the text; for one that is not known, what stands in the script in its place.
        start: offset in the source at which it stands, below 0 if it stands elsewhere; `end` is exclusive.
        quoted: whether it stays in one word.
        unknown: why it is not known; empty if it is.
        unset: whether it is not known because nothing sets the variable; a shell would put nothing in its place.
    """

    text: str
    start: int
    end: int
    quoted: bool = False
    unknown: str = ""
    unset: bool = False

    def cut(self, first: int, last: int) -> Piece:
        """Returns the characters from `first` to `last`, with their own place where each has one."""
        if self.end - self.start != len(self.text):
            return replace(self, text=self.text[first:last])
        return replace(self, text=self.text[first:last], start=self.start + first, end=self.start + last)


Word = tuple[Piece, ...]


def plain(word: Iterable[Piece]) -> str:
    """Returns the text of a word."""
    return "".join(piece.text for piece in word)


def unknown(word: Iterable[Piece]) -> str:
    """Returns why a word is not known, empty if it is."""
    return next((piece.unknown for piece in word if piece.unknown), "")


def place(word: Sequence[Piece]) -> tuple[int, int]:
    """Returns where a word stands: all of it if its pieces follow each other, else its first piece."""
    pieces = [piece for piece in word if piece.text] or word
    start, end = pieces[0].start, pieces[0].end
    for piece in pieces[1:]:
        if not end <= piece.start <= end + 2:  # quotes may stand between
            break
        end = piece.end
    return start, end


def span(word: Sequence[Piece], source: Source) -> Span | None:
    """Returns where a word stands in the source, None if it stands elsewhere."""
    start, end = place(word) if word else (-1, -1)
    return source.span(start, end) if start >= 0 else None


def quoted(word: Iterable[Piece], quoted: bool = True) -> Word:
    """Returns a word whose pieces all stay together, or may all be split."""
    return tuple(replace(piece, quoted=quoted) for piece in word)


def after(word: Iterable[Piece], at: int) -> Word:
    """Returns a word without its first signs."""
    found: list[Piece] = []
    for piece in word:
        if at < len(piece.text):
            found.append(piece.cut(at, len(piece.text)) if at else piece)
        at = max(0, at - len(piece.text))
    return tuple(found)


def split(word: Iterable[Piece]) -> Iterator[Word]:
    """Yields the words that blanks outside quotes separate."""
    current: list[Piece] = []
    for piece in word:
        if piece.quoted or piece.unknown:
            current.append(piece)
            continue
        at = 0
        while at < len(piece.text):
            if piece.text[at] in BLANKS:
                if current:
                    yield tuple(current)
                    current = []
                at += 1
                continue
            stop = next((i for i in range(at, len(piece.text)) if piece.text[i] in BLANKS), len(piece.text))
            current.append(piece.cut(at, stop))
            at = stop
    if current:
        yield tuple(current)


@dataclass(frozen=True, slots=True)
class Script:
    """A text in the shell's language: a file, or a text inside of one that a shell is told to run.

    Attributes:
        origins: offset in the file of each character; None for the file itself.
    """

    text: str
    origins: Sequence[int] | None = None

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Returns where the characters from `start` to `end` stand in the file."""
        if self.origins is None:
            return start, end
        if not self.origins:
            return 0, 0
        last = len(self.origins) - 1
        first, final = self.origins[min(start, last)], self.origins[min(max(start, end - 1), last)]
        return (first, final + 1) if first >= 0 else (-1, -1)

    @classmethod
    def of(cls, word: Iterable[Piece], names: dict[str, Piece]) -> Script:
        """Makes a script of a word; what is not known in it becomes a variable that `names` gets."""
        text: list[str] = []
        origins: list[int] = []
        for piece in word:
            shown = piece.text
            if piece.unknown:
                name = f"_unknown_{len(names)}"
                names[name] = piece
                shown = "${" + name + "}"
            exact = piece.end - piece.start == len(shown)
            text.append(shown)
            origins.extend(range(piece.start, piece.end) if exact else [piece.start] * len(shown))
        return cls("".join(text), origins)
