"""Which commit changed cited lines, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from engine.audit.checkout import Checkout
from engine.audit.outcome import AuditedCitation
from engine.audit.places import Lines
from engine.audit.source_text import Unreadable
from engine.audit.trees import FolderTree
from engine.audit.verdict import Change, State

_TOLD = (State.CHANGED, State.MISSING, State.COSMETIC)
_MOST_LOOKUPS = 60

Question = tuple[str, str, Lines | None]
"""Source, path and lines as they are now; without lines, the file is asked about."""


def with_history(audited: Sequence[AuditedCitation], opened: Mapping[str, Checkout]) -> list[AuditedCitation]:
    """Adds to citations whose lines changed which commit did it, where the checkout's history tells.

    Lines that came are blamed, one call of git a file; where lines only went, the history of the place is followed.
    """
    questions = {number: _question(one) for number, one in enumerate(audited)}
    answers: dict[Question, Change | None] = {}
    for alias, checkout in opened.items():
        asked = list(dict.fromkeys(one for one in questions.values() if one and one[0] == alias))
        answers |= _answers(checkout, asked)
    result = list(audited)
    for number, question in questions.items():
        change = answers.get(question) if question else None
        if change:
            result[number] = replace(result[number], verdict=replace(result[number].verdict, change=change))
    return result


def _question(one: AuditedCitation) -> Question | None:
    verdict = one.verdict
    if one.place is None or verdict.state not in _TOLD or verdict.base != "commit":
        return None
    now = verdict.now
    return one.cited.citation.source, now.path if now else one.place.path, now.lines if now else None


def _answers(checkout: Checkout, asked: Sequence[Question]) -> dict[Question, Change | None]:
    repository, pinned = checkout.repository, checkout.pinned
    if repository is None or pinned is None:
        return {}
    answers: dict[Question, Change | None] = {}
    old = str(pinned.commit)
    lookups = 0
    for path in dict.fromkeys(question[1] for question in asked):
        new = _commit_of(checkout, path)
        if new is None:
            continue
        stretches = {question: question[2] for question in asked if question[1] == path}
        here = [lines for lines in stretches.values() if lines]
        blamed = repository.blame(old, new, path, here) if here else {}
        for question, lines in stretches.items():
            came = [blamed[number] for number in lines.numbers() if number in blamed] if lines else []
            if came:
                time, commit = max(came)
                answers[question] = Change(commit, datetime.fromtimestamp(time, UTC).date().isoformat())
            elif lookups < _MOST_LOOKUPS:
                lookups += 1
                found = repository.last_change(old, new, path, lines)
                answers[question] = Change(*found) if found else None
    return answers


def _commit_of(checkout: Checkout, path: str) -> str | None:
    """Returns the commit whose file is the audited one; None for a file that was edited since."""
    if checkout.target.commit is not None:
        return checkout.target.commit
    head = checkout.target.head if isinstance(checkout.target, FolderTree) else None
    if head is None:
        return None
    try:
        lying, committed = checkout.target.read(path), head.read(path)
    except Unreadable:
        return None
    same = (lying.data if lying else None) == (committed.data if committed else None)
    return head.commit if same else None
