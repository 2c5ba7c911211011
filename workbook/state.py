"""What a person has typed into a workbook, and the presets that it stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from engine.evaluating.resolve import resolve
from engine.inputs.slots import LAYOUT_PARTS
from engine.preset import Preset
from engine.rules import Input
from engine.ruleset import RuleSet

Typed = float | int | str
"""What stands in a cell that a person types into."""

WHAT_IFS = 6
ENTERED = "As entered"
LISTED = "list"
"""Stands in the cell of a layer pattern or layout whose entries stand in a row of the sheet of its domain."""
NOTHING = "none"
"""Typed for an input that is not given, as null is in a preset."""
ON, OFF = "on", "off"


@dataclass(frozen=True, slots=True)
class State:
    """Everything that is typed.

    Attributes:
        preset: name of the preset that the workbook was built from.
        entered: by typed name (see `typed_names`); a blank cell is left out.
        what_ifs: the same for each what-if.
        titles: title of each what-if, empty if it has none.
        vectors: rows of layer patterns and layouts by name, None for a blank cell.
        scenario: text of the cell that says which scenario is shown.
        unit: `GB` or `GiB`.
        built: what was entered when the workbook was built.
        built_vectors: the same for rows.
        unmodelled: launch flags of the preset that move memory and that no rule accounts for, with what each is about.
    """

    preset: str = ""
    entered: Mapping[str, Typed] = field(default_factory=dict)
    what_ifs: tuple[Mapping[str, Typed], ...] = ({},) * WHAT_IFS
    titles: tuple[str, ...] = ("",) * WHAT_IFS
    vectors: Mapping[str, tuple[Typed | None, ...]] = field(default_factory=dict)
    scenario: str = ENTERED
    unit: str = "GB"
    built: Mapping[str, Typed] = field(default_factory=dict)
    built_vectors: Mapping[str, tuple[Typed | None, ...]] = field(default_factory=dict)
    unmodelled: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """One column of inputs.

    Attributes:
        key: what the text of its choice begins with.
        title: what it is about; may be empty.
        cells: what it changes, by typed name.
        kind: `entered`, `scenario` (of the rules) or `what_if`.
    """

    key: str
    title: str
    cells: Mapping[str, Typed]
    kind: str

    @property
    def label(self) -> str:
        """The text by which it is chosen."""
        return f"{self.key}: {self.title}" if self.title else self.key


def typed_names(item: Input) -> list[str]:
    """Returns the names of the cells that an input takes: one a member for a set, else its own."""
    return [f"{item.id}_{member}" for member in item.members] if item.kind == "set" else [item.id]


def row_names(item: Input) -> list[str]:
    """Returns the names of the rows that an input takes on the sheet of its domain."""
    match item.kind:
        case "layer_vector":
            return [item.id]
        case "layout":
            return [f"{item.id}_{part}" for part in LAYOUT_PARTS]
    return []


def from_preset(rules: RuleSet, preset: Preset) -> State:
    """Returns the state of a workbook that is built for a preset.

    Raises:
        EngineError: a value of the preset does not fit.
    """
    entered: dict[str, Typed] = {}
    vectors: dict[str, tuple[Typed | None, ...]] = {}
    for name, value in resolve(rules, preset).values.items():
        item = rules.inputs[name]
        entered.update(typed(item, value))
        if item.kind == "layer_vector" and not isinstance(value, int):
            vectors[name] = tuple(int(entry) for entry in value)
        elif item.kind == "layout":
            vectors |= {f"{name}_{part}": tuple(stage[part] for stage in value) for part in LAYOUT_PARTS if value}
    return State(
        preset=PurePath(preset.path).name,
        entered=entered,
        vectors=vectors,
        built=entered,
        built_vectors=vectors,
        unmodelled=tuple(preset.flags.unmodelled.items()) if preset.flags else (),
    )


def typed(item: Input, value: Any) -> dict[str, Typed]:
    """Returns what a person types for an accepted value of an input, by typed name."""
    match item.kind:
        case "set":
            return {
                name: ON if member in value else OFF
                for name, member in zip(typed_names(item), item.members, strict=True)
            }
        case "flag":
            return {item.id: ON if value else OFF}
        case "layer_vector":
            return {item.id: value if isinstance(value, int) else LISTED}
        case "layout":
            return {item.id: LISTED if value else NOTHING}
        case "int" | "number":
            return {item.id: int(value) if float(value).is_integer() else value}
    return {item.id: value}


def variants(rules: RuleSet, state: State) -> tuple[Variant, ...]:
    """Returns all columns: as entered, scenarios of the rules that change something, what-ifs."""
    found = [Variant(ENTERED, "", {}, "entered")]
    for one in rules.scenarios.values():
        if one.changes:
            found.append(Variant(one.id, one.title, dict(_changes(rules, one.changes)), "scenario"))
    for number, (title, cells) in enumerate(zip(state.titles, state.what_ifs, strict=True), start=1):
        found.append(Variant(f"What-if {number}", title, cells, "what_if"))
    return tuple(found)


def _changes(rules: RuleSet, changes: Mapping[str, Any]) -> Iterator[tuple[str, Typed]]:
    given = resolve(rules, Preset(changes)).values  # also reads flags that stand for members of an enumeration
    for name in rules.inputs:
        if name in given:
            yield from typed(rules.inputs[name], given[name]).items()
        elif name in changes:
            yield from ((slot, NOTHING) for slot in typed_names(rules.inputs[name]))


def selected(state: State, columns: tuple[Variant, ...]) -> int | None:
    """Returns the number of the column that is shown; None where the text of the choice is none of them."""
    key = state.scenario.partition(":")[0].casefold()
    return next((number for number, column in enumerate(columns) if column.key.casefold() == key), None)


def is_nothing(item: Input, value: Typed | None) -> bool:
    """Whether a cell says that an input is not given: it is blank, or `none` where that is no member."""
    if value is None or value == "":
        return True
    return isinstance(value, str) and value.casefold() == NOTHING and NOTHING not in item.values
