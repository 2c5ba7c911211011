"""Which rules cite a place."""

from __future__ import annotations

from dataclasses import dataclass

from engine.audit.collect import Cited, citations
from engine.audit.places import Place, Reference, parse_where
from engine.diagnostics import nearest
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Citing:
    """A citation of a place, with the title of what it supports."""

    cited: Cited
    place: Place
    title: str


def citing(rules: RuleSet, wanted: Reference) -> list[Citing]:
    """Returns the citations of a place, by file and lines.

    A path may be given from any of its folders on, and the lines may be left out; cited lines that overlap the wanted
    ones count.
    """
    found = []
    for cited in citations(rules):
        citation = cited.citation
        if citation.kind != "code":
            continue
        path, lines = parse_where(citation.where)
        repo = rules.sources["sources"][citation.source].repo
        if wanted.alias not in (None, citation.source) or wanted.repo not in (None, repo):
            continue
        if not f"/{path}".endswith(f"/{wanted.path}") or (wanted.lines and not wanted.lines.overlaps(lines)):
            continue
        found.append(Citing(cited, Place(path, lines, citation.symbol), _title(rules, cited.rule)))
    return sorted(found, key=lambda one: (one.place.path, one.place.lines, one.cited.key))


def near_path(rules: RuleSet, path: str) -> str | None:
    """Returns the cited path that a misspelt one most likely means."""
    paths = {cited.citation.where.rpartition("#")[0] for cited in citations(rules) if cited.citation.kind == "code"}
    return nearest(path, paths) or nearest(path, {one.rpartition("/")[2] for one in paths})


def _title(rules: RuleSet, rule: str) -> str:
    section, _, id = rule.rpartition(".")
    known = rules.computed.get(rule) or rules.inputs.get(rule)
    if known is None and section:
        known = getattr(rules, section, {}).get(id)
    return known.title if known is not None else ""
