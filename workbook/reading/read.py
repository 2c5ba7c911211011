"""Reads what a person has typed into a workbook, as strictly as a preset in YAML."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from engine.diagnostics import Diagnostic, EngineError, Findings, Span, nearest
from engine.rules import Input
from engine.ruleset import RuleSet
from workbook.cells import NAME_HEADER
from workbook.frame import Frame
from workbook.reading.cell_xml import Content
from workbook.reading.opened import Opened, preset_in
from workbook.reading.package import Area, Cells, Package
from workbook.sheets.input_formulas import active_name, all_typed_names
from workbook.sheets.texts import FORMAT
from workbook.state import (
    LISTED,
    OFF,
    ON,
    WHAT_IFS,
    State,
    Typed,
    is_nothing,
    row_names,
)

NO_PLAN = "it was not built by `engine workbook build`, or lost its names since"


def read(path: str | Path, rules: RuleSet, *, other_rules: bool = False) -> Opened:
    """Reads what is typed into a workbook.

    Args:
        path: the file, as it was built or as a spreadsheet application has saved it.
        rules: the rules that its inputs are read for.
        other_rules: accept a workbook that was built from other rules.

    Raises:
        EngineError: the file is no workbook or is refused (E901 to E903), was not built for these rules (E904, E905),
            or a typed cell holds no value or one of the wrong kind (E501 to E506, E906).
    """
    with Package(Path(path)) as package:
        return _Reader(package, rules).read(other_rules=other_rules)


class _Reader:
    def __init__(self, package: Package, rules: RuleSet) -> None:
        self._package = package
        self._rules = rules
        self._findings = Findings()
        self._notes: list[Diagnostic] = []
        self._places: dict[tuple[int, str], Span] = {}
        self._sheets: dict[str, Cells] = {}

    def read(self, *, other_rules: bool) -> Opened:
        digest = self._digest(other_rules=other_rules)
        headers = self._area("input_headers")
        typed = [self._column(headers, number) for number in range(WHAT_IFS + 1)]
        self._unknown_rows(headers)
        built = self._built()
        titles = self._row(self._area("what_if_titles"))
        state = State(
            preset=str(self._single("built_preset") or ""),
            entered=typed[0],
            what_ifs=tuple(typed[1:]),
            titles=tuple("" if title is None else str(title) for title in titles),
            vectors=self._vectors("typed", typed),
            scenario=str(self._single("scenario_choice") or ""),
            unit=str(self._single("unit_choice") or ""),
            built=built,
            built_vectors=self._vectors("built", []),
            unmodelled=_flags(self._single("unmodelled_flags")),
        )
        frame = Frame(*(int(str(self._single(f"room_{domain}") or 0).partition(".")[0]) for domain in Frame.domains()))
        opened = Opened(self._package.path, state, frame, digest, self._places, tuple(self._notes))
        if self._findings.has_errors:
            self._add_what_does_not_fit(opened)
        self._findings.raise_if_errors()
        return opened

    def _add_what_does_not_fit(self, opened: Opened) -> None:
        """Adds what would be found in other cells once these are mended, so that all is told at once."""
        told = {finding.span for finding in self._findings.diagnostics}
        rows = {item.id for item in self._rules.inputs.values() if row_names(item)}  # these are checked here
        entered = {
            name: value
            for name, value in opened.state.entered.items()
            if name not in rows and self._places[0, name] not in told
        }
        try:
            preset_in(replace(opened, state=State(entered=entered)), self._rules, "entered")
        except EngineError as error:
            self._findings.diagnostics += error.diagnostics

    def _digest(self, *, other_rules: bool) -> str:
        digest, layout = self._single("rule_set_digest"), self._single("workbook_format")
        place = self._area("rule_set_digest")
        at = self._package.where(place.sheet, place.row, place.column)
        if str(layout).partition(".")[0] != FORMAT:
            raise self._package.error("E905", f"the file has format {layout}, this program reads {FORMAT}", at=at)
        if digest != self._rules.digest and not other_rules:
            message = (
                f"the workbook was built from rules with digest {str(digest)[:12]}, these are {self._rules.digest[:12]}"
            )
            help = "build it anew; `engine workbook read --other-rules` takes over what was typed"
            raise self._package.error("E905", message, help, at=at)
        return str(digest)

    def _area(self, name: str) -> Area:
        found = self._package.names.get(name)
        if found is None or found.sheet not in self._package.sheets:
            raise self._package.error("E904", f"the workbook has no name `{name}`", NO_PLAN)
        return found

    def _cell(self, sheet: str, row: int, column: int) -> Content | None:
        if sheet not in self._sheets:
            self._sheets[sheet] = self._package.cells(sheet)
        return self._sheets[sheet].get((row, column))

    def _single(self, name: str) -> float | str | bool | None:
        area = self._area(name)
        found = self._cell(area.sheet, area.row, area.column)
        return None if found is None or found.error else found.value

    def _row(self, area: Area) -> list[float | str | bool | None]:
        cells = (self._cell(area.sheet, area.row, column) for column in range(area.column, area.last_column + 1))
        return [None if cell is None or cell.error else cell.value for cell in cells]

    def _column(self, headers: Area, number: int) -> dict[str, Typed]:
        """Reads one column of inputs."""
        found: dict[str, Typed] = {}
        for name, item in all_typed_names(self._rules).items():
            own = active_name(item, name)
            area = self._package.names.get(own)
            if area is None or area.sheet != headers.sheet:
                if number == 0:
                    at = self._package.where()
                    message = f"sheet {headers.sheet} has no cell of the name `{own}` for the input `{item.id}`"
                    self._findings.add("E904", message, at, help=NO_PLAN)
                continue
            column = headers.column + number
            place = self._package.where(headers.sheet, area.row, column)
            value = self._typed(self._cell(headers.sheet, area.row, column), place, own)
            if value is not None:
                self._places[number, name] = place
                found[name] = value
                self._check(item, value, place)
        return found

    def _typed(self, content: Content | None, place: Span, name: str) -> Typed | None:
        """Returns what stands in a cell; a formula counts by the value that is stored with it."""
        if content is None:
            return None
        value = content.value
        if content.error or (content.formula is not None and value in (None, "")):
            what = f"the formula ={content.formula}" if content.formula is not None else "an error"
            reason = f" shows {value}" if content.error else " has no stored value"
            self._findings.add("E906", f"`{name}`: {what}{reason if content.formula else f', {value}'}", place)
            return None
        if isinstance(value, bool):
            self._findings.add("E502", f"`{name}` cannot be {str(value).upper()}", place, help=f"type {ON} or {OFF}")
            return None
        if isinstance(value, float) and value.is_integer() and abs(value) < 2**63:
            value = int(value)
        if content.formula is not None:
            found = Findings()
            found.add("N901", f"`{name}`: the formula ={content.formula} counts as {value}", place)
            self._notes += found.diagnostics
        return None if value == "" else value

    def _check(self, item: Input, value: Typed, place: Span) -> None:
        """Checks what the engine would not see, or tell in terms of YAML: words for flags, numbers as text, lists."""
        word = value.casefold() if isinstance(value, str) else value
        if is_nothing(item, value):
            return
        if item.kind in ("flag", "set") and word not in (ON, OFF):
            self._findings.add("E502", f"`{item.id}` must be {ON} or {OFF}, not {value}", place)
        elif item.kind in ("int", "number") and isinstance(value, str):
            help = "type it anew; a cell that keeps it as text has the format Text, or an apostrophe before it"
            self._findings.add("E502", f"`{item.id}` must be a number, not the text {value!r}", place, help=help)
        elif item.kind == "layout" and word != LISTED:
            message = f"`{item.id}` must be {LISTED}, with the layout on sheet Virtual stages, not {value}"
            self._findings.add("E505", message, place)

    def _unknown_rows(self, headers: Area) -> None:
        """Finds what is typed in rows that belong to no input of these rules."""
        names = (
            self._package.names.get(active_name(item, name)) for name, item in all_typed_names(self._rules).items()
        )
        known = {area.row for area in names if area is not None}
        label = next((column for column in range(1, 60) if self._head(headers, column) == NAME_HEADER), None)
        rows = {row for row, column in self._sheets.get(headers.sheet, {}) if row > headers.row} - known
        for row in sorted(rows):
            for column in range(headers.column, headers.last_column + 1):
                content = self._cell(headers.sheet, row, column)
                if content is not None and content.value not in (None, ""):
                    named = self._cell(headers.sheet, row, label) if label else None
                    name = str(named.value) if named else "this row"
                    help = "these rules have no such input: empty the cell"
                    if name in self._package.names:
                        help = "the name of its cell stands elsewhere"
                    elif near := nearest(name, self._rules.inputs):
                        help = f"did you mean `{near}`?"
                    place = self._package.where(headers.sheet, row, column)
                    self._findings.add("E501", f"unknown input `{name}`", place, help=help)

    def _head(self, headers: Area, column: int) -> object:
        content = self._cell(headers.sheet, headers.row, column)
        return content.value if content else None

    def _built(self) -> dict[str, Typed]:
        header = self._area("built_header")
        found: dict[str, Typed] = {}
        for name, item in all_typed_names(self._rules).items():
            area = self._package.names.get(active_name(item, name))
            content = self._cell(header.sheet, area.row, header.column) if area else None
            if content is not None and isinstance(content.value, str | float) and content.value != "":
                value = content.value
                found[name] = int(value) if isinstance(value, float) and value.is_integer() else value
        return found

    def _vectors(self, kind: str, columns: list[dict[str, Typed]]) -> dict[str, tuple[Typed | None, ...]]:
        """Reads the rows of patterns and layouts, as far as something is typed in them."""
        found: dict[str, tuple[Typed | None, ...]] = {}
        for item in self._rules.inputs.values():
            listed = any(str(cells.get(item.id, "")).casefold() == LISTED for cells in columns)
            for name in row_names(item):
                area = self._package.names.get(f"{name}_{kind}")
                if area is None:
                    if listed:
                        self._findings.add("E904", f"the workbook has no name `{name}_{kind}`", help=NO_PLAN)
                    continue
                row = [self._entry(area, column, name, item) for column in range(area.column, area.last_column + 1)]
                while row and row[-1] is None:
                    row.pop()
                if row:
                    found[name] = tuple(row)
                main = item.kind == "layer_vector" or name.endswith("_decoder")
                if listed and main and (not row or None in row):
                    gap = area.column + (row.index(None) if None in row else 0)
                    place = self._package.where(area.sheet, area.row, gap)
                    message = f"`{item.id}` is {LISTED}, but nothing is typed here"
                    self._findings.add("E505", message, place, help="type an entry in each cell from the first on")
        return found

    def _entry(self, area: Area, column: int, name: str, item: Input) -> Typed | None:
        place = self._package.where(area.sheet, area.row, column)
        value = self._typed(self._cell(area.sheet, area.row, column), place, name)
        if value is None:
            return None
        pattern = item.kind == "layer_vector"
        if not isinstance(value, int) or value < 0 or (pattern and value > 1):
            wanted = "0 or 1" if pattern else "a whole number"
            self._findings.add("E505", f"`{name}` must be {wanted}, not {value}", place)
            return None
        return value


def _flags(text: object) -> tuple[tuple[str, str], ...]:
    lines = str(text).splitlines() if text else []
    return tuple((flag, title) for flag, _, title in (line.partition(": ") for line in lines) if flag)
