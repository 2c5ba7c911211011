"""An audit as a page of Markdown."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from engine.audit.findings import mending
from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.places import Lines
from engine.audit.verdict import GATE, MEANING, State
from engine.cite import permalink, written
from engine.diagnostics import Diagnostic
from engine.render.audit_data import audit_dict
from engine.render.audit_text import grouped
from engine.render.templates import environment


def audit_markdown(audit: Audit, gate: Collection[State], more: Sequence[Diagnostic] = ()) -> str:
    """Returns the page; `gate` are the states that fail, `more` findings that are not about one citation."""
    data = audit_dict(audit, gate)
    return environment().get_template("audit.md.j2").render(
        sources=list(data["sources"].values()),
        summary=data["summary"],
        meaning={str(state): meaning for state, meaning in MEANING.items()},
        groups=[_group(audit, group) for group in grouped(audit, {State.BROKEN, State.COSMETIC, *gate, *GATE})],
        findings=[f"{item.severity} {item.code}: {item.message}" for item in more],
        coverage=[_covered(one) for one in data["coverage"] or ()],
        moved=[_moved(group) for group in grouped(audit, {State.MOVED} - {*gate})],
    )  # fmt: skip


def _group(audit: Audit, group: list[AuditedCitation]) -> dict[str, Any]:
    first, verdict = group[0], group[0].verdict
    return {
        "state": str(first.state),
        "labels": [one.cited.label for one in group],
        "reason": verdict.reason,
        "written": written(first.cited.citation, audit.rules.sources),
        "url": permalink(first.cited.citation, audit.rules.sources),
        "now": str(verdict.now) if verdict.now and verdict.now != first.place else None,
        "similarity": verdict.similarity,
        "change": verdict.change,
        "candidates": [str(place) for place in verdict.candidates],
        "diff": [line.replace("```", "` ` `") for line in verdict.diff],
        "help": mending(first),
    }


def _covered(one: dict[str, Any]) -> dict[str, Any]:
    missing = [f"{Lines(*span['lines'])}" for span in one["uncovered"]]
    return one | {"missing": ", ".join(missing) or "–"}


def _moved(group: list[AuditedCitation]) -> dict[str, str]:
    first = group[0]
    assert first.place is not None
    rules = ", ".join(dict.fromkeys(f"`{one.cited.rule}`" for one in group))
    return {"path": first.place.path, "lines": str(first.place.lines), "now": str(first.verdict.now), "rules": rules}
