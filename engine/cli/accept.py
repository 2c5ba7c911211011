"""`engine accept`: put citations that somebody has read into the lock."""

from __future__ import annotations

import click

from engine.cli.sources import checkouts, overlay_option, source_option
from engine.cli.terminal import emit, print_findings


@click.command("accept", short_help="Put citations that were read into citations.lock.")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--rules", "rules_path", metavar="RULES", help="Folder of rule files; without it the shipped rules.")
@overlay_option
@source_option
@click.option("--reason", metavar="TEXT", help="Why lines that say something else than before are accepted.")
def command(
    ids: tuple[str, ...],
    rules_path: str | None,
    overlays: tuple[str, ...],
    sources: tuple[str, ...],
    reason: str | None,
) -> int:
    """Accept the citations of ID (all if none is named) as they are at the pinned commit.

    The lock holds digests of the cited lines, so that an audit can tell later that they are still the ones that were
    read. Lines that say something else than before are refused without --reason, and so are broken citations. Where
    the pin has moved, citations are followed and their line numbers rewritten.

    Exit code 1 where a citation was refused.
    """
    from engine.audit.accepting import accept
    from engine.ruleset import RuleSet

    given = checkouts(sources)
    if not given:
        raise click.UsageError("give the checkouts to read the lines from: --source ALIAS=CHECKOUT")
    if reason is not None and not ids:
        raise click.UsageError("a reason is for rules that were read: name them")
    done = accept(RuleSet.load(rules_path, overlays), given, ids, reason)
    counts = {
        "new": done.new, "at another place": done.updated, "with the reason": done.reasoned, "as before": done.kept,
        "dropped": done.dropped, "refused": len(done.refused),
    }  # fmt: skip
    emit(", ".join(f"{count} {what}" for what, count in counts.items() if count) or "nothing to accept")
    for path in done.files:
        emit(f"wrote {path}")
    if done.refused:
        print_findings(done.refused)
        return 1
    return 0
