"""What checks came to, with the values that their messages speak of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import Any

from engine.result import CheckOutcome, Result, Value
from engine.rules import Check

_MANY = 1e7
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


def outcome(result: Result, check: Check) -> CheckOutcome:
    """Evaluates a check; one that cannot be evaluated is `unknown`."""
    found = result[check.id]
    if found.status == "ok" and found.raw:
        return CheckOutcome(check.id, check.title, check.level, "pass", "", None, check.fields)
    if found.status == "ok":
        hint = filled(check.hint, result) if check.hint else None
        search = partial(_nearest, result, check) if check.level != "note" else dict
        message = filled(check.message, result)
        return CheckOutcome(check.id, check.title, check.level, "fail", message, hint, check.fields, search)
    reason = (
        f"not known without {', '.join(found.missing)}"
        if found.status == "unavailable"
        else f"not known: in `{found.origin}` {found.reason}"
    )
    return CheckOutcome(check.id, check.title, check.level, "unknown", reason, None, check.fields)


def _nearest(result: Result, check: Check) -> Mapping[str, tuple[Any, ...]]:
    from engine.evaluating.nearest_valid import nearest_valid

    return nearest_valid(result, check)


def filled(template: str, result: Result) -> str:
    """Fills the values of inputs and rules into a message."""
    return _PLACEHOLDER.sub(lambda match: _spoken(result[match[1]]), template)


def _spoken(value: Value) -> str:
    """Shows a value in a sentence; many bytes as GB, many elements in groups of three digits."""
    if isinstance(value.raw, float) and abs(value.raw) >= _MANY:
        if value.unit == "B":
            return f"{value.raw / 1e9:.2f} GB"
        if value.unit == "elem":
            return f"{value.raw:,.0f}"
    return show(value.raw)


def show(value: Any) -> str:
    """Shows a value in a sentence: whole numbers without a decimal point."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(show(entry) for entry in value) + "]"
    if isinstance(value, float):
        return f"{int(value)}" if value.is_integer() and abs(value) < 1e16 else f"{value:.6g}"
    return str(value)
