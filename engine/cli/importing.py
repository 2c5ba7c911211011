"""`engine import`: a preset from a launch script, launch flags, an argument file, a training log or a model."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import colored, emit, painter, print_findings, width

if TYPE_CHECKING:
    from collections.abc import Callable

    from engine.preset import Preset
    from engine.ruleset import RuleSet

F = TypeVar("F", bound="Callable[..., Any]")


def _options(command: F) -> F:
    """The options that all imports share."""
    for option in (
        click.option("-o", "--output", metavar="FILE", help="Write the preset to a file; - for standard output."),
        click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True),
        overlay_option,
        click.option("--rules", metavar="RULES", help="Folder of rule files; without it the shipped rules."),
    ):
        command = option(command)
    return command


@click.group("import", short_help="Make a preset of a launch script, flags, an argument file, a log or a model.")
def command() -> None:
    """Make a preset of a configuration that was written for something else.

    Says for each flag about memory which value holds and why, and what became of the other flags. Nothing is run, and
    the environment is not read. Every command that takes a PRESET takes these files as well.
    """


@command.command(
    "megatron",
    short_help="Read launch flags of Megatron-LM.",
    context_settings={"ignore_unknown_options": True},
    epilog="Example: engine import megatron train.sh -o preset.yaml",
)
@click.argument("what", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option("--env", "variables", metavar="NAME=VALUE", multiple=True, help="Set a variable of the script.")
@_options
def megatron(
    what: tuple[str, ...],
    variables: tuple[str, ...],
    rules: str | None,
    overlays: tuple[str, ...],
    form: str,
    output: str | None,
) -> int:
    """Read the launch flags in a script, a YAML argument file or a training log, or as they are given here.

    WHAT is a file (- for standard input), for a script with the arguments that it is called with; or launch flags,
    after -- where this command has one of that name.

    Exit code 0, 1 where an error-level check fails, 2 where the flags cannot be read.
    """
    from engine.importing.sniff import flags_preset, read_preset, read_source
    from engine.ruleset import RuleSet

    ruleset = RuleSet.load(rules, overlays)
    if what[0].startswith("--"):
        return _tell(ruleset, flags_preset(what, ruleset), form, output)
    given = dict(_variable(text) for text in variables)
    preset = read_preset(read_source(what[0]), ruleset, variables=given, arguments=what[1:], flags_only=True)
    return _tell(ruleset, preset, form, output)


@command.command("hf", short_help="Read the config.json of a Hugging Face model.")
@click.argument("config", type=click.Path(allow_dash=True))
@_options
def hf(config: str, rules: str | None, overlays: tuple[str, ...], form: str, output: str | None) -> int:
    """Read the shape of a model from CONFIG, its config.json (- for standard input). It says nothing of a layout.

    Exit code 0, 1 where an error-level check fails, 2 where the file cannot be read.
    """
    from engine.importing.sniff import read_preset, read_source
    from engine.ruleset import RuleSet

    ruleset = RuleSet.load(rules, overlays)
    return _tell(ruleset, read_preset(read_source(config), ruleset, kind="model"), form, output)


def _variable(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.isidentifier():
        raise click.BadParameter(f"`{text}` is not of the form NAME=VALUE", param_hint="--env")
    return name, value


def _tell(rules: RuleSet, preset: Preset, form: str, output: str | None) -> int:
    """Shows what was understood and writes the preset."""
    from engine.evaluation import evaluate
    from engine.importing.preset_text import preset_text
    from engine.importing.report import report
    from engine.render.imported import imported_dict, imported_text
    from engine.render.summary import inputs_read, summarize

    result = evaluate(rules, preset)
    summarize(result)  # reads what the account of memory reads
    found = report(result, inputs_read(result))
    if form == "json":
        import json

        text = json.dumps(imported_dict(found), indent=2, ensure_ascii=False, allow_nan=False)
    else:
        text = imported_text(found, width(), painter(painted=colored(sys.stdout)))
    if output == "-":
        emit(preset_text(preset, rules, _head(preset)))
    else:
        emit(text)
        if output is not None:
            emit(preset_text(preset, rules, _head(preset)), output)
    if preset.flags is not None and preset.flags.remarks:
        print_findings(preset.flags.remarks)
    return 1 if found.verdict == "invalid" else 0


def _head(preset: Preset) -> list[str]:
    name = Path(preset.path).name
    headline = preset.flags.headline if preset.flags is not None else ""
    return [f"From {name}: {headline}." if headline else f"From {name}."]
