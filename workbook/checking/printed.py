"""A workbook against the formulas that it prints beside its cells: for one whose rules are not at hand any more."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from engine.evaluating.excel_rules import excel_text
from engine.ruleset import RuleSet
from workbook.cells import letters
from workbook.checking.carried import Departure, cut, normal, what
from workbook.checking.facts import Facts
from workbook.reading.package import Package
from workbook.sheets.ledger import FORMULA as LEDGER_FORMULA
from workbook.sheets.ledger import VALUE
from workbook.sheets.vectors import FIRST, FORMULA, INDEX_ROW, TITLES

_DOMAINS = {title: domain for domain, title in TITLES.items()}
_GUARD = re.compile(r'IF\([A-Z]+\$\d+=1,(.*),""\)\Z', re.DOTALL | re.IGNORECASE)
"""What every cell of a vector has around its formula, so that columns beyond the configuration stay empty."""


@dataclass(frozen=True, slots=True)
class OtherRules:
    """How the rules of a workbook differ from those at hand.

    Attributes:
        changed: ids with another formula: that of the workbook, and that of the rules.
        new: ids that the workbook was built without.
        gone: ids that the rules have no more.
    """

    changed: Mapping[str, tuple[str, str]]
    new: tuple[str, ...]
    gone: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A rule's row: the formula that it prints, the same as it is compared, and the columns of its cells."""

    sheet: str
    row: int
    id: str
    text: str
    columns: range


def against_print(facts: Facts, package: Package) -> tuple[list[Departure], int]:
    """Returns the cells of rules that are not what their row prints as its formula, and how many were compared."""
    found: list[Departure] = []
    compared = 0
    for row in _rows(facts, package):
        cells, wanted = facts.cells(row.sheet), normal(row.text)
        names = {number: id.casefold() for number, id in facts.rows(row.sheet).items()}
        names[INDEX_ROW] = _DOMAINS.get(row.sheet, "")
        for column in row.columns:
            content = cells.get((row.row, column))
            formula = content.formula if content is not None else None
            compared += 1
            if formula is None or (normal(formula) != wanted and normal(_in_names(formula, column, names)) != wanted):
                has = what(content)
                message = f"{cut(has)} in place of {cut('=' + row.text)}, which its row prints ({row.id})"
                departure = Departure("formula", row.sheet, row.row, column, row.id, has, f"={row.text}", message)
                found.append(departure)
    return found, compared


def other_rules(facts: Facts, package: Package, rules: RuleSet) -> OtherRules:
    """Compares what a workbook prints as the formulas of its rules with the rules at hand."""
    printed = {row.id: row.text for row in _rows(facts, package)}
    shown = {**rules.rules, **{id: rule for id, rule in rules.computed.items() if rule.type.over is not None}}
    now = {id: excel_text(rules, rule) for id, rule in shown.items()}
    changed = {
        id: (text, now[id]) for id, text in sorted(printed.items()) if id in now and normal(text) != normal(now[id])
    }
    return OtherRules(changed, tuple(sorted(now.keys() - printed.keys())), tuple(sorted(printed.keys() - now.keys())))


def _rows(facts: Facts, package: Package) -> Iterator[_Row]:
    for sheet in ("Ledger", *_DOMAINS):
        if sheet not in package.sheets:
            continue
        cells = facts.cells(sheet)
        width = sum(row == INDEX_ROW and column >= FIRST for row, column in cells)
        columns = range(VALUE, VALUE + 1) if sheet == "Ledger" else range(FIRST, FIRST + width)
        for row, id in facts.rows(sheet).items():
            text = cells.get((row, LEDGER_FORMULA if sheet == "Ledger" else FORMULA))
            if text is not None and isinstance(text.value, str) and f"{id}_typed" not in package.names:
                yield _Row(sheet, row, id, text.value, columns)


def _in_names(formula: str, column: int, names: Mapping[int, str]) -> str:
    """Returns the formula of a vector's cell as its row prints it: without its guard, cells of its column by name."""
    guarded = _GUARD.match(formula.strip())
    own = re.compile(rf"(?<![\w$!.]){letters(column)}\$(\d+)(?![\w(.])", re.IGNORECASE)
    return own.sub(lambda cell: names.get(int(cell[1]), cell[0]), guarded[1] if guarded else formula)
