"""`engine slices`: what each parallel dimension cuts, and what it sends."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engine.cli.terminal import colored, emit, painter, width

if TYPE_CHECKING:
    from engine.result import Result
    from engine.ruleset import RuleSet


@click.command(
    short_help="Show what each parallel dimension cuts, and what it sends.",
    epilog="Example: engine slices rules presets/document-7b.yaml",
)
@click.argument("rules", type=click.Path(), required=False)
@click.argument("preset", type=click.Path(allow_dash=True), required=False)
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Give an input another value; repeatable.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(rules: str | None, preset: str | None, settings: tuple[str, ...], form: str, output: str | None) -> int:
    """Show what each parallel dimension in RULES (the shipped rules if not given) does to each kind of memory.

    Without PRESET, with the formulas, the groups of tensors and the sources. With PRESET, with what the dimensions
    divide each group of tensors by in that configuration, and with what a rank sends.
    """
    from engine.ruleset import RuleSet

    if preset is None:
        if settings:
            raise click.UsageError("--set needs a PRESET")
        emit(_rendered(RuleSet.load(rules), None, form, painted=output is None and colored(sys.stdout)), output)
        return 0
    from engine.cli.configuration import read
    from engine.evaluation import evaluate

    ruleset, values, changes = read(str(rules), preset, settings)
    result = evaluate(ruleset, values, set=changes)
    emit(_rendered(ruleset, result, form, painted=output is None and colored(sys.stdout)), output)
    return 1 if result.verdict == "invalid" else 0


def _rendered(rules: RuleSet, result: Result | None, form: str, *, painted: bool) -> str:
    from engine.render import slices

    page = slices.page(rules, result)
    if form == "json":
        import json

        return json.dumps(slices.to_dict(page), indent=2, ensure_ascii=False, allow_nan=False)
    return slices.markdown(page) if form == "md" else slices.text(page, width(), painter(painted=painted))
