"""The sheet of checks: what each came to, live, errors first, with its message, its hint and the inputs to blame."""

from __future__ import annotations

from collections.abc import Callable

from engine.cite import references
from engine.evaluating.excel_rules import excel_text
from engine.rules import Check
from engine.ruleset import RuleSet
from workbook.cells import Highlight, Presented, Sheet, Shown, Source
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.messages import sentence
from workbook.styles import height_of

HEADER, FIRST_ROW = 4, 5
STATUS, LEVEL, TITLE, MESSAGE, HINT, FIELDS, FORMULA, NAME, CITED, VALUE, COUNT = range(1, 12)
LEVELS = ("error", "warning", "note")
_HEADS = {
    STATUS: "Status", LEVEL: "Level", TITLE: "Check", MESSAGE: "What is wrong", HINT: "How to mend it",
    FIELDS: "Inputs", FORMULA: "Holds where", NAME: "Name", CITED: "Source", VALUE: "Holds", COUNT: "Failed so far",
}  # fmt: skip
_WIDTHS = {
    STATUS: 10, LEVEL: 9, TITLE: 48, MESSAGE: 80, HINT: 70, FIELDS: 64, FORMULA: 50, NAME: 40, CITED: 44, VALUE: 8,
    COUNT: 12,
}  # fmt: skip
_ABOUT = (
    "What a trainer refuses (error), what is unwise (warning) and what to know (note). A failed error makes the "
    "configuration invalid; values are shown all the same."
)


class CheckSheet:
    """Plans the sheet.

    Attributes:
        sheet: the planned sheet.
        checks: the checks in the order of their rows.
    """

    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules
        self.sheet = Sheet("Checks", tab="70AD47", print_rows=(HEADER, HEADER), print_columns=HINT)
        self.checks = sorted(rules.checks.values(), key=lambda check: LEVELS.index(check.level))
        self.last_row = FIRST_ROW + len(self.checks) - 1

    def column(self, column: int) -> str:
        """Returns the address of a column of all checks."""
        first, last = self.sheet.address(FIRST_ROW, column), self.sheet.address(self.last_row, column)
        return f"{first}:{last.rpartition('!')[2]}"

    def errors(self) -> str:
        """Returns a formula for the number of failed checks of level error."""
        count = sum(check.level == "error" for check in self.checks)
        return self.sheet.address(FIRST_ROW + count - 1, COUNT) if count else "0"

    def failed(self) -> str:
        """Returns a formula for the number of failed checks."""
        return self.sheet.address(self.last_row, COUNT) if self.checks else "0"

    def in_order(self, context: Context) -> list[Check]:
        """Returns the failed checks in the order of their rows."""
        return [check for check in self.checks if context.flag(check.id) is False]

    def fill(self, places: Places) -> None:
        """Puts all cells."""
        sheet = self.sheet
        sheet.put(1, STATUS, "Checks", "title")
        sheet.put(2, STATUS, _ABOUT, "quiet")
        for column, text in _HEADS.items():
            sheet.put(HEADER, column, text, "header")
        for row, check in enumerate(self.checks, start=FIRST_ROW):
            self._row(check, row, places)
        if self.checks:
            cells = f"A{FIRST_ROW}:A{self.last_row}"
            for status, style in (("fail", "bad"), ("pass", "good"), ("unknown", "middling")):
                sheet.highlights.append(Highlight(cells, f'$A{FIRST_ROW}="{status}"', style))
        sheet.freeze = (FIRST_ROW, MESSAGE)
        sheet.folded_columns.append((VALUE, COUNT))
        sheet.widths = dict(_WIDTHS)

    def _row(self, check: Check, row: int, places: Places) -> None:
        sheet = self.sheet
        text = excel_text(self._rules, check)
        value = f"$J{row}"
        sheet.formula(row, VALUE, text, Source(check.id), "helper")
        status = f'IF(ISNUMBER({value}),IF({value}=1,"pass","fail"),"unknown")'
        sheet.present(row, STATUS, Presented(status, lambda context: _status(context, check)), "status")
        sheet.put(row, LEVEL, check.level, "quiet")
        sheet.put(row, TITLE, check.title, "wrapped")
        sheet.present(row, MESSAGE, _message(check, row, places), "wrapped")
        if check.hint and "{" in check.hint:
            sheet.present(row, HINT, sentence(places, check.hint), "wrapped")
        else:
            sheet.put(row, HINT, check.hint, "wrapped")
        sheet.put(row, FIELDS, ", ".join(check.fields), "wrapped")
        sheet.heights[row] = height_of(
            (check.title, _WIDTHS[TITLE]), (check.message, _WIDTHS[MESSAGE]), (check.hint or "", _WIDTHS[HINT]),
            (", ".join(check.fields), _WIDTHS[FIELDS]),
        )  # fmt: skip
        sheet.put(row, FORMULA, text, "code")
        sheet.put(row, NAME, check.id, "code")
        cited = references((cite for case in check.branches for cite in case.citations), self._rules.sources)
        if cited:
            sheet.put(row, CITED, cited[0].short, "link" if cited[0].url else "quiet", link=cited[0].url)
        before = f"K{row - 1}+" if row > FIRST_ROW else ""
        sheet.present(row, COUNT, Presented(f'{before}IF(A{row}="fail",1,0)', self._count(row)), "helper")

    def _count(self, row: int) -> Callable[[Context], Shown]:
        upto = self.checks[: row - FIRST_ROW + 1]
        return lambda context: sum(context.flag(check.id) is False for check in upto)


def _status(context: Context, check: Check) -> Shown:
    return {True: "pass", False: "fail", None: "unknown"}[context.flag(check.id)]


def _message(check: Check, row: int, places: Places) -> Presented:
    filled = sentence(places, check.message)

    def expect(context: Context) -> Shown:
        return filled.expect(context) if context.flag(check.id) is False else ""

    return Presented(f'IF($A{row}="fail",{filled.text},"")', expect)
