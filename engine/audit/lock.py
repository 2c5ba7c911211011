"""The lock: digests of cited lines as they were accepted, never their text. Sorted JSON lines, so that it merges."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engine.audit.collect import Branch, Cited
from engine.audit.places import Lines, Place
from engine.audit.source_text import SourceText, digest
from engine.diagnostics import Findings, Source
from engine.files.text_file import read_text

FILE = "citations.lock"
_LIMIT_BYTES = 20_000_000
_TEXTS = ("rule", "commit", "path", "in", "blob", "digest", "first", "last")

Key = tuple[str, str, int]


@dataclass(frozen=True, slots=True)
class Accepted:
    """When and why other lines were accepted for a citation."""

    date: str
    reason: str


@dataclass(frozen=True, slots=True)
class Entry:
    """A citation as it was accepted.

    Attributes:
        rule: what it supports, with `branch` and `index`: see `engine.audit.collect.Cited`.
        commit: commit at which the lines were read.
        place: file, lines and symbol.
        blob: id of the whole file's content.
        digest: digest of the lines in their normal form.
        first: digest of the first line that says something.
        last: digest of the last one.
        accepted: the last acceptance of other lines than before.
    """

    rule: str
    branch: Branch
    index: int
    commit: str
    place: Place
    blob: str
    digest: str
    first: str
    last: str
    accepted: Accepted | None = None

    @property
    def key(self) -> Key:
        """What the citation is known by."""
        branch = f"{self.branch:04}" if isinstance(self.branch, int) else str(self.branch or "")
        return self.rule, branch, self.index

    def line(self) -> str:
        """Returns the entry as a line of the lock."""
        body: dict[str, Any] = {
            "rule": self.rule, "branch": self.branch, "index": self.index, "commit": self.commit,
            "path": self.place.path, "lines": [self.place.lines.first, self.place.lines.last], "in": self.place.symbol,
            "blob": self.blob, "digest": self.digest, "first": self.first, "last": self.last,
        }  # fmt: skip
        if self.accepted:
            body["accepted"] = {"date": self.accepted.date, "reason": self.accepted.reason}
        return json.dumps(body, ensure_ascii=False)


def entry(cited: Cited, commit: str, place: Place, text: SourceText, accepted: Accepted | None = None) -> Entry:
    """Makes the entry of a citation from the lines that it cites."""
    said = text.said_text(place.lines)
    return Entry(
        cited.rule, cited.branch, cited.index, commit, place, text.blob, digest(said), digest(said[:1]),
        digest(said[-1:]), accepted,
    )  # fmt: skip


def read(folder: Path) -> dict[Key, Entry]:
    """Reads the lock of a folder of rules; without one it is empty.

    Raises:
        EngineError: the file cannot be read (E1xx), or a line is not an entry (E814).
    """
    path = folder / FILE
    if not path.is_file():
        return {}
    source = read_text(path, limit_bytes=_LIMIT_BYTES)
    findings = Findings()
    entries: dict[Key, Entry] = {}
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            found = _parsed(json.loads(line))
            if found.key in entries:
                raise ValueError("the citation has an entry already")
            entries[found.key] = found
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            _malformed(findings, source, number, line, error)
    findings.raise_if_errors()
    return entries


def text(entries: Iterable[Entry]) -> str:
    """Returns the content of a lock."""
    return "".join(f"{one.line()}\n" for one in sorted(entries, key=lambda one: one.key))


def _parsed(body: Any) -> Entry:
    if not isinstance(body, Mapping) or not all(isinstance(body[key], str) for key in _TEXTS):
        raise ValueError("an entry needs " + ", ".join(_TEXTS))
    first, last = body["lines"]
    branch, index = body["branch"], body["index"]
    if not all(isinstance(number, int) and number > 0 for number in (first, last)) or last < first:
        raise ValueError("`lines` are the first and the last line")
    if not isinstance(branch, int | str | None) or not isinstance(index, int):
        raise ValueError("`branch` is a number, a text or null, `index` a number")
    accepted = body.get("accepted")
    return Entry(
        body["rule"], branch, index, body["commit"], Place(body["path"], Lines(first, last), body["in"]), body["blob"],
        body["digest"], body["first"], body["last"],
        Accepted(str(accepted["date"]), str(accepted["reason"])) if accepted else None,
    )  # fmt: skip


def _malformed(findings: Findings, source: Source, number: int, line: str, error: Exception) -> None:
    start = source.line_starts()[number - 1] if number <= len(source.line_starts()) else 0
    reason = str(error) if type(error) is ValueError else "it is not an entry in JSON"
    help = "the lock is written by `engine accept`; take it from version control, or accept the citations again"
    findings.add("E814", f"line {number} cannot be used: {reason}", source.span(start, start + len(line)), help=help)
