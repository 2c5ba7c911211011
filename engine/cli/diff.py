"""`engine diff`: why two rule sets, or two presets, lead to different bytes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import colored, emit, painter

if TYPE_CHECKING:
    from engine.result import Result


@click.command(
    "diff",
    short_help="Attribute a difference in bytes to rules or inputs.",
    epilog="Examples: engine diff rules other-rules --preset p.yaml; engine diff rules --overlay site --preset p.yaml; "
    "engine diff a.yaml b.yaml; engine diff a.yaml --set micro_batch_size=2",
)
@click.argument("a", type=click.Path())
@click.argument("b", type=click.Path(), required=False)
@click.option("--preset", metavar="PRESET", help="Compare the rule sets A and B for this preset.")
@click.option("--rules", "rules_path", metavar="RULES", help="Rules for the presets A and B; else the shipped rules.")
@overlay_option
@click.option("settings", "--set", metavar="NAME=VALUE", multiple=True, help="Change an input of B; repeatable.")
@click.option("--of", "ids", metavar="ID", multiple=True, help="Rule to compare; else the total of the summary.")
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(
    a: str,
    b: str | None,
    preset: str | None,
    rules_path: str | None,
    overlays: tuple[str, ...],
    settings: tuple[str, ...],
    ids: tuple[str, ...],
    form: str,
    output: str | None,
) -> None:
    """Compare A with B: two presets, or with --preset two rule sets.

    Shows in which terms the difference arises, and what each changed rule or input brings about when they are changed
    one after another, in the order in which rules read each other; both lists add up to the difference. B may be left
    out where --overlay (over the rules B) or --set (of inputs of B) says what differs.
    """
    from engine.explaining.difference import difference
    from engine.render import differences

    if b is None and not settings and not (overlays and preset):
        raise click.UsageError("there is nothing to compare A with: give B, --set or, with --preset, --overlay")
    if preset is not None and rules_path is not None:
        raise click.UsageError("with --preset, A and B are the rules; --rules is for two presets")
    if preset is not None:
        old, new = _rule_sets(a, b or a, preset, overlays, settings)
    else:
        old, new = _presets(a, b or a, rules_path, overlays, settings)
    found = [difference(old, new, id) for id in ids or [_total(new)]]
    if form == "text":
        emit(differences.text(found, painter(painted=output is None and colored(sys.stdout))), output)
    else:
        emit(differences.json_text(found) if form == "json" else differences.markdown(found), output)


def _rule_sets(
    a: str, b: str, preset: str, overlays: tuple[str, ...], settings: tuple[str, ...]
) -> tuple[Result, Result]:
    from engine.cli.configuration import load_preset
    from engine.evaluation import evaluate
    from engine.preset import parse_setting
    from engine.ruleset import RuleSet

    values = load_preset(preset)
    changes = dict(parse_setting(setting) for setting in settings)
    return evaluate(RuleSet.load(a), values), evaluate(RuleSet.load(b, overlays), values, set=changes)


def _presets(
    a: str, b: str, rules_path: str | None, overlays: tuple[str, ...], settings: tuple[str, ...]
) -> tuple[Result, Result]:
    from engine.cli.configuration import load_preset
    from engine.evaluation import evaluate
    from engine.preset import parse_setting
    from engine.ruleset import RuleSet

    rules = RuleSet.load(rules_path, overlays)
    changes = dict(parse_setting(setting) for setting in settings)
    return evaluate(rules, load_preset(a, rules)), evaluate(rules, load_preset(b, rules), set=changes)


def _total(result: Result) -> str:
    """Returns the total of the summary."""
    view = result.rules.views.get("summary")
    if view is not None and view.body.ledger is not None:
        return str(view.body.ledger.total)
    raise click.UsageError("these rules declare no summary with a total: say what to compare with --of ID")
