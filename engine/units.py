"""Units: products of integer powers of `B`, `elem`, `flop` and `s`; sizes and counts have unit `1`."""

from __future__ import annotations

import re
from dataclasses import dataclass

BASES = ("B", "elem", "flop", "s")
_FACTOR = re.compile(r"(1|[A-Za-z]+)(?:\^(-?\d+))?\Z")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit as a sorted tuple of (base, exponent) pairs without zero exponents."""

    powers: tuple[tuple[str, int], ...] = ()

    def __mul__(self, other: Unit) -> Unit:
        return _collect((*self.powers, *other.powers))

    def __truediv__(self, other: Unit) -> Unit:
        return self * other.power(-1)

    def power(self, exponent: int) -> Unit:
        """Returns the unit raised to an integer exponent."""
        return _collect(tuple((base, power * exponent) for base, power in self.powers))

    def root(self) -> Unit | None:
        """Returns the square root of the unit, None where an exponent is odd."""
        if any(power % 2 for _, power in self.powers):
            return None
        return _collect(tuple((base, power // 2) for base, power in self.powers))

    def __str__(self) -> str:
        over = "*".join(_show(base, power) for base, power in self.powers if power > 0)
        under = "/".join(_show(base, -power) for base, power in self.powers if power < 0)
        return (over or "1") + (f"/{under}" if under else "")


def _show(base: str, power: int) -> str:
    return base if power == 1 else f"{base}^{power}"


def _collect(powers: tuple[tuple[str, int], ...]) -> Unit:
    total: dict[str, int] = {}
    for base, power in powers:
        total[base] = total.get(base, 0) + power
    return Unit(tuple(sorted((base, power) for base, power in total.items() if power)))


DIMENSIONLESS = Unit()


def parse_unit(text: str) -> Unit:
    """Parses a unit such as `1`, `B`, `B/elem` or `flop/s`.

    Raises:
        ValueError: the text names an unknown base or is malformed.
    """
    result = DIMENSIONLESS
    for position, group in enumerate(text.split("/")):
        for factor in group.split("*"):
            match = _FACTOR.match(factor.strip())
            if match is None or (match[1] != "1" and match[1] not in BASES):
                raise ValueError(f"unknown unit `{factor.strip()}`")
            if match[1] != "1":
                unit = Unit(((match[1], 1),)).power(int(match[2] or 1))
                result = result / unit if position else result * unit
    return result
