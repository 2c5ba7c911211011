"""What a function of the rule language is: its unit rule, its four printings and examples.

Printing templates name arguments `{a}`, `{b}`, `{c}`; `{args}` stands for all of them, joined by commas. A parameter of
kind `vector` or `flags` is printed as the whole row, never as one index of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from engine.units import DIMENSIONLESS, Unit, parse_unit


class UnitError(ValueError):
    """The units of a function's arguments do not go together."""


UnitRule = Callable[[list[Unit | None]], Unit | None]


def same_unit(units: list[Unit | None]) -> Unit | None:
    """Arguments and result have one unit; the literal 0 fits any."""
    known = [unit for unit in units if unit is not None]
    if any(unit != known[0] for unit in known):
        raise UnitError("units disagree: " + " and ".join(str(unit) for unit in dict.fromkeys(known)))
    return known[0] if known else None


def ratio_unit(units: list[Unit | None]) -> Unit | None:
    """The first argument's unit over the second's."""
    return (units[0] or DIMENSIONLESS) / (units[1] or DIMENSIONLESS)


def plain_unit(units: list[Unit | None]) -> Unit | None:
    """Arguments and result are plain numbers."""
    for unit in units:
        if unit is not None and unit != DIMENSIONLESS:
            raise UnitError(f"needs a plain number, not {unit}")
    return DIMENSIONLESS


def root_unit(units: list[Unit | None]) -> Unit | None:
    """The square root of the argument's unit."""
    root = (units[0] or DIMENSIONLESS).root()
    if root is None:
        raise UnitError(f"{units[0]} has no square root")
    return root


def first_unit(units: list[Unit | None]) -> Unit | None:
    """The first argument's unit."""
    return units[0]


def cast_to(unit: str) -> UnitRule:
    """Returns the rule of a cast from a plain number to a unit."""
    target = parse_unit(unit)

    def rule(units: list[Unit | None]) -> Unit | None:
        plain_unit(units)
        return target

    return rule


@dataclass(frozen=True, slots=True)
class Example:
    """An expression, the values of the names in it, and what it yields; a list is a vector over `layer`."""

    text: str
    expect: float | bool
    given: Mapping[str, float | bool | list[float] | list[bool]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Function:
    """One function of the rule language.

    Attributes:
        name: as written in a rule.
        parameters: kind of each parameter: `number`, `vector` (name of a numeric vector), `flags` (name of a flag
            vector).
        unit: unit of the result from the units of the arguments; raises `UnitError`.
        python: scalar printing. The names it uses are defined in `engine.expr.to_python`.
        numpy: array printing. The names it uses are defined in `engine.sweeping.lanes`.
        excel: printing in the subset that spreadsheet applications agree on; `{size}` is the size of the first vector's
            domain.
        latex: printing for the rule's page.
        doc: one sentence.
        examples: each is a test in all four targets.
        variadic: the last parameter may repeat.
        result: kind of the result.
        can_fail: the call may have no value for some arguments.
    """

    name: str
    parameters: tuple[str, ...]
    unit: UnitRule
    python: str
    numpy: str
    excel: str
    latex: str
    doc: str
    examples: tuple[Example, ...]
    variadic: bool = False
    result: str = "number"
    can_fail: bool = False

    def parameter(self, position: int) -> str:
        """Returns the kind of the parameter at a position."""
        return self.parameters[min(position, len(self.parameters) - 1)]
