"""Reads what commands evaluate: rules, a preset and settings, with all findings told at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from engine.preset import Preset
    from engine.ruleset import RuleSet

T = TypeVar("T")


def read(
    rules: str, preset: str, settings: Sequence[str], overlays: Sequence[str] = (), scenario: str | None = None
) -> tuple[RuleSet, Preset, Mapping[str, Any]]:
    """Reads everything before it complains.

    Args:
        rules: folder of rule files.
        preset: path of a preset, `-` for standard input.
        settings: texts of the form name=value.
        overlays: folders to lay over the rules.
        scenario: name of a scenario whose changes the preset takes; None for the preset as it is, or for what a
            workbook shows.

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

    if Path(preset).is_dir() and Path(rules).is_file():
        findings.add(
            "E101", f"rules come first, then the preset: `{preset}` is a folder", help=f"give {preset} {rules}"
        )
        raise EngineError(findings.sorted())
    ruleset = attempt(lambda path: RuleSet.load(path, overlays), rules)
    values = attempt(lambda path: load_preset(path, ruleset, scenario), preset)
    pairs = [attempt(parse_setting, setting) for setting in settings]
    if ruleset is None or values is None or None in pairs:
        raise EngineError(findings.sorted())
    return ruleset, values, dict(pair for pair in pairs if pair)


def load_preset(path: str, rules: RuleSet | None = None, scenario: str | None = None) -> Preset:
    """Reads a configuration of any kind, and says on standard error what was understood if it is no preset.

    Args:
        path: a preset, a workbook, a launch script, an argument file, a training log, the config.json of a model, or
            `-`.
        rules: the rules whose inputs launch flags are read for; None for the ones that are shipped.
        scenario: see `read`.

    Raises:
        EngineError: the file cannot be read as what it is.
    """
    from engine.preset import Preset

    if path != "-" and is_workbook(path):
        return _from_workbook(path, rules, scenario)
    preset = Preset.load(path, rules)
    if preset.flags is not None and preset.flags.headline:
        import click

        from engine.render.imported import understood

        for line in understood(preset):
            click.echo(line, err=True)
    return _in_scenario(preset, rules, scenario) if scenario is not None and rules is not None else preset


def _in_scenario(preset: Preset, rules: RuleSet, name: str) -> Preset:
    from dataclasses import replace

    from engine.evaluation import changed
    from engine.explaining.comparison import scenario

    return replace(changed(rules, preset, scenario(rules, name).changes), path=f"{preset.path}, scenario {name}")


def is_workbook(path: str) -> bool:
    """Whether a file is meant to be a workbook: by its name, or by how it begins."""
    if Path(path).suffix.casefold() in (".xlsx", ".xlsm", ".xls", ".xlsb"):
        return True
    try:
        with Path(path).open("rb") as stream:
            return stream.read(4) == b"PK\x03\x04"
    except OSError:
        return False


def _from_workbook(path: str, rules: RuleSet | None, scenario: str | None) -> Preset:
    from engine.cli.terminal import print_findings
    from engine.ruleset import RuleSet
    from workbook.reading.opened import preset_in
    from workbook.reading.read import read as read_workbook

    ruleset = rules or RuleSet.load()
    opened = read_workbook(path, ruleset)
    preset = preset_in(opened, ruleset, scenario)
    if opened.notes:
        print_findings(opened.notes)
    return preset
