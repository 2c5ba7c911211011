"""Puts the values of variables into the words of a shell script; one that cannot be known stays so, with the reason."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from engine.importing.arithmetic import NotKnown, calculate
from engine.importing.shell_nodes import Arithmetic, Literal, Part, Parts, Simple, Substitution, Variable
from engine.importing.shell_parser import parse
from engine.importing.shell_parts import PartReader, ShellError
from engine.importing.words import MAX_TEXT, Piece, Script, Word, plain, quoted, split, unknown

Value = Word | list[Word]


class _Break:
    """Separates the words of an array."""


_BREAK = _Break()
_LATE = frozenset("?$!-_")
_MOST_WORDS = 5000
_MOST_WORK = 200_000


class TooMuch(Exception):
    """Following a script takes more work than any launch needs."""


@dataclass
class Budget:
    """The work that may still be done."""

    left: int = _MOST_WORK

    def spend(self, work: int) -> None:
        """Takes from what is left.

        Raises:
            TooMuch: nothing is left.
        """
        self.left -= work
        if self.left < 0:
            raise TooMuch


@dataclass
class Scope:
    """Variables and arguments at one point of a script.

    Attributes:
        variables: a word, or a list of words for an array.
        arguments: what the script or function was called with.
        budget: shared by all scopes of a script.
    """

    variables: dict[str, Value] = field(default_factory=dict)
    arguments: list[Word] = field(default_factory=list)
    budget: Budget = field(default_factory=Budget)

    def copy(self) -> Scope:
        """Returns a scope whose changes do not show here."""
        self.budget.spend(len(self.variables))
        return Scope(dict(self.variables), list(self.arguments), self.budget)

    def assign(self, name: str, value: Parts | list[Parts], *, append: bool = False, index: str = "") -> None:
        """Gives a variable a value, or adds to it."""
        before = self.variables.get(name, () if not isinstance(value, list) else [])
        if isinstance(value, list):
            words = [word for parts in value for word in self.words(parts)]
            kept = before if isinstance(before, list) else [before]
            self.variables[name] = _few([*kept, *words] if append else words)
            return
        # quotes have done their work once the value is in the variable
        word = tuple(replace(piece, quoted=False) for piece in self.word(value) if piece.text or piece.unknown)
        if index:
            elements = list(before) if isinstance(before, list) else [before] if before else []
            at = int(index) if index.isdigit() else len(elements)
            if at > 1000:
                return
            elements.extend([()] * (at + 1 - len(elements)))
            elements[at] = word
            self.variables[name] = elements
        elif append and isinstance(before, list):
            self.variables[name] = [*before[:-1], (*before[-1], *word)] if before else [word]
        else:
            self.variables[name] = _capped((*before, *word) if append and isinstance(before, tuple) else word)

    def words(self, parts: Parts) -> list[Word]:
        """Returns the words that a word of the script becomes: none, one, or several."""
        found: list[Word] = []
        current: list[Piece] = []
        for item in self._pieces(parts):
            if isinstance(item, _Break):
                found.extend(split(current))
                current = []
            else:
                current.append(item)
        found.extend(split(current))
        self.budget.spend(1 + sum(map(len, found)))
        if len(found) == 1 and not plain(found[0]) and any(map(_is_all, parts)):
            return []  # quotes around no words are no word
        return found

    def word(self, parts: Parts) -> Word:
        """Returns one word, as in an assignment: nothing is split, arrays are joined by blanks."""
        found: list[Piece] = []
        for item in self._pieces(parts):
            if isinstance(item, _Break):
                at = found[-1].end if found else 0
                found.append(Piece(" ", at, at))
            else:
                found.append(item)
        self.budget.spend(1 + len(found))
        return _capped(tuple(found))

    def calculation(self, text: str, start: int, end: int) -> Piece:
        """Returns the value of a calculation, or why it has none."""
        try:
            reader = PartReader(Script(text))
            parts: list[Part] = []
            while reader.at < len(text):
                parts.extend(reader.part(quoted=True))
            word = self.word(tuple(parts))
            if reason := unknown(word):
                return Piece(text, start, end, unknown=reason)
            return Piece(str(calculate(plain(word), self._number)), start, end)
        except (NotKnown, ShellError) as error:
            return Piece(text, start, end, unknown=str(error))

    def _number(self, name: str) -> int:
        value = self.variables.get(name)
        word = value[0] if isinstance(value, list) and value else value
        if not isinstance(word, tuple):
            raise NotKnown(f"`{name}` is set nowhere in the script")
        if reason := unknown(word):
            raise NotKnown(reason)
        text = plain(word).strip()
        if not text.removeprefix("-").isdigit() or len(text) > 19:
            raise NotKnown(f"`{name}` is no whole number")
        return int(text)

    def _pieces(self, parts: Parts) -> Iterable[Piece | _Break]:
        for part in parts:
            match part:
                case Literal():
                    yield Piece(part.text, part.start, part.end, part.quoted)
                case Variable():
                    yield from self._variable(part)
                case Arithmetic():
                    piece = self.calculation(part.text, part.start, part.end)
                    yield from quoted((piece,), part.quoted)
                case Substitution():
                    yield from quoted(self._substitution(part), part.quoted)

    def _substitution(self, part: Substitution) -> Word:
        """The two commands whose output follows from their words are understood; others are not run."""
        shown = part.shown if len(part.shown) <= 40 else part.shown[:39] + "…"
        named = shown if shown.startswith("`") else f"`{shown}`"
        reason = f"{named} is the output of a command, which is not run"
        try:
            block = parse(Script(part.body))
        except ShellError:
            block = ()
        if len(block) == 1 and isinstance(block[0], Simple):
            words = [word for parts in block[0].words for word in self.words(parts)]
            name = plain(words[0]) if words else ""
            reason = next((why for why in map(unknown, words) if why), reason) if name in ("echo", "expr") else reason
            if not any(map(unknown, words)) and name == "echo" and not plain(words[-1]).startswith("-"):
                text = " ".join(plain(word) for word in words[1:])
                return (Piece(text, part.start, part.end),)
            if not any(map(unknown, words)) and name == "expr":
                return (self.calculation(" ".join(map(plain, words[1:])), part.start, part.end),)
        return (Piece(part.shown, part.start, part.end, unknown=reason),)

    def _variable(self, part: Variable) -> Iterable[Piece | _Break]:
        if part.name in ("@", "*") or part.index in ("@", "*"):
            yield from self._all(part)
            return
        word = self._value(part)
        nothing = word is None or all(piece.unset or not piece.text for piece in word)
        match part.operator:
            case ":-" | "-" | ":=" | "=" if nothing:
                if part.operator in (":=", "=") and part.name.isidentifier():
                    self.assign(part.name, part.argument)
                for item in self._pieces(part.argument):
                    yield from (item,) if isinstance(item, _Break) else quoted((item,), item.quoted or part.quoted)
                return
            case ":+" | "+":
                if not nothing:
                    yield from self._pieces(part.argument)
                return
            case "#" if word is not None and not unknown(word):
                yield Piece(str(len(plain(word))), part.start, part.end, part.quoted)
                return
            case "other":
                yield Piece(part.shown, part.start, part.end, part.quoted, f"`{part.shown}` is not understood")
                return
        if word is None:
            yield self._unset(part)
        elif not word and part.quoted:
            yield Piece("", part.start, part.end, quoted=True)
        else:
            yield from quoted(word, part.quoted)

    def _all(self, part: Variable) -> Iterable[Piece | _Break]:
        """All elements of an array, or all arguments; the environment holds no arrays, so one not set is empty."""
        value = self.arguments if part.name in ("@", "*") else self.variables.get(part.name)
        if part.operator == "#":
            count = len(value) if isinstance(value, list) else int(value is not None)
            yield Piece(str(count), part.start, part.end, part.quoted)
            return
        if part.operator == "other":
            yield Piece(part.shown, part.start, part.end, part.quoted, f"`{part.shown}` is not understood")
            return
        elements = value if isinstance(value, list) else [value] if value else []
        if (part.operator in (":-", "-") and not elements) or (part.operator in (":+", "+") and elements):
            yield from self._pieces(part.argument)
            return
        for position, element in enumerate(elements):
            if position:
                yield _BREAK
            yield from quoted(element, part.quoted)

    def _value(self, part: Variable) -> Word | None:
        if part.name == "#":
            return (Piece(str(len(self.arguments)), part.start, part.end),)
        if part.name.isdigit():
            position = int(part.name[:4]) - 1
            return self.arguments[position] if 0 <= position < len(self.arguments) else None
        value = self.variables.get(part.name)
        if isinstance(value, list):
            at = int(part.index[:4]) if part.index.isdigit() else 0 if not part.index else -1
            return value[at] if 0 <= at < len(value) else None
        return value

    def _unset(self, part: Variable) -> Piece:
        if part.name.isdigit():
            reason = f"the script is given no argument {part.name}"
        elif part.name in _LATE:
            reason = f"`{part.shown}` is known only when the script runs"
        else:
            reason = f"`{part.shown}` is set nowhere in the script"
        return Piece(part.shown, part.start, part.end, part.quoted, reason, unset=part.name not in _LATE)


def _is_all(part: Part) -> bool:
    return isinstance(part, Variable) and (part.name == "@" or part.index == "@")


def _capped(word: Word) -> Word:
    if sum(len(piece.text) for piece in word) <= MAX_TEXT and len(word) <= _MOST_WORDS:
        return word
    return (Piece("", word[0].start, word[0].end, unknown="the text is too long to be read"),)


def _few(words: list[Word]) -> list[Word]:
    if len(words) <= _MOST_WORDS:
        return words
    first = words[0][0] if words[0] else Piece("", 0, 0)
    return [(replace(first, text="", unknown="there are too many words to be read"),)]
