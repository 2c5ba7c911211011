"""What overlays did to a rule set, in words."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from engine.rules import Override
from engine.ruleset import RuleSet


def overlay_lines(rules: RuleSet) -> tuple[str, ...]:
    """Returns one sentence for each overlay: what it replaces and what it adds."""
    return tuple(_line(rules, overlay) for overlay in rules.overlays)


def _line(rules: RuleSet, overlay: Path) -> str:
    inside = [one for one in rules.overrides if Path(one.span.source.path).is_relative_to(overlay)]
    replaced, added = ([one for one in inside if bool(one.replaced) is wanted] for wanted in (True, False))
    parts = [f"{verb} {', '.join(_kinds(of))}" for verb, of in (("replaces", replaced), ("adds", added)) if of]
    return f"{overlay} " + "; ".join(parts)


def _kinds(overrides: list[Override]) -> Iterator[str]:
    for section in dict.fromkeys(one.section for one in overrides):
        ids = [one.id for one in overrides if one.section == section]
        yield f"{len(ids)} {section.removesuffix('s') if len(ids) == 1 else section} ({', '.join(ids)})"
