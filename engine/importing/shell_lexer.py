"""Cuts a shell script into words and operators. A small part of the shell's language, read and never run.

Grammars of the shell that exist as libraries are either under the GPL or lose blanks and escapes inside of words, which
launch flags depend on.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from engine.importing.shell_nodes import Arithmetic, Assignment, Heredoc, Literal, Part, Parts
from engine.importing.shell_parts import END_OF_WORD, PartReader
from engine.importing.words import Script

OPERATORS = (";;&", "<<<", "<<-", "&>>", ";;", ";&", "&&", "||", "|&", "<<", ">>", "<&", ">&", "&>", "<>", ">|")
_SINGLE = ";&|()<>"

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)(?:\[([^]]*)\])?(\+?)=")
_PLACEHOLDER = re.compile(r"<[A-Za-z](?:[^<>\n]*[^<>\s])?>(?=[\s;)\"'/\\]|$)")


@dataclass(frozen=True, slots=True)
class Token:
    """A word with its parts, an operator, a line break, or the end (both with an empty `parts`).

    Attributes:
        text: the operator; for a word, its text if it is without quotes and variables, else empty.
        array: the words of `NAME=( … )`.
        start: offset in the script, not in the file.
    """

    kind: str
    text: str
    start: int
    end: int
    parts: Parts = ()
    array: list[Parts] | None = None


class Lexer(PartReader):
    """Yields the tokens of a script one by one; the parser says where words mean something else."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)
        self._heredocs: list[tuple[str, bool, bool, list[Heredoc]]] = []

    def skip_blanks(self) -> None:
        """Passes blanks, continued lines and comments."""
        while self.at < len(self.text):
            sign = self.text[self.at]
            if sign in " \t\r":
                self.at += 1
            elif continued := self.continued(self.at):
                self.at += continued
            elif sign == "#":
                stop = self.text.find("\n", self.at)
                self.at = len(self.text) if stop < 0 else stop
            else:
                return

    def next(self) -> Token:
        """Returns the next token."""
        self.skip_blanks()
        start = self.at
        self.count(start)
        if start >= len(self.text):
            return Token("end", "", start, start)
        if self.text[start] == "\n":
            self.at += 1
            self._read_heredocs()
            return Token("newline", "\n", start, self.at)
        if self.text[start] in _SINGLE and not self._placeholder(start) and not self._process(start):
            operator = next((op for op in OPERATORS if self.text.startswith(op, start)), self.text[start])
            self.at += len(operator)
            return Token("operator", operator, start, self.at)
        return self._word()

    def expect_heredoc(self, word: Token, strip: bool, target: list[Heredoc]) -> None:
        """Remembers that the lines after this one, up to the one that holds `word`, are a command's input."""
        delimiter = "".join(part.text if isinstance(part, Literal) else part.shown for part in word.parts
                            if not isinstance(part, Arithmetic))  # fmt: skip
        exact = any(part.quoted for part in word.parts)
        self._heredocs.append((delimiter, strip, exact, target))

    def _placeholder(self, at: int) -> bool:
        return self.text[at] == "<" and _PLACEHOLDER.match(self.text, at) is not None

    def _process(self, at: int) -> bool:
        return self.text.startswith(("<(", ">("), at)

    def _word(self) -> Token:
        start = self.at
        parts: list[Part] = []
        array: list[Parts] | None = None
        while self.at < len(self.text):
            sign = self.text[self.at]
            if continued := self.continued(self.at):
                self.at += continued
            elif self._placeholder(self.at):
                match = _PLACEHOLDER.match(self.text, self.at)
                assert match is not None
                parts.append(self.literal(match[0], self.at, match.end(), quoted=True))
                self.at = match.end()
            elif self._process(self.at):
                self.at += 1
                parts.append(self.substitution(self.at - 1, self.at + 1, ")", quoted=False))
            elif sign == "(" and parts and self._assigns(start):
                array = self._array()
                break
            elif sign in END_OF_WORD:
                break
            else:
                parts.extend(self.part(quoted=False))
        if self.text[start : self.at].isdigit() and self.text[self.at : self.at + 1] in ("<", ">"):
            return self.next()  # the number of what is read or written
        text = parts[0].text if len(parts) == 1 and isinstance(parts[0], Literal) and not parts[0].quoted else ""
        return Token("word", text, start, self.at, tuple(parts), array)

    def _assigns(self, start: int) -> bool:
        return re.fullmatch(r"[A-Za-z_]\w*\+?=", self.text[start : self.at]) is not None

    def _array(self) -> list[Parts]:
        opening = self.at
        self.at += 1
        words: list[Parts] = []
        while True:
            token = self.next()
            if token.kind == "word":
                words.append(token.parts)
            elif token.kind == "end":
                raise self.error("this array is not closed", opening, opening + 1, "`)` is missing")
            elif token.text == ")":
                return words

    def _read_heredocs(self) -> None:
        for delimiter, strip, exact, target in self._heredocs:
            start = self.at
            while self.at < len(self.text):
                stop = self.text.find("\n", self.at)
                line = self.text[self.at : stop if stop >= 0 else len(self.text)].rstrip("\r")
                if (line.lstrip("\t") if strip else line) == delimiter:
                    break
                self.at = stop + 1 if stop >= 0 else len(self.text)
            end = self.at
            stop = self.text.find("\n", end)
            self.at = stop + 1 if stop >= 0 else len(self.text)
            target.append(Heredoc(self._body(start, end, exact)))
        self._heredocs.clear()

    def _body(self, start: int, end: int, exact: bool) -> Parts:
        if exact:
            return (self.literal(self.text[start:end], start, end, quoted=True),)
        reader = PartReader(Script(self.text[:end], self.script.origins))
        reader.at = start
        parts: list[Part] = []
        while reader.at < end:
            parts.extend(reader.part(quoted=True))
        return tuple(parts)


def declares(words: Iterable[Parts]) -> bool:
    """Whether the first word makes assignments of those that follow."""
    first = next(iter(words))
    name = first[0].text if len(first) == 1 and isinstance(first[0], Literal) else ""
    return name in ("export", "declare", "local", "readonly", "typeset")


def assignment_of(token: Token) -> Assignment | None:
    """Returns what a word assigns to a variable, None if it assigns nothing."""
    first = token.parts[0] if token.parts else None
    if not isinstance(first, Literal) or first.quoted:
        return None
    match = _ASSIGNMENT.match(first.text)
    if match is None:
        return None
    if token.array is not None:
        return Assignment(match[1], bool(match[3]), token.array)
    rest = first.text[match.end() :]
    shifted = Literal(rest, first.start + match.end(), first.end, quoted=False)
    value = (shifted, *token.parts[1:]) if rest else token.parts[1:]
    return Assignment(match[1], bool(match[3]), value, match[2] or "")
