"""`engine show`: the page of an id, of a diagnostic code, or a list."""

from __future__ import annotations

import re

import click

from engine.cli.sources import checkouts, overlay_option, source_option
from engine.cli.terminal import emit, width

_CODE = re.compile(r"[EWN][0-9]{3}\Z", re.IGNORECASE)


@click.command()
@click.argument("name", metavar="ID")
@click.option("--rules", "rules_path", metavar="RULES", help="Folder of rule files; without it the shipped rules.")
@overlay_option
@source_option
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
def command(name: str, rules_path: str | None, overlays: tuple[str, ...], sources: tuple[str, ...], form: str) -> None:
    """Show what the rules say about ID.

    ID is a rule, check, input, table, view, slice, group of tensors, scenario or advice; or a diagnostic code such as
    E306; or one of the words inputs, rules, checks, tables, views, slices, groups, scenarios, advice and codes, which
    list what there is. Where several things have one name, kind:ID tells them apart, as in scenario:zero3. A rule is
    shown with its formula as text, LaTeX and Excel, its sources with links, its tests, what it reads and what reads it;
    with --source, the cited lines too.
    """
    if _CODE.match(name) or name == "codes":
        emit(_codes(form) if name == "codes" else _code(name.upper(), form))
        return

    from engine.explaining.describe import describe
    from engine.render import page
    from engine.ruleset import RuleSet

    rules = RuleSet.load(rules_path, overlays)
    found = describe(rules, name)
    if sources:
        from engine.audit.excerpts import excerpts
        from engine.render.excerpts import entries

        found |= {"cited_lines": entries(excerpts(rules, name, checkouts(sources)))}
    if form == "json":
        emit(_json(found))
    else:
        emit(page.text(found, width()) if form == "text" else page.markdown(found))


def _code(code: str, form: str) -> str:
    """Returns the page of a diagnostic code; it needs no rules, which may be the very thing that is broken."""
    from dataclasses import asdict

    from engine.codes import REGISTRY, page
    from engine.diagnostics import Findings, nearest

    if code not in REGISTRY:
        findings = Findings()
        near = nearest(code, REGISTRY)
        mend = f"did you mean `{near}`?" if near else "`engine show codes` lists them"
        findings.add("E604", f"there is no diagnostic code `{code}`", help=mend)
        findings.raise_if_errors()
    if form == "json":
        return _json({"code": code} | asdict(REGISTRY[code]))
    return page(code) if form == "md" else _filled(page(code))


def _filled(markdown: str) -> str:
    """Breaks long paragraphs for the terminal; what is indented is an example and stays as it is."""
    import textwrap

    lines = [
        [line] if line[:1] in (" ", "#") else textwrap.wrap(line, width()) or [""] for line in markdown.splitlines()
    ]
    return "\n".join(line for filled in lines for line in filled)


def _codes(form: str) -> str:
    from engine.codes import FAMILIES, REGISTRY

    if form == "json":
        return _json([{"code": code, "slug": info.slug, "title": info.title} for code, info in REGISTRY.items()])
    lines = ["# Diagnostic codes"] if form == "md" else []
    for family, title in FAMILIES.items():
        lines += [""] * bool(lines) + [f"## {title}" if form == "md" else title[:1].upper() + title[1:]]
        for code, info in REGISTRY.items():
            if code.startswith(family):
                lines.append(f"- `{code}` {info.title}" if form == "md" else f"  {code}  {info.title}")
    return "\n".join(lines)


def _json(content: object) -> str:
    import json

    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
