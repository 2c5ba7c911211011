"""Whether two stretches of code say the same."""

from __future__ import annotations

from collections.abc import Collection
from difflib import SequenceMatcher, unified_diff
from enum import Enum

from engine.audit.places import Lines
from engine.audit.source_text import SourceText
from engine.audit.tokens import code, words

_MOST_DIFF_LINES = 60
_MOST_SIGNS = 1000
_MOST_STRETCHES, _SHORT_STRETCH = 12, 6
"""Stretches that are compared word by word where the wanted one has more lines than the second number."""
_MOST_WINDOW_LINES = 300


class Sameness(Enum):
    """How alike two stretches are."""

    SAME = "same"
    COSMETIC = "cosmetic"
    DIFFERENT = "different"


def compare(old: SourceText, old_lines: Lines, new: SourceText, new_lines: Lines) -> Sameness:
    """Compares two stretches.

    The normal form that digests are made of drops indentation and white space. Where both texts are at hand the tokens
    decide: a statement that has left its loop, or a space inside a text, is a difference.
    """
    alike = old.said_text(old_lines) == new.said_text(new_lines)
    if alike and _stripped(old, old_lines) == _stripped(new, new_lines):
        return Sameness.SAME
    old_tokens, new_tokens = old.tokens(old_lines), new.tokens(new_lines)
    if old_tokens is not None and new_tokens is not None:
        if code(old_tokens, old_lines) != code(new_tokens, new_lines):
            return Sameness.DIFFERENT
        return Sameness.SAME if alike else Sameness.COSMETIC
    if alike:
        return Sameness.SAME if not old.indented or _indents(old, old_lines) == _indents(new, new_lines) else (
            Sameness.DIFFERENT
        )  # fmt: skip
    same_words = words(list(old.said_text(old_lines))) == words(list(new.said_text(new_lines)))
    return Sameness.COSMETIC if same_words else Sameness.DIFFERENT


def _stripped(text: SourceText, lines: Lines) -> list[str]:
    """Returns what lines say, with what stands between the words, less the indentation that all have in common."""
    said = [text.lines[number - 1].rstrip() for number in text.said(lines)]
    common = min((len(line) - len(line.lstrip()) for line in said), default=0)
    return [line[common:] for line in said]


def _indents(text: SourceText, lines: Lines) -> list[int]:
    said = [text.lines[number - 1] for number in text.said(lines)]
    columns = [len(line) - len(line.lstrip()) for line in said]
    return [column - columns[0] for column in columns]


def similarity(old: list[str], new: list[str]) -> float:
    """Returns how alike two stretches are, from 0 to 1, sign by sign, or word by word where they are long."""
    before, after = "\n".join(old), "\n".join(new)
    if len(before) + len(after) <= _MOST_SIGNS:
        return SequenceMatcher(None, before, after, autojunk=False).ratio()
    return SequenceMatcher(None, words(old)[:_MOST_SIGNS], words(new)[:_MOST_SIGNS], autojunk=False).ratio()


def difference(old: SourceText, old_lines: Lines, new: SourceText, new_lines: Lines | None) -> tuple[str, ...]:
    """Returns the lines that went (`-`) and came (`+`), with unchanged lines of the stretch between them."""
    after = new.excerpt(new_lines) if new_lines else []
    found = list(unified_diff(old.excerpt(old_lines), after, lineterm="", n=3))[2:]
    if len(found) > _MOST_DIFF_LINES:
        found = [*found[:_MOST_DIFF_LINES], f"… {len(found) - _MOST_DIFF_LINES} more lines"]
    return tuple(found)


def best_window(
    wanted: list[str], text: SourceText, numbers: list[int], least: float, kept: Collection[int] = ()
) -> tuple[Lines, float] | None:
    """Returns the stretch among some lines that is most like the wanted one, and how alike word by word they are.

    Args:
        wanted: lines in their normal form; very many of them are not looked for.
        text: the file to look in.
        numbers: lines that say something, in order.
        least: how alike a stretch must be at least.
        kept: lines that have been there all the time: a stretch of nothing else is not taken.
    """
    if len(wanted) > _MOST_WINDOW_LINES:
        return None
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(list(words(wanted)))
    stretches: list[tuple[float, int, Lines, list[str]]] = []
    for size in range(max(1, len(wanted) - 1), len(wanted) + 3):
        for start in range(max(0, len(numbers) - size) + 1 if size <= len(numbers) else 0):
            inside = numbers[start : start + size]
            if kept and all(number in kept for number in inside):
                continue
            said = list(words([text.norm[number - 1] for number in inside]))
            matcher.set_seq1(said)
            if matcher.real_quick_ratio() >= least and (at_most := matcher.quick_ratio()) >= least:
                stretches.append((at_most, -len(stretches), Lines(inside[0], inside[-1]), said))
    if len(stretches) > _MOST_STRETCHES and len(wanted) > _SHORT_STRETCH:
        stretches = _promising(wanted, text, stretches)
    best: tuple[float, int, Lines] | None = None
    for at_most, order, lines, said in sorted(stretches, reverse=True):  # most promising first: most are never compared
        if at_most < (best[0] if best else least):
            break
        matcher.set_seq1(said)
        alike = matcher.ratio()
        if alike >= least and (best is None or (alike, order) > best[:2]):  # of two that are equal, the first
            best = alike, order, lines
    return (best[2], best[0]) if best else None


def _promising(
    wanted: list[str], text: SourceText, stretches: list[tuple[float, int, Lines, list[str]]]
) -> list[tuple[float, int, Lines, list[str]]]:
    """Returns the stretches with the most lines in common, in order: comparing long ones word by word is slow."""
    matcher: SequenceMatcher[str] = SequenceMatcher(None, autojunk=False)
    matcher.set_seq2(wanted)

    def common(stretch: tuple[float, int, Lines, list[str]]) -> tuple[float, float, int]:
        matcher.set_seq1(list(text.said_text(stretch[2])))
        return matcher.ratio(), *stretch[:2]

    return sorted(stretches, key=common, reverse=True)[:_MOST_STRETCHES]
