"""Plans a workbook: which cell holds what. Pure: no file, no spreadsheet library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.excel_rules import excel_text
from engine.preset import Preset
from engine.resolve import resolve
from engine.ruleset import RuleSet
from workbook.cells import Plan, Sheet, Source
from workbook.plan_inputs import SCENARIO, InputSheet
from workbook.plan_vectors import TITLES, Frame, VectorSheet


def plan(rules: RuleSet, preset: Preset, frame: Frame | None = None) -> Plan:
    """Plans the workbook of a rule set for a preset.

    Args:
        rules: a loaded rule set.
        preset: values that are entered in the workbook.
        frame: room for layers and stages.

    Raises:
        EngineError: a value of the preset does not fit.
    """
    frame = frame or Frame()
    result = Plan()
    values: dict[str, Any] = dict(resolve(rules, preset).values)
    front = Sheet("Plan")
    front.put(1, 1, "Active column")
    front.put(1, 2, 1, "input")
    result.names[SCENARIO] = front.address(1, 2)
    inputs = InputSheet(rules, values, result)
    inputs.fill()
    vectors = [VectorSheet(rules, domain, frame, inputs, result) for domain in TITLES]
    for sheet in vectors:
        sheet.fill(values)
    result.sheets = [
        front,
        inputs.sheet,
        _ledger(rules, result),
        *(one.sheet for one in vectors),
        _tables(rules, result),
    ]
    return result


def _ledger(rules: RuleSet, result: Plan) -> Sheet:
    sheet = Sheet("Ledger")
    row = 4
    for rule in rules.computed.values():
        if rule.type.over is None:
            sheet.put(row, 1, rule.title, "label")
            sheet.put(row, 2, rule.symbol or "", "quiet")
            sheet.put(row, 3, rule.unit, "quiet")
            sheet.formula(row, 4, excel_text(rules, rule), Source(rule.id))
            sheet.put(row, 5, excel_text(rules, rule), "formula_text")
            result.names[rule.id] = sheet.address(row, 4)
            row += 1
    return sheet


def _tables(rules: RuleSet, result: Plan) -> Sheet:
    sheet = Sheet("Tables")
    row = 2
    for table in rules.tables.values():
        rows: Mapping[str, list[Any]] = {"key": list(table.keys)} | {
            column: [cells[key] for key in table.keys] for column, cells in table.cells.items()
        }
        for column, entries in rows.items():
            sheet.put(row, 1, f"{table.title}: {column}", "label")
            for position, entry in enumerate(entries):
                if entry is None:
                    sheet.present(row, 2 + position, "NA()", "#N/A", "value")
                else:
                    sheet.put(row, 2 + position, entry, "value")
            result.names[f"{table.id}_{column}"] = sheet.address(row, 2, last=1 + len(entries))
            row += 1
        row += 1
    return sheet
