"""Sheets that hold what the model rests on: tables, the provenance of every rule, and how to use the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engine.cite import references
from engine.rules import Computed, Input
from engine.ruleset import RuleSet
from workbook.cells import Plan, Presented, Sheet
from workbook.frame import Frame
from workbook.state import State

FORMAT = "1"
"""Version of the layout that readers of the file rely on."""
_LARGE = 10_000
"""Numbers from here on are shown in groups of three digits."""


def tables(rules: RuleSet, plan: Plan) -> tuple[Sheet, dict[str, str]]:
    """Plans the sheet of tables and members of enumerations.

    Returns:
        The sheet, and for each enumerated input the address of its members.
    """
    sheet = Sheet("Tables", widths={1: 62, 2: 36}, freeze=(4, 3), print_wide=2)
    sheet.put(1, 1, "Tables", "title")
    sheet.put(
        2,
        1,
        "Cited figures that rules look up, one column a key (#N/A: not known); below, the members of each input with a "
        "choice.",
        "quiet",
    )
    row = 4
    for table in rules.tables.values():
        sheet.put(row, 1, table.title, "section")
        row += 1
        rows: dict[str, list[Any]] = {"key": list(table.keys)}
        rows |= {column: [cells[key] for key in table.keys] for column, cells in table.cells.items()}
        for column, entries in rows.items():
            sheet.put(row, 1, "Key" if column == "key" else column.replace("_", " ").capitalize(), "label")
            sheet.put(row, 2, f"{table.id}_{column}", "code")
            for place, entry in enumerate(entries):
                if entry is None:
                    sheet.present(row, 3 + place, Presented("NA()", lambda context: "#N/A"), "value")
                else:
                    style = "header_right" if column == "key" else _style(entry)
                    sheet.put(row, 3 + place, entry, style)
                sheet.widths[3 + place] = 21
            plan.names[f"{table.id}_{column}"] = sheet.address(row, 3, last=2 + len(entries))
            row += 1
        row += 1
    sheet.put(row, 1, "Choices", "section")
    choices = {}
    for item in rules.inputs.values():
        if item.kind == "enum":
            row += 1
            sheet.put(row, 1, item.title, "label")
            sheet.put(row, 2, item.id, "code")
            for place, member in enumerate(item.values):
                sheet.put(row, 3 + place, member)
            choices[item.id] = sheet.address(row, 3, last=2 + len(item.values))
    return sheet, choices


def _style(entry: Any) -> str:
    return "number" if isinstance(entry, int | float) and abs(entry) >= _LARGE else "value"


def provenance(rules: RuleSet) -> Sheet:
    """Plans the sheet that says of every formula where it comes from."""
    heads = (
        "Name",
        "Case",
        "Rests on",
        "Source",
        "Within",
        "Why these lines, or what is assumed",
        "Evidence",
        "Rule file",
        "Title",
    )
    sheet = Sheet("Provenance", freeze=(5, 2), print_rows=(4, 4), print_wide=2)
    sheet.widths = {1: 42, 2: 40, 3: 11, 4: 88, 5: 36, 6: 60, 7: 24, 8: 40, 9: 50}
    sheet.put(1, 1, "Provenance", "title")
    sheet.put(
        2,
        1,
        "Every rule, check and input with the source of each case; links show the cited lines as they were pinned.",
        "quiet",
    )
    for column, text in enumerate(heads, start=1):
        sheet.put(4, column, text, "header")
    row = 4
    items: list[Computed | Input] = [*rules.computed.values(), *rules.inputs.values()]
    for item in items:
        for case, kind, source, link, within, why in _origins(rules, item):
            row += 1
            cells = (item.id, case, kind, source, within, why, _evidence(item), _place(rules, item), item.title)
            for column, text in enumerate(cells, start=1):
                style = "code" if column in (1, 8) else "link" if column == 4 and link else "quiet"
                sheet.put(row, column, text, style, link=link if column == 4 else None)
    return sheet


def _origins(rules: RuleSet, item: Computed | Input) -> Iterator[tuple[str, str, str, str | None, str, str]]:
    """Yields case, class, source, link, enclosing symbol and remark of each thing that an item rests on."""
    if isinstance(item, Input):
        cases: list[tuple[str, Any]] = [("", item)]
    else:
        many = len(item.branches) > 1
        cases = [(_when(case) if many else "", case) for case in item.branches]
    for case, origin in cases:
        for citation, shown in zip(origin.citations, references(origin.citations, rules.sources), strict=True):
            yield case, shown.kind, shown.text.partition(" in ")[0], shown.url, citation.symbol, citation.note or ""
        if origin.assumption:
            yield case, "assumption", "", None, "", origin.assumption


def _when(case: Any) -> str:
    return " ".join(case.when.text.split()) if case.when else "otherwise"


def _evidence(item: Computed | Input) -> str:
    return "" if isinstance(item, Input) else ", ".join(item.evidence)


def _place(rules: RuleSet, item: Computed | Input) -> str:
    path = Path(item.span.source.path)
    for root in (rules.path, *rules.overlays):
        if path.is_relative_to(root):
            return f"{path.relative_to(root).as_posix()}:{item.span.line}"
    return f"{path.name}:{item.span.line}"


STEPS = (
    ("Type", "Sheet Inputs, yellow cells of column Entered. What stays blank takes the value that column If left blank "
     "states; column From says which ones did."),
    ("Read the verdict", "Sheet Plan: verdict, heaviest stage, headroom, chart. Choose there which scenario is shown, "
     "and GB or GiB."),
    ("Compare", "Sheet Inputs has six what-ifs beside Entered; type only what differs. Sheet Scenarios shows all side "
     "by side."),
    ("Either, or", "Of two inputs that belong together (such as world size and data-parallel size) type one and leave "
     "the other blank; it follows."),
    ("Take away", "An input that is not given is blank; in a what-if, none takes away what is entered."),
    ("Single layers", "For a pattern or a pipeline layout choose list on sheet Inputs and type the entries on sheet "
     "Layers or Virtual stages; a few layers can be overridden there by hand."),
    ("Mend", "Sheet Checks: what a trainer would refuse and what is unwise, with the way to mend it."),
    ("Follow a number", "Sheets Ledger, Stages, Virtual stages and Layers: every value, its formula in names, the case "
     "that applies. Sheet Views: tables of results."),
    ("Trust it", "Sheet Provenance: the source lines, papers and sections of each formula. To recalculate and compare: "
     "engine workbook verify plan.xlsx"),
    ("Go on", "This file is a preset: engine eval rules/ plan.xlsx; as text: engine workbook read plan.xlsx -o "
     "preset.yaml"),
)  # fmt: skip
_STEP_WIDTH = 112


def read_me(rules: RuleSet, state: State, frame: Frame, plan: Plan, version: str) -> Sheet:
    """Plans the sheet that says how to use the file and what it was built from."""
    sheet = Sheet("Read me", widths={1: 34, 2: _STEP_WIDTH}, tab="7F7F7F")
    sheet.put(1, 1, "How to use this file", "title")
    for number, (head, text) in enumerate(STEPS, start=1):
        sheet.put(2 + number, 1, f"{number}. {head}", "label_main")
        sheet.put_long(2 + number, 2, text, _STEP_WIDTH)
    row = 4 + len(STEPS)
    sheet.put(row, 1, "What it was built from", "section")
    facts: list[tuple[str, Any, str | None]] = [
        ("rank-ledger", version, "built_by"),
        ("Format of the file", FORMAT, "workbook_format"),
        ("Preset", state.preset, "built_preset"),
        ("Rules (SHA-256 of all formulas)", rules.digest, "rule_set_digest"),
        ("Room for layers", frame.layer, "room_layer"),
        ("Room for stages", frame.stage, "room_stage"),
        ("Room for virtual stages", frame.virtual_stage, "room_virtual_stage"),
    ]
    for key, body in rules.sources.get("sources", {}).items():
        facts.append((f"Cited: {key}", f"{body.repo} at {body.commit}", None))
    for text, value, name in facts:
        row += 1
        sheet.put(row, 1, text, "label")
        sheet.put(row, 2, value, "left")
        if name:
            plan.names[name] = sheet.address(row, 2)
    return sheet
