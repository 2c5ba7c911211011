"""`engine lint`: everything that is wrong or doubtful in a rule set."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import colored, emit

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic
    from engine.ruleset import RuleSet


@click.command("lint", short_help="Find what is wrong or doubtful in rule files.")
@click.argument("rules", type=click.Path(), required=False)
@overlay_option
@click.option("--format", "form", type=click.Choice(["text", "json", "github"]), default="text", show_default=True)
def command(rules: str | None, overlays: tuple[str, ...], form: str) -> int:
    """Check the rule files in RULES (the shipped rules if not given) and say everything that is wrong.

    Exit code 0 also with warnings, 2 with errors: such a rule set cannot be loaded.
    """
    from engine.diagnostics import EngineError, Severity
    from engine.linting.lint import lint
    from engine.ruleset import RuleSet

    praise = ""
    try:
        ruleset = RuleSet.load(rules, overlays)
    except EngineError as error:
        found: Sequence[Diagnostic] = error.diagnostics
    else:
        found = lint(ruleset)
        praise = _praise(ruleset)
    emit(_rendered(found, praise, form))
    return 2 if any(item.severity is Severity.ERROR for item in found) else 0


def _praise(ruleset: RuleSet) -> str:
    parts = {"input": ruleset.inputs, "rule": ruleset.rules, "check": ruleset.checks, "view": ruleset.views}
    counts = [f"{len(items)} {name}{'s' if len(items) != 1 else ''}" for name, items in parts.items()]
    return f"no findings in {', '.join(counts)}"


def _rendered(found: Sequence[Diagnostic], praise: str, form: str) -> str:
    from engine.diagnostics import render
    from engine.render.findings import findings_github, findings_json

    if form == "json":
        return findings_json(found)
    if form == "github":
        return findings_github(found)
    return render(found, color=colored(sys.stdout)) if found else praise
