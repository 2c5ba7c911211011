"""What checks came to, with the values that their messages speak of."""

from __future__ import annotations

import re
from typing import Any

from engine.result import CheckOutcome, Result
from engine.rules import Check

_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


def outcome(result: Result, check: Check) -> CheckOutcome:
    """Evaluates a check; one that cannot be evaluated is `unknown`."""
    found = result[check.id]
    if found.status == "ok":
        passed = bool(found.raw)
        message, hint = (
            ("", None)
            if passed
            else (filled(check.message, result), filled(check.hint, result) if check.hint else None)
        )
        return CheckOutcome(
            check.id, check.title, check.level, "pass" if passed else "fail", message, hint, check.fields
        )
    reason = (
        f"not known without {', '.join(found.missing)}"
        if found.status == "unavailable"
        else f"not known: {found.reason}"
    )
    return CheckOutcome(check.id, check.title, check.level, "unknown", reason, None, check.fields)


def filled(template: str, result: Result) -> str:
    """Fills the values of inputs and rules into a message."""
    return _PLACEHOLDER.sub(lambda match: show(result.get(match[1])), template)


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
