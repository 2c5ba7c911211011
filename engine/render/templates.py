"""The project's templates: strict about names that are not there, and escaped for the kind of page that they make."""

from __future__ import annotations

import re

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from engine import paths

_CODE = re.compile(r"`([^`]*)`")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~])")


def environment() -> Environment:
    """Returns an environment with the shipped templates; what goes into HTML pages is escaped."""
    made = Environment(
        loader=FileSystemLoader(paths.shipped_templates(), encoding="utf-8"),
        undefined=StrictUndefined,
        autoescape=lambda name: name is None or ".html" in name,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["md"] = markdown_escaped
    made.filters["coded"] = coded
    return made


def markdown_escaped(text: str) -> str:
    """Returns text as it must stand in Markdown; what is in backticks stays code."""
    parts = str(text).split("`")
    if len(parts) % 2 == 0:
        return _MARKDOWN.sub(r"\\\1", str(text))
    return "`".join(part if at % 2 else _MARKDOWN.sub(r"\\\1", part) for at, part in enumerate(parts))


def coded(text: str) -> Markup:
    """Returns a sentence for HTML; what is in backticks becomes code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))
