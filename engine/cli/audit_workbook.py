"""`engine audit PLAN.xlsx`: does each cell carry its rule's formula, and what was typed since?"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from engine.cli.terminal import colored, emit

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic
    from workbook.checking.audit import WorkbookAudit

SCHEMA = "rank-ledger/workbook-audit/1"
_MOST = 40
"""Findings of one kind that are listed without --verbose."""

_CITATIONS_ONLY = (
    "sources", "at", "locked", "with_coverage", "min_coverage", "replaying", "presets", "given_presets", "fail_on",
    "no_history", "report",
)  # fmt: skip


def audit_workbook(
    path: str, rules: str | None, overlays: Sequence[str], form: str, output: str | None, *, verbose: bool
) -> int:
    """Audits a workbook, shows what was found, and returns the exit code.

    Raises:
        EngineError: the rules or the workbook cannot be read.
        click.UsageError: an option was given that is for citations.
    """
    from engine.ruleset import RuleSet
    from workbook.checking.audit import audit

    _refuse_other_options()
    found = audit(path, RuleSet.load(rules, overlays))
    emit(_rendered(found, form, painted=output is None and colored(sys.stdout), verbose=verbose), output)
    return 1 if found.failing() else 0


def _refuse_other_options() -> None:
    context = click.get_current_context()
    for option in context.command.params:
        if option.name in _CITATIONS_ONLY and context.params.get(option.name) not in (None, False, ()):
            raise click.UsageError(f"{option.opts[0]} is for citations; a workbook has none that could be audited")


def _rendered(found: WorkbookAudit, form: str, *, painted: bool, verbose: bool) -> str:
    match form:
        case "json":
            return json.dumps(as_data(found), indent=2, ensure_ascii=False)
        case "sarif":
            from importlib.metadata import version

            from engine.render.audit_data import sarif

            return sarif(_for_hosts(found), version("rank-ledger"))
        case "github":
            from engine.render.findings import findings_github

            return findings_github(_for_hosts(found))
        case "md":
            return "".join(_page(found))
    return "".join(_text(found, painted=painted, most=None if verbose else _MOST))


def _for_hosts(found: WorkbookAudit) -> Iterator[Diagnostic]:
    """Yields the findings with the file alone as their place, which is what code hosts know, and the cell in words."""
    from dataclasses import replace

    from engine.diagnostics import Source

    for item in found.findings():
        cell = str(item.span).removeprefix(f"{found.path}").removeprefix(", ") if item.span else ""
        message = f"{cell}: {item.message}" if cell else item.message
        yield replace(item, message=message, span=Source(str(found.path)).whole())


def _sections(found: WorkbookAudit) -> dict[str, list[Diagnostic]]:
    sections = {
        "rules": found.of_rules(),
        "formulas": found.of_cells(),
        "cells that only present": found.of_cells(presentation=True),
        "what is typed makes no configuration": list(found.problems),
        "inputs changed since it was built": found.of_inputs(),
    }
    return {title: items for title, items in sections.items() if items}


def _text(found: WorkbookAudit, *, painted: bool, most: int | None) -> Iterator[str]:
    from engine.diagnostics import render

    for title, items in _sections(found).items():
        yield f"{title}\n"
        for item in items[:most]:
            block = render([item], color=painted).rpartition("\n\n")[0]  # without the count of findings
            yield from (f"   {line}\n" for line in block.split("\n"))
        if most is not None and len(items) > most:
            yield f"   … and {len(items) - most:,} more; -v lists all\n"
        yield "\n"
    yield from (f"{line}\n" for line in _summary(found))


def _page(found: WorkbookAudit) -> Iterator[str]:
    yield f"# Audit of {found.path.name}\n\n"
    yield from (f"- {line}\n" for line in _summary(found))
    for title, items in _sections(found).items():
        yield f"\n## {title[0].upper()}{title[1:]}\n\n"
        for item in items:
            place = str(item.span).removeprefix(f"{found.path}, ") if item.span else ""
            text = f"{item.message}" + (f" ({item.help})" if item.help else "")
            yield f"- {item.code} {place}: {_code(text)}\n"


def _code(text: str) -> str:
    """Keeps Markdown from reading formulas as emphasis, links or HTML."""
    for sign in "\\*_[]<>|":
        text = text.replace(sign, f"\\{sign}")
    return text


def _summary(found: WorkbookAudit) -> Iterator[str]:
    built = found.built
    changed, presented, names = (
        sum(one.kind in kinds for one in found.departures)
        for kinds in (("formula", "constant"), ("presentation",), ("name",))
    )
    parts = [f"{changed:,} changed"] if changed else ["none changed"]
    parts += [f"{presented:,} that only present changed"] if presented else []
    parts += [f"{_count(names, 'name or sheet', 'names or sheets')} lost or moved"] if names else []
    parts += [f"{_count(len(found.inputs), 'input')} changed since it was built"]
    shown = "what is entered" if built.shown.casefold() == "as entered" else built.shown
    what_ifs = f", {_count(built.what_ifs, 'what-if')} filled" if built.what_ifs else ""
    yield f"{found.path}: built from {built.preset or 'no preset'} by rank-ledger {built.by}; shows {shown}{what_ifs}"
    if found.other is None:
        yield f"rules: those that it was built from ({found.rules.digest[:12]})"
        yield f"{_count(found.compared, 'formula')} compared: {', '.join(parts)}"
    else:
        yield (
            f"rules: others than those that it was built from; {_count(len(found.other.changed), 'formula')} changed, "
            f"{len(found.other.new)} new, {len(found.other.gone)} gone"
        )
        yield (
            f"{_count(found.compared, 'cell')} of ledger, stages and layers compared with the formulas that the "
            f"workbook prints beside them, the rest not: {', '.join(parts)}"
        )


def _count(count: int, word: str, many: str = "") -> str:
    return f"{count:,} {word if count == 1 else many or word + 's'}"


def as_data(found: WorkbookAudit) -> dict[str, Any]:
    """Returns the audit as JSON-ready data, each cell by itself."""
    built = found.built
    return {
        "schema": SCHEMA,
        "workbook": str(found.path),
        "built": {
            "by": built.by, "preset": built.preset, "rules": built.rules,
            "room": {domain: built.frame.width(domain) for domain in built.frame.domains()},
        },
        "shows": built.shown,
        "rules": {
            "digest": found.rules.digest,
            "same": found.other is None,
            "changed": {} if found.other is None else {
                id: {"workbook": old, "rules": new} for id, (old, new) in found.other.changed.items()
            },
            "new": [] if found.other is None else list(found.other.new),
            "gone": [] if found.other is None else list(found.other.gone),
        },
        "departures": [
            {
                "kind": one.kind, "sheet": one.sheet, "cell": one.address, "id": one.id, "found": one.found,
                "wanted": one.wanted,
            }
            for one in found.departures
        ],
        "inputs": [
            {"name": one.name, "sheet": one.sheet, "cell": one.address, "built": one.built, "now": one.now}
            for one in found.inputs
        ],
        "problems": [{"code": item.code, "message": item.message, "at": str(item.span)} for item in found.problems],
        "summary": {
            "formulas": found.compared,
            "changed": sum(one.kind != "presentation" for one in found.departures),
            "presentation": sum(one.kind == "presentation" for one in found.departures),
            "inputs": len(found.inputs),
            "failing": found.failing(),
        },
    }  # fmt: skip
