"""Which commit changed cited lines, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime

from engine.audit.checkout import Checkout
from engine.audit.outcome import AuditedCitation
from engine.audit.places import Lines
from engine.audit.source_text import Unreadable
from engine.audit.trees import FolderTree
from engine.audit.verdict import Change, State

_TOLD = (State.CHANGED, State.MISSING, State.COSMETIC)
_MOST_FILES = 200
_MOST_LOOKUPS = 60
_AT_ONCE = 4

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
    if checkout.repository is None or checkout.pinned is None:
        return {}
    by_path: dict[str, list[Question]] = {}
    for question in asked:
        by_path.setdefault(question[1], []).append(question)
    answers: dict[Question, Change | None] = {}
    with ThreadPoolExecutor(_AT_ONCE) as pool:  # git works while this waits
        for found in pool.map(lambda path: _of_file(checkout, path, by_path[path]), list(by_path)[:_MOST_FILES]):
            answers |= found
    return answers


def _of_file(checkout: Checkout, path: str, asked: Sequence[Question]) -> dict[Question, Change | None]:
    repository, new = checkout.repository, _commit_of(checkout, path)
    if repository is None or checkout.pinned is None or new is None:
        return {}
    old = str(checkout.pinned.commit)
    here = [lines for _, _, lines in asked if lines]
    blamed = repository.blame(old, new, path, here) if here else {}
    answers: dict[Question, Change | None] = {}
    for question in asked:
        lines = question[2]
        came = [blamed[number] for number in lines.numbers() if number in blamed] if lines else []
        if came:
            time, commit = max(came)
            answers[question] = Change(commit, datetime.fromtimestamp(time, UTC).date().isoformat())
        elif len(answers) < _MOST_LOOKUPS:
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
