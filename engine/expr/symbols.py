"""The names that an expression may use, and their types."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.expr.types import Type

DOMAINS = ("stage", "layer", "virtual_stage")

FLAG = Type("flag", None)


@dataclass(frozen=True, slots=True)
class Symbols:
    """What names an expression may use.

    Attributes:
        types: type of every rule and input by id.
        sets: members of every set input by id.
        tables: for every table its keys and the type of each column.
        flags: what to write in place of a launch flag that an enumerated input stands for, by the flag's name.
        nearest: suggests a known name for an unknown one.
    """

    types: Mapping[str, Type]
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[str, tuple[tuple[str, ...], Mapping[str, Type]]] = field(default_factory=dict)
    flags: Mapping[str, str] = field(default_factory=dict)
    nearest: Callable[[str, list[str]], str | None] = lambda name, candidates: None

    def suggest(self, name: str, candidates: list[str]) -> str | None:
        """Returns a help line with the nearest of the candidates."""
        near = self.nearest(name, candidates)
        return f"did you mean `{near}`?" if near else None


def flag_of(set_input: str, member: str) -> str:
    """Returns the name of the flag that says whether a set input contains a member."""
    return f"{set_input}_{member}"
