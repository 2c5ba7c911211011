"""What a shell script consists of, before anything is put in the place of variables."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Literal:
    """Text as it stands; places are offsets in the file."""

    text: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Variable:
    """`$NAME`, or `${NAME}` with what may follow the name.

    Attributes:
        operator: `:-` and the like, `#` for a length, `?` for anything that is not understood; empty for none.
        argument: the word after the operator.
        index: `@`, `*` or a number as text, for an element of an array; empty for none.
        shown: the whole as it stands.
    """

    name: str
    shown: str
    start: int
    end: int
    quoted: bool
    operator: str = ""
    argument: Parts = ()
    index: str = ""


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """`$((…))`."""

    text: str
    start: int
    end: int
    quoted: bool


@dataclass(frozen=True, slots=True)
class Substitution:
    """The output of a command, which is not run; `body` is its text, empty where it cannot be of use."""

    shown: str
    body: str
    body_start: int
    start: int
    end: int
    quoted: bool


Part = Literal | Variable | Arithmetic | Substitution
Parts = tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Assignment:
    """`NAME=word`, `NAME+=word` or `NAME=(words)`; `value` is a list for the last."""

    name: str
    append: bool
    value: Parts | list[Parts]
    index: str = ""


@dataclass(frozen=True, slots=True)
class Heredoc:
    """The text given to a command as its input."""

    parts: Parts


@dataclass(frozen=True, slots=True)
class Simple:
    """A command with its words."""

    assignments: tuple[Assignment, ...]
    words: tuple[Parts, ...]
    heredocs: list[Heredoc]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Test:
    """`[[ … ]]`: words, and operators as words of one unquoted literal."""

    words: tuple[Parts, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Calculation:
    """`((…))` as a command."""

    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Chain:
    """Commands joined by `&&` and `||`; the first has no connector. `negated` is by position."""

    items: tuple[tuple[str, Statement], ...]
    negated: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Pipeline:
    """Commands that hand their output on."""

    items: tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Conditional:
    """`if`: conditions with what follows each, and the rest."""

    branches: tuple[tuple[Block, Block], ...]
    otherwise: Block
    start: int


@dataclass(frozen=True, slots=True)
class Case:
    """`case`: patterns with what follows each."""

    word: Parts
    items: tuple[tuple[tuple[Parts, ...], Block], ...]
    start: int


@dataclass(frozen=True, slots=True)
class Loop:
    """`for`, `while`, `until`, `select`; `words` is None for the arguments of the script."""

    kind: str
    name: str
    words: tuple[Parts, ...] | None
    condition: Block
    body: Block
    start: int


@dataclass(frozen=True, slots=True)
class Function:
    """A function."""

    name: str
    body: Block


@dataclass(frozen=True, slots=True)
class Group:
    """`{ … }` or `( … )`."""

    body: Block
    own: bool = field(default=False)


Statement = Simple | Test | Calculation | Chain | Pipeline | Conditional | Case | Loop | Function | Group
Block = tuple[Statement, ...]
