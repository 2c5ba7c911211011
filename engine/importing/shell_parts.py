"""Reads what words of a shell script consist of: quotes, escapes, variables, calculations."""

from __future__ import annotations

import re
from functools import lru_cache

from engine.importing.shell_nodes import Arithmetic, Literal, Part, Substitution, Variable
from engine.importing.words import Script

END_OF_WORD = frozenset(" \t\r\n;&|()<>")
_NAME = re.compile(r"[A-Za-z_]\w*|[0-9]+|[@*#?$!-]")
_SHORT_NAME = re.compile(r"[A-Za-z_]\w*|[0-9@*#?$!-]")
_INDEX = re.compile(r"\[([^]\n]*)\]")
_EXPANSION = re.compile(r"(:?[-=+?])")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", "'": "'", '"': '"'}
_DEPTH = 40
_MOST_PARTS = 200_000


@lru_cache(maxsize=16)
def _plain(quoted: bool, stop: str) -> re.Pattern[str]:
    """Matches text up to what means something inside of a word, or ends it."""
    signs = "\\$`" + stop + ("" if quoted else "'\"") + ("" if quoted or stop else "".join(sorted(END_OF_WORD)))
    return re.compile(f"[^{re.escape(signs)}]*")


class ShellError(Exception):
    """A script that cannot be read, with the offsets of what is wrong."""

    def __init__(self, message: str, start: int, end: int, help: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.start = start
        self.end = end
        self.help = help


class PartReader:
    """Reads a script part by part."""

    def __init__(self, script: Script) -> None:
        self.script = script
        self.text = script.text
        self.at = 0
        self._depth = 0
        self._parts = 0

    def error(self, message: str, start: int, end: int, help: str | None = None) -> ShellError:
        """Makes an error about a stretch of the script."""
        return ShellError(message, *self.script.place(start, end), help)

    def count(self, start: int) -> None:
        """Counts what is read, and stops at more than any launch needs."""
        self._parts += 1
        if self._parts > _MOST_PARTS:
            raise self.error("the script is too long to be read", start, start + 1)

    def until(self, closing: str, start: int) -> str:
        """Returns the text up to the two closing signs of a calculation, and passes them."""
        depth, at = 0, self.at
        while at < len(self.text):
            if depth == 0 and self.text.startswith(closing, at):
                self.at = at + len(closing)
                return self.text[start : self.at - len(closing)]
            depth += {"(": 1, ")": -1}.get(self.text[at], 0)
            at += 1
        raise self.error("this calculation is not closed", start, start + 1, f"`{closing}` is missing")

    def continued(self, at: int) -> int:
        """Returns how many signs a continued line takes, 0 if the line is not continued here."""
        if self.text.startswith("\\\n", at):
            return 2
        return 3 if self.text.startswith("\\\r\n", at) else 0

    def literal(self, text: str, start: int, end: int, quoted: bool) -> Literal:
        """Makes a part of text that stands at these offsets of the script."""
        return Literal(text, *self.script.place(start, end), quoted)

    def part(self, *, quoted: bool, stop: str = "") -> list[Part]:
        """Reads quotes, a variable, an escape, or plain text up to any of these or to a sign of `stop`."""
        start = self.at
        self.count(start)
        match self.text[start]:
            case "\\":
                return self._escape(quoted)
            case "'" if not quoted:
                end = self._find("'", start)
                self.at = end + 1
                return [self.literal(self.text[start + 1 : end], start + 1, end, quoted=True)]
            case '"' if not quoted:
                return self._double(start)
            case "$":
                return self._dollar(quoted)
            case "`":
                end = self._find("`", start)
                self.at = start + 1
                found = Substitution(
                    self.text[start : end + 1], self.text[start + 1 : end], start + 1,
                    *self.script.place(start, end + 1), quoted,
                )  # fmt: skip
                self.at = end + 1
                return [found]
        match = _plain(quoted, stop).match(self.text, start + 1)
        self.at = match.end() if match else start + 1
        return [self.literal(self.text[start : self.at], start, self.at, quoted)]

    def _find(self, sign: str, start: int) -> int:
        end = self.text.find(sign, start + 1)
        if end < 0:
            raise self.error(f"this quote is not closed: {sign}", start, start + 1, f"`{sign}` is missing")
        return end

    def _escape(self, quoted: bool) -> list[Part]:
        start = self.at
        if continued := self.continued(start):
            self.at += continued
            return []
        self.at = min(start + 2, len(self.text))
        escaped = self.text[start + 1 : self.at]
        if quoted and escaped not in ("$", "`", '"', "\\"):
            return [self.literal("\\" + escaped, start, self.at, quoted)]
        return [self.literal(escaped, start + 1, self.at, quoted=True)]

    def _double(self, start: int) -> list[Part]:
        self.at = start + 1
        parts: list[Part] = [self.literal("", start + 1, start + 1, quoted=True)]
        while self.at < len(self.text) and self.text[self.at] != '"':
            parts.extend(self.part(quoted=True, stop='"'))
        if self.at >= len(self.text):
            raise self.error('this quote is not closed: "', start, start + 1, '`"` is missing')
        self.at += 1
        return parts

    def _dollar(self, quoted: bool) -> list[Part]:
        start = self.at
        text = self.text
        if text.startswith("$((", start):
            self.at = start + 3
            body = self.until("))", start + 3)
            return [Arithmetic(body, *self.script.place(start, self.at), quoted)]
        if text.startswith("$(", start):
            return [self.substitution(start, start + 2, ")", quoted)]
        if text.startswith("${", start):
            return [self._braces(start, quoted)]
        if not quoted and text.startswith("$'", start):
            return [self._ansi(start)]
        if not quoted and text.startswith('$"', start):
            self.at = start + 1
            return self._double(start + 1)
        name = _SHORT_NAME.match(text, start + 1)
        self.at = name.end() if name else start + 1
        if name is None:
            return [self.literal("$", start, start + 1, quoted)]
        return [Variable(name[0], text[start : self.at], *self.script.place(start, self.at), quoted)]

    def _ansi(self, start: int) -> Literal:
        found: list[str] = []
        self.at = start + 2
        while self.at < len(self.text) and self.text[self.at] != "'":
            if self.text[self.at] == "\\" and self.at + 1 < len(self.text):
                self.at += 1
                found.append(_ESCAPES.get(self.text[self.at], "\\" + self.text[self.at]))
            else:
                found.append(self.text[self.at])
            self.at += 1
        if self.at >= len(self.text):
            raise self.error("this quote is not closed: '", start + 1, start + 2, "`'` is missing")
        self.at += 1
        return self.literal("".join(found), start + 2, self.at - 1, quoted=True)

    def substitution(self, start: int, body: int, closing: str, quoted: bool) -> Substitution:
        """Passes a command whose output would stand here, with the quotes and parentheses inside of it."""
        self._enter(start)
        self.at = body
        while self.at < len(self.text):
            if self.text[self.at] == closing:
                self.at += 1
                self._depth -= 1
                inner = self.text[body : self.at - 1]
                return Substitution(self.text[start : self.at], inner, body, *self.script.place(start, self.at), quoted)
            if self.text[self.at] == "(":
                self.substitution(self.at, self.at + 1, ")", quoted)
            elif self.text[self.at] in "\\'\"$`":
                self.part(quoted=False, stop=closing)
            else:
                self.at += 1
        raise self.error("this command is not closed", start, start + 2, f"`{closing}` is missing")

    def _enter(self, start: int) -> None:
        self._depth += 1
        if self._depth > _DEPTH:
            raise self.error("this is nested too deeply to be read", start, start + 1)

    def _braces(self, start: int, quoted: bool) -> Variable:
        """Reads `${…}`."""
        self._enter(start)
        text = self.text
        self.at = start + 2
        length = text.startswith("#", self.at) and not text.startswith("#}", self.at)
        self.at += length
        name = _NAME.match(text, self.at)
        self.at = name.end() if name else self.at
        index = _INDEX.match(text, self.at)
        self.at = index.end() if index else self.at
        operation = _EXPANSION.match(text, self.at)
        operator = "#" if length else operation[1] if operation else ""
        if operation:
            self.at = operation.end()
        elif not text.startswith("}", self.at):
            operator = "other"
        argument: list[Part] = []
        while self.at < len(text) and text[self.at] != "}":
            if quoted and text[self.at] == '"':
                argument.extend(self._double(self.at))
            else:
                argument.extend(self.part(quoted=quoted, stop='}"' if quoted else "}"))
        if self.at >= len(text) or name is None:
            raise self.error("this variable is not closed", start, start + 2, "`}` is missing")
        self.at += 1
        self._depth -= 1
        return Variable(
            name[0], text[start : self.at], *self.script.place(start, self.at), quoted, operator, tuple(argument),
            index[1] if index else "",
        )  # fmt: skip
