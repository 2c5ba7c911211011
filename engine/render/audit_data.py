"""An audit for programs: JSON, and SARIF for code hosts that show findings beside the rules."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from engine.audit.coverage import Count, Coverage, spans
from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.places import Place
from engine.audit.verdict import State
from engine.cite import permalink, written
from engine.codes import REGISTRY
from engine.diagnostics import Diagnostic, Severity

if TYPE_CHECKING:
    from engine.audit.replay import Replayed

SCHEMA = "rank-ledger/audit/1"
SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "note"}


def audit_dict(audit: Audit, gate: Collection[State], replays: Sequence[Replayed] | None = None) -> dict[str, Any]:
    """Returns the audit as JSON-ready data: every citation, those of papers and documents too, and the counts."""
    failing = {id(one) for one in audit.failing(gate)}
    return {
        "schema": SCHEMA,
        "sources": {
            alias: {
                "repo": audit.rules.sources["sources"][alias].repo,
                "pinned": audit.rules.sources["sources"][alias].commit,
                "audited": label,
                "commit": audit.commits.get(alias),
            }
            for alias, label in audit.sources.items()
        },
        "citations": [_entry(audit, one, id(one) in failing) for one in audit.citations],
        "rules": {rule: str(state) for rule, state in sorted(audit.states().items())},
        "suspects": {rule: list(causes) for rule, causes in sorted(audit.suspects(gate).items())},
        "coverage": None if audit.coverage is None else [_coverage(one) for one in audit.coverage],
        "replays": None if replays is None else [_replay(one) for one in replays],
        "summary": {
            "citations": len(audit.code_citations),
            "states": audit.counts(),
            "failing": len(failing),
            "papers_and_documents": len(audit.citations) - len(audit.code_citations),
        },
    }


def _coverage(one: Coverage) -> dict[str, Any]:
    return {
        "watch": one.watch.id,
        "source": one.watch.source,
        "path": one.watch.path,
        "problem": one.problem,
        "min_coverage": one.watch.min_coverage,
        **_count(one.count),
        "symbols": {name: _count(count) for name, count in one.symbols.items()},
        "uncovered": [
            {"in": symbol, "lines": [lines.first, lines.last], "partly": partly} for symbol, lines, partly in spans(one)
        ],
        "new_symbols": [{"in": name, "lines": [lines.first, lines.last]} for name, lines in one.new_symbols],
        "new_calls": [{"line": line, "in": symbol, "call": call} for line, symbol, call in one.new_calls],
    }


def _count(count: Count) -> dict[str, Any]:
    percent = round(count.percent, 2)
    return {"statements": count.total, "cited": count.cited, "waived": count.waived, "percent": percent}


def _replay(one: Replayed) -> dict[str, Any]:
    return {
        "replay": one.replay.id,
        "function": one.replay.function,
        "audited": one.label,
        "problem": one.problem,
        "configurations": one.count,
        "compared": one.compared,
        "rules": list(one.observed),
        "skipped": one.skipped,
        "unknown": list(one.unknown),
        "departures": [
            {
                "preset": departure.preset,
                "values": dict(departure.values),
                "rule": departure.rule,
                "error": departure.error,
                "roots": [
                    {
                        "rule": root.rule,
                        "found": root.found,
                        "expected": root.expected,
                        "suspects": list(root.suspects),
                    }
                    for root in departure.roots
                ],
            }
            for departure in one.departures
        ],
        "branches": [
            {"line": line, "kind": kind, "held": held, "not_held": not_held}
            for line, kind, held, not_held in one.branches
        ],
    }


def audit_json(audit: Audit, gate: Collection[State], replays: Sequence[Replayed] | None = None) -> str:
    """Returns the audit as JSON text."""
    return json.dumps(audit_dict(audit, gate, replays), indent=2, ensure_ascii=False)


def _entry(audit: Audit, one: AuditedCitation, failing: bool) -> dict[str, Any]:
    citation, verdict = one.cited.citation, one.verdict
    entry: dict[str, Any] = {
        "rule": one.cited.rule, "branch": one.cited.branch, "index": one.cited.index, "kind": citation.kind,
    }  # fmt: skip
    if one.place is not None:
        entry |= {"at": f"{citation.source}:{citation.where}", "in": citation.symbol, "commit": one.commit}
    else:
        entry |= {"source": citation.source, "where": citation.where}
    span = citation.span
    entry |= {"file": span.source.path, "line": span.line, "column": span.column} if span else {}
    entry |= {"state": str(one.state), "integrity": str(one.integrity), "failing": failing}
    entry |= {"written": written(citation, audit.rules.sources), "url": permalink(citation, audit.rules.sources)}
    details = {
        "reason": verdict.reason, "kind_of_move": verdict.kind, "method": verdict.method, "base": verdict.base,
        "now": _place(verdict.now), "similarity": verdict.similarity, "diff": list(verdict.diff),
        "candidates": [_place(place) for place in verdict.candidates],
        "change": {"commit": verdict.change.commit, "date": verdict.change.date} if verdict.change else None,
    }  # fmt: skip
    return entry | {key: value for key, value in details.items() if value not in (None, "", [])}


def _place(place: Place | None) -> dict[str, Any] | None:
    if place is None:
        return None
    return {"path": place.path, "lines": [place.lines.first, place.lines.last], "in": place.symbol}


def sarif(findings: Iterable[Diagnostic], version: str) -> str:
    """Returns findings as SARIF 2.1.0.

    Paths are relative to the working directory where they lie below it, as code hosts want them; a fingerprint keeps a
    finding the same when lines above it are edited.
    """
    found = list(findings)
    codes = sorted({item.code for item in found})
    driver = {
        "name": "rank-ledger",
        "semanticVersion": version,
        "informationUri": "https://pypi.org/project/rank-ledger/",
        "rules": [_rule(code) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(item, codes.index(item.code)) for item in found],
    }
    return json.dumps({"$schema": SARIF, "version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=False)


def _rule(code: str) -> dict[str, Any]:
    info = REGISTRY[code]
    return {
        "id": code,
        "name": "".join(word.capitalize() for word in info.slug.split("-")),
        "shortDescription": {"text": info.title},
        "fullDescription": {"text": info.why},
        "help": {"text": f"{info.why}\n\n{info.mend}"},
        "defaultConfiguration": {"level": _LEVELS[info.severity]},
    }


def _result(item: Diagnostic, index: int) -> dict[str, Any]:
    text = item.message + (f"\n{item.help}" if item.help else "")
    result: dict[str, Any] = {
        "ruleId": item.code, "ruleIndex": index, "level": _LEVELS[item.severity], "message": {"text": text},
    }  # fmt: skip
    path = _relative(item.span.source.path) if item.span else None
    print_of = hashlib.sha256(f"{item.code}\n{path}\n{item.message}".encode("utf-8", "surrogateescape")).hexdigest()
    result["partialFingerprints"] = {"finding/v1": print_of}
    if item.span and path:
        location: dict[str, Any] = {"artifactLocation": {"uri": quote(path)}}
        if item.span.line:
            location["region"] = {
                "startLine": item.span.line, "startColumn": item.span.column,
                "endLine": item.span.end_line, "endColumn": item.span.end_column,
            }  # fmt: skip
        result["locations"] = [{"physicalLocation": location}]
    return result


def _relative(path: str) -> str:
    full = Path(path).absolute()
    here = Path.cwd()
    return full.relative_to(here).as_posix() if full.is_relative_to(here) else path.replace(os.sep, "/")
