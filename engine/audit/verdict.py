"""What an audit says about a citation."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from engine.audit.places import Place


class State(StrEnum):
    """Whether a citation is true, from best to worst."""

    OK = "ok"
    MOVED = "moved"
    COSMETIC = "cosmetic"
    UNVERIFIED = "unverified"
    CHANGED = "changed"
    AMBIGUOUS = "ambiguous"
    MISSING = "missing"
    BROKEN = "broken"

    @property
    def rank(self) -> int:
        """How bad the state is; 0 is best."""
        return list(State).index(self)


GATE = frozenset({State.CHANGED, State.AMBIGUOUS, State.MISSING, State.BROKEN})
"""States that fail an audit unless it is told otherwise."""

MEANING = {
    State.OK: "the lines say what they said when they were cited",
    State.MOVED: "the same code stands elsewhere",
    State.COSMETIC: "only comments, docstrings or layout differ",
    State.UNVERIFIED: "there is nothing to compare with",
    State.CHANGED: "the place was found, but its code differs",
    State.AMBIGUOUS: "several places could be the one",
    State.MISSING: "neither the lines nor anything like them were found",
    State.BROKEN: "the citation is not true at its own commit",
}


@dataclass(frozen=True, slots=True)
class Change:
    """The commit that last touched some lines, and its date."""

    commit: str
    date: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What has become of a citation, with the evidence.

    Attributes:
        state: the verdict.
        reason: why, in one sentence without a full stop; empty for `ok`.
        now: where the cited lines are now, as far as it is known.
        kind: what moved: `lines`, `symbol` or `file`.
        method: how the place was found: `same file`, `diff`, `text`, `symbol`, `lock`.
        base: what the verdict starts from: `commit` (the lines at the pinned commit) or `lock` (their digest only).
        similarity: of the old and the new lines, from 0 to 1.
        diff: the old lines with `-` and the new ones with `+` before them, from the reader's own checkout.
        candidates: other places that it might be.
        change: the commit that changed the lines.
    """

    state: State
    reason: str = ""
    now: Place | None = None
    kind: str = ""
    method: str = ""
    base: str = "commit"
    similarity: float | None = None
    diff: tuple[str, ...] = ()
    candidates: tuple[Place, ...] = ()
    change: Change | None = field(default=None)
