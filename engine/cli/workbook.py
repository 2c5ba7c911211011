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


@command.command(
    short_help="Compare a workbook's formulas and values with the rules.",
    epilog="Example: engine workbook verify plan.xlsx --with libreoffice",
)
@click.argument("file", type=click.Path())
@click.option("--rules", metavar="RULES", type=click.Path(), help="The rules that it was built from [those shipped].")
@click.option(
    "--with", "engine", type=click.Choice(["ironcalc", "formulas", "libreoffice"]), default="ironcalc",
    show_default=True, help="What recalculates it; formulas takes minutes.",
)  # fmt: skip
def verify(file: str, rules: str | None, engine: str) -> int:
    """Compare each formula of the workbook FILE with the rules, and each value, recalculated, with the engine's.

    A copy without values is recalculated, for what is typed in FILE. Exit code 0, 1 where a cell differs.
    """
    from engine.cli.terminal import print_findings
    from engine.ruleset import RuleSet
    from workbook.checking.verify import verify as verify_workbook

    report = verify_workbook(file, RuleSet.load(rules), engine)
    if report.findings:
        print_findings(report.findings)
        return 1
    click.echo(
        f"{file}: {report.formulas:,} formulas are those of the rules; recalculated by {report.engine} all agree"
    )
    return 0


@command.command(
    short_help="Write what is typed in a workbook as a preset.",
    epilog="Example: engine workbook read plan.xlsx --scenario 'What-if 2' -o preset.yaml",
)
@click.argument("file", type=click.Path())
@click.option("--rules", metavar="RULES", type=click.Path(), help="The rules that it was built from [those shipped].")
@click.option("--other-rules", is_flag=True, help="Accept a workbook that was built from other rules.")
@click.option("--scenario", metavar="NAME", help="A what-if, or `entered` [what the workbook shows].")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def read(file: str, rules: str | None, other_rules: bool, scenario: str | None, output: str | None) -> None:
    """Write what is typed in the workbook FILE as a preset in YAML.

    A file that is there already stays as it is if the workbook cannot be read.
    """
    from engine.cli.terminal import emit, print_findings
    from engine.importing.preset_text import preset_text
    from engine.preset import Preset
    from engine.ruleset import RuleSet
    from workbook.reading.opened import preset_in
    from workbook.reading.read import read as read_workbook

    ruleset = RuleSet.load(rules)
    opened = read_workbook(file, ruleset, other_rules=other_rules)
    preset = preset_in(opened, ruleset, scenario)
    given = Preset({name: value for name, value in preset.values.items() if value is not None}, flags=preset.flags)
    if opened.notes:
        print_findings(opened.notes)
    emit(preset_text(given, ruleset, [f"Read from {Path(preset.path).name}."]), output)
