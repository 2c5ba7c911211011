"""The audit as one HTML page for a reader who has never seen the project."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from markupsafe import Markup

from engine.audit.coverage import Coverage, spans
from engine.audit.findings import mending
from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.places import Place
from engine.audit.verdict import MEANING, State
from engine.cite import permalink, written
from engine.diagnostics import Diagnostic
from engine.explaining.describe import describe
from engine.expr.to_mathml import mathml
from engine.render.audit_text import moment
from engine.render.templates import environment

if TYPE_CHECKING:
    from engine.audit.replay import Replayed


_TOLD_BELOW = ("W823", "E831")
"""Findings that the sections on coverage and replay show in full."""


def audit_report(
    audit: Audit,
    gate: Collection[State],
    more: Sequence[Diagnostic] = (),
    replays: Sequence[Replayed] | None = None,
) -> str:
    """Returns the page: self-contained, without anything to fetch.

    Args:
        audit: the outcome.
        gate: the states that fail.
        more: findings that are not about one citation.
        replays: what replays came to.
    """
    cited = _by_rule(audit)
    states = audit.states()
    rules = [_rule(audit, id, cited, states, gate) for id in audit.rules.computed]
    others = [_other(audit, id, found, gate) for id, found in cited.items() if id not in audit.rules.computed]
    return environment().get_template("report.html.j2").render(
        sources=[_source(audit, alias) for alias in audit.rules.sources["sources"]],
        counts={state: count for state, count in audit.counts().items() if count},
        total=len(audit.code_citations),
        papers=len(audit.citations) - len(audit.code_citations),
        meaning={str(state): meaning for state, meaning in MEANING.items()},
        failing=[_citation(audit, one, gate) | {"rule": one.cited.rule} for one in _worst(audit.failing(gate))],
        topics=_topics(rules),
        others=others,
        coverage=[_coverage(one) for one in audit.coverage or ()],
        replays=[_replay(one) for one in replays or ()],
        findings=[
            {"severity": str(item.severity), "message": item.message} for item in more if item.code not in _TOLD_BELOW
        ],
    )  # fmt: skip


def _by_rule(audit: Audit) -> dict[str, list[AuditedCitation]]:
    found: dict[str, list[AuditedCitation]] = {}
    for one in audit.citations:
        found.setdefault(one.cited.rule, []).append(one)
    return found


def _worst(found: Iterable[AuditedCitation]) -> list[AuditedCitation]:
    return sorted(found, key=lambda one: -one.state.rank)


def _rule(
    audit: Audit,
    id: str,
    cited: Mapping[str, list[AuditedCitation]],
    states: Mapping[str, State],
    gate: Collection[State],
) -> dict[str, Any]:
    page = describe(audit.rules, id)
    made_by = getattr(audit.rules.computed[id], "slice", None)
    owner = id if made_by is None else f"slices.{made_by}"
    cases = [
        {
            "when": case.get("when"),
            "formula": case["formula"],
            "assumption": case.get("assumption"),
            "note": case.get("note"),
            "citations": [
                _citation(audit, one, gate) for one in cited.get(owner, ()) if one.cited.branch in (position, None)
            ],
        }
        for position, case in enumerate(page["cases"])
    ]
    state = states.get(owner)
    return {
        "id": id,
        "title": page["title"],
        "unit": page["unit"],
        "over": page.get("over"),
        "place": page["place"],
        "topic": page["place"].rpartition("/")[0].partition("/")[2] or page["place"].partition(":")[0],
        "math": Markup(mathml(page["latex"])),  # the printer escapes what it is given
        "cases": cases,
        "note": page.get("note"),
        "state": str(state) if state else "no code",
        "failing": state is not None and (state in gate or state is State.BROKEN),
        "reads": [_link(audit, one["id"], cited) for one in page.get("reads", ())],
        "read_by": [_link(audit, one["id"], cited) for one in page.get("read_by", ())],
        "evidence": [one["title"] for one in page.get("evidence", ())],
    }


def _link(audit: Audit, id: str, cited: Mapping[str, object]) -> dict[str, str]:
    """Returns an id with the part of the page that tells of it, which is empty where nothing does."""
    item = audit.rules.slots.get(id)
    target = item.id if item is not None else id
    return {"id": id, "target": target if target in cited or target in audit.rules.computed else ""}


def _other(audit: Audit, id: str, found: list[AuditedCitation], gate: Collection[State]) -> dict[str, Any]:
    """Returns an input, table, slice or the like with its citations."""
    state = max((one.state for one in found if one.code), key=lambda state: state.rank, default=None)
    item = audit.rules.inputs.get(id)
    return {
        "id": id,
        "title": item.title if item else "",
        "state": str(state) if state else "no code",
        "failing": state is not None and (state in gate or state is State.BROKEN),
        "citations": [_citation(audit, one, gate) for one in found],
    }


def _citation(audit: Audit, one: AuditedCitation, gate: Collection[State]) -> dict[str, Any]:
    verdict = one.verdict
    citation = one.cited.citation
    return {
        "label": one.cited.label,
        "written": written(citation, audit.rules.sources),
        "url": permalink(citation, audit.rules.sources),
        "note": citation.note,
        "code": one.code,
        "state": str(one.state) if one.code else "",
        "failing": one.code and (one.state in gate or one.state is State.BROKEN),
        "reason": verdict.reason if one.code and one.state is not State.OK else "",
        "now": str(verdict.now) if verdict.now and verdict.now != one.place else "",
        "now_url": _now_url(audit, citation.source, verdict.now) if verdict.now and verdict.now != one.place else None,
        "similarity": verdict.similarity,
        "change": verdict.change,
        "candidates": [str(place) for place in verdict.candidates],
        "diff": [{"kind": _kind(line), "text": line} for line in verdict.diff],
        "help": mending(one) if one.code else "",
    }


def _kind(line: str) -> str:
    return {"+": "came", "-": "went", "@": "place"}.get(line[:1], "kept")


def _now_url(audit: Audit, alias: str, place: Place) -> str | None:
    commit = audit.commits.get(alias)
    if commit is None:
        return None
    repo = audit.rules.sources["sources"][alias].repo
    return f"https://github.com/{repo}/blob/{commit}/{quote(place.path)}#{place.lines}"


def _source(audit: Audit, alias: str) -> dict[str, Any]:
    body = audit.rules.sources["sources"][alias]
    return {
        "alias": alias,
        "repo": body.repo,
        "title": body.title or body.repo,
        "licence": body.licence,
        "pinned": body.commit,
        "url": f"https://github.com/{body.repo}/tree/{body.commit}",
        "audited": moment(audit, alias) if alias in audit.sources else None,
    }


def _topics(rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    topics: dict[str, list[dict[str, Any]]] = {}
    for rule in rules:
        topics.setdefault(rule["topic"], []).append(rule)
    return [{"name": name.replace("_", " "), "rules": found} for name, found in topics.items()]


def _coverage(one: Coverage) -> dict[str, Any]:
    return {
        "title": one.watch.title,
        "path": one.watch.path,
        "count": one.count,
        "percent": f"{one.count.percent:.1f}",
        "missing": [f"{lines} in {symbol}" for symbol, lines, _ in spans(one)],
        "new": [f"{symbol} ({lines})" for symbol, lines in one.new_symbols],
        "problem": one.problem,
        "waivers": [
            {"where": waiver.citation.where.rpartition("#")[2], "reason": waiver.reason} for waiver in one.watch.waivers
        ],
    }


def _replay(one: Replayed) -> dict[str, Any]:
    return {
        "title": one.replay.title,
        "function": one.replay.function,
        "label": one.label,
        "problem": one.problem,
        "count": one.count,
        "compared": one.compared,
        "observed": len(one.observed),
        "departures": [
            {
                "rule": rule,
                "count": len(group),
                "found": group[0][1].found,
                "expected": group[0][1].expected,
                "suspects": list(group[0][1].suspects),
                "values": dict(group[0][0].values),
            }
            for rule, group in one.by_rule().items()
        ],
    }
