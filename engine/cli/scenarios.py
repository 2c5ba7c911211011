"""`engine scenarios`: what each named change of a configuration comes to."""

from __future__ import annotations

import click


@click.command(
    short_help="Set the scenarios of a configuration side by side.",
    epilog="Example: engine scenarios rules presets/document-7b.yaml",
)
@click.argument("rules", type=click.Path())
@click.argument("preset", type=click.Path(allow_dash=True))
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Give an input another value; repeatable.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md", "csv"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(rules: str, preset: str, settings: tuple[str, ...], form: str, output: str | None) -> int:
    """Evaluate each scenario in RULES for the configuration PRESET, account by account.

    Exit code 0, 1 where the configuration as given fails an error-level check.
    """
    from engine.cli.configuration import read
    from engine.cli.variants import show
    from engine.evaluation import evaluate
    from engine.explaining.comparison import scenarios

    ruleset, values, changes = read(rules, preset, settings)
    variants = list(scenarios(ruleset, values, changes))
    given = evaluate(ruleset, values, set=changes)
    show(ruleset, "scenarios", variants, given, form, output)
    return 1 if given.verdict == "invalid" else 0
