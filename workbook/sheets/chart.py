"""The chart of the front sheet: what each stage holds, stacked, against the capacity."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, LineChart, Reference, Series
from openpyxl.chart.axis import ChartLines
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Paragraph, ParagraphProperties, RichTextProperties

from workbook.cells import Chart

COLORS = ("4472C4", "70AD47", "FFC000", "ED7D31", "A5A5A5", "5B9BD5", "264478", "9E480E", "43682B", "997300", "636363")
_LINE, _GRID = "C00000", "D9D9D9"


def draw(chart: Chart) -> Any:
    """Returns the chart as openpyxl draws it. The data's sheet is referred to by title and need not exist yet."""
    sheet = _Title(chart.sheet)
    bars = BarChart()
    bars.type, bars.grouping, bars.overlap, bars.gapWidth = "col", "stacked", 100, 0
    labels = Reference(sheet, min_col=chart.labels, min_row=chart.header + 1, max_row=chart.last)
    for place, column in enumerate(chart.parts):
        series = _series(sheet, chart, column)
        series.graphicalProperties = GraphicalProperties(solidFill=COLORS[place % len(COLORS)])
        series.graphicalProperties.line = LineProperties(noFill=True)
        bars.series.append(series)
    bars.set_categories(labels)
    bars.title = None
    bars.x_axis.title = "Pipeline stage"
    bars.x_axis.delete = bars.y_axis.delete = False
    bars.x_axis.tickLblSkip = 1
    bars.x_axis.majorTickMark = "none"
    bars.y_axis.number_format, bars.y_axis.scaling.min = "General", 0
    bars.y_axis.majorGridlines = ChartLines(GraphicalProperties(ln=LineProperties(solidFill=_GRID)))
    bars.x_axis.txPr = _upright()
    bars.legend.position = "b"
    if chart.capacity is not None:
        line = LineChart()
        series = _series(sheet, chart, chart.capacity)
        series.graphicalProperties = GraphicalProperties()
        series.graphicalProperties.line = LineProperties(solidFill=_LINE, w=28_000, prstDash="dash")
        series.marker.symbol = "none"
        series.smooth = False
        line.series.append(series)
        line.set_categories(labels)
        bars += line
    bars.width, bars.height = 2.35 * chart.columns, 0.53 * chart.rows
    return bars


class _Title:
    """Stands for a sheet where only its title is needed."""

    def __init__(self, title: str) -> None:
        self.title = title


def _series(sheet: Any, chart: Chart, column: int) -> Any:
    values = Reference(sheet, min_col=column, min_row=chart.header, max_row=chart.last)
    return Series(values, title_from_data=True)


def _upright() -> Any:
    properties = ParagraphProperties(defRPr=CharacterProperties(sz=900))
    return RichText(bodyPr=RichTextProperties(rot=0), p=[Paragraph(pPr=properties, endParaRPr=CharacterProperties())])
