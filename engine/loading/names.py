"""Which words may be ids: an id is used verbatim as a name in formulas and as a defined name in the workbook.

Spreadsheet applications disagree about names that look like a cell (`bf16`, `tp8`): some take the name, some read the
cell, none complains. So such names are refused when rules are loaded.
"""

from __future__ import annotations

import keyword
import re

from engine.expr.registry import FUNCTIONS, SPECIAL_FORMS
from engine.expr.symbols import DOMAINS
from engine.expr.to_excel import SAFE_FUNCTIONS

MAX_LENGTH = 200

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
_A1 = re.compile(r"[A-Za-z]{1,3}[0-9]+\Z")  # columns go to XFD, but some applications read XFE1 as a cell too
_R1C1 = re.compile(r"(?:R[0-9]*)?(?:C[0-9]*)?\Z", re.IGNORECASE)
_RESERVED = re.compile(r"true|false|auto_|(?:print_area|print_titles|criteria|database|extract)\Z", re.IGNORECASE)


def invalid_name(name: str) -> str | None:
    """Says why a word cannot be an id.

    Uniqueness, which ignores case, is the caller's to check.

    Args:
        name: the id of an input, rule, check, set member flag or table column.

    Returns:
        A reason that completes “`name` cannot be an id: …”, None for a good id.
    """
    if not _WORD.match(name):
        return "an id starts with a letter and has only letters a-z, digits and underscores"
    if len(name) > MAX_LENGTH:
        return f"it has {len(name)} characters, the limit is {MAX_LENGTH}"
    if name in DOMAINS:
        return "it is the index of a domain"
    if name in FUNCTIONS or name in SPECIAL_FORMS:
        return "it is a function of the rule language"
    if keyword.iskeyword(name):
        return "it is a keyword of expressions"
    if _A1.match(name):
        return "a spreadsheet reads it as a cell"
    if _R1C1.match(name):
        return "a spreadsheet reads it as a row and column"
    if name.upper() in SAFE_FUNCTIONS:
        return "it is a spreadsheet function that printed formulas use"
    if match := _RESERVED.match(name):
        return f"spreadsheets reserve `{match[0].lower()}`" + (" at the start of a name" if match[0] != name else "")
    return None
