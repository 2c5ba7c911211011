"""The ledger: one row a rule with a single value, by topic, with its formula, the case that applies and its source."""

from __future__ import annotations

from collections.abc import Iterator

from engine.cite import references
from engine.evaluating.excel_rules import excel_text
from engine.rules import Computed
from engine.ruleset import RuleSet
from workbook.cells import NAME_HEADER, Plan, Sheet, Source, letters
from workbook.sheets.present import UNIT_WORD, branch, in_unit
from workbook.sheets.symbols import readable
from workbook.sheets.topics import by_topic
from workbook.sheets.vectors import style_for

HEADER, FIRST_ROW = 4, 5
TITLE, SYMBOL, NAME, UNIT, VALUE, SIZE, FORMULA, BRANCH, CLASS, CITED, NOTE = range(1, 12)
_HEADS = {
    TITLE: "Quantity", SYMBOL: "Symbol", NAME: NAME_HEADER, UNIT: "Unit", VALUE: "Value", SIZE: "Size",
    FORMULA: "Formula", BRANCH: "Case that applies", CLASS: "Rests on", CITED: "Source", NOTE: "Note",
}  # fmt: skip
WIDTHS = {
    TITLE: 56, SYMBOL: 12, NAME: 40, UNIT: 7, VALUE: 20, SIZE: 10, FORMULA: 60, BRANCH: 30, CLASS: 11, CITED: 44,
    NOTE: 60,
}  # fmt: skip


class Ledger:
    """Plans the sheet.

    Attributes:
        sheet: the planned sheet.
        rows: row of each rule.
    """

    def __init__(self, rules: RuleSet, plan: Plan) -> None:
        self._rules = rules
        self._plan = plan
        self.sheet = Sheet("Ledger", tab="5B9BD5", print_rows=(HEADER, HEADER), print_columns=CITED, print_wide=2)
        self._heads: dict[int, str] = {}
        self.rows = dict(self._place())

    def _place(self) -> Iterator[tuple[str, int]]:
        row = FIRST_ROW
        for topic, members in by_topic(rule for rule in self._rules.rules.values() if rule.type.over is None):
            self._heads[row] = topic
            for rule in members:
                row += 1
                yield rule.id, row
            row += 1

    def address(self, id: str) -> str:
        """Returns the address of a rule's value."""
        return self.sheet.address(self.rows[id], VALUE)

    def fill(self) -> None:
        """Puts all cells and names."""
        sheet = self.sheet
        sheet.put(1, TITLE, "Ledger", "title")
        sheet.put(
            2, TITLE,
            "Every single value of the model. The formula of a cell is the formula of its rule; names lead to inputs "
            "and other rules.",
            "quiet",
        )  # fmt: skip
        for column, text in _HEADS.items():
            sheet.put(HEADER, column, text, "header_right" if column in (VALUE, SIZE) else "header")
        sheet.present(HEADER, SIZE, UNIT_WORD, "header_right")
        for row, topic in self._heads.items():
            for column in _HEADS:
                sheet.put(row, column, topic if column == TITLE else None, "group")
        for id, row in self.rows.items():
            self._row(self._rules.rules[id], row)
        sheet.freeze = (FIRST_ROW, SYMBOL)
        sheet.widths = dict(WIDTHS)

    def _row(self, rule: Computed, row: int) -> None:
        sheet = self.sheet
        text = excel_text(self._rules, rule)
        address = f"${letters(VALUE)}{row}"
        sheet.outline[row] = 1
        sheet.put_long(row, TITLE, rule.title, WIDTHS[TITLE])
        sheet.put(row, SYMBOL, readable(rule.symbol) if rule.symbol else None, "quiet")
        sheet.put(row, NAME, rule.id, "code")
        sheet.put(row, UNIT, "" if rule.unit in ("1", "flag", "enum") else rule.unit, "quiet")
        sheet.formula(row, VALUE, text, Source(rule.id), style_for(rule.unit))
        if rule.unit == "B":
            sheet.present(row, SIZE, in_unit(address, lambda context: context.number(rule.id)), "size")
        sheet.put(row, FORMULA, text, "code_apart")
        if len(rule.branches) > 1:
            sheet.present(row, BRANCH, branch(self._rules, rule), "quiet")
        sheet.put(row, CLASS, rule.provenance, "quiet")
        cited = references((cite for case in rule.branches for cite in case.citations), self._rules.sources)
        if cited:
            sheet.put(row, CITED, cited[0].short, "link" if cited[0].url else "quiet", link=cited[0].url)
        else:
            sheet.put(row, CITED, next(case.assumption for case in rule.branches if case.assumption), "quiet")
        sheet.put(row, NOTE, rule.note, "quiet")
        self._plan.names[rule.id] = self.address(rule.id)
