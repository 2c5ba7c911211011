"""What an expression yields: kind, unit, domain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from engine.units import DIMENSIONLESS, Unit

Kind = Literal["number", "flag", "text"]


@dataclass(frozen=True, slots=True)
class Type:
    """What an expression yields.

    Attributes:
        kind: `number`, `flag` (true or false) or `text` (a member of an enumeration).
        unit: unit of a number; None for the literal 0, which fits any unit.
        values: members of the enumeration that a text belongs to; for a literal just itself.
        over: domain (`stage`, `layer`, `virtual_stage`) of a vector, None for a single value.
    """

    kind: Kind = "number"
    unit: Unit | None = DIMENSIONLESS
    values: tuple[str, ...] = ()
    over: str | None = None
