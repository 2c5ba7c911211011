"""Numbers as people read them. GB is 1e9 bytes, GiB 2^30 bytes."""

from __future__ import annotations

from typing import Any

GB, GIB = 1e9, float(2**30)

ABSENT = "–"
"""Stands where there is no value."""


def gigabytes(value: float | None, unit: float = GB) -> str:
    """Returns bytes as GB (or GiB) with two decimals; something above zero never reads as 0.00."""
    if value is None:
        return ABSENT
    scaled = value / unit
    return "<0.01" if 0 < scaled < 0.005 else f"{scaled:,.2f}"


def share(part: float | None, whole: float | None) -> str:
    """Returns a part of a whole in percent."""
    if part is None or not whole:
        return ABSENT
    percent = 100 * part / whole
    return "<0.1 %" if 0 < percent < 0.05 else f"{percent:.1f} %"


def scaled(value: float) -> str:
    """Returns a count with three significant digits and K, M, B or T."""
    for size, letter in ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")):
        if abs(value) >= size:
            return f"{value / size:.2f}{letter}"
    return plain(value)


def plain(value: Any) -> str:
    """Returns a value for a table: whole numbers in full with thousands separated, others with about six digits."""
    if value is None:
        return ABSENT
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | tuple):
        return ", ".join(plain(entry) for entry in value) or "empty"
    if isinstance(value, set | frozenset):
        return ", ".join(sorted(value)) or "empty"
    if isinstance(value, int | float):
        if value == int(value) and abs(value) < 1e16:
            return f"{int(value):,}"
        return f"{value:,.2f}" if 1e5 <= abs(value) < 1e16 else f"{value:.6g}"
    return str(value)
