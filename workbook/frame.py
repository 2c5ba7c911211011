"""How many layers, stages and virtual stages the sheets of vectors have room for."""

from __future__ import annotations

from dataclasses import dataclass

from engine.diagnostics import Findings
from engine.domains import SIZES
from engine.trouble import Trouble
from workbook.context import Context
from workbook.state import row_names

MOST_COLUMNS = 16_000
"""Columns that a sheet may use; the limit of spreadsheets is 16,384."""


@dataclass(frozen=True, slots=True)
class Frame:
    """Room for each domain; what a configuration has beyond it shows as errors."""

    layer: int = 128
    stage: int = 32
    virtual_stage: int = 256

    @classmethod
    def domains(cls) -> tuple[str, ...]:
        """Returns the domains in the order of the fields."""
        return ("layer", "stage", "virtual_stage")

    def width(self, domain: str) -> int:
        """Returns the room for a domain."""
        return int(getattr(self, domain))

    @classmethod
    def for_context(cls, context: Context, **asked: int | None) -> Frame:
        """Returns a frame that holds what is typed: what is asked for, else the usual room or more where needed.

        Raises:
            EngineError: what is asked for has no room for it, or is more than a sheet holds (E907).
        """
        findings = Findings()
        widths = {}
        for domain in SIZES:
            needed = _needed(context, domain)
            widths[domain] = wanted = asked.get(domain) or max(getattr(cls(), domain), needed)
            option = f"--{domain.replace('_', '-')}s"
            if wanted < needed:
                findings.add("E907", f"{option} {wanted:,} has no room for the {needed:,} of the preset")
            elif wanted > MOST_COLUMNS:
                findings.add("E907", f"{option} {wanted:,} is more than the {MOST_COLUMNS:,} columns of a sheet")
        findings.raise_if_errors()
        return cls(**widths)


def _needed(context: Context, domain: str) -> int:
    kind = {"layer": "layer_vector", "virtual_stage": "layout"}.get(domain)
    rows = [name for item in context.rules.inputs.values() if item.kind == kind for name in row_names(item)]
    longest = max((len(context.state.vectors.get(name, ())) for name in rows), default=0)
    try:
        return max(longest, context.size(domain), 1)
    except (Trouble, KeyError):  # not known without an input, or not declared by these rules
        return max(longest, 1)
