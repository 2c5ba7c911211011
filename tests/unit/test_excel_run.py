"""Printed Excel text means what the rule means, in two engines that nobody here wrote."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ironcalc
import pytest
from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.workbook.defined_name import DefinedName

from engine.expr import excel_run
from engine.expr.excel_run import ExcelError, VerifyMissing, evaluate, run_rule
from engine.expr.nodes import Text
from engine.expr.registry import FUNCTIONS
from engine.expr.to_excel import excel, excel_cases
from tests.support.expressions import MEANING, RandomText, checked

ROWS: dict[str, Any] = {
    "x": [3.0, 5.0, 4.0, 5.0],
    "k": [0.0, 1.0, 0.0, 2.0],
    "weights": [7.0, 2.0],
    "work": [1.0, 6.0],
    "chunks": [1.0, 2.0, 3.0, 1.0],
    "moe_layer": [False, True, True, False],
}
SIZES = {"num_layers": 4.0, "pipeline_model_parallel_size": 2.0, "virtual_pipeline_model_parallel_size": 2.0}
TABLE = {"dtypes_key": ["bf16", "fp32", "fp8"], "dtypes_width": [2.0, 4.0, 1.0]}
CELLS = {**ROWS, **SIZES, **TABLE, "modules_mlp": True, "modules_core_attn": False}
PYTHON = {
    **MEANING,
    **ROWS,
    **SIZES,
    "dtypes": "dtypes",
    "width": {"bf16": 2.0, "fp32": 4.0, "fp8": 1.0},
    "modules": ("mlp",),
}

OVER_VECTORS = [
    "sum_over(x) - max_over(x) * min_over(x)",
    "argmax_over(x) * 2",
    "count_where(moe_layer) + a",
    "all_over(moe_layer) or not f",
    "sum_where(x, k, 0) / sum_where(x, k, 2)",
    "sum_below(x, k, a + 1) - count_below(x, a * 2)",
    "at(x, a % 4) - at(x, 1)",
    "first(x) - last(x) * last(weights) - last(chunks)",
    "lookup(dtypes, dtype, width) * a",
    'has(modules, "mlp") and not has(modules, "core_attn")',
    "half_up(a / 2)",
    "ceil(a / b) + floor(a / b)",
    "-a ** 2 - (-a) ** 2",
    "a - (b - d) - e",
    "a / (b * d) / e",
    "not (f and not (g or h))",
    "f and a % (b - 1) == 0",
]


def _meaning(text: str, values: Mapping[str, Any]) -> float | None:
    """Returns what Python makes of rule text, None where it fails."""
    try:
        return float(eval(text, {"__builtins__": {}}, {**PYTHON, **values}))
    except (ZeroDivisionError, ValueError):
        return None


def _same(found: float | str | None, expected: float | None) -> bool:
    if found is None or expected is None or isinstance(found, str):
        return found == expected
    return found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def _run(text: str, cells: Mapping[str, Any]) -> float | str | None:
    try:
        return evaluate(text, cells)
    except ExcelError:
        return None


@pytest.mark.parametrize("text", OVER_VECTORS)
def test_values_agree_with_the_rule(text: str) -> None:
    for seed in range(5):
        values = RandomText(seed).values()
        assert _same(_run(excel(checked(text)), {**CELLS, **values}), _meaning(text, values)), (text, values)


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_registered_examples(function) -> None:  # type: ignore[no-untyped-def]
    for example in function.examples:
        given = {("moe_layer" if name == "f" else name): value for name, value in example.given.items()}
        size = next((len(value) for value in given.values() if isinstance(value, list)), 0)
        node = checked(example.text.replace("(f)", "(moe_layer)"))
        assert evaluate(excel(node), {**given, "num_layers": float(size)}) == float(example.expect)


def _random_rules(count: int) -> list[tuple[str, dict[str, Any]]]:
    rules = []
    for seed in range(count):
        text = RandomText(seed)
        rules += [(text.real(4), text.values()), (text.flag(4), text.values()), (text.integer(4), text.values())]
    return rules


def test_random_rules_in_formulas() -> None:
    failing = 0
    for text, values in _random_rules(120):
        expected = _meaning(text, values)
        failing += expected is None
        printed = excel(checked(text))
        assert _same(_run(printed, values), expected), (text, printed, values)
    assert failing > 10  # divisions by zero are errors in both


def test_random_rules_in_ironcalc(tmp_path: Path) -> None:
    """The second engine recalculates a file with all rules, each with its own values as named cells."""
    rules = [(text, {**CELLS, **RandomText(99).values()}) for text in OVER_VECTORS] + _random_rules(300)
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.title = "rules"
    names: dict[str, str] = {}
    expected = []
    for line, (text, values) in enumerate(rules, 1):
        suffix = f"_at_{line}"
        here = {}
        for column, (name, value) in enumerate((pair for pair in values.items() if not isinstance(pair[1], list)), 2):
            sheet.cell(line, column, int(value) if isinstance(value, bool) else value)
            here[name] = name + suffix if name not in SIZES else name
            names[here[name]] = f"rules!${get_column_letter(column)}${line}"
        sheet.cell(line, 1, "=" + excel(checked(text), reference=lambda name, here=here: here[name.id]))
        expected.append(_meaning(text, values))
    rows = book.create_sheet("rows")
    for line, (name, row) in enumerate((pair for pair in CELLS.items() if isinstance(pair[1], list)), 1):
        for column, value in enumerate(row, 1):
            rows.cell(line, column, int(value) if isinstance(value, bool) else value)
        for column in range(len(row) + 1, 9):
            rows.cell(line, column, '=""')  # padding
        names[name] = f"rows!$A${line}:$H${line}"
    for name, place in names.items():
        book.defined_names[name] = DefinedName(name, attr_text=place)
    path = tmp_path / "rules.xlsx"
    book.save(path)
    model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    for line, (text, values) in enumerate(rules, 1):
        found = model.get_cell_value(0, line, 1)
        found = None if isinstance(found, str) and found.startswith("#") else found
        assert _same(found, expected[line - 1]), (text, values, found)


def test_cases_take_the_first_match() -> None:
    branches = [(checked("a > 5"), checked("a / b")), (checked("f and d / b > 1"), checked("d")), (None, checked("e"))]
    cells: dict[str, Any] = {"a": 6.0, "b": 2.0, "d": 4.0, "e": 9.0, "f": True}
    assert run_rule(branches, cells) == 3
    assert run_rule(branches, {**cells, "a": 1.0}) == 4
    assert run_rule(branches, {**cells, "a": 1.0, "f": False, "b": 0.0}) == 9
    with pytest.raises(ExcelError, match=r"#DIV/0!"):
        run_rule(branches, {**cells, "b": 0.0})


def test_enumerated_rule() -> None:
    branches = [(checked('dtype in ("fp8", "fp32")'), Text("full")), (None, Text("none"))]
    assert run_rule(branches, {"dtype": "fp32"}) == "full"
    assert run_rule(branches, {"dtype": "bf16"}) == "none"


def test_missing_values_count_only_where_needed() -> None:
    branches = [(checked("f"), checked("a")), (None, checked("b + d"))]
    assert run_rule(branches, {"f": True, "a": 2.0}) == 2
    with pytest.raises(ExcelError, match=r"#N/A \(no value for a, d\)"):
        run_rule(branches, {"f": False, "b": 1.0, "d": None})
    guarded = [(None, checked("f and a > 1"))]
    with pytest.raises(ExcelError):
        run_rule(guarded, {"f": False})
    assert run_rule(guarded, {"f": False}, may_fail=lambda name: name.id == "a") == 0


def test_vector_rule_reads_its_own_index_and_whole_rows() -> None:
    rule = [(checked("stage == 0", "stage"), checked("weights", "stage"))]
    rule += [(None, checked("weights / sum_over(weights) + stage * a + at(work, stage - 1)", "stage"))]
    cells = {"weights": [7.0, 2.0, 1.0], "work": [1.0, 6.0, 2.0], "a": 10.0}
    assert run_rule(rule, cells, over="stage", size=3) == [7, 2 / 10 + 10 + 1, 1 / 10 + 20 + 6]


def test_vector_rule_with_an_entry_missing() -> None:
    rule = [(None, checked("weights + 1", "stage"))]
    with pytest.raises(ExcelError, match=r"no value for weights\)"):
        run_rule(rule, {}, over="stage", size=2)
    with pytest.raises(ExcelError, match="has no entry 1"):
        run_rule(rule, {"weights": [1.0]}, over="stage", size=2)


def test_result_beyond_the_size_is_no_value() -> None:
    with pytest.raises(ExcelError, match="empty text"):
        evaluate("INDEX(x,1,5)", {"x": ROWS["x"]})
    with pytest.raises(ExcelError, match="array"):
        evaluate("x", {"x": ROWS["x"]})


def test_malformed_text() -> None:
    with pytest.raises(ExcelError, match="is not a formula"):
        evaluate("1E9)", {})


def test_a_stored_boolean_is_no_value() -> None:
    with pytest.raises(ExcelError, match="True"):
        evaluate("a>1", {"a": 2.0})


def test_names_that_differ_from_the_id_only_in_case() -> None:
    assert evaluate("L*hidden_SIZE", {"L": 2.0, "hidden_size": 3.0}) == 6


def test_missing_package_is_said_plainly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "formulas", None)
    excel_run._formulas.cache_clear()
    excel_run._compile.cache_clear()
    try:
        with pytest.raises(VerifyMissing, match="`formulas`: pip install formulas"):
            evaluate("1+1", {})
    finally:
        excel_run._formulas.cache_clear()


def test_cases_print_as_one_formula() -> None:
    branches = [(checked("f"), checked("a")), (None, checked("b"))]
    assert run_rule(branches, {"f": 1.0, "a": 2.0, "b": 3.0}) == evaluate(
        excel_cases(branches), {"f": 1, "a": 2, "b": 3}
    )
