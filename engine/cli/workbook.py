"""`engine workbook`: the same rules as a live spreadsheet."""

from __future__ import annotations

from pathlib import Path

import click


@click.group("workbook", short_help="Plan in a spreadsheet that carries the rules as formulas.")
def command() -> None:
    """Builds workbooks that carry the rules as live formulas, checks them, and reads them back."""


@command.command(
    short_help="Build a workbook.",
    epilog="Example: engine workbook build rules presets/document-7b.yaml -o plan.xlsx",
)
@click.argument("rules", type=click.Path())
@click.argument("preset", type=click.Path(allow_dash=True))
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Give an input another value; repeatable.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), required=True, help="Write this file.")
@click.option("--layers", metavar="N", type=click.IntRange(1), help="Room for layers [default: 128, or more].")
@click.option("--stages", metavar="N", type=click.IntRange(1), help="Room for pipeline stages [default: 32, or more].")
@click.option("--virtual-stages", metavar="N", type=click.IntRange(1), help="Room for virtual stages [256, or more].")
def build(
    rules: str,
    preset: str,
    settings: tuple[str, ...],
    output: str,
    layers: int | None,
    stages: int | None,
    virtual_stages: int | None,
) -> None:
    """Build the workbook of RULES for the configuration PRESET (- for standard input).

    The same rules and preset give the same file. One that is there already stays as it is until the new one is
    complete.
    """
    from engine.cli.configuration import read
    from engine.evaluation import changed
    from workbook.build import make

    ruleset, values, changes = read(rules, preset, settings)
    given = changed(ruleset, values, changes) if changes else values
    context = make(ruleset, given, Path(output), layer=layers, stage=stages, virtual_stage=virtual_stages)
    click.echo(f"{output}: {context.result().verdict}", err=True)
