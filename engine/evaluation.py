"""Evaluates a rule set for a preset."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.evaluating.resolve import resolve
from engine.inputs.kept_names import KEPT_AS, kept_names, kept_under
from engine.preset import Preset
from engine.result import Result
from engine.ruleset import RuleSet


def evaluate(rules: RuleSet, preset: Preset | Mapping[str, Any], set: Mapping[str, Any] | None = None) -> Result:
    """Evaluates all rules for a preset.

    Args:
        rules: a loaded rule set.
        preset: values by input name, as a `Preset` or a mapping.
        set: values that replace or add to the preset's; None as a value sets the absent value, and setting one member
            of an either-or group withdraws the others that the preset gives.

    Returns:
        The result. Values are computed when they are first read; reading one never fails because of another.

    Raises:
        EngineError: a value does not fit its input (E501 to E507).
    """
    if not isinstance(preset, Preset):
        preset = Preset(dict(preset))
    if set:
        preset = changed(rules, preset, set)
    return Result(rules, preset, resolve(rules, preset))


def changed(rules: RuleSet, preset: Preset, set: Mapping[str, Any]) -> Preset:
    """Returns a preset with some values changed, as `evaluate` changes them."""
    return preset.overlaid(set, {**groups(rules), **_flags(rules, set)})


def groups(rules: RuleSet) -> Mapping[str, tuple[str, ...]]:
    """Returns what setting an input withdraws: others of its either-or group, flags that stand for its members."""
    return {item.id: (*rules.siblings(item), *item.from_flags, *kept_names(item)) for item in rules.inputs.values()}


def _flags(rules: RuleSet, set: Mapping[str, Any]) -> Mapping[str, tuple[str, ...]]:
    """Returns what setting a flag that stands for a member withdraws: the input, and the flags of other members."""
    items = [(flag, item) for item in rules.inputs.values() for flag in item.from_flags if set.get(flag) is True]
    found = {flag: (item.id, *item.from_flags) for flag, item in items}
    kept = {name: kept_under(rules, name) for name in set if name in KEPT_AS}
    return found | {name: (item.id,) for name, item in kept.items() if item is not None}
