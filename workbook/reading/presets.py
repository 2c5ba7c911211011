"""From what is typed in a workbook to presets, as the active cells of the sheet of inputs choose."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from engine.evaluation import changed
from engine.inputs.slots import LAYOUT_PARTS
from engine.preset import Preset
from engine.rules import Input
from engine.ruleset import RuleSet
from workbook.state import LISTED, OFF, ON, State, Typed, Variant, is_nothing, typed_names

_LETTERS = {"decoder": "t", "embedding": "E", "mtp": "m", "loss": "L"}


def preset_of(rules: RuleSet, state: State, variant: Variant) -> Preset:
    """Returns the preset of one column: what is entered, changed by what the column says."""
    entered = {
        item.id: value
        for item in rules.inputs.values()
        if (value := _value(item, state.entered, {}, state)) is not None
    }
    base = Preset(entered, path=state.preset)
    changes = {
        item.id: _value(item, state.entered, variant.cells, state)
        for item in rules.inputs.values()
        if any(name in variant.cells for name in typed_names(item))
    }
    preset = changed(rules, base, changes) if changes else base
    hand = {
        item.id: pattern
        for item in rules.inputs.values()
        if item.kind == "layer_vector"
        and item.id not in variant.cells
        and (pattern := _by_hand(item, state, preset.values.get("num_layers"))) is not None
    }
    return Preset({**preset.values, **hand}, path=preset.path) if hand else preset


def _value(item: Input, entered: Mapping[str, Typed], cells: Mapping[str, Typed], state: State) -> Any:
    """Returns the value that a preset would give for an input, None for none."""
    names = typed_names(item)
    if item.kind == "set":
        return _members(item, [cells.get(name, entered.get(name)) for name in names])
    value = cells.get(item.id, entered.get(item.id))
    if value is None or is_nothing(item, value):
        return None
    listed = isinstance(value, str) and value.casefold() == LISTED
    match item.kind:
        case "flag":
            return {ON: True, OFF: False}.get(str(value).casefold(), value)
        case "layer_vector" if listed:
            return _pattern([entry for entry in state.vectors.get(item.id, ()) if entry is not None])
        case "layout" if listed:
            return layout_text(item, state.vectors)
    return value


def _members(item: Input, typed: list[Typed | None]) -> list[str] | None:
    """Returns a set's members; one that nothing is typed for is as the input's declaration has it."""
    if all(is_nothing(item, value) for value in typed):
        return None
    usual = item.default if item.default is not None else item.absent or ()
    return [
        member
        for member, value in zip(item.members, typed, strict=True)
        if (member in usual if is_nothing(item, value) else str(value).casefold() == ON)
    ]


def _by_hand(item: Input, state: State, num_layers: Any) -> list[Typed] | str | None:
    """Returns a layer pattern with the entries that a person has set by hand; None where there are none."""
    every = state.entered.get(item.id)
    if isinstance(every, str) and every.casefold() == LISTED:
        return None
    row = state.vectors.get(item.id, ())
    if not isinstance(num_layers, int) or all(entry is None for entry in row[:num_layers]):
        return None
    interval = item.default if every is None or is_nothing(item, every) else every
    if not isinstance(interval, int) or interval < 1:
        return None
    padded = (*row, *[None] * num_layers)[:num_layers]
    return _pattern([int(layer % interval == 0) if entry is None else entry for layer, entry in enumerate(padded)])


def _pattern(entries: list[Typed]) -> list[Typed] | str:
    """Returns a layer pattern in the notation of the launch flag, such as `([0]*3+[1]*58)`."""
    if not entries or any(entry not in (0, 1) for entry in entries):
        return entries
    return "(" + "+".join(f"[{entry}]*{len(list(run))}" for entry, run in groupby(entries)) + ")"


def layout_text(item: Input, vectors: Mapping[str, tuple[Typed | None, ...]]) -> str:
    """Returns a pipeline layout as text; its virtual stages are those for which a number of layers is typed."""
    rows = {part: vectors.get(f"{item.id}_{part}", ()) for part in LAYOUT_PARTS}
    count = sum(entry is not None for entry in rows["decoder"])

    def letters(part: str, position: int) -> str:
        entry = rows[part][position] if position < len(rows[part]) else None
        return _LETTERS[part] * int(entry or 0)

    order = ("embedding", "decoder", "mtp", "loss")
    return "|".join("".join(letters(part, position) for part in order) for position in range(count))
