"""`engine bump`: move the pinned commit of a source."""

from __future__ import annotations

import click

from engine.cli.sources import checkouts, overlay_option, source_option
from engine.cli.terminal import emit


@click.command("bump", short_help="Move the pinned commit of a source, and the citations with it.")
@click.argument("alias")
@click.argument("revision", metavar="REV")
@click.option("--rules", "rules_path", metavar="RULES", help="Folder of rule files; without it the shipped rules.")
@overlay_option
@source_option
def command(
    alias: str, revision: str, rules_path: str | None, overlays: tuple[str, ...], sources: tuple[str, ...]
) -> int:
    """Pin source ALIAS at REV of its checkout.

    Citations whose code is the same get their new line numbers, by exact edits that leave comments and layout alone.
    The rest stays as it is, and red, until the new lines are read and accepted. All files change or none.

    Exit code 1 where citations are left to read.
    """
    from engine.audit.bumping import bump
    from engine.ruleset import RuleSet

    done = bump(RuleSet.load(rules_path, overlays), alias, revision, checkouts(sources))
    emit(f"{alias}: {done.old[:8]} → {done.new[:8]}")
    emit(f"{done.same} citations are where they were, {done.moved} have new line numbers")
    if done.left:
        emit(f"{len(done.left)} are left to read:")
    for cited, verdict in done.left:
        now = f" ({verdict.now})" if verdict.now else ""
        emit(f"   {verdict.state:9} {cited.label}: {verdict.reason}{now}")
    for path in done.files:
        emit(f"wrote {path}")
    return 1 if done.left else 0
