"""The result as a versioned, JSON-ready artifact: the contract with reports, workbooks and comparisons."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from engine.result import SCHEMA, Result
from engine.rules import Citation


def number(value: Any) -> Any:
    """Returns integral floats as integers, so that bytes and elements print exactly; other values as they are."""
    if isinstance(value, list | tuple):
        return [number(entry) for entry in value]
    if isinstance(value, frozenset | set):
        return sorted(value)
    if isinstance(value, float) and value.is_integer() and abs(value) <= 2**63:
        return int(value)
    return value


def citation(item: Citation) -> dict[str, str]:
    """Returns a citation as a dictionary."""
    entry = {"kind": item.kind, "source": item.source, "where": item.where}
    return entry | ({"in": item.symbol} if item.kind == "code" else {}) | ({"note": item.note} if item.note else {})


def artifact(result: Result, ids: Iterable[str] | None = None) -> dict[str, Any]:
    """Returns the artifact; `ids` limits the rules."""
    rules = result.rules
    wanted = list(rules.rules if ids is None else ids)
    unmodelled = dict(result.preset.flags.unmodelled) if result.preset.flags is not None else {}
    return {
        "schema": SCHEMA,
        "rules_digest": rules.digest,
        "preset": result.preset.path,
        "verdict": result.verdict,
        "inputs": {name: {"value": number(value), "origin": origin} for name, (value, origin) in result.inputs.items()},
        "values": {id: _entry(result, id) for id in wanted},
        "checks": [
            {
                "id": check.id,
                "level": check.level,
                "status": check.status,
                "message": check.message,
                "hint": check.hint,
                "fields": list(check.fields),
                "nearest": {field: list(values) for field, values in check.nearest.items()},
            }
            for check in result.checks
        ],
        "notes": [note.message for note in result.notes],
        "overlays": [
            {"section": one.section, "id": one.id, "replaces": one.replaced is not None} for one in rules.overrides
        ],
        **({"not_modelled": unmodelled} if unmodelled else {}),
    }  # fmt: skip


def _entry(result: Result, id: str) -> dict[str, Any]:
    value = result[id]
    entry: dict[str, Any] = {"unit": value.unit, "status": value.status, "value": number(value.raw)}
    rule = result.rules.computed.get(id)
    if rule is not None:
        entry |= {
            "title": rule.title,
            "branch": value.branch,
            "provenance": rule.provenance,
            "evidence": list(rule.evidence),
        }
        entry["citations"] = [citation(item) for item in value.citations]
        entry["assumptions"] = [branch.assumption for branch in result.taken(rule, value.branch) if branch.assumption]
    if value.missing:
        entry["missing"] = list(value.missing)
    if value.reason:
        entry |= {"reason": value.reason, "origin": value.origin}
    return entry
