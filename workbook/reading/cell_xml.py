"""What one cell of a sheet's XML holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree.ElementTree import Element


@dataclass(frozen=True, slots=True)
class Content:
    """What a cell holds.

    Attributes:
        value: number, text, bool, or None; of a formula what was stored with it. An error is a text such as `#N/A`.
        formula: text without `=`; None if it is no formula.
        error: whether the value is an error.
    """

    value: float | str | bool | None
    formula: str | None = None
    error: bool = False


def content_of(element: Element, address: str, texts: list[str], shared: dict[str, tuple[str, str]]) -> Content | None:
    """Returns what a cell holds; None if nothing.

    Args:
        element: its element.
        address: its address.
        texts: the shared texts of the file.
        shared: shared formulas seen so far, by group; is added to.

    Raises:
        ValueError: a number is malformed.
        LookupError: a shared text does not exist.
    """
    parts: dict[str, Element] = {child.tag.rpartition("}")[2]: child for child in element}
    kind, stored = element.get("t", "n"), parts["v"].text if "v" in parts else None
    formula = _formula(parts["f"], address, shared) if "f" in parts else None
    value: float | str | bool | None = None
    if kind == "inlineStr":
        value = text_of(parts["is"]) if "is" in parts else ""
    elif stored is not None:
        if kind == "s":
            value = texts[int(stored)]
        elif kind == "b":
            value = stored.strip() == "1"
        elif kind in ("str", "e"):
            value = stored
        else:
            value = float(stored)
    if value is None and formula is None:
        return None
    return Content(value, formula, kind == "e")


def _formula(element: Element, address: str, shared: dict[str, tuple[str, str]]) -> str:
    """Returns a formula; one that is shared is moved from where it is written out."""
    text, group = element.text or "", element.get("si")
    if element.get("t") != "shared" or group is None:
        return text
    if text:
        shared[group] = (text, address)
        return text
    from openpyxl.formula.translate import Translator

    origin, at = shared.get(group, ("", address))
    moved: Any = Translator(f"={origin}", origin=at).translate_formula(address)
    return str(moved)[1:]


def text_of(element: Element) -> str:
    """Returns the text of a shared or inline string; readings of its characters are no part of it."""
    found = []
    for part in element:
        name = part.tag.rpartition("}")[2]
        if name == "t":
            found.append(part.text or "")
        elif name == "r":
            found += [run.text or "" for run in part if run.tag.rpartition("}")[2] == "t"]
    return "".join(found)


def to_number(column: str) -> int:
    """Returns the number of a column from its letters."""
    number = 0
    for letter in column:
        number = number * 26 + ord(letter) - 64
    return number
