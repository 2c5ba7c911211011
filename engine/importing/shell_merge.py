"""What holds after branches of which it is not known which one was taken, and texts that commands have a shell run."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from engine.importing.shell_scope import Value
from engine.importing.words import Piece, Word, place, plain, unknown

SHELLS = frozenset(("bash", "sh", "zsh", "dash", "ksh"))
_SUBMITTERS = frozenset(("sbatch", "srun", "ssh", "qsub", "bsub"))
_COMMAND_LINE = re.compile(r"\.py\b.*\s--[A-Za-z]", re.DOTALL)


def merge(
    before: Mapping[str, Value], after: Sequence[Mapping[str, Value]]
) -> tuple[dict[str, Value], list[tuple[int, int]]]:
    """Returns the variables that changed, and places of flags that are left out.

    A variable that all branches leave alike keeps that value. One that some only add to keeps what it had. Any other is
    not known from here on.
    """
    merged: dict[str, Value] = {}
    left_out: list[tuple[int, int]] = []
    for name in dict.fromkeys(name for variables in after for name in variables):
        values = [variables.get(name) for variables in after]
        base = before.get(name)
        if len(set(map(_text, values))) == 1:
            if values[0] is not None and values[0] != base:
                merged[name] = values[0]
        elif base is not None and all(_extends(value, base) for value in values):
            added = [part for value in values if value is not None for part in value[len(base) :]]
            left_out += [place(word) for word in map(_as_word, added) if "--" in plain(word)]
        else:
            merged[name] = _undecided(name, values)
    return merged, left_out


def _text(value: Value | None) -> tuple[str, ...] | None:
    """Returns the texts of a value, so that values can be compared wherever they were set."""
    if value is None:
        return None
    words = value if isinstance(value, list) else [value]
    return (type(value).__name__, *(plain(word) + unknown(word) for word in words))


def _as_word(part: Word | Piece) -> Word:
    return (part,) if isinstance(part, Piece) else part


def _extends(value: Value | None, base: Value) -> bool:
    return value is None or (type(value) is type(base) and value[: len(base)] == base)


def _undecided(name: str, values: Sequence[Value | None]) -> Value:
    known = next(value for value in values if value is not None)
    word = known[0] if isinstance(known, list) and known else known if isinstance(known, tuple) else ()
    first = word[0] if word else Piece("", 0, 0)
    reason = f"`${name}` depends on a condition that is not known"
    piece = Piece(f"${name}", first.start, first.end, unknown=reason)
    return [(piece,)] if isinstance(known, list) else (piece,)


def texts_to_run(words: Sequence[Word], heredocs: Iterable[Word]) -> Iterable[Word]:
    """Yields the texts that a command has a shell run: of `eval`, `bash -c`, `srun … bash -c`, `sbatch <<EOF`."""
    names = [plain(word).rpartition("/")[2] for word in words]
    if not names or names[0] in ("echo", "printf"):
        return
    if names[0] == "eval":
        yield tuple(piece for word in words[1:] for piece in (*word, Piece(" ", 0, 0)))
        return
    for position, word in enumerate(words[1:], start=1):
        option = names[position - 1]
        told = option.startswith("-") and option.endswith("c") and not SHELLS.isdisjoint(names[:position])
        if told or _COMMAND_LINE.search(plain(word)):
            yield word
    for text in heredocs:
        if not (SHELLS | _SUBMITTERS).isdisjoint(names) or _COMMAND_LINE.search(plain(text)):
            yield text
