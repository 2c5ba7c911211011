"""`engine audit`: is every citation true, and what has become of the cited lines?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from engine.cli.configuration import is_workbook
from engine.cli.sources import checkouts, overlay_option, revisions, source_option
from engine.cli.terminal import colored, emit, painter

if TYPE_CHECKING:
    from engine.audit import Audit, State
    from engine.audit.replay import Replayed
    from engine.diagnostics import Diagnostic
    from engine.ruleset import RuleSet

_DRAWN = 100
FORMATS = ("text", "json", "md", "sarif", "github")


@click.command("audit", short_help="Prove the citations against checkouts of the sources.")
@click.argument("rules", metavar="[RULES | PLAN.xlsx]", type=click.Path(), required=False)
@source_option
@click.option("--at", metavar="REV", multiple=True, help="Revision to compare with; without it the files as they lie.")
@overlay_option
@click.option(
    "--rules",
    "of_workbook",
    metavar="RULES",
    type=click.Path(),
    help="For a workbook: the rules that it was built from [those shipped].",
)
@click.option("--locked", is_flag=True, help="Each citation must be in citations.lock as it stands.")
@click.option("--coverage", "with_coverage", is_flag=True, help="Count which statements of watched code are cited.")
@click.option(
    "--min-coverage", metavar="PERCENT", type=click.FloatRange(0, 100), help="Least coverage; implies --coverage."
)
@click.option("--replay", "replaying", is_flag=True, help="Run cited functions: this executes code of the checkout.")
@click.option("--presets", metavar="N", type=click.IntRange(0, 100_000), help="Configurations to draw for --replay.")
@click.option("--preset", "given_presets", metavar="PRESET", multiple=True, help="Replay this one too; repeatable.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the drawn configurations.")
@click.option("--fail-on", metavar="STATES", help="States that fail, comma-separated, or none; broken always does.")
@click.option("--no-history", is_flag=True, help="Do not look up which commit changed the lines.")
@click.option("--report", metavar="FILE", type=click.Path(dir_okay=False), help="Write a page of HTML as well.")
@click.option("-v", "--verbose", is_flag=True, help="List also the citations that are ok.")
@click.option("--format", "form", type=click.Choice(FORMATS), default="text", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(
    rules: str | None,
    sources: tuple[str, ...],
    at: tuple[str, ...],
    overlays: tuple[str, ...],
    of_workbook: str | None,
    locked: bool,
    with_coverage: bool,
    min_coverage: float | None,
    replaying: bool,
    presets: int | None,
    given_presets: tuple[str, ...],
    seed: int,
    fail_on: str | None,
    no_history: bool,
    report: str | None,
    verbose: bool,
    form: str,
    output: str | None,
) -> int:
    """Audit the citations of RULES (the shipped rules if not given), or the workbook PLAN.xlsx.

    Integrity: is a citation true at the commit that sources.yaml pins? Freshness: what has become of the lines at
    REV, or in the files as they lie in CHECKOUT? A plain folder will do for the latter; a revision, the pinned commit
    and the history need a git checkout with history.

    States: ok, moved, cosmetic, changed, missing, ambiguous, broken, unverified. Exit code 1 where a citation is in a
    state that fails; without --fail-on these are changed, missing, ambiguous and broken.

    Of a workbook: every formula cell that no longer carries its rule's formula, every input that changed since it was
    built, and whether the rules are those that it was built from. Changed inputs alone do not fail.
    """
    from engine.audit import audit
    from engine.audit.coverage import coverage_findings
    from engine.diagnostics import Severity
    from engine.ruleset import RuleSet

    if rules is not None and is_workbook(rules):
        from engine.cli.audit_workbook import audit_workbook

        return audit_workbook(rules, of_workbook, overlays, form, output, verbose=verbose)
    if of_workbook is not None:
        raise click.UsageError("--rules is for a workbook; a folder of rules is named without it")
    gate = _gate(fail_on)
    ruleset = RuleSet.load(rules, overlays)
    given = checkouts(sources)
    found = audit(
        ruleset,
        given,
        at=revisions(at, given),
        locked=locked,
        history=not no_history,
        with_coverage=with_coverage or min_coverage is not None,
    )
    more = coverage_findings(found.coverage or (), min_coverage)
    replayed: list[Replayed] | None = None
    if replaying:
        count = _DRAWN if presets is None else presets
        replayed = _replayed(ruleset, given, revisions(at, given), given_presets, count, seed, more)
    elif presets is not None or given_presets:
        raise click.UsageError("--presets and --preset are for --replay")
    if report is not None:
        from engine.render.report import audit_report

        emit(audit_report(found, gate, more, replayed), report)
    painted = output is None and colored(sys.stdout)
    emit(_rendered(found, more, replayed, gate, form, verbose=verbose, painted=painted), output)
    failing = found.failing(gate) or any(item.severity is Severity.ERROR for item in more)
    return 1 if failing else 0


def _gate(fail_on: str | None) -> frozenset[State]:
    from engine.audit.verdict import GATE, State

    if fail_on is None:
        return GATE
    words = [word.strip() for word in fail_on.split(",") if word.strip() and word.strip() != "none"]
    unknown = [word for word in words if word not in list(State)]
    if unknown:
        raise click.UsageError(f"--fail-on: there is no state `{unknown[0]}`; states are {', '.join(State)}")
    return frozenset(State(word) for word in words)


def _replayed(
    rules: RuleSet,
    sources: dict[str, str],
    at: str | dict[str, str] | None,
    presets: tuple[str, ...],
    count: int,
    seed: int,
    more: list[Diagnostic],
) -> list[Replayed]:
    """Runs the cited functions, having said so, and adds what differs to the findings."""
    from engine.audit.replay import replay
    from engine.audit.replay.run import replay_findings
    from engine.preset import Preset

    for one in rules.replays.values():
        if one.source in sources:
            click.echo(f"note: running {one.function} of {one.path} in {sources[one.source]}", err=True)
    loaded = [Preset.load(preset) for preset in presets]
    found = replay(rules, sources, at=at, presets=loaded, count=count, seed=seed)
    more += replay_findings(rules, found)
    return found


def _rendered(
    found: Audit,
    more: list[Diagnostic],
    replayed: list[Replayed] | None,
    gate: frozenset[State],
    form: str,
    *,
    verbose: bool,
    painted: bool,
) -> str:
    from engine.audit.findings import findings

    match form:
        case "json":
            from engine.render.audit_data import audit_json

            return audit_json(found, gate, replayed)
        case "sarif":
            from importlib.metadata import version

            from engine.render.audit_data import sarif

            return sarif([*findings(found, gate), *more], version("rank-ledger"))
        case "github":
            from engine.render.findings import findings_github

            return findings_github([*findings(found, gate), *more])
        case "md":
            from engine.render.audit_page import audit_markdown

            return audit_markdown(found, gate, more)
    from engine.render.audit_text import audit_text

    return audit_text(found, gate, painter(painted=painted), more, replayed, verbose=verbose)
