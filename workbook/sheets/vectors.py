"""The sheets of vectors: one row a rule, one column an index; whole rows carry the rule's name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from engine.domains import SIZES
from engine.evaluating.excel_rules import excel_size, excel_text
from engine.expr.nodes import Name
from engine.rules import Computed, Input
from engine.ruleset import RuleSet
from engine.trouble import Trouble
from workbook.cells import HERE, NAME_HEADER, Highlight, Plan, Presented, Sheet, Shown, Source, Validation, letters
from workbook.context import MISSING, Context, title_of
from workbook.frame import Frame
from workbook.sheets.input_formulas import chosen
from workbook.sheets.inputs import ACTIVE, BY_ROW, CHOSEN, InputSheet
from workbook.sheets.topics import by_topic
from workbook.state import LISTED, State, Typed, row_names

INDEX_ROW, INSIDE_ROW, FIRST_ROW = 4, 5, 7
TITLE, UNIT, NAME, FORMULA, FIRST = 1, 2, 3, 4, 5
_WIDTHS = {TITLE: 56, UNIT: 6, NAME: 36, FORMULA: 28}

PRINTED = 16
"""Indices that are printed: more make pages that nobody reads."""

_BY_HAND = " typed by hand"
_IDLE = " typed, not in use: choose list on sheet Inputs"

TITLES = {"layer": "Layers", "virtual_stage": "Virtual stages", "stage": "Stages"}
assert set(TITLES) == set(SIZES)


class VectorSheet:
    """Plans the sheet of one domain.

    Attributes:
        sheet: the planned sheet.
        rows: row of each rule, and of each vector of an input.
        typed_rows: row that a person types into, by vector.
    """

    def __init__(self, rules: RuleSet, domain: str, frame: Frame, plan: Plan) -> None:
        self._rules = rules
        self._domain = domain
        self._width = frame.width(domain)
        self._plan = plan
        self.sheet = Sheet(TITLES[domain], tab="5B9BD5", print_rows=(INDEX_ROW, INDEX_ROW))
        self.rows: dict[str, int] = {}
        self.typed_rows: dict[str, int] = {}
        self.built_rows: dict[str, int] = {}
        self._heads: dict[int, str] = {}
        self._place()
        self.sheet.print_wide = 2

    def _place(self) -> None:
        row = FIRST_ROW
        for item in self._inputs():
            for name in row_names(item):
                self.typed_rows[name], self.rows[name] = row, row + 1
                row += 2
        if self.typed_rows:
            row += 1
        rules = [rule for rule in self._rules.computed.values() if rule.type.over == self._domain]
        for topic, members in by_topic(rules):
            self._heads[row] = topic
            for rule in members:
                row += 1
                self.rows[rule.id] = row
            row += 2
        for name in self.typed_rows:
            self.built_rows[name] = row
            row += 1
        self.next_row = row + 1

    def _inputs(self) -> list[Input]:
        kind = {"layer": "layer_vector", "virtual_stage": "layout"}.get(self._domain)
        return [item for item in self._rules.inputs.values() if item.kind == kind]

    def address(self, name: str) -> str:
        """Returns the address of a vector's whole row."""
        return self.sheet.address(self.rows[name], FIRST, last=FIRST + self._width - 1)

    def typed_address(self, name: str, *, built: bool = False) -> str:
        """Returns the address of the row that a person types into, or of what it held when the file was built."""
        row = (self.built_rows if built else self.typed_rows)[name]
        return self.sheet.address(row, FIRST, last=FIRST + self._width - 1)

    def cell(self, name: str, position: int) -> str:
        """Returns the address of one entry of a vector."""
        return self.sheet.address(self.rows[name], FIRST + position)

    def fill(self, state: State, inputs: InputSheet) -> None:
        """Puts all cells and names."""
        self._top()
        for row, topic in self._heads.items():
            for column in range(TITLE, FORMULA + 1):
                self.sheet.put(row, column, topic if column == TITLE else None, "group")
        for item in self._inputs():
            for name in row_names(item):
                self._vector(item, name, state, inputs)
        for rule in self._rules.computed.values():
            if rule.type.over == self._domain:
                self._rule(rule)
        for name, row in self.built_rows.items():
            self._typed(row, f"{name}, as typed when the file was built", state.built_vectors.get(name, ()), "fixed")
        self._plan.names |= {name: self.address(name) for name in self.rows}
        for name in self.typed_rows:
            self._plan.names[f"{name}_typed"] = self.typed_address(name)
            self._plan.names[f"{name}_built"] = self.typed_address(name, built=True)

    def _top(self) -> None:
        sheet, domain = self.sheet, self._domain.replace("_", " ")
        sheet.put(1, TITLE, TITLES[self._domain], "title")
        sheet.put(
            2,
            TITLE,
            f"One row a quantity, one column a {domain}; columns beyond the configuration stay empty.",
            "quiet",
        )
        heads = {TITLE: f"Quantity by {domain}", UNIT: "Unit", NAME: NAME_HEADER, FORMULA: "Formula"}
        for column, text in heads.items():
            sheet.put(INDEX_ROW, column, text, "header")
        sheet.put(INSIDE_ROW, TITLE, "Inside the configuration", "quiet")
        size = excel_size(self._domain)
        for position in range(self._width):
            column = FIRST + position
            sheet.put(INDEX_ROW, column, position, "index")
            text = f"IF({size}>{self._width},NA(),IF({letters(column)}${INDEX_ROW}<{size},1,0))"
            sheet.present(INSIDE_ROW, column, Presented(text, self._inside(position)), "helper")
        sheet.freeze = (INSIDE_ROW + 1, UNIT)
        sheet.print_columns = FIRST + min(self._width, PRINTED) - 1
        sheet.widths = dict(_WIDTHS)
        sheet.widths |= {FIRST + position: 17 if self._domain == "stage" else 15 for position in range(self._width)}

    def _inside(self, position: int) -> Callable[[Context], Shown]:
        def expect(context: Context) -> Shown:
            try:
                return int(position < context.size(self._domain))
            except Trouble:
                return MISSING

        return expect

    def _guarded(self, text: str, column: str) -> str:
        return f'IF({column}${INSIDE_ROW}=1,{text},"")'

    def _rule(self, rule: Computed) -> None:
        row = self.rows[rule.id]
        self._label(row, rule.title, rule.unit, rule.id, excel_text(self._rules, rule))
        style = style_for(rule.unit)
        template = self._guarded(excel_text(self._rules, rule, reference=self._reference), HERE)
        for position in range(self._width):
            text = template.replace(HERE, letters(FIRST + position))
            self.sheet.formula(row, FIRST + position, text, Source(rule.id, position), style)

    def _label(self, row: int, title: str, unit: str, name: str, formula: str) -> None:
        self.sheet.outline[row] = 1
        self.sheet.put_long(row, TITLE, title, _WIDTHS[TITLE])
        self.sheet.put(row, UNIT, "" if unit in ("1", "flag", "enum") else unit, "quiet")
        self.sheet.put(row, NAME, name, "code")
        self.sheet.put(row, FORMULA, formula, "code")

    def _reference(self, name: Name) -> str:
        """Returns how a name prints in a column: the index, a cell of the same column, or the name."""
        if name.id == self._domain:
            return f"{HERE}${INDEX_ROW}"
        return f"{HERE}${self.rows[name.id]}" if name.type.over == self._domain else name.id

    def _vector(self, item: Input, name: str, state: State, inputs: InputSheet) -> None:
        """Puts the row that a person may type into, and the row that formulas read."""
        self._typed(self.typed_rows[name], f"{title_of(item, name)} – type here", state.vectors.get(name, ()), "input")
        self._count(item, name, inputs)
        row = self.rows[name]
        active, by_row = inputs.address(item.id, ACTIVE), inputs.address(item.id, BY_ROW)
        text = self._pattern if item.kind == "layer_vector" else self._layout
        self._label(row, title_of(item, name), item.unit, name, "what is typed above, else as on sheet Inputs")
        for position in range(self._width):
            column = letters(FIRST + position)
            cell = self._guarded(text(name, column, active, by_row), column)
            self.sheet.formula(row, FIRST + position, cell, Source(name, position), "value", role="input")
        shown = f"{letters(FIRST)}{row}"
        cells = f"{shown}:{letters(FIRST + self._width - 1)}{row}"
        self.sheet.highlights.append(Highlight(cells, f"ISERROR({shown})", "bad"))
        own = f"{letters(FIRST)}{self.typed_rows[name]}"
        last = f"{letters(FIRST + self._width - 1)}{self.typed_rows[name]}"
        if item.kind == "layer_vector":
            rule = Validation(f"{own}:{last}", "custom", f"OR({own}=0,{own}=1)", "1 with experts, 0 without, or blank")
        else:
            rule = Validation(
                f"{own}:{last}", "custom", f"AND(ISNUMBER({own}),{own}>=0,INT({own})={own})", "a whole number, or blank"
            )
        self.sheet.validations.append(rule)

    def _count(self, item: Input, name: str, inputs: InputSheet) -> None:
        """Says beside a row that a person types into whether as many entries are typed as there have to be."""
        row = self.typed_rows[name]
        counted = name in (item.id, f"{item.id}_decoder")  # what is blank in the other rows of a layout counts as 0
        if not counted:
            self.sheet.put(row, FORMULA, "blank counts as 0", "quiet")
            return
        needed = excel_size(self._domain)
        count = f"COUNT({letters(FIRST)}{row}:{letters(FIRST + self._width - 1)}{row})"
        hand = _BY_HAND if item.kind == "layer_vector" else _IDLE
        listed = f'IF({count}={needed},"all "&{needed}&" are typed",{count}&" of "&{needed}&" are typed")'
        text = f'IF({inputs.address(item.id, CHOSEN)}="{LISTED}",{listed},IF({count}>0,{count}&"{hand}",""))'

        def expect(context: Context) -> Shown:
            found = sum(entry is not None for entry in context.state.vectors.get(name, ())[: self._width])
            if chosen(context, item, item.id, None) != LISTED:
                return f"{found}{hand}" if found else ""
            try:
                size = context.size(self._domain)
            except Trouble:
                return ""
            return f"all {size} are typed" if found == size else f"{found} of {size} are typed"

        self.sheet.present(row, FORMULA, Presented(f'IFERROR({text},"")', expect), "quiet")
        where = f"{letters(FORMULA)}{row}"
        self.sheet.highlights.append(Highlight(where, f'ISNUMBER(FIND(" of ",{where}))', "bad"))

    def _typed(self, row: int, title: str, entries: Sequence[Typed | None], style: str) -> None:
        self.sheet.put(row, TITLE, title, "label")
        for position in range(self._width):
            entry = entries[position] if position < len(entries) else None
            if entry is not None or style == "input":
                self.sheet.put(row, FIRST + position, entry, style)

    def _pattern(self, name: str, column: str, every: str, by_row: str) -> str:
        typed = f"{column}${self.typed_rows[name]}"
        interval = f"IF(MOD({column}${INDEX_ROW},{every})=0,1,0)"
        entry = f"IF(OR({typed}=0,{typed}=1),{typed},NA())"
        return f'IF(AND({by_row}>0,{typed}<>""),{entry},IF({by_row}=2,NA(),{interval}))'

    def _layout(self, name: str, column: str, stages: str, by_row: str) -> str:
        typed = f"{column}${self.typed_rows[name]}"
        listed = f'IF({typed}<>"",{typed},0)'
        return f"IF({stages}=0,0,IF({stages}<>{excel_size(self._domain)},NA(),{listed}))"

    def pattern_in(self, title: str, name: str, variant: int, every: str, by_row: str, size: str) -> str:
        """Adds a layer pattern as it is in another column of inputs, and returns the address of its row."""
        row, self.next_row = self.next_row, self.next_row + 1
        self.sheet.put(row, TITLE, title, "quiet")
        self.sheet.outline[row] = 1
        for position in range(self._width):
            column = letters(FIRST + position)
            text = f'IF({column}${INDEX_ROW}<{size},{self._pattern(name, column, every, by_row)},"")'
            text = f"IF({size}>{self._width},NA(),{text})"
            self.sheet.formula(row, FIRST + position, text, Source(name, position, variant), "helper", role="input")
        return self.sheet.address(row, FIRST, last=FIRST + self._width - 1)


def style_for(unit: str) -> str:
    """Returns the style of a value by its unit."""
    return "number" if unit in ("B", "elem", "flop") else "value"


def vector_sheets(rules: RuleSet, frame: Frame, plan: Plan) -> Mapping[str, VectorSheet]:
    """Returns the sheets of the domains whose size the rules declare, not filled yet."""
    return {domain: VectorSheet(rules, domain, frame, plan) for domain in TITLES if domain in rules.sizes}
