"""Citations as a reader follows them: where they lead, and how they are written out in full."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from engine.rules import Citation

SHORT_COMMIT = 8
"""Digits of a commit in the written form; links carry all 40."""

Sources = Mapping[str, Mapping[str, Any]]
"""What `sources.yaml` declares: section, key, validated body (`engine.ruleset.RuleSet.sources`)."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A citation with what its source's declaration adds.

    Attributes:
        kind: `code`, `paper` or `document`.
        text: the written form, for example `NVIDIA/Megatron-LM@e03878b5:path#L1-L2 in symbol`.
        short: what is enough where the whole form stands elsewhere: the file without its folders, the source's key.
        url: where it leads; None for a source that has no address.
        note: why these lines.
    """

    kind: str
    text: str
    short: str
    url: str | None
    note: str | None

    def to_dict(self) -> dict[str, str]:
        """Returns the reference as a dictionary without what is not there."""
        entry = {"kind": self.kind, "text": self.text, "url": self.url, "note": self.note}
        return {key: value for key, value in entry.items() if value}


def references(citations: Iterable[Citation], sources: Sources) -> tuple[Reference, ...]:
    """Returns citations with their written forms and links, in their order."""
    return tuple(
        Reference(
            citation.kind, written(citation, sources), _short(citation), permalink(citation, sources), citation.note
        )
        for citation in citations
    )


def permalink(citation: Citation, sources: Sources) -> str | None:
    """Returns the address that a citation leads to; None where its source has none.

    Cited code links to the lines at the pinned commit: the link shows what was cited, however the repository moves on.
    """
    body = _declared(citation, sources)
    if citation.kind == "code":
        path, _, lines = citation.where.partition("#")
        return f"https://github.com/{body.repo}/blob/{body.commit}/{quote(path)}#{lines}"
    if citation.kind == "paper" and body.arxiv:
        return f"https://arxiv.org/abs/{body.arxiv}"
    url: str | None = body.url
    return url


def written(citation: Citation, sources: Sources) -> str:
    """Returns a citation written out: repository, commit, lines and symbol, or title and place."""
    body = _declared(citation, sources)
    if citation.kind == "code":
        return f"{body.repo}@{body.commit[:SHORT_COMMIT]}:{citation.where}{_inside(citation)}"
    if citation.kind == "paper":
        known_as = f"arXiv:{body.arxiv}" if body.arxiv else body.title
        return f"{known_as}, {citation.where}"
    return f"{body.title}, {_section(citation)}"


def _short(citation: Citation) -> str:
    if citation.kind == "code":
        return citation.where.rpartition("/")[2] + _inside(citation)
    return f"{citation.source}, {citation.where if citation.kind == 'paper' else _section(citation)}"


def _inside(citation: Citation) -> str:
    return f" in {citation.symbol}" if citation.symbol else ""


def _section(citation: Citation) -> str:
    return citation.where if citation.where[:1].isalpha() else f"section {citation.where}"


_SECTIONS = {"code": "sources", "paper": "papers", "document": "documents"}


def _declared(citation: Citation, sources: Sources) -> Any:
    return sources[_SECTIONS[citation.kind]][citation.source]
