"""The line that describes a configuration, live: short labels of the inputs that a summary names, group by group."""

from __future__ import annotations

from collections.abc import Iterable

from engine.explaining.select import names_of
from engine.render.labels import FLAGS, NEUTRAL, RECOMPUTE, SAYS_NOTHING, SHORT
from workbook.cells import Presented, Shown
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.present import fixed, quoted

_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K"))


def groups(places: Places, ids: Iterable[str]) -> list[Presented]:
    """Returns the labels of neighbouring inputs of one group, joined: one text a group."""
    rules = places.rules
    found: list[tuple[str, list[str]]] = []
    for name in (name for id in ids for name in names_of(rules, id)):
        group = rules.slots[name].group if name in rules.slots else name
        if not found or found[-1][0] != group:
            found.append((group, []))
        found[-1][1].append(name)
    return [_joined([_label(places, name) for name in names]) for _, names in found]


def _joined(labels: list[Presented]) -> Presented:
    def expect(context: Context) -> Shown:
        return "".join(str(label.expect(context)) for label in labels)

    return Presented("&".join(label.text for label in labels), expect)


def _label(places: Places, id: str) -> Presented:
    """One label with a space after it; empty where it says nothing."""
    cell, kind = places.value(id), places.rules.symbols.types[id].kind
    unknown = f"{SHORT.get(id, id.replace('_', ' '))}? "
    text = {"flag": _flag, "text": _word, "number": _number}[kind](places, id, cell)
    return Presented(f"IFERROR({text},{quoted(unknown)})", lambda context: _expected(context, id, unknown))


def _flag(places: Places, id: str, cell: str) -> str:
    return f'IF({cell}=1,{quoted(FLAGS.get(id, id.replace("_", " ")) + " ")},"")'


def _word(places: Places, id: str, cell: str) -> str:
    if id == "recompute_granularity":
        text = f'{cell}&" "'
        for member, spoken in RECOMPUTE.items():
            text = f'IF({cell}="{member}",{quoted(spoken + " ")},{text})'
        return text
    tests = ",".join(f'{cell}="{word}"' for word in SAYS_NOTHING)
    return f'IF(OR({tests}),"",{cell}&" ")'


def _number(places: Places, id: str, cell: str) -> str:
    plain = f'IF(INT({cell})={cell},{cell}&"",TEXT({cell},"0.00"))'
    unit = places.rules.unit(id)
    if id == "world_size":
        text = f'{plain}&" ranks "'
    elif id in SHORT:
        text = f'"{SHORT[id]}"&{plain}&" "'
    elif unit == "elem":
        text = plain
        for size, letter in reversed(_SCALES):
            text = f'IF({cell}>={size:.0f},TEXT({cell}/{size:.0f},"0.00")&"{letter}",{text})'
        text = f"{text}&{quoted(' ' + id.rpartition('_')[2] + ' ')}"
    elif unit == "B":
        name = id.removesuffix("_bytes").replace("_", " ")
        text = f'{quoted(name + " ")}&TEXT({cell}/1000000000,"0.00")&" GB "'
    else:
        text = f'{quoted(id.replace("_", " ") + " ")}&{plain}&" "'
    return f'IF({cell}={NEUTRAL[id]},"",{text})' if id in NEUTRAL else text


def _expected(context: Context, id: str, unknown: str) -> Shown:
    value = context.found(id).raw
    if value is None:
        return unknown
    if isinstance(value, bool):
        return f"{FLAGS.get(id, id.replace('_', ' '))} " if value else ""
    if isinstance(value, str):
        if id == "recompute_granularity":
            return f"{RECOMPUTE.get(value, value)} "
        return "" if value in SAYS_NOTHING else f"{value} "
    if id in NEUTRAL and value == NEUTRAL[id]:
        return ""
    plain = fixed(value, 0) if value == int(value) else fixed(value, 2)
    unit = context.rules.unit(id)
    if id == "world_size":
        return f"{plain} ranks "
    if id in SHORT:
        return f"{SHORT[id]}{plain} "
    if unit == "elem":
        scaled = next((f"{fixed(value / size, 2)}{letter}" for size, letter in _SCALES if value >= size), plain)
        return f"{scaled} {id.rpartition('_')[2]} "
    if unit == "B":
        return f"{id.removesuffix('_bytes').replace('_', ' ')} {fixed(value / 1e9, 2)} GB "
    return f"{id.replace('_', ' ')} {plain} "
