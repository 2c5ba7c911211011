"""Formulas that only present: sizes in GB or GiB, shares, words for a state, joined text.

Each is printed here or in `workbook.sheets.input_formulas`, from cells that rules fill, and comes with what it has to
show, so that it is verified like the others. No rule reads what these yield.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal

from engine.evaluating.excel_rules import excel_branch
from engine.render.numbers import ABSENT
from engine.rules import Computed
from engine.ruleset import RuleSet
from workbook.cells import Cell, Presented, Shown
from workbook.context import Context, error_of, is_error

MOST_TEXT = 200
"""Characters of one text within a formula; the limit of spreadsheets is 255."""

Number = Callable[[Context], float | None]
UNIT_WORD = Presented("unit_choice", lambda context: context.state.unit)
"""The unit that is chosen, as a word."""


def number_of(id: str) -> Number:
    """Returns what yields the value of a rule or input."""
    return lambda context: context.number(id)


def number_in(cell: Cell) -> Number:
    """Returns what yields the number that a cell shows."""

    def number(context: Context) -> float | None:
        shown = context.shown(cell)
        return None if isinstance(shown, str) else float(shown)

    return number


def or_unknown(text: str, cell: Cell) -> Presented:
    """What a cell shows, `unknown` in place of an error."""

    def expect(context: Context) -> Shown:
        shown = context.shown(cell)
        return "unknown" if is_error(shown) else shown

    return Presented(f'IFERROR({text},"unknown")', expect)


def quoted(text: str) -> str:
    """Returns a text as a formula writes it; one beyond the limit is joined from pieces."""
    pieces = [text[start : start + MOST_TEXT] for start in range(0, len(text), MOST_TEXT)] or [""]
    return "&".join('"' + piece.replace('"', '""') + '"' for piece in pieces)


def in_unit(cell: str, number: Number) -> Presented:
    """A number of bytes in the unit that is chosen."""

    def expect(context: Context) -> Shown:
        found = number(context)
        return ABSENT if found is None else found / context.unit

    return Presented(f'IF(ISNUMBER({cell}),{cell}/byte_unit,"{ABSENT}")', expect)


def share(part: str, whole: str, numbers: tuple[Number, Number]) -> Presented:
    """A part of a whole."""

    def expect(context: Context) -> Shown:
        over, under = numbers[0](context), numbers[1](context)
        return ABSENT if over is None or under is None or under <= 0 else over / under

    text = f'IF(AND(ISNUMBER({part}),ISNUMBER({whole})),IF({whole}>0,{part}/{whole},"{ABSENT}"),"{ABSENT}")'
    return Presented(text, expect)


def difference(cell: str, base: str, numbers: tuple[Number, Number], *, scaled: bool) -> Presented:
    """A number less that of another column, in the unit that is chosen where it is a number of bytes."""

    def expect(context: Context) -> Shown:
        left, right = numbers[0](context), numbers[1](context)
        if left is None or right is None:
            return ABSENT
        return (left - right) / context.unit if scaled else left - right

    text = f"({cell}-{base})/byte_unit" if scaled else f"{cell}-{base}"
    return Presented(f'IF(AND(ISNUMBER({cell}),ISNUMBER({base})),{text},"{ABSENT}")', expect)


def branch(rules: RuleSet, rule: Computed) -> Presented:
    """Which case of a rule applies: its number and its condition."""
    labels = [
        f"{number}: {short(case.when.text if case.when else 'otherwise')}"
        for number, case in enumerate(rule.branches, start=1)
    ]

    def expect(context: Context) -> Shown:
        found = context.found(rule.id)
        if found.status == "ok":
            taken: int = found.branch
            return labels[taken]
        for case, label in zip(rule.branches, labels, strict=True):  # the case may be known where its formula fails
            met = case.when is None or context.evaluate(case.when.node)
            if met is None:
                return error_of(found)
            if met:
                return label
        return labels[-1]

    return Presented(excel_branch(rules, rule, labels), expect)


def short(text: str, most: int = 120) -> str:
    """Returns a text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


def fixed(value: float, decimals: int) -> str:
    """Returns a number as TEXT with a format of so many decimals writes it: halves go away from zero."""
    exponent = Decimal(1).scaleb(-decimals)
    return f"{Decimal(repr(float(value))).quantize(exponent, ROUND_HALF_UP):f}"
