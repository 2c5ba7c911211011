"""The audit's verdicts as findings, which all outputs are made from."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.verdict import GATE, State
from engine.cite import written
from engine.diagnostics import Diagnostic, Severity

CODES = {
    State.BROKEN: "E801", State.CHANGED: "E802", State.MISSING: "E803", State.AMBIGUOUS: "E804",
    State.MOVED: "N805", State.COSMETIC: "N806", State.UNVERIFIED: "W807",
}  # fmt: skip


def findings(audit: Audit, gate: Collection[State] = GATE) -> list[Diagnostic]:
    """Returns a finding for each citation of code that is not `ok`; those in a failing state are errors."""
    return [finding(audit, one, gate) for one in audit.code_citations if one.state is not State.OK]


def finding(audit: Audit, one: AuditedCitation, gate: Collection[State] = GATE) -> Diagnostic:
    """Returns what an audit says about one citation that is not `ok`."""
    code = CODES[one.state]
    if one.state in gate or one.state is State.BROKEN:
        severity = Severity.ERROR
    else:
        severity = Severity.NOTE if code[0] == "N" else Severity.WARNING
    message = f"`{one.cited.label}`: {one.state}: {one.verdict.reason}"
    return Diagnostic(code, message, one.cited.citation.span, "\n".join(evidence(audit, one)) or None, (), severity)


def evidence(audit: Audit, one: AuditedCitation) -> Iterable[str]:
    """Yields lines that show what a verdict rests on: what is cited, where it is now, and what to do."""
    verdict = one.verdict
    yield f"cites {written(one.cited.citation, audit.rules.sources)}"
    if verdict.now and verdict.now != one.place:
        alike = f", similar {verdict.similarity:.2f}" if verdict.similarity is not None else ""
        yield f"now {verdict.now}{alike}"
    if verdict.change:
        yield f"changed by {verdict.change.commit[:8]} of {verdict.change.date}"
    for place in verdict.candidates:
        yield f"perhaps {place}"
    mend = mending(one)
    if mend:
        yield mend


def mending(one: AuditedCitation) -> str:
    """Returns what to do about a citation, empty where nothing has to be done."""
    match one.state:
        case State.CHANGED:
            return f"read the new lines; mend the rule, or bump the pin and: engine accept {one.cited.rule} --reason …"
        case State.MISSING:
            return "find out what took their place, then cite that"
        case State.AMBIGUOUS:
            return "cite more lines, so that the place is unique"
        case State.BROKEN if one.verdict.now and one.verdict.now != one.place:
            return f"read the new lines; mend the rule, then: engine accept {one.cited.rule} --reason …"
        case State.BROKEN if "accepted" in one.verdict.reason:
            return f"read the lines, cite the right ones, then: engine accept {one.cited.rule} --reason …"
        case State.BROKEN if "lock" in one.verdict.reason:
            return "engine accept writes the lock"
        case State.BROKEN:
            return "correct the lines or the symbol"
    return ""
