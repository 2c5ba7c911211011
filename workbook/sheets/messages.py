"""Sentences with values filled in, as formulas that stay live."""

from __future__ import annotations

import re

from workbook.cells import Presented, Shown
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.present import fixed, quoted

MANY = 10_000_000
UNKNOWN = "?"
_PLACEHOLDER = re.compile(r"\{([a-z_][a-z0-9_]*)\}")


def sentence(places: Places, template: str) -> Presented:
    """A template with values of inputs and rules in place of `{id}`."""
    pieces = _PLACEHOLDER.split(" ".join(template.split()))  # text, id, text, …
    spoken = {id: value_text(places, id) for id in pieces[1::2]}
    parts = [spoken[piece].text if place % 2 else quoted(piece) for place, piece in enumerate(pieces) if piece]

    def expect(context: Context) -> Shown:
        filled = (spoken[piece].expect(context) if place % 2 else piece for place, piece in enumerate(pieces))
        return "".join(str(piece) for piece in filled)

    return Presented("&".join(parts) or '""', expect)


def value_text(places: Places, id: str) -> Presented:
    """A value in a sentence: flags in words, many bytes as GB, many elements in groups of three digits."""
    type = places.rules.symbols.types[id]
    if type.over is not None:
        where = f"(see sheet {places.vectors[type.over].sheet.title})"
        return Presented(quoted(where), lambda context: where)
    cell = places.value(id)
    unit = places.rules.unit(id)
    if type.kind == "text":
        text = cell
    elif type.kind == "flag":
        text = f'IF({cell}=1,"true","false")'
    else:
        text = f'IF(INT({cell})={cell},{cell}&"",TEXT({cell},"0.00"))'
        if unit == "B":
            text = f'IF(ABS({cell})>={MANY},TEXT({cell}/1000000000,"0.00")&" GB",{text})'
        elif unit == "elem":
            text = f'IF(ABS({cell})>={MANY},TEXT({cell},"#,##0"),{text})'
    return Presented(f'IFERROR({text},"{UNKNOWN}")', lambda context: _spoken(context, id, unit))


def _spoken(context: Context, id: str, unit: str) -> Shown:
    found = context.found(id)
    if found.status != "ok":
        return UNKNOWN
    value = found.raw
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    if abs(value) >= MANY and unit == "B":
        return f"{fixed(value / 1e9, 2)} GB"
    if abs(value) >= MANY and unit == "elem":
        return f"{int(fixed(value, 0)):,}"
    return fixed(value, 0) if float(value).is_integer() else fixed(value, 2)
