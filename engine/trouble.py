"""Why a rule has no value: an input is missing, or a computation failed."""

from __future__ import annotations


class Trouble(Exception):
    """Base: a rule has no value."""


class Unavailable(Trouble):
    """The branch that a rule selects, or a condition before it, needs an input that is missing.

    Attributes:
        names: the missing inputs; members of an either-or group are joined with ` or `.
    """

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(", ".join(names))
        self.names = names


class Failed(Trouble):
    """A computation has no result: division by zero, or a function outside its domain.

    Attributes:
        origin: id of the rule in which it happened; the rules that read it fail with it.
        reason: what happened, in one sentence.
        code: diagnostic code (E601 or E603).
    """

    def __init__(self, origin: str, reason: str, code: str) -> None:
        super().__init__(reason)
        self.origin = origin
        self.reason = reason
        self.code = code
