"""Writes a preset as YAML."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import yaml

from engine.preset import NOT_MODELLED, Preset
from engine.ruleset import RuleSet

_WIDTH = 120


def preset_text(preset: Preset, rules: RuleSet, remarks: Iterable[str] = ()) -> str:
    """Returns a preset as YAML, its inputs in the order and groups in which the rules declare them.

    Args:
        preset: the values.
        rules: the rules whose inputs they are.
        remarks: lines of comment at the head.
    """
    lines = [f"# {' '.join(remark.split())}" for remark in remarks]
    groups: dict[str, list[str]] = {}
    for item in rules.inputs.values():
        if item.id in preset.values:
            groups.setdefault(item.group, []).append(_line(item.id, preset.values[item.id]))
    blocks = [lines, *groups.values()]
    unmodelled = preset.flags.unmodelled if preset.flags is not None else {}
    if unmodelled:
        head = ["# These move memory and no rule accounts for them, so the verdict is incomplete.", f"{NOT_MODELLED}:"]
        blocks.append([*head, *(f"  {_line(flag, why)}" for flag, why in unmodelled.items())])
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _line(name: str, value: Any) -> str:
    return f"{_written(name)}: {_written(value)}"


def _written(value: Any) -> str:
    """Returns a value in flow style on one line."""
    text = yaml.safe_dump(value, default_flow_style=True, width=10**6, allow_unicode=True)
    return text.removesuffix("\n").removesuffix("\n...")
