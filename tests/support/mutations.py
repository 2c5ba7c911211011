"""Random files full of lines that have twins, random citations of them, and random edits."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterable
from random import Random

from engine.audit.places import Lines, Place
from engine.audit.source_text import SourceText
from engine.audit.trees import Tree

PATH = "pkg/formulas.py"

_NAMES = ("hidden", "heads", "layers", "tokens", "ratio", "total", "width", "size")
_LINES = (
    "{a} = {b} * {n}", "{a} += {b} / {c}", "{a} = {b} + {c}", "{a} -= {n}", "{a} = {b} // {n} + {c}", "{a} *= {b}",
    "{a} = max({b}, {n})", "{a} = [\n    {b},\n    {c} * {n},\n]", "if {a} > {n}:\n    {b} = {c} - {n}",
    "for {a} in range({n}):\n    {b} += {c}\n    {c} = {n}", "# {a} and {b}", "",
)  # fmt: skip
_OPERATORS = {
    "+": "-", "-": "+", "*": "+", "/": "*", "//": "/", "+=": "-=", "-=": "+=", "*=": "+=", ">": "<", "=": "+=",
}  # fmt: skip
_KEYWORDS = frozenset({"def", "return", "if", "for", "in", "range", "max"})


def random_source(random: Random) -> str:
    """Returns a file of functions whose lines come from so few patterns that about half of them have a twin."""
    text = '"""Made at random."""\n\nSCALE = 1024\n'
    for number in range(random.randint(4, 9)):
        body = "".join(_random_line(random) for _ in range(random.randint(6, 16)))
        indented = "".join(f"    {line}\n" if line else "\n" for line in body.split("\n")[:-1])
        text += f"\n\ndef f{number}({', '.join(_NAMES)}):\n{indented}    return {random.choice(_NAMES)}\n"
    return text


def _random_line(random: Random) -> str:
    a, b, c = (random.choice(_NAMES[:5]) for _ in range(3))
    return random.choice(_LINES).format(a=a, b=b, c=c, n=random.choice((2, 4, 8))) + "\n"


def random_places(random: Random, text: SourceText, count: int) -> list[Place]:
    """Returns stretches that say something, half of them a single line, each within one function."""
    places: list[Place] = []
    while len(places) < count:
        first = random.randint(1, len(text.lines))
        last = min(len(text.lines), first + random.choice((0, 0, 0, 1, 2, 4)))
        lines = Lines(first, last)
        if text.said(lines) and len({text.enclosing(Lines(number, number)) for number in text.said(lines)}) == 1:
            places.append(Place(PATH, lines, text.enclosing(lines)))
    return places


def mutate(random: Random, source: str, numbers: Iterable[int]) -> tuple[str, int] | None:
    """Changes one constant, operator or name in one of some lines.

    Returns:
        The new text and the line; None if there is nothing to change in these lines.
    """
    wanted = set(numbers)
    tokens = [
        token
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.start[0] in wanted and (_is_name(token) or token.type == tokenize.NUMBER or token.string in _OPERATORS)
    ]
    if not tokens:
        return None
    token = random.choice(tokens)
    if token.type == tokenize.NUMBER:
        new = str(int(token.string) + random.randint(1, 90))
    elif token.type == tokenize.NAME:
        new = random.choice([name for name in (*_NAMES, "other") if name != token.string])
    else:
        new = _OPERATORS[token.string]
    lines = source.split("\n")
    row, column = token.start
    lines[row - 1] = lines[row - 1][:column] + new + lines[row - 1][token.end[1] :]
    return "\n".join(lines), row


def _is_name(token: tokenize.TokenInfo) -> bool:
    return token.type == tokenize.NAME and token.string not in _KEYWORDS


class TextTree:
    """A tree of one file, for tests that need neither git nor a folder."""

    commit: str | None = None

    def __init__(self, source: str) -> None:
        self.text = SourceText(PATH, source.encode())

    def read(self, path: str) -> SourceText | None:
        """Returns the file."""
        return self.text if path == PATH else None

    def prefetch(self, paths: Iterable[str]) -> None:
        """Does nothing."""

    def containing(self, text: str, suffix: str) -> list[str]:
        """Returns the file if it holds a text."""
        return [PATH] if any(text in line for line in self.text.lines) else []

    def renamed_from(self, old: Tree, path: str) -> str | None:
        """Knows of no renames."""
        return None
