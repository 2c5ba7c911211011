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


def written(value: Any) -> str:
    """Returns a value as it would stand in a preset: no separators, round large numbers as 80e9."""
    if isinstance(value, float | int) and not isinstance(value, bool):
        if value and value % 1e6 == 0:
            return f"{value / 1e9:.15g}e9" if value % 1e9 == 0 else f"{value / 1e6:.15g}e6"
        return f"{value:.15g}"
    if isinstance(value, list | tuple | set | frozenset):
        entries = [written(entry) for entry in value]
        return f"[{', '.join(entries if isinstance(value, list | tuple) else sorted(entries))}]"
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
        return f"{value:,.2f}" if 100 <= abs(value) < 1e16 else f"{value:.6g}"
    return str(value)
