"""Writes a planned workbook with openpyxl, then puts values into it; the same plan gives the same bytes."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.formatting.rule import DataBarRule, FormulaRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side
from openpyxl.utils.indexed_list import IndexedList
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.worksheet import Worksheet

from engine import collector
from engine.files.whole import replacing
from engine.preset import Preset
from engine.ruleset import RuleSet
from workbook.cells import Cell, Highlight, Plan, Sheet, Validation, letters
from workbook.context import Context, values
from workbook.frame import Frame
from workbook.inject import finish
from workbook.plan import plan
from workbook.sheets.chart import draw
from workbook.state import from_preset
from workbook.styles import FONT, HIGHLIGHTS, STYLES, Style

_ILLEGAL = dict.fromkeys((*range(9), 11, 12, *range(14, 32)))
_MOST_TEXT = 32_767
_LINE = Side(style="thin", color="FFBFBFBF")


def make(rules: RuleSet, preset: Preset, path: Path, **room: int | None) -> Context:
    """Builds the workbook of a rule set for a preset.

    Args:
        rules: a loaded rule set.
        preset: what is entered in it.
        path: the file.
        room: for `layer`, `stage` and `virtual_stage` how many the sheets have room for; None for the usual.

    Returns:
        What the cells show.

    Raises:
        EngineError: a value of the preset does not fit (E501 to E507), or there is no room for it (E907).
        OSError: the file cannot be written.
    """
    state = from_preset(rules, preset)
    context = Context(rules, state)
    build(plan(rules, state, Frame.for_context(context, **room)), context, path)
    return context


@collector.paused()
def build(book: Plan, context: Context | None, path: Path) -> None:
    """Writes a planned workbook; an existing file stays as it was until the new one is complete.

    Args:
        book: what to write.
        context: what cells have to show; None leaves formulas without values.
        path: the file.

    Raises:
        OSError: the file cannot be written.
    """
    with replacing(path) as temporary:
        write(book, temporary)
        finish(temporary, {} if context is None else values(book, context), _fractions(book))


def _fractions(book: Plan) -> dict[int, dict[tuple[int, int], float]]:
    """Returns the numbers that are no formulas and that have more digits than openpyxl writes."""
    return {
        number: {
            place: cell.content
            for place, cell in sheet.cells.items()
            if cell.kind == "number"
            and isinstance(cell.content, float)
            and float(f"{cell.content:.16g}") != cell.content
        }
        for number, sheet in enumerate(book.sheets, start=1)
    }


def write(book: Plan, path: Path) -> None:
    """Writes a planned workbook as openpyxl does: without values of formulas."""
    target = Workbook()
    target.remove(target.active)
    usual = Font(name=FONT, size=STYLES["plain"].size)
    target._fonts = IndexedList([usual])  # the first font is that of empty cells, and widths count its digits
    target._named_styles["Normal"].font = usual
    looks = _Looks(target)
    for sheet in book.sheets:
        _sheet(target.create_sheet(sheet.title), sheet, looks)
        if sheet.title in book.charts:
            chart = book.charts[sheet.title]
            target[sheet.title].add_chart(draw(chart), chart.anchor)
    for name, address in book.names.items():
        target.defined_names[name] = DefinedName(name, attr_text=address)
    target.calculation.fullCalcOnLoad = True
    target.properties.creator = "rank-ledger"
    target.save(path)


class _Looks:
    """Styles as openpyxl keeps them; a cell that takes one shares it."""

    def __init__(self, book: Workbook) -> None:
        sheet = book.create_sheet("styles")
        self._arrays: dict[tuple[str, bool], Any] = {}
        for row, (name, style) in enumerate(STYLES.items(), start=1):
            for column, quoted in enumerate((False, True), start=1):
                cell = sheet.cell(row, column)
                _dress(cell, style, quoted=quoted)
                self._arrays[name, quoted] = copy(cell._style)
        book.remove(sheet)

    def dress(self, target: Any, name: str, *, quoted: bool) -> None:
        target._style = self._arrays[name, quoted]


def _dress(cell: Any, style: Style, *, quoted: bool) -> None:
    cell.font = Font(
        name="Courier New" if style.mono else FONT, size=style.size, bold=style.bold, italic=style.italic,
        color=f"FF{style.color}", underline="single" if style.underline else None,
    )  # fmt: skip
    if style.fill:
        cell.fill = PatternFill("solid", fgColor=f"FF{style.fill}")
    if style.border:
        cell.border = Border(left=_LINE, right=_LINE, top=_LINE, bottom=_LINE)
    elif style.top:
        cell.border = Border(top=Side(style="thin", color="FF000000"))
    cell.number_format = style.format
    cell.alignment = Alignment(
        horizontal=style.align or ("left" if style.indent else None), vertical="center", wrap_text=style.wrap,
        indent=style.indent, shrink_to_fit=style.shrink,
    )  # fmt: skip
    cell.protection = Protection(locked=style.locked)
    cell.quotePrefix = quoted


def _sheet(target: Worksheet, sheet: Sheet, looks: _Looks) -> None:
    for cell in sheet.cells.values():
        _cell(target, cell, looks)
    for column, width in sheet.widths.items():
        target.column_dimensions[letters(column)].width = width
    for first, last in sheet.folded_columns:
        target.column_dimensions.group(letters(first), letters(last), outline_level=1, hidden=True)
    for row, height in sheet.heights.items():
        target.row_dimensions[row].height = height
    for row, level in sheet.outline.items():
        target.row_dimensions[row].outline_level = level
    target.sheet_properties.outlinePr.summaryBelow = False
    if sheet.tab:
        target.sheet_properties.tabColor = f"FF{sheet.tab}"
    if sheet.freeze != (1, 1):
        target.freeze_panes = f"{letters(sheet.freeze[1])}{sheet.freeze[0]}"
    for area in sheet.merged:
        target.merge_cells(area)
    for validation in sheet.validations:
        _validate(target, validation)
    for highlight in sheet.highlights:
        _highlight(target, highlight)
    _bars(target, sheet)
    if sheet.protected:
        target.protection.enable()
        target.protection.formatColumns = target.protection.formatRows = False  # False: these may be changed
    _page(target, sheet)


def _cell(target: Worksheet, cell: Cell, looks: _Looks) -> None:
    place = target.cell(cell.row, cell.column)
    text = cell.kind == "text" and isinstance(cell.content, str)
    if cell.kind == "formula":
        place.value = f"={cell.content}"
    elif text:
        content = str(cell.content).translate(_ILLEGAL)[:_MOST_TEXT]
        place.value = content
        place.data_type = "s"  # openpyxl takes a text that begins with = for a formula
        text = content[:1] in "=+-@\t\r"
    elif cell.content is not None:
        place.value = cell.content
    if cell.link:
        _link(place, cell.link)
    looks.dress(place, cell.style, quoted=text)


def _link(place: Any, link: str) -> None:
    from openpyxl.worksheet.hyperlink import Hyperlink

    if link.startswith("#"):
        place.hyperlink = Hyperlink(ref=place.coordinate, location=link[1:])
    elif link.startswith("https://"):
        place.hyperlink = link


def _validate(target: Worksheet, validation: Validation) -> None:
    rule = DataValidation(
        type=validation.kind, formula1=validation.formula, allow_blank=True, showErrorMessage=True,
        errorTitle="Not possible here", error=validation.message[:220],
    )  # fmt: skip
    rule.add(validation.range)
    target.add_data_validation(rule)


def _highlight(target: Worksheet, highlight: Highlight) -> None:
    style = HIGHLIGHTS[highlight.style]
    rule = FormulaRule(
        formula=[highlight.condition],
        font=Font(color=f"FF{style.color}"),
        fill=PatternFill(bgColor=f"FF{style.fill}"),
    )
    target.conditional_formatting.add(highlight.range, rule)


def _bars(target: Worksheet, sheet: Sheet) -> None:
    cells = sorted((cell.row, cell.address) for cell in sheet.cells.values() if cell.style == "bar")
    if cells:
        bar = DataBarRule(
            start_type="num", start_value=0, end_type="num", end_value=1, color="FF8EA9DB", showValue=False,
            minLength=0, maxLength=100,
        )  # fmt: skip
        target.conditional_formatting.add(f"{cells[0][1]}:{cells[-1][1]}", bar)


def _page(target: Worksheet, sheet: Sheet) -> None:
    target.page_setup.orientation = "landscape"
    target.page_setup.paperSize = target.PAPERSIZE_A4
    target.page_setup.fitToWidth = sheet.print_wide
    target.page_setup.fitToHeight = sheet.print_tall
    target.sheet_properties.pageSetUpPr.fitToPage = True
    target.page_margins.left = target.page_margins.right = 0.4
    target.page_margins.top = target.page_margins.bottom = 0.6
    target.page_margins.header = target.page_margins.footer = 0.3
    target.oddFooter.left.text = "&A"
    target.oddFooter.right.text = "&P / &N"
    if sheet.print_rows:
        target.print_title_rows = f"{sheet.print_rows[0]}:{sheet.print_rows[1]}"
    if sheet.print_wide > 1:
        target.print_title_cols = "A:A"
    if sheet.print_columns or sheet.print_last:
        last = sheet.print_last or max(row for row, _ in sheet.cells)
        columns = sheet.print_columns or max(column for _, column in sheet.cells)
        target.print_area = f"A1:{letters(columns)}{last}"
