"""Says in plain words what a YAML parser has to complain about."""

from __future__ import annotations

import re
import unicodedata

import yaml

from engine.diagnostics import Findings, Source, Span

# What YAML does not allow in a text, or allows but no honest file needs: control characters, line separators that
# editors do not count as lines, and characters that reverse the reading direction.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
_NAMES = {"\x08": "BACKSPACE", "\x0c": "FORM FEED", "\x1b": "ESCAPE", "\x7f": "DELETE", "\x85": "NEXT LINE"}
_MOST_SHOWN = 5

CHECK_FILE = "check that this is the file you meant"

_INDENTATION = "keys of one mapping begin in one column, and so do the dashes of one list; indent with spaces"
_LIST = ("the list `[` is not closed, or a comma is missing", "put a `,` between entries and a `]` at the end")
_MAPPING = ("the mapping `{` is not closed, or a comma is missing", "put a `,` between entries and a `}` at the end")
# Words of the C parser or of the Python parser; what to say; how to mend it.
_PROBLEMS: tuple[tuple[str, str, str], ...] = (
    (
        "mapping values are not allowed",
        "a `:` is not expected here",
        "put a value that holds `: ` in quotes, and compare with the line before: its indentation, its `:`",
    ),
    ("found unexpected ':'", "a `:` is not expected here", "write `key: value`, with a space after the colon"),
    ("could not find expected ':'", "this key has no `:`", "write `key: value`, with a space after the colon"),
    ("found unexpected end of stream", "the quote is not closed", "close the quote"),
    ("expected ',' or ']'", *_LIST),
    ("expected ',' or '}'", *_MAPPING),
    (
        "did not find expected alphabetic or numeric character",
        "a `*` or `&` in front of a word is not expected here",
        "put a text that holds one in quotes, or in parentheses: ([0]*3+[1]*58)",
    ),
    ("node content", "a value is expected here", "write the value, or close the bracket that is open before it"),
    ("sequence entries are not allowed", "a list entry `-` is not expected here", _INDENTATION),
    ("did not find expected key", "a key is expected here", _INDENTATION),
    ("did not find expected '-' indicator", "a list entry `-` is expected here", _INDENTATION),
    ("expected <block end>", "the indentation does not line up", _INDENTATION),
    (
        "unknown escape character",
        "there is no such escape in double quotes",
        "double the backslash, or use single quotes",
    ),
)
# These are noticed far from where they have to be mended, which is where the construct began.
_MEND_AT_START = (
    "found unexpected end of stream",
    "expected ',' or ']'",
    "expected ',' or '}'",
    "could not find expected ':'",
)


def report_hidden_characters(source: Source, findings: Findings) -> bool:
    """Adds a finding for the first characters that cannot be seen; returns whether there are any."""
    found = 0
    for match in _HIDDEN.finditer(source.text):
        found += 1
        if found > _MOST_SHOWN:
            break
        char = match.group()
        name = _NAMES.get(char) or unicodedata.name(char, "")
        label = f"U+{ord(char):04X}" + (f" ({name})" if name else "")
        findings.add(
            "E111",
            f"the text holds the invisible character {label}",
            source.span(*match.span()),
            help="delete it; it usually came in by copying from a terminal or a PDF",
        )
    return found > 0


def report_syntax_error(source: Source, error: yaml.YAMLError, findings: Findings) -> None:
    """Adds a finding for an error of the YAML parser."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        findings.add("E104", f"this is not valid YAML: {error}", source.whole())
        return
    problem = error.problem or "unexpected text"
    noticed = _span(source, error.problem_mark)
    if "maximum nesting depth" in problem:
        findings.add("E103", "values are nested too deeply", noticed, help=CHECK_FILE)
        return
    began = _span(source, error.context_mark) if error.context_mark else noticed
    message, help_text = _explain(problem, source.text[error.problem_mark.index :][:1])
    if any(words in problem for words in _MEND_AT_START):
        related = [(noticed, "noticed here")] if noticed.line != began.line else []
        if " #" in source.line(began.line)[began.column :]:
            help_text = f"{help_text}; ` #` begins a comment, so put a value that holds it in quotes"
        findings.add("E104", message, began, help=help_text, related=related)
    else:
        related = [(began, "it began here")] if noticed.line != began.line else []
        findings.add("E104", message, noticed, help=help_text, related=related)


def _span(source: Source, mark: yaml.Mark) -> Span:
    offset = min(mark.index, len(source.text))
    return source.span(offset, offset + 1)


def _explain(problem: str, char: str) -> tuple[str, str | None]:
    if "tab character" in problem or ("cannot start any token" in problem and char == "\t"):
        return "a tab is used for indentation", "indent with spaces"
    if "cannot start any token" in problem:
        return f"a value cannot begin with `{char}`", "put the value in quotes"
    for words, message, help_text in _PROBLEMS:
        if words in problem:
            return message, help_text
    return f"this is not valid YAML: {problem}", None
