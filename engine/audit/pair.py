"""A file before and after, with what has become of each line."""

from __future__ import annotations

from functools import cached_property

from engine.audit.align import align
from engine.audit.places import Lines
from engine.audit.source_text import SourceText


class Pair:
    """Two versions of a file.

    Attributes:
        old: the file as it was cited.
        new: the file as it is.
    """

    def __init__(self, old: SourceText, new: SourceText) -> None:
        self.old = old
        self.new = new

    @cached_property
    def _images(self) -> list[int | None]:
        return [None if at is None else at + 1 for at in align(self.old.keys, self.new.keys)]

    @cached_property
    def kept(self) -> frozenset[int]:
        """Lines of the new file that stood in the old one."""
        return frozenset(number for number in self._images if number)

    def image(self, lines: Lines) -> Lines | None:
        """Returns where lines stand now if none that says something was touched and nothing came between them."""
        said = self.old.said(lines)
        images = [found for number in said if (found := self._images[number - 1])]
        if not said or len(images) < len(said) or self.new.said(Lines(images[0], images[-1])) != images:
            return None
        first, last = images[0], images[-1]
        for _ in range(said[0] - lines.first):  # comments and blank lines at the ends, as many as were cited
            if first > 1 and not self.new.norm[first - 2]:
                first -= 1
        for _ in range(lines.last - said[-1]):
            if last < len(self.new.norm) and not self.new.norm[last]:
                last += 1
        return Lines(first, last)

    def survivors(self, lines: Lines) -> list[int]:
        """Returns where those of some lines are now that say something and are still there."""
        return [found for number in self.old.said(lines) if (found := self._images[number - 1])]

    def held(self, lines: Lines, image: Lines) -> bool:
        """Whether the line before or the line after came along: only then is it known which of equal lines this is."""
        before, new_before = _previous(self.old, lines.first), _previous(self.new, image.first)
        after, new_after = _next(self.old, lines.last), _next(self.new, image.last)
        return any(
            (line is None and new is None) or (line is not None and self._images[line - 1] == new)
            for line, new in ((before, new_before), (after, new_after))
        )

    def between(self, lines: Lines) -> tuple[Lines | None, bool]:
        """Returns where lines would be now: what stands between the nearest lines around them that are still there.

        Returns:
            The lines of the new file, None if there are none; and whether the nearest lines are the very neighbours.
        """
        before, after = _previous(self.old, lines.first), _next(self.old, lines.last)
        exact = True
        while before is not None and self._images[before - 1] is None:
            before, exact = _previous(self.old, before), False
        while after is not None and self._images[after - 1] is None:
            after, exact = _next(self.old, after), False
        first = (self._images[before - 1] or 0) + 1 if before else 1
        last = (self._images[after - 1] or 0) - 1 if after else len(self.new.lines)
        cited = self.old.said(lines)
        first = self._images[cited[0] - 1] or first  # ends that are still there mark the ends
        last = self._images[cited[-1] - 1] or last
        said = self.new.said(Lines(first, last)) if first <= last else []
        return (Lines(said[0], said[-1]) if said else None), exact


def _previous(text: SourceText, line: int) -> int | None:
    return next((number for number in range(line - 1, 0, -1) if text.norm[number - 1]), None)


def _next(text: SourceText, line: int) -> int | None:
    return next((number for number in range(line + 1, len(text.norm) + 1) if text.norm[number - 1]), None)
