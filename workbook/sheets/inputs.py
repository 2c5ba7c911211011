"""The sheet of inputs: what a person types, what-ifs beside it, and the active value that formulas read by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engine.cite import references
from engine.expr.nodes import Name
from engine.rules import Input
from engine.ruleset import RuleSet
from workbook.cells import NAME_HEADER, Highlight, Plan, Presented, Sheet, Source, Validation, letters
from workbook.context import title_of
from workbook.sheets.input_formulas import InputFormulas, active_name, all_typed_names, number
from workbook.state import LISTED, NOTHING, OFF, ON, WHAT_IFS, State, Variant, typed_names

TITLES, HEADER, FIRST_ROW = 5, 6, 7
LABEL, FLAG, UNIT, ENTERED, WHAT_IF = 1, 2, 3, 4, 5
ACTIVE = WHAT_IF + WHAT_IFS
FROM, BLANK, NOTE, SOURCE, NAME, PICKED, CHOSEN, BY_ROW, BUILT, SCENARIO = range(ACTIVE + 1, ACTIVE + 11)
LAST_WHAT_IF = WHAT_IF + WHAT_IFS - 1

GROUPS = (
    "model", "parallelism", "batch", "precision", "recompute", "optimizer", "device", "sharding", "overheads",
    "kernels", "runtime", "evaluation",
)  # fmt: skip
"""Order of the groups that planners know; others follow."""

_UNITS = {"1": "", "flag": "", "enum": ""}


@dataclass(frozen=True, slots=True)
class _Shown:
    """Cells of the sheet itself, for the column that is shown."""

    rows: dict[str, int]
    inputs: Sheet
    layer_vectors: frozenset[str]
    variant: int | None = None

    def picked(self, name: str) -> str:
        return f"${letters(PICKED)}{self.rows[name]}"

    def entered(self, name: str) -> str:
        return f"${letters(ENTERED)}{self.rows[name]}"

    def chosen(self, name: str) -> str:
        return f"${letters(CHOSEN)}{self.rows[name]}"

    def active(self, name: Name) -> str:
        return f"${letters(ACTIVE)}{self.rows[name.id]}" if name.id in self.layer_vectors else name.id


class InputSheet:
    """Plans the sheet; one row an input, one a member for a set.

    Attributes:
        sheet: the planned sheet.
        rows: row of each typed name.
    """

    def __init__(self, rules: RuleSet, columns: Sequence[Variant], plan: Plan, formulas: InputFormulas) -> None:
        self._rules = rules
        self._columns = columns
        self._scenarios = [column for column in columns if column.kind == "scenario"]
        self._plan = plan
        self._formulas = formulas
        self.sheet = Sheet("Inputs", protected=True, tab="FFC000", print_rows=(TITLES, HEADER), print_columns=FROM)
        self._heads: dict[str, int] = {}
        self._main = {item.id for _, items in grouped(rules) for item in items if rank(rules, item)[0] < 2}
        self.rows = dict(self._place())
        vectors = frozenset(item.id for item in rules.inputs.values() if item.kind == "layer_vector")
        self.cells = _Shown(self.rows, self.sheet, vectors)

    def _place(self) -> Iterator[tuple[str, int]]:
        row = FIRST_ROW
        for group, items in grouped(self._rules):
            self._heads[group] = row
            for item in items:
                for name in typed_names(item):
                    row += 1
                    yield name, row
            row += 1

    def address(self, name: str, column: int) -> str:
        """Returns the address, from other sheets, of a cell in the row of a typed name."""
        return self.sheet.address(self.rows[name], column)

    def column(self, variant: int) -> int:
        """Returns the column in which a variant's cells stand."""
        kind = self._columns[variant].kind
        if kind == "entered":
            return ENTERED
        return SCENARIO + variant - 1 if kind == "scenario" else WHAT_IF + variant - 1 - len(self._scenarios)

    def fill(self, state: State) -> None:
        """Puts all cells and names."""
        self._top(state)
        for group, row in self._heads.items():
            self.sheet.put(row, LABEL, group.replace("_", " ").capitalize(), "group")
            for column in range(LABEL + 1, NAME + 1):
                self.sheet.put(row, column, None, "group")
        for name, item in all_typed_names(self._rules).items():
            self._row(item, name, state)
        last = max(self.rows.values())
        built, active, where = (f"{absolute_column(column)}{FIRST_ROW}" for column in (BUILT, ACTIVE, FROM))
        refused = f'OR({where}="missing",AND({where}="entered",ISERROR({active})))'
        for column, condition, style in (
            (ENTERED, refused, "bad"),
            (ENTERED, f"{absolute_column(ENTERED)}{FIRST_ROW}<>{built}", "changed"),
            (ACTIVE, f"ISERROR({active})", "bad"),
            (FROM, f'{where}="missing"', "bad"),
        ):
            cells = f"{letters(column)}{FIRST_ROW}:{letters(column)}{last}"
            self.sheet.highlights.append(Highlight(cells, condition, style))
        self.sheet.freeze = (FIRST_ROW, FLAG)
        self.sheet.folded_columns.append((NAME + 1, BUILT))
        self._widths()

    def _widths(self) -> None:
        widths = {LABEL: 54, FLAG: 31, UNIT: 6, ENTERED: 18, ACTIVE: 18, FROM: 9, BLANK: 36, NOTE: 60, SOURCE: 40}
        widths |= dict.fromkeys(range(WHAT_IF, LAST_WHAT_IF + 1), 11)
        widths |= {NAME: 34, PICKED: 12, CHOSEN: 12, BY_ROW: 8, BUILT: 12}
        self.sheet.widths = {**widths, **{SCENARIO + place: 14 for place in range(len(self._scenarios))}}

    def _top(self, state: State) -> None:
        sheet = self.sheet
        sheet.put(1, LABEL, "Inputs", "title")
        sheet.put(
            2, LABEL,
            "Type the configuration into the yellow cells of column Entered; bold rows matter most. A what-if changes "
            "only what is typed in its column. Sheet Plan shows the one that is chosen there.",
            "quiet",
        )  # fmt: skip
        sheet.put(3, LABEL, "Go to:", "quiet")
        for column, (group, row) in zip((FLAG, *range(ENTERED, NOTE)), self._heads.items(), strict=False):
            sheet.put(3, column, group.replace("_", " ").capitalize(), "link", link=f"#{sheet.quoted}!A{row}")
        sheet.put(TITLES, LABEL, "Name of the what-if", "quiet")
        heads = {LABEL: "Input", FLAG: "Launch flag", UNIT: "Unit", ENTERED: "Entered", ACTIVE: "Active", FROM: "From"}
        heads |= {BLANK: "If left blank", NOTE: "Note", SOURCE: "Source", NAME: NAME_HEADER, PICKED: "Picked"}
        heads |= {CHOSEN: "Chosen", BY_ROW: "By row", BUILT: "As built"}
        for place in range(WHAT_IFS):
            heads[WHAT_IF + place] = f"What-if {place + 1}"
            sheet.put(TITLES, WHAT_IF + place, state.titles[place] or None, "input_text")
        for place, scenario in enumerate(self._scenarios):
            heads[SCENARIO + place] = scenario.key
            sheet.put(TITLES, SCENARIO + place, scenario.title, "wrapped")
        for column, text in heads.items():
            values = column in (ENTERED, ACTIVE) or WHAT_IF <= column <= LAST_WHAT_IF
            sheet.put(HEADER, column, text, "header_right" if values else "header")
        sheet.heights[TITLES] = 30
        self._plan.names["what_if_titles"] = sheet.address(TITLES, WHAT_IF, last=LAST_WHAT_IF)
        self._plan.names["built_header"] = sheet.address(HEADER, BUILT)
        self._plan.names["input_headers"] = sheet.address(HEADER, ENTERED, last=LAST_WHAT_IF)

    def _row(self, item: Input, name: str, state: State) -> None:
        sheet, row = self.sheet, self.rows[name]
        sheet.outline[row] = 1
        style = {"int": "input_count", "number": "input"}.get(item.kind, "input_text")
        sheet.put(row, LABEL, title_of(item, name), "label_main" if item.id in self._main else "label_long")
        sheet.put(row, FLAG, item.flag or (item.off_flags[0] if item.off_flags else ""), "quiet")
        sheet.put(row, UNIT, _UNITS.get(item.unit, item.unit), "quiet")
        sheet.put(row, ENTERED, state.entered.get(name), style)
        for place, cells in enumerate(state.what_ifs):
            sheet.put(row, WHAT_IF + place, cells.get(name), style)
        for place, column in enumerate(self._scenarios):
            sheet.put(row, SCENARIO + place, column.cells.get(name), "fixed")
        sheet.put(row, BUILT, state.built.get(name), "fixed")
        sheet.put(row, BLANK, _when_blank(item, name), "quiet")
        sheet.put(row, NOTE, self._note(item), "quiet")
        cited = references(item.citations, self._rules.sources)
        if cited:
            sheet.put(row, SOURCE, cited[0].short, "link" if cited[0].url else "quiet", link=cited[0].url)
        sheet.put(row, NAME, active_name(item, name), "code")
        self._validate(item, row)
        self._calculate(item, name, row)

    def _note(self, item: Input) -> str | None:
        others = " or ".join(f"“{self._rules.inputs[other].title}”" for other in self._rules.siblings(item))
        if not others:
            return item.note
        return f"Type this or {others} and leave the other blank." + (f" {item.note}" if item.note else "")

    def _calculate(self, item: Input, name: str, row: int) -> None:
        sheet, formulas, cells = self.sheet, self._formulas, self.cells
        sheet.present(row, PICKED, self._picked(name, row), "helper")
        sheet.present(row, CHOSEN, formulas.chosen(item, name, cells), "helper")
        sheet.present(row, FROM, formulas.given(item, name, cells), "unit")
        own = active_name(item, name)
        self._plan.names[own] = sheet.address(row, ACTIVE)
        if item.kind == "layer_vector":
            sheet.present(row, ACTIVE, formulas.every(item, cells), "active")
            sheet.present(row, BY_ROW, formulas.by_row(item, cells), "helper")
        elif item.kind == "text":
            sheet.present(row, ACTIVE, formulas.chosen(item, name, cells), "active")
        else:
            style = "active_count" if item.kind == "int" else "active"
            sheet.formula(row, ACTIVE, formulas.active(item, name, cells), Source(own), style, role="input")
        if item.kind == "layout":
            given = f"{item.id}_given"
            sheet.formula(row, BY_ROW, f"IF({letters(ACTIVE)}{row}>0,1,0)", Source(given), "helper", role="input")
            self._plan.names[given] = sheet.address(row, BY_ROW)

    def _picked(self, name: str, row: int) -> Presented:
        """What the column that is shown says itself."""
        count = len(self._scenarios)

        def cell(first: int, last: int, before: int) -> str:
            found = f"INDEX(${letters(first)}{row}:${letters(last)}{row},1,scenario_id-{before})"
            return f'IF({found}<>"",{found},"")'

        text = cell(WHAT_IF, LAST_WHAT_IF, 1 + count)
        if count:
            text = f"IF(scenario_id<={1 + count},{cell(SCENARIO, SCENARIO + count - 1, 1)},{text})"
        entered = f"${letters(ENTERED)}{row}"
        return Presented(
            f'IF(scenario_id=1,IF({entered}<>"",{entered},""),{text})', lambda context: context.typed(name)
        )

    def _validate(self, item: Input, row: int) -> None:
        own = f"{letters(ENTERED)}{row}"
        cells = f"{own}:{letters(LAST_WHAT_IF)}{row}"
        add = self.sheet.validations.append
        match item.kind:
            case "flag" | "set":
                add(Validation(cells, "list", f'"{ON},{OFF}"', f"{ON} or {OFF}, or blank"))
            case "enum":
                choices = self._formulas.choices(item)
                add(Validation(cells, "list", choices, "one of: " + ", ".join(item.values)))
            case "layout":
                message = f"{LISTED} for what is typed on sheet Virtual stages, {NOTHING}, or blank"
                add(Validation(cells, "list", f'"{LISTED},{NOTHING}"', message))
            case "layer_vector":
                test = f'OR({own}="{LISTED}",{own}="{NOTHING}",AND(ISNUMBER({own}),{own}>=1,INT({own})={own}))'
                message = f"{LISTED} for what is typed on sheet Layers, a whole number n for each n-th layer, or blank"
                add(Validation(cells, "custom", test, message))
            case "int" | "number":
                tests = [f"ISNUMBER({own})"]
                tests += [f"{own}>={number(item.minimum)}"] if item.minimum is not None else []
                tests += [f"{own}<={number(item.maximum)}"] if item.maximum is not None else []
                tests += [f"INT({own})={own}"] if item.kind == "int" else []
                add(Validation(cells, "custom", f'OR({own}="{NOTHING}",AND({",".join(tests)}))', _allowed(item)))


def _allowed(item: Input) -> str:
    kind = "a whole number" if item.kind == "int" else "a number"
    low, high = item.minimum, item.maximum
    span = "" if low is None and high is None else f" up to {high:,.15g}" if low is None else f" from {low:,.15g}"
    if low is not None and high is not None:
        span += f" to {high:,.15g}"
    return f"{kind}{span}, or blank"


def _when_blank(item: Input, name: str) -> str:
    """Says what stands where nothing is typed."""
    fallback = "needed"
    if item.default_formula is not None:
        fallback = item.default_formula.text
    elif item.kind == "set":
        usual = item.default if item.default is not None else item.absent
        fallback = "needed" if usual is None else ON if name.removeprefix(f"{item.id}_") in usual else OFF
    elif item.default is not None or item.absent is not None:
        value = item.default if item.default is not None else item.absent
        fallback = {True: ON, False: OFF}[value] if isinstance(value, bool) else _spoken(value)
    if item.derived is not None:
        fallback = f"{item.derived.text}; else {fallback}"
    return fallback


def _spoken(value: object) -> str:
    if isinstance(value, tuple):
        return NOTHING
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def absolute_column(column: int) -> str:
    """Returns a column's letters, held fixed."""
    return f"${letters(column)}"


def grouped(rules: RuleSet) -> list[tuple[str, list[Input]]]:
    """Returns the inputs by group; in a group what the summary shows comes first, then what is needed."""
    groups: dict[str, list[Input]] = {group: [] for group in GROUPS}
    for item in rules.inputs.values():
        groups.setdefault(item.group, []).append(item)
    return [(group, sorted(items, key=lambda item: rank(rules, item))) for group, items in groups.items() if items]


def rank(rules: RuleSet, item: Input) -> tuple[int, int]:
    """Returns what an input is sorted by: 0 and its place where a summary shows it, 1 if it is needed, else 2."""
    summary = rules.views.get("summary")
    shown = list(summary.body.configuration) if summary else []
    places = [shown.index(name) for name in (item.id, *rules.siblings(item)) if name in shown]
    return (0, min(places)) if places else (1, 0) if item.required else (2, 0)
