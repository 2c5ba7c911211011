"""Lays folders of declarations over a rule set: another version of what is cited, or a site's own rules."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from engine.diagnostics import Findings
from engine.loading.declare import Declaration, declarations, report_shared_ids
from engine.rules import Override


def layered(root: Path, overlays: Sequence[Path], findings: Findings) -> tuple[list[Declaration], tuple[Override, ...]]:
    """Reads a rule set and what is laid over it.

    A declaration of an overlay takes the place of the one with its section and id, so that orders stay as they are;
    new ones come at the end.

    Returns:
        All declarations that hold, and what the overlays did.
    """
    base = declarations(root, findings)
    if not overlays:
        return base, ()
    found: dict[tuple[str, str], Declaration] = {}
    for item in base:
        found.setdefault((item.section, item.id), item)
    overrides: list[Override] = []
    for overlay in overlays:
        for item in declarations(overlay, findings):
            before = found.get((item.section, item.id))
            found[item.section, item.id] = item
            overrides.append(Override(item.section, item.id, item.span, before.span if before else None))
    report_shared_ids(list(found.values()), findings)
    return list(found.values()), tuple(overrides)
