"""`engine explain`: why an id has the value that it has."""

from __future__ import annotations

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import emit, width


@click.command()
@click.argument("key", metavar="ID")
@click.argument("preset")
@click.option("--rules", "rules_path", metavar="RULES", help="Folder of rule files; without it the shipped rules.")
@overlay_option
@click.option("--set", "settings", metavar="NAME=VALUE", multiple=True, help="Set an input; may be repeated.")
@click.option("--depth", type=click.IntRange(min=0), help="Levels below ID to show; without it down to the inputs.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(
    key: str,
    preset: str,
    rules_path: str | None,
    overlays: tuple[str, ...],
    settings: tuple[str, ...],
    depth: int | None,
    form: str,
) -> None:
    """Explain a value down to the inputs.

    Shows the tree of values behind ID (a rule, check or input; id[2] is one entry of a vector) as PRESET has
    them: each with its formula, the formula with values in place, the case that was taken and why, and the
    lines that it comes from.
    """
    from engine.cli.configuration import load_preset
    from engine.evaluation import evaluate
    from engine.explaining.explain import explain
    from engine.preset import parse_setting
    from engine.render import explanation
    from engine.ruleset import RuleSet

    changes = dict(parse_setting(setting) for setting in settings)
    rules = RuleSet.load(rules_path, overlays)
    result = evaluate(rules, load_preset(preset, rules), set=changes)
    found = explain(result, key, depth)
    if form == "text":
        emit(explanation.text(found, width()))
    else:
        import json

        emit(json.dumps(explanation.to_dict(found), indent=2, ensure_ascii=False, allow_nan=False))
