"""`engine eval`: what one rank holds, for one configuration."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from engine.cli.terminal import colored, emit, print_findings, width

if TYPE_CHECKING:
    from engine.result import Result
    from engine.ruleset import RuleSet
    from engine.select import Selection

T = TypeVar("T")


@click.command(
    "eval",
    short_help="Tell what one rank holds, for one configuration.",
    epilog="Example: engine eval rules presets/document-7b.yaml --set tensor_model_parallel_size=4",
)
@click.argument("rules", type=click.Path())
@click.argument("preset", type=click.Path(allow_dash=True))
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Give an input another value; repeatable.")
@click.option("--only", metavar="SELECTOR", help="Show these values: ids, log_*, +ID, ID+, view:NAME, comma-separated.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md", "csv"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(rules: str, preset: str, settings: tuple[str, ...], only: str | None, form: str, output: str | None) -> int:
    """Evaluate RULES for the configuration PRESET (- for standard input).

    Exit code 0, 1 where an error-level check fails, 2 where what was asked for has no value.
    """
    from engine.cli.failures import findings_for
    from engine.select import select

    ruleset, result = _evaluated(rules, preset, settings)
    selection = select(ruleset, only) if only is not None else None
    emit(_rendered(result, selection, form, painted=output is None and colored(sys.stdout)), output)
    findings = findings_for(result, _required(result, selection), missing=selection is not None)
    if findings:
        print_findings(findings)
        return 2
    return 1 if result.verdict == "invalid" else 0


def _evaluated(rules: str, preset: str, settings: tuple[str, ...]) -> tuple[RuleSet, Result]:
    """Reads everything before it complains, so that all findings are told at once."""
    from engine.diagnostics import EngineError, Findings
    from engine.evaluation import evaluate
    from engine.preset import Preset, parse_setting
    from engine.ruleset import RuleSet

    findings = Findings()

    def attempt(read: Callable[[str], T], text: str) -> T | None:
        try:
            return read(text)
        except EngineError as error:
            findings.diagnostics.extend(error.diagnostics)
            return None

    ruleset = attempt(RuleSet.load, rules)
    values = attempt(Preset.load, preset)
    pairs = [attempt(parse_setting, setting) for setting in settings]
    if ruleset is None or values is None or None in pairs:
        raise EngineError(findings.sorted())
    return ruleset, evaluate(ruleset, values, set=dict(pair for pair in pairs if pair))


def _required(result: Result, selection: Selection | None) -> list[str]:
    """Returns the ids without whose values the command has not done its work."""
    if selection is not None:
        return [id for id in selection.ids if id in selection.asked]
    from engine.render.summary import shown_ids

    return list(shown_ids(result))


def _rendered(result: Result, selection: Selection | None, form: str, *, painted: bool) -> str:
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
    from engine.render.text import selection_text, summary_text, unpainted

    paint = _paint if painted else unpainted
    if ids is None:
        return summary_text(summarize(result), width(), paint)
    return selection_text(result, ids, width(), paint)


def _paint(text: str, style: str) -> str:
    words = style.split()
    if not words or not text.strip():
        return text
    color = next((word for word in words if word not in ("bold", "dim")), None)
    return click.style(text, fg=color, bold="bold" in words or None, dim="dim" in words or None)
