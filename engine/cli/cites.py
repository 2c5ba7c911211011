"""`engine cites`: which rules cite a place."""

from __future__ import annotations

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import CannotRun, emit


@click.command("cites", short_help="List the rules that cite a place.")
@click.argument("place")
@click.option("--rules", "rules_path", metavar="RULES", help="Folder of rule files; without it the shipped rules.")
@overlay_option
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
def command(place: str, rules_path: str | None, overlays: tuple[str, ...], form: str) -> None:
    """List the rules that cite PLACE: path#L82-L93, or a path alone.

    The path may begin at any of its folders; alias:path and owner/repo@commit:path name a source. Lines that overlap
    count.
    """
    from engine.audit.citing import citing, near_path
    from engine.audit.places import parse_reference
    from engine.render.table import aligned
    from engine.ruleset import RuleSet

    try:
        wanted = parse_reference(place)
    except ValueError as error:
        raise click.UsageError(f"{place}: {error}") from error
    rules = RuleSet.load(rules_path, overlays)
    found = citing(rules, wanted)
    if form == "json":
        import json

        entries = [
            {
                "rule": one.cited.rule, "branch": one.cited.branch, "title": one.title,
                "at": f"{one.cited.citation.source}:{one.cited.citation.where}", "in": one.place.symbol,
                "file": str(one.cited.citation.span or ""),
            }
            for one in found
        ]  # fmt: skip
        emit(json.dumps({"schema": "rank-ledger/cites/1", "citations": entries}, indent=2, ensure_ascii=False))
        return
    if not found:
        near = near_path(rules, wanted.path)
        raise CannotRun(f"no rule cites {place}" + (f"; did you mean {near}?" if near and near != wanted.path else ""))
    path = ""
    lines = []
    rows = aligned([[str(one.place.lines), one.cited.label, one.title] for one in found], "<<<")
    for one, row in zip(found, rows, strict=True):
        if one.place.path != path:
            path = one.place.path
            lines.append(path)
        lines.append(("   " + "  ".join(row)).rstrip())
    emit("\n".join(lines))
