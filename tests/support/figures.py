"""The figures that the memory-model document works out, and whether a value shows one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

FIGURES: dict[str, Any] = yaml.safe_load(
    (Path(__file__).parent.parent / "data" / "seed_tables.yaml").read_text(encoding="utf-8")
)
EXAMPLE: dict[str, Any] = FIGURES["worked_example"]
ROWS: dict[str, dict[str, Any]] = {row["name"]: row for row in FIGURES["section_6_5_sensitivity_GB"]}
"""Rows of the table of sensitivities by name."""

GB = 1e9


def shows(value: float, figure: float) -> bool:
    """Whether a value, rounded as the figure is, shows the figure."""
    decimals = len(str(figure).partition(".")[2])
    return bool(round(value, decimals) == figure)
