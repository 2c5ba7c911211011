"""Whether a citation is true at its own commit."""

from __future__ import annotations

from engine.audit.lock import Entry
from engine.audit.places import Place, unsafe_path
from engine.audit.source_text import SourceText, Unreadable
from engine.audit.trees import Tree


def problem(place: Place, tree: Tree) -> str | None:
    """Returns what is wrong with a citation at its own commit, None if it is sound there."""
    unsafe = unsafe_path(place.path)
    if unsafe:
        return f"the path cannot be followed: {unsafe}"
    try:
        text = tree.read(place.path)
    except Unreadable as error:
        return f"`{place.path}` cannot be audited: {error}"
    if text is None:
        return f"there is no `{place.path}` at the pinned commit"
    return wrong_lines(place, text)


def wrong_lines(place: Place, text: SourceText) -> str | None:
    """Returns why lines of a file cannot be cited as a place says, None if they can."""
    if not text.has(place.lines):
        count = len(text.lines)
        return f"the file has only {count} line{'s' if count != 1 else ''}"
    if not text.said(place.lines):
        return "these lines hold nothing but comments and blank lines"
    if text.symbols is None:
        return None  # in another language `in` is for the reader alone
    actual = text.enclosing(place.lines)
    if actual == place.symbol:
        return None
    wanted = f"`in: {place.symbol}`" if place.symbol else "an empty `in`"
    found = f"`{actual}`" if actual else "no function or class"
    hint = "" if not place.symbol or text.symbols.named(place.symbol) else "; there is no such symbol in the file"
    return f"these lines are in {found}, not as {wanted} says{hint}"


def differs_from_lock(place: Place, text: SourceText, entry: Entry) -> str | None:
    """Returns how sound lines differ from what was accepted, None if they are the same."""
    if text.digest(place.lines) == entry.digest:
        return None
    if (place.path, place.lines) == (entry.place.path, entry.place.lines):
        return "these lines do not say what was accepted for the citation"
    return f"other lines were accepted for the citation: {entry.place.path}#{entry.place.lines}"


def out_of_date(place: Place, commit: str, entry: Entry | None) -> str | None:
    """Returns why the lock does not hold a citation as it stands, None if it does."""
    if entry is None:
        return "the citation is not in the lock"
    if entry.commit != commit:
        return f"the lock holds the citation at commit {entry.commit[:8]}, not at {commit[:8]}"
    return None if entry.place == place else f"the lock holds the citation as {entry.place}"
