"""Reads what commands evaluate: rules, a preset and settings, with all findings told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from engine.preset import Preset
    from engine.ruleset import RuleSet

T = TypeVar("T")


def read(
    rules: str, preset: str, settings: Sequence[str], overlays: Sequence[str] = ()
) -> tuple[RuleSet, Preset, Mapping[str, Any]]:
    """Reads everything before it complains.

    Args:
        rules: folder of rule files.
        preset: path of a preset, `-` for standard input.
        settings: texts of the form name=value.
        overlays: folders to lay over the rules.

    Raises:
        EngineError: with all findings in all of them.
    """
    from engine.diagnostics import EngineError, Findings
    from engine.preset import parse_setting
    from engine.ruleset import RuleSet

    findings = Findings()

    def attempt(reader: Callable[[str], T], text: str) -> T | None:
        try:
            return reader(text)
        except EngineError as error:
            findings.diagnostics.extend(error.diagnostics)
            return None

    ruleset = attempt(lambda path: RuleSet.load(path, overlays), rules)
    values = attempt(lambda path: load_preset(path, ruleset), preset)
    pairs = [attempt(parse_setting, setting) for setting in settings]
    if ruleset is None or values is None or None in pairs:
        raise EngineError(findings.sorted())
    return ruleset, values, dict(pair for pair in pairs if pair)


def load_preset(path: str, rules: RuleSet | None = None) -> Preset:
    """Reads a configuration of any kind, and says on standard error what was understood if it is no preset.

    Args:
        path: a preset, a launch script, an argument file, a training log, the config.json of a model, or `-`.
        rules: the rules whose inputs launch flags are read for; None for the ones that are shipped.

    Raises:
        EngineError: the file cannot be read as what it is.
    """
    from engine.preset import Preset

    preset = Preset.load(path, rules)
    if preset.flags is not None and preset.flags.headline:
        import click

        from engine.render.imported import understood

        for line in understood(preset):
            click.echo(line, err=True)
    return preset
