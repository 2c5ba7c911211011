"""What carries each item of the memory-model document: reads and checks the mapping, and makes its page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from engine import RuleSet
from engine.cli.main import LAZY
from engine.rules import Computed, Input

SECTIONS = (
    *("preamble", "1", "2.1", "2.2", "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "4", "5"),
    *("6", "6.1", "6.2", "6.3", "6.4", "6.5", "7", "8", "9"),
)
"""Sections of the document, in its order."""

KINDS = ("formula", "table row", "number", "fact", "figure", "step", "symptom", "pitfall")

LONGEST_SUBJECT = 6
"""Words; a subject says what an item is about and repeats nothing of it."""

_HEAD = """# What carries each item of the memory-model document

Made from `docs/document-coverage.yaml` by `pytest tests/health/test_document_coverage.py --update-golden`.

Each formula, table row, number and listed fact of the document's sections 1 to 9, by its place, and the ids that carry
it. `engine show ID` explains a rule, check, input or table; other kinds are named: `view:`, `slice:`, `scenario:`,
`advice:`, `preset:`, `command:`, and `note:ID` for a fact that is a note on an id.
"""


@dataclass(frozen=True)
class Item:
    """One thing that the document says.

    Attributes:
        section: its section.
        at: its place in the section, such as `table 1, row 2`.
        kind: one of `KINDS`.
        subject: what it is about, in a few words.
        carried: ids that carry it.
    """

    section: str
    at: str
    kind: str
    subject: str
    carried: tuple[str, ...]


def read(path: Path) -> list[Item]:
    """Reads the mapping: for each section a list of `[place, kind, subject, ids]`."""
    sections: Mapping[str, Sequence[Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["sections"]
    return [
        Item(section, at, kind, subject, tuple(carried.split()))
        for section, rows in sections.items()
        for at, kind, subject, carried in rows
    ]


def problems(items: Sequence[Item], rules: RuleSet, presets: Path) -> Iterator[str]:
    """Yields what is wrong with the mapping, one sentence each."""
    for section in SECTIONS:
        if not any(item.section == section for item in items):
            yield f"section {section} has no item"
    for (section, at), count in Counter((item.section, item.at) for item in items).items():
        if count > 1:
            yield f"{section}, {at} stands there {count} times"
    for item in items:
        place = f"{item.section}, {item.at}"
        if item.section not in SECTIONS or item.kind not in KINDS:
            yield f"{place}: no section or kind of that name"
        if len(item.subject.split()) > LONGEST_SUBJECT or re.search(r"[^\x00-\u2fff]", item.subject):
            yield f"{place}: a subject has at most {LONGEST_SUBJECT} English words"
        if not item.carried:
            yield f"{place}: nothing carries it"
        yield from (f"{place}: there is no {id}" for id in item.carried if not _exists(id, rules, presets))


def cited_sections(rules: RuleSet) -> set[str]:
    """Returns the sections of the document that rules, checks and inputs cite."""
    branches = (branch.citations for computed in rules.computed.values() for branch in computed.branches)
    inputs = (item.citations for item in rules.inputs.values())
    return {
        citation.where
        for citations in (*branches, *inputs)
        for citation in citations
        if citation.kind == "document" and citation.source == "memory_model"
    }


def page(items: Sequence[Item]) -> str:
    """Returns the page: one table a section."""
    lines = [_HEAD]
    for section in SECTIONS:
        rows = [item for item in items if item.section == section]
        if rows:
            lines += [
                f"## {section.capitalize()}\n",
                "| place | kind | subject | carried by |",
                "| --- | --- | --- | --- |",
            ]
            lines += [
                f"| {item.at} | {item.kind} | {item.subject} | {', '.join(f'`{id}`' for id in item.carried)} |"
                for item in rows
            ]
            lines.append("")
    lines.append(f"{len(items)} items, none without an id.")
    return "\n".join(lines) + "\n"


def _exists(reference: str, rules: RuleSet, presets: Path) -> bool:
    kind, _, name = reference.rpartition(":")
    named: Mapping[str, Mapping[str, Any]] = {
        "view": rules.views,
        "slice": rules.slices,
        "scenario": rules.scenarios,
        "advice": rules.advice,
        "command": LAZY,
        "": {**rules.rules, **rules.checks, **rules.inputs, **rules.tables},
    }
    if kind == "note":
        return _has_note(name, rules)
    if kind == "preset":
        return (presets / f"{name}.yaml").is_file()
    return kind in named and name in named[kind]


def _has_note(name: str, rules: RuleSet) -> bool:
    """Whether an id has a note, of its own, of one of its branches or of one of its citations."""
    found: Any = (
        rules.computed.get(name) or rules.inputs.get(name) or rules.slices.get(name) or rules.scenarios.get(name)
    ) or rules.advice.get(name)
    if found is None:
        return name in rules.views and bool(rules.views[name].body.note)
    notes = [found.note]
    if isinstance(found, Computed):
        notes += [branch.note for branch in found.branches]
        notes += [branch.assumption for branch in found.branches]
        citations = [citation for branch in found.branches for citation in branch.citations]
    else:
        citations = list(found.citations)
        notes += [found.assumption] if isinstance(found, Input) else []
    return any(notes) or any(citation.note for citation in citations)
