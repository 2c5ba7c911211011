"""`engine eval`: what one rank holds, for one configuration."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import colored, emit, painter, print_findings, width

if TYPE_CHECKING:
    from engine.explaining.select import Selection
    from engine.preset import Preset
    from engine.result import Result
    from engine.ruleset import RuleSet


@click.command(
    "eval",
    short_help="Tell what one rank holds, for one configuration.",
    epilog="Example: engine eval rules presets/document-7b.yaml --set tensor_model_parallel_size=4",
)
@click.argument("rules", type=click.Path())
@click.argument("preset", type=click.Path(allow_dash=True))
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Give an input another value; repeatable.")
@overlay_option
@click.option(
    "--scenario",
    metavar="NAME",
    help="Take the changes of a scenario, or of a workbook's what-if; --set wins over them.",
)
@click.option("--device", metavar="NAME", help="Judge on this card; `all` sets all cards side by side.")
@click.option("--only", metavar="SELECTOR", help="Show these values: ids, log_*, +ID, ID+, view:NAME, comma-separated.")
@click.option("--inputs", "all_inputs", is_flag=True, help="Name every input that was not given, with its value.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md", "csv"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(
    rules: str,
    preset: str,
    settings: tuple[str, ...],
    overlays: tuple[str, ...],
    scenario: str | None,
    device: str | None,
    only: str | None,
    all_inputs: bool,
    form: str,
    output: str | None,
) -> int:
    """Evaluate RULES for the configuration PRESET (- for standard input).

    Exit code 0, 1 where an error-level check fails, 2 where what was asked for has no value.
    """
    from engine.cli.configuration import read
    from engine.cli.failures import findings_for
    from engine.evaluation import evaluate
    from engine.explaining.select import select

    ruleset, values, changes = read(rules, preset, settings, overlays, scenario)
    if device == "all":
        return _on_all_devices(ruleset, values, changes, form, output)
    if device is not None:
        changes = {**changes, "device": device}
    result = evaluate(ruleset, values, set=changes)
    selection = select(ruleset, only) if only is not None else None
    painted = output is None and colored(sys.stdout)
    emit(_rendered(result, selection, form, painted=painted, all_inputs=all_inputs), output)
    findings = findings_for(result, _required(result, selection), missing=selection is not None)
    if findings:
        print_findings(findings)
        return 2
    return 1 if result.verdict == "invalid" else 0


def _on_all_devices(ruleset: RuleSet, values: Preset, changes: Mapping[str, Any], form: str, output: str | None) -> int:
    from engine.cli.variants import show
    from engine.explaining.comparison import members

    variants = list(members(ruleset, values, changes, "device"))
    show(ruleset, "devices", variants, None, form, output)
    return 1 if all(variant.result.verdict == "invalid" for variant in variants) else 0


def _required(result: Result, selection: Selection | None) -> list[str]:
    """Returns the ids without whose values the command has not done its work."""
    if selection is not None:
        return [id for id in selection.ids if id in selection.asked]
    from engine.render.summary import shown_ids

    return list(shown_ids(result))


def _rendered(result: Result, selection: Selection | None, form: str, *, painted: bool, all_inputs: bool) -> str:
    ids = selection.ids if selection is not None else None
    if form == "json":
        return result.to_json(ids)
    if form == "csv":
        from engine.render.tabular import csv_text

        return csv_text(result, ids)
    if form == "md":
        from engine.render.markdown import selection_markdown, summary_markdown
        from engine.render.summary import summarize

        return summary_markdown(summarize(result)) if ids is None else selection_markdown(result, ids)
    from engine.render.summary import summarize
    from engine.render.text import selection_text, summary_text

    paint = painter(painted=painted)
    if ids is None:
        return summary_text(summarize(result), width(), paint, all_inputs=all_inputs)
    return selection_text(result, ids, width(), paint)
