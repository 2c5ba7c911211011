"""Why the verdict is what it is, in one live sentence below it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbook.cells import Presented, Shown
from workbook.context import Context
from workbook.places import Places
from workbook.sheets.checks import CheckSheet
from workbook.sheets.input_formulas import all_typed_names, stands_in
from workbook.sheets.inputs import FROM
from workbook.sheets.present import fixed, quoted
from workbook.state import selected

_BANDS = ("fit_band", "tight_band")
_MISSING = "Missing on sheet Inputs"
_NO_CAPACITY = "No capacity is known: choose a card on sheet Inputs, group Device"
_NO_TOTAL = "Something typed is not accepted: look for red cells on sheets Inputs, Layers and Virtual stages"
_NO_SCENARIO = "There is no such scenario: choose one from the list below"
_ONE, _MORE = " check of level error does not hold, see below", " checks of level error do not hold, see below"
_UNMODELLED = "Launch flags that move memory are not modelled, see below"


def reason(raw: str, places: Places, checks: CheckSheet, summary: Any) -> Presented:
    """Says why. `raw` is the address of the verdict."""
    count = checks.errors()
    failed = f"{count}&IF({count}=1,{quoted(_ONE)},{quoted(_MORE)})"
    unknown, judged = _unknown(places, summary), _bands(places)
    text = f'IF({raw}="incomplete",{quoted(_UNMODELLED)},IF({raw}="unknown",{unknown.text},{judged.text}))'

    def expect(context: Context) -> Shown:
        if selected(context.state, context.columns) is None:
            return _NO_SCENARIO
        match context.verdict():
            case "invalid":
                count = sum(check.level == "error" for check in checks.in_order(context))
                return f"{count}{_ONE if count == 1 else _MORE}"
            case "incomplete":
                return _UNMODELLED
            case "unknown":
                return unknown.expect(context)
        return judged.expect(context)

    text = f'IF({raw}="invalid",{failed},{text})'
    return Presented(f"IF(ISNUMBER(scenario_id),{text},{quoted(_NO_SCENARIO)})", expect)


def _bands(places: Places) -> Presented:
    """Where the verdicts part, if the rules know such limits."""
    if not set(_BANDS) <= places.rules.symbols.types.keys():
        return Presented('""', lambda context: "")
    fit, tight = (f'TEXT({places.value(id)}*100,"0")' for id in _BANDS)
    text = f'"Fits up to "&{fit}&" % of the capacity, tight up to "&{tight}&" %"'

    def expect(context: Context) -> Shown:
        limits = [context.number(id) for id in _BANDS]
        if None in limits:
            return ""
        low, high = (fixed(limit * 100, 0) for limit in limits if limit is not None)
        return f"Fits up to {low} % of the capacity, tight up to {high} %"

    return Presented(f'IFERROR({text},"")', expect)


def _unknown(places: Places, summary: Any) -> Presented:
    """Names what has to be typed; else says what else there is not."""
    lacking = list(_lacking(places))
    capacity = summary.capacity if summary else None
    known = f"ISNUMBER({places.value(capacity)})" if capacity else "1=1"
    rest = f"IF({known},{quoted(_NO_TOTAL)},{quoted(_NO_CAPACITY)})"
    joined = "&".join(text for text, _, _ in lacking) or '""'
    text = f'IF({joined}<>"",{quoted(_MISSING)}&{joined},{rest})'

    def expect(context: Context) -> Shown:
        found = "".join(title for _, cell, title in lacking if context.shown(cell) == "missing")
        if found:
            return f"{_MISSING}{found}"
        return _NO_TOTAL if capacity is None or context.number(capacity) is not None else _NO_CAPACITY

    return Presented(text, expect)


def _lacking(places: Places) -> Iterator[tuple[str, Any, str]]:
    """Yields for each input that may be missing what names it, the cell that says whether it is, and its name."""
    rules, inputs = places.rules, places.inputs
    for name, item in all_typed_names(rules).items():
        others = [rules.inputs[other] for other in rules.siblings(item)]
        if stands_in(item) != "missing" or any(inputs.rows[other.id] < inputs.rows[name] for other in others):
            continue
        title = " · " + " or ".join(one.title for one in (item, *others))
        text = f'IF({inputs.address(name, FROM)}="missing",{quoted(title)},"")'
        yield text, inputs.sheet.cells[inputs.rows[name], FROM], title
