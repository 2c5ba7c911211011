"""Shapes of citations: lines of code, places in papers, sections of documents."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag


class Body(BaseModel):
    """Base of all bodies: unknown keys are errors, values are not coerced."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True, defer_build=True)


class CodeCite(Body):
    """Lines of a cited repository."""

    at: str = Field(
        description="alias:path#L10-L20 or alias:path#L10, at the commit that sources.yaml pins",
        pattern=r"^[a-z][a-z0-9_]*:[^#\s]+#L[1-9][0-9]*(-L[1-9][0-9]*)?$",
    )
    symbol: str = Field(
        alias="in", description="qualified name of the enclosing function or class; empty at module level"
    )
    note: str | None = None


class PaperCite(Body):
    """A place in a paper."""

    paper: str
    where: str
    note: str | None = None


class DocumentCite(Body):
    """A section of a document."""

    document: str
    section: str
    note: str | None = None


def _cite_kind(value: Any) -> str | None:
    keys = value if isinstance(value, dict) else {}
    return next((key for key in ("at", "paper", "document") if key in keys), None)


Cite = Annotated[
    Annotated[CodeCite, Tag("at")] | Annotated[PaperCite, Tag("paper")] | Annotated[DocumentCite, Tag("document")],
    Discriminator(
        _cite_kind, custom_error_type="cite", custom_error_message="a citation has one of `at`, `paper`, `document`"
    ),
]
Cites = Annotated[list[Cite], Field(min_length=1)]
