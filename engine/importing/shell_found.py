"""What following a shell script finds."""

from __future__ import annotations

from dataclasses import dataclass, field

from engine.importing.shell_scope import Scope, Value
from engine.importing.words import Word


@dataclass(frozen=True, slots=True)
class Command:
    """A command that the script would run.

    Attributes:
        words: its words, variables replaced.
        start: offset in the file; `end` is exclusive.
        doubtful: whether it depends on a condition that is not known.
        environment: the variables at this point, with those that are set for this command alone.
        inside: the words of the commands that run this one as a text.
    """

    words: tuple[Word, ...]
    start: int
    end: int
    doubtful: bool
    environment: dict[str, Value]
    inside: tuple[tuple[Word, ...], ...] = ()


@dataclass
class Run:
    """What following a script has found.

    Attributes:
        scope: the variables at its end.
        commands: all commands with arguments that begin with `--`, in order.
        sourced: places and names of other scripts that it reads, which are not followed.
        left_out: places of texts that are not counted, since they depend on a condition that is not known.
        taken_as_empty: variables in conditions that nothing sets, with the place of the first.
        stopped: why the script could not be followed to its end; empty if it could.
    """

    scope: Scope
    commands: list[Command] = field(default_factory=list)
    sourced: list[tuple[int, int, str]] = field(default_factory=list)
    left_out: list[tuple[int, int]] = field(default_factory=list)
    taken_as_empty: dict[str, tuple[int, int]] = field(default_factory=dict)
    stopped: str = ""
