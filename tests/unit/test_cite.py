from __future__ import annotations

from types import SimpleNamespace

import pytest

from engine.cite import permalink, references, written
from engine.rules import Citation

COMMIT = "0123456789abcdef0123456789abcdef01234567"
SOURCES = {
    "sources": {"upstream": SimpleNamespace(repo="example/upstream", commit=COMMIT)},
    "papers": {
        "zero": SimpleNamespace(title="A paper", arxiv="1910.02054", url=None),
        "book": SimpleNamespace(title="A book", arxiv=None, url="https://example.org/book"),
    },
    "documents": {
        "notes": SimpleNamespace(title="Notes", url=None),
        "handbook": SimpleNamespace(title="Handbook", url="https://example.org/handbook"),
    },
}
BLOB = f"https://github.com/example/upstream/blob/{COMMIT}"


@pytest.mark.parametrize(
    ("citation", "text", "url"),
    [
        (
            Citation("code", "upstream", "a/b.py#L1-L2", "C.f"),
            "example/upstream@01234567:a/b.py#L1-L2 in C.f",
            f"{BLOB}/a/b.py#L1-L2",
        ),
        (Citation("code", "upstream", "b.py#L9"), "example/upstream@01234567:b.py#L9", f"{BLOB}/b.py#L9"),
        (
            Citation("code", "upstream", "a b/ü?.py#L3", "f"),
            "example/upstream@01234567:a b/ü?.py#L3 in f",
            f"{BLOB}/a%20b/%C3%BC%3F.py#L3",
        ),
        (Citation("paper", "zero", "eq. 2"), "arXiv:1910.02054, eq. 2", "https://arxiv.org/abs/1910.02054"),
        (Citation("paper", "book", "table 1"), "A book, table 1", "https://example.org/book"),
        (Citation("document", "notes", "2.2"), "Notes, section 2.2", None),
        (Citation("document", "handbook", "appendix"), "Handbook, appendix", "https://example.org/handbook"),
    ],
)
def test_written_form_and_link(citation: Citation, text: str, url: str | None) -> None:
    assert written(citation, SOURCES) == text
    assert permalink(citation, SOURCES) == url


def test_references_keep_order_and_notes() -> None:
    cited = [
        Citation("document", "notes", "2"),
        Citation("code", "upstream", "a/b/c.py#L1", "f", "only these"),
    ]
    found = references(cited, SOURCES)
    assert [reference.short for reference in found] == ["notes, section 2", "c.py#L1 in f"]
    assert found[0].to_dict() == {"kind": "document", "text": "Notes, section 2"}
    assert found[1].to_dict() == {
        "kind": "code",
        "text": "example/upstream@01234567:a/b/c.py#L1 in f",
        "url": f"{BLOB}/a/b/c.py#L1",
        "note": "only these",
    }
