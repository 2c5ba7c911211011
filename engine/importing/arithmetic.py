"""Calculates with whole numbers as a shell does."""

from __future__ import annotations

import re
from collections.abc import Callable

_TOKEN = re.compile(r"\s*(?:(\d+)|([A-Za-z_]\w*)|(\*\*|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%()<>!~?:&|^]))")
_LIMIT = 2**63
_DEPTH = 50

_BINARY: dict[str, tuple[int, Callable[[int, int], int]]] = {
    "||": (1, lambda a, b: int(bool(a or b))),
    "&&": (2, lambda a, b: int(bool(a and b))),
    "|": (3, lambda a, b: a | b),
    "^": (4, lambda a, b: a ^ b),
    "&": (5, lambda a, b: a & b),
    "==": (6, lambda a, b: int(a == b)),
    "!=": (6, lambda a, b: int(a != b)),
    "<": (7, lambda a, b: int(a < b)),
    ">": (7, lambda a, b: int(a > b)),
    "<=": (7, lambda a, b: int(a <= b)),
    ">=": (7, lambda a, b: int(a >= b)),
    "+": (9, lambda a, b: a + b),
    "-": (9, lambda a, b: a - b),
    "*": (10, lambda a, b: a * b),
    "/": (10, lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)),
    "%": (10, lambda a, b: abs(a) % abs(b) * (1 if a >= 0 else -1)),
    "**": (11, lambda a, b: a**b if 0 <= b <= 64 else _no()),
}


class NotKnown(Exception):
    """There is no value; the message says why."""


def _no() -> int:
    raise NotKnown("the calculation has no value")


def calculate(text: str, value: Callable[[str], int]) -> int:
    """Calculates.

    Args:
        text: a calculation; `$` before a name is not needed.
        value: gives the value of a name, or raises NotKnown.

    Raises:
        NotKnown: a name has no value, or this is no calculation that is understood.
    """
    tokens: list[str] = []
    at = 0
    text = text.rstrip()
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise NotKnown(f"`{text[at:].strip()[:20]}` is not understood in a calculation")
        tokens.append(match[0].strip())
        at = match.end()
    tokens.reverse()  # the last is the next to be read
    found = _expression(tokens, value, 0, 0)
    if tokens:
        raise NotKnown(f"`{tokens[-1]}` is not understood in a calculation")
    return found


def _expression(tokens: list[str], value: Callable[[str], int], least: int, depth: int) -> int:
    if depth > _DEPTH:
        raise NotKnown("the calculation is nested too deeply")
    left = _operand(tokens, value, depth)
    while tokens:
        operator = tokens[-1]
        if operator == "?" and least == 0:
            tokens.pop()
            chosen = _expression(tokens, value, 0, depth + 1)
            if not tokens or tokens.pop() != ":":
                raise NotKnown("`:` is missing in a calculation")
            other = _expression(tokens, value, 0, depth + 1)
            left = chosen if left else other
            continue
        if operator not in _BINARY or _BINARY[operator][0] < max(least, 1):
            return left
        tokens.pop()
        strength, work = _BINARY[operator]
        right = _expression(tokens, value, strength if operator == "**" else strength + 1, depth + 1)
        if operator in ("/", "%") and right == 0:
            raise NotKnown("the calculation divides by zero")
        left = work(left, right)
        if abs(left) >= _LIMIT:
            raise NotKnown("the calculation yields too large a number")
    return left


def _operand(tokens: list[str], value: Callable[[str], int], depth: int) -> int:
    if not tokens:
        raise NotKnown("the calculation is not complete")
    token = tokens.pop()
    if token.isdigit():
        if len(token) > 19:
            raise NotKnown("the calculation holds too large a number")
        return int(token, 8) if token.startswith("0") and set(token) <= set("01234567") else int(token)
    if token == "(":
        found = _expression(tokens, value, 0, depth + 1)
        if not tokens or tokens.pop() != ")":
            raise NotKnown("`)` is missing in a calculation")
        return found
    if token in ("+", "-", "!", "~"):
        operand = _expression(tokens, value, 12, depth + 1)
        return {"+": operand, "-": -operand, "!": int(not operand), "~": ~operand}[token]
    if token[0].isalpha() or token[0] == "_":
        return value(token)
    raise NotKnown(f"`{token}` is not understood in a calculation")
