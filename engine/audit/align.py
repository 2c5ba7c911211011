"""Which line of a new text each line of an old one has become."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from difflib import SequenceMatcher

_LARGEST_GAP = 90_000
"""Product of the sizes of two stretches without a unique common line, up to which they are compared line by line."""


def align(old: Sequence[str], new: Sequence[str]) -> list[int | None]:
    """Aligns two texts.

    Equal ends are taken off first, so that a single edit is found where it was made even among equal lines; then lines
    that occur once in both are fixed points, and the stretches between them are aligned in the same way.

    Returns:
        For each line of `old` the index of the line of `new` that it is, None for a line that is gone or edited.
        Indices rise.
    """
    result: list[int | None] = [None] * len(old)
    pending = [(0, len(old), 0, len(new))]
    while pending:
        low, high, new_low, new_high = pending.pop()
        while low < high and new_low < new_high and old[low] == new[new_low]:
            result[low] = new_low
            low, new_low = low + 1, new_low + 1
        while low < high and new_low < new_high and old[high - 1] == new[new_high - 1]:
            high, new_high = high - 1, new_high - 1
            result[high] = new_high
        if low == high or new_low == new_high:
            continue
        fixed = _fixed_points(old, new, low, high, new_low, new_high)
        if fixed:
            for at, new_at in [*fixed, (high, new_high)]:
                pending.append((low, at, new_low, new_at))
                if at < high:
                    result[at] = new_at
                low, new_low = at + 1, new_at + 1
        elif (high - low) * (new_high - new_low) <= _LARGEST_GAP:
            matcher = SequenceMatcher(None, old[low:high], new[new_low:new_high], autojunk=False)
            for block in matcher.get_matching_blocks():
                for offset in range(block.size):
                    result[low + block.a + offset] = new_low + block.b + offset
    return result


def _fixed_points(
    old: Sequence[str], new: Sequence[str], low: int, high: int, new_low: int, new_high: int
) -> list[tuple[int, int]]:
    """Returns lines that occur once in both stretches, as many as keep their order."""
    places = _unique(new, new_low, new_high)
    pairs = [(at, places[text]) for text, at in _unique(old, low, high).items() if text in places]
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, new_at) in enumerate(pairs):
        length = bisect_left(tails, new_at)
        before.append(ends[length - 1] if length else -1)
        tails[length : length + 1] = [new_at]
        ends[length : length + 1] = [number]
    chain = []
    number = ends[-1] if ends else -1
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


def _unique(lines: Sequence[str], low: int, high: int) -> dict[str, int]:
    """Returns the lines that occur once in a stretch, blank ones left out, in their order."""
    seen: dict[str, int] = {}
    for at in range(low, high):
        seen[lines[at]] = -1 if lines[at] in seen else at
    return {text: at for text, at in seen.items() if at >= 0 and text}
