"""Decides the conditions of a shell script where their values are known."""

from __future__ import annotations

import fnmatch
import operator
from collections.abc import Callable, Sequence

from engine.importing.words import Piece, Word, plain

Truth = bool | None
"""None where it cannot be known."""

_NUMBERS: dict[str, Callable[[int, int], bool]] = {
    "-eq": operator.eq, "-ne": operator.ne, "-lt": operator.lt, "-le": operator.le, "-gt": operator.gt,
    "-ge": operator.ge,
}  # fmt: skip
_TEXTS = ("=", "==", "!=", "<", ">", "=~")


def decide(words: Sequence[Word], *, patterns: bool) -> Truth:
    """Decides what stands between `[` and `]`.

    Args:
        words: the words; a variable that nothing sets counts as empty, as for a shell that knows nothing else.
        patterns: whether the right side of `==` may be a pattern, as between `[[` and `]]`.
    """
    reader = _Reader(list(words), patterns)
    found = reader.either()
    return found if reader.at == len(reader.words) else None


def text_of(word: Word) -> str | None:
    """Returns the text of a word, without what nothing sets; None where it is not known."""
    known = [piece for piece in word if not piece.unset]
    return None if any(piece.unknown for piece in known) else plain(known)


def matches(word: Word, pattern: Word) -> Truth:
    """Whether a word is of a pattern; quoted signs of the pattern stand for themselves."""
    text, shape = text_of(word), _shape(pattern)
    return None if text is None or shape is None else fnmatch.fnmatchcase(text, shape)


def _shape(pattern: Word) -> str | None:
    if text_of(pattern) is None:
        return None
    return "".join(_escaped(piece) if piece.quoted else piece.text for piece in pattern if not piece.unset)


def _escaped(piece: Piece) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in piece.text)


def negated(truth: Truth) -> Truth:
    """Returns the contrary."""
    return None if truth is None else not truth


class _Reader:
    def __init__(self, words: list[Word], patterns: bool) -> None:
        self.words = words
        self.patterns = patterns
        self.at = 0

    def _next(self, *operators: str) -> bool:
        """Passes an operator, which has no quotes, if it is one of these."""
        if self.at < len(self.words) and plain(self.words[self.at]) in operators:
            self.at += 1
            return True
        return False

    def either(self) -> Truth:
        found = self.both()
        while self._next("||", "-o"):
            other = self.both()
            found = True if found is True or other is True else None if None in (found, other) else False
        return found

    def both(self) -> Truth:
        found = self.single()
        while self._next("&&", "-a"):
            other = self.single()
            found = False if found is False or other is False else None if None in (found, other) else True
        return found

    def single(self) -> Truth:
        if len(self.words) - self.at > 1 and self._next("!"):
            return negated(self.single())
        if self._next("("):
            found = self.either()
            self._next(")")
            return found
        rest = self.words[self.at :]
        if len(rest) >= 3 and (plain(rest[1]) in _NUMBERS or plain(rest[1]) in _TEXTS):
            self.at += 3
            return self._compared(rest[0], plain(rest[1]), rest[2])
        if len(rest) >= 2 and len(plain(rest[0])) == 2 and plain(rest[0]).startswith("-"):
            self.at += 2
            text = text_of(rest[1])
            if plain(rest[0]) == "-v":
                return None
            return (
                None if text is None or plain(rest[0]) not in ("-z", "-n") else (text == "") == (plain(rest[0]) == "-z")
            )
        if not rest:
            return False
        self.at += 1
        text = text_of(rest[0])
        return None if text is None else text != ""

    def _compared(self, left: Word, sign: str, right: Word) -> Truth:
        one, other = text_of(left), text_of(right)
        if sign in _NUMBERS:
            if one is None or other is None:
                return None
            try:
                return _NUMBERS[sign](int(one or "0"), int(other or "0"))
            except ValueError:
                return None
        if sign in ("=", "==", "!="):
            found = matches(left, right) if self.patterns else None if None in (one, other) else one == other
            return negated(found) if sign == "!=" else found
        if one is None or other is None or sign == "=~":
            return None
        return one < other if sign == "<" else one > other
