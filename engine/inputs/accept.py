"""Validates a value for an input and turns it into what evaluation works with."""

from __future__ import annotations

import sys
from typing import Any

from engine.diagnostics import nearest
from engine.inputs.parsers import PARSERS, PatternError
from engine.rules import Input

MAX_TEXT = 1000
_MOST_BITS = 200  # of an integer that is shown
_MOST_ALIKE = 4


class InputError(ValueError):
    """A value that an input cannot have: code, message and how to mend it."""

    def __init__(self, code: str, message: str, help: str | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.help = help


def accept(item: Input, value: Any) -> Any:
    """Validates a value that is not None.

    Returns:
        A float for numbers, a bool for flags, a lower-case member for enumerations, a frozenset of members for sets,
        the parsed form (see `engine.inputs.parsers`) for layer vectors and layouts, a str for texts.

    Raises:
        InputError: the value does not fit (E502 to E505, E507).
    """
    if type(value).__module__ == "numpy":
        value = value.tolist()  # numbers and arrays as plain ones
    match item.kind:
        case "int" | "number":
            return _number(item, value)
        case "flag":
            if not isinstance(value, bool):
                error = _type(item, "true or false", value)
                raise InputError(error.code, error.message, _flag_help(item, value))
            return value
        case "enum":
            return _member(item, value, item.values)
        case "set":
            if not isinstance(value, list | tuple | set | frozenset):
                error = _type(item, "a list of members", value)
                raise InputError(error.code, error.message, f"write {item.id}: [{show(value)}]")
            return frozenset(_member(item, entry, item.members) for entry in value)
        case "text":
            if not isinstance(value, str) or len(value) > MAX_TEXT:
                raise _type(item, f"a text of at most {MAX_TEXT} characters", value)
            return value
    try:
        return PARSERS[item.parser or ""](value)
    except PatternError as error:
        where = f" (at character {error.position + 1})" if error.position is not None else ""
        raise InputError("E505", f"`{item.id}` cannot be {show(value)}: {error}{where}") from None


def show(value: Any) -> str:
    """Shows a value as it would stand in a preset, shortened."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        return "a very large integer"
    text = (
        ", ".join(show(entry) for entry in value) if isinstance(value, list | tuple | set | frozenset) else str(value)
    )
    return text if len(text) <= 60 else text[:57] + "…"


def _type(item: Input, wanted: str, value: Any) -> InputError:
    return InputError("E502", f"`{item.id}` must be {wanted}, not {show(value)} ({_kind(value)})")


def _flag_help(item: Input, value: Any) -> str | None:
    """Says which flag a word or a number of other notations means."""
    word = value.casefold() if isinstance(value, str) else value
    flag = _FLAG_WORDS.get(word) if isinstance(word, str | int) else None
    return f"write {item.id}: {flag}" if flag else None


_FLAG_WORDS: dict[str | int, str] = {
    **dict.fromkeys(("yes", "on", "y", "1", "true", 1), "true"),
    **dict.fromkeys(("no", "off", "n", "0", "false", 0), "false"),
}


def _kind(value: Any) -> str:
    names = {
        bool: "a flag",
        int: "an integer",
        float: "a number",
        str: "text",
        list: "a list",
        tuple: "a list",
        dict: "a mapping",
    }
    return names.get(type(value), type(value).__name__)


def _number(item: Input, value: Any) -> float:
    whole = item.kind == "int"
    if isinstance(value, bool) or not isinstance(value, int | float):
        help = f"write {item.id}: {value} without quotes" if isinstance(value, str) and _numeric(value) else None
        error = _type(item, "an integer" if whole else "a number", value)
        raise InputError(error.code, error.message, help)
    if not abs(value) <= sys.float_info.max:
        raise InputError("E507", f"`{item.id}` must be finite, not {value if isinstance(value, float) else 'so large'}")
    if whole and value != int(value):
        raise _type(item, "an integer", value)
    low, high = item.minimum, item.maximum
    if (low is not None and value < low) or (high is not None and value > high):
        allowed = (
            f"at least {low:.15g}"
            if high is None
            else f"at most {high:.15g}"
            if low is None
            else f"from {low:.15g} to {high:.15g}"
        )
        raise InputError("E503", f"`{item.id}` must be {allowed}, not {show(value)}")
    return float(value)


def _numeric(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _member(item: Input, value: Any, members: tuple[str, ...]) -> str:
    if not isinstance(value, str):
        raise _type(item, "one of " + ", ".join(members), value)
    if value.casefold() not in members:
        near = nearest(value.casefold(), members)
        alike = [near] if near else [member for member in members if member.startswith(value.casefold())]
        meant = " or ".join(f"`{member}`" for member in alike[:_MOST_ALIKE])
        raise InputError(
            "E504",
            f"`{item.id}` has no member `{show(value)}`; members are {', '.join(members)}",
            f"did you mean {meant}?" if meant else None,
        )
    return value.casefold()
