"""A workbook that was read, and the presets that it stands for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.diagnostics import Diagnostic, EngineError, Findings, Span, nearest
from engine.evaluating.resolve import resolve
from engine.importing.megatron_flags import FlagReport
from engine.preset import Preset
from engine.ruleset import RuleSet
from workbook.frame import Frame
from workbook.reading.presets import preset_of
from workbook.state import WHAT_IFS, State, Variant, selected, typed_names, variants


@dataclass(frozen=True)
class Opened:
    """A workbook that was read.

    Attributes:
        path: the file.
        state: what is typed in it.
        frame: room of its sheets.
        digest: digest of the rules that it was built from.
        places: place of each typed cell by column of inputs (0 for Entered, then the what-ifs) and typed name.
        notes: what was understood in another way than it stands there.
    """

    path: Path
    state: State
    frame: Frame
    digest: str
    places: Mapping[tuple[int, str], Span] = field(repr=False)
    notes: tuple[Diagnostic, ...] = ()


def preset_in(opened: Opened, rules: RuleSet, scenario: str | None = None) -> Preset:
    """Returns the preset that a workbook stands for.

    Args:
        opened: the workbook.
        rules: the rules.
        scenario: key or title of a what-if or of a scenario of the rules, `entered` for the configuration itself; None
            for what the workbook shows.

    Raises:
        EngineError: there is no such scenario (E604), or a value does not fit its input (E501 to E507).
    """
    columns = variants(rules, opened.state)
    number = _column(opened, rules, columns, scenario)
    first_what_if = len(columns) - WHAT_IFS
    column = 0 if number < first_what_if else number - first_what_if + 1
    found = preset_of(rules, opened.state, columns[number])
    places: dict[str, tuple[Span, Span]] = {}
    for item in rules.inputs.values():
        for name in typed_names(item):
            place = opened.places.get((column, name)) or opened.places.get((0, name))
            if place is not None:
                places.setdefault(item.id, (place, place))
    shown = "" if number == 0 else f", {columns[number].key}"
    flags = FlagReport({}, unmodelled=dict(opened.state.unmodelled)) if opened.state.unmodelled else None
    preset = replace(found, path=f"{opened.path}{shown}", places=places, flags=flags)
    resolve(rules, preset)
    return preset


def _column(opened: Opened, rules: RuleSet, columns: tuple[Variant, ...], scenario: str | None) -> int:
    findings = Findings()
    if scenario is None:
        number = selected(opened.state, columns)
        if number is None:
            findings.add("E604", f"the workbook shows `{opened.state.scenario}`, which is no scenario")
            findings.raise_if_errors()
        return number or 0
    wanted = scenario.casefold()
    if wanted == "entered" or (wanted in rules.scenarios and not rules.scenarios[wanted].changes):
        return 0
    for number, column in enumerate(columns):
        if wanted in (column.key.casefold(), column.title.casefold(), column.label.casefold()) and wanted:
            return number
    known = ["entered", *(column.key for column in columns[1:])]
    near = nearest(scenario, known)
    help = f"did you mean `{near}`?" if near else f"scenarios: {', '.join(known)}"
    findings.add("E604", f"there is no scenario `{scenario}`", help=help)
    raise EngineError(findings.diagnostics)
