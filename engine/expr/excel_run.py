"""Evaluates printed Excel text with the `formulas` package, so that rules can be tested in the form the workbook shows.

`formulas` is never an evaluator of the product: it is slow, and silently wrong on constructs that the printer avoids.
It is the optional extra `verify` and is imported on first use.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from importlib import import_module
from typing import Any

from engine.expr.nodes import Name
from engine.expr.printing import Branch
from engine.expr.to_excel import excel_cases

Scalar = float | bool | str
Cell = Scalar | Sequence[Scalar | None] | None
"""What a name stands for: one value, a row of values (a vector, a column of a table), or nothing (None)."""

_PADDING = ("", "")  # cells beyond the size of a domain hold an empty text; printed text must not count them

_HERE = ".here"  # ends the name of a vector's entry at the index that is evaluated; ids have no dots


class ExcelError(ValueError):
    """A printed formula cannot be compiled, or yields an error instead of a value."""


class VerifyMissing(ImportError):
    """The optional extra `verify` is not installed."""


def run_rule(
    branches: Sequence[Branch],
    cells: Mapping[str, Cell],
    *,
    over: str | None = None,
    size: int = 0,
    may_fail: Callable[[Name], bool] = lambda name: False,
) -> float | str | list[float | str]:
    """Prints a rule as Excel text and evaluates it.

    Args:
        branches: the rule's body: pairs of condition and formula, the last condition None.
        cells: what every name stands for, by id: inputs, rules, member flags of set inputs (`<set>_<member>`), and of
            tables the rows `<table>_key` and `<table>_<column>`. A name that is left out or None has no value, which
            matters only where the formula needs it.
        over: domain of the rule, None for a scalar one.
        size: number of indices of that domain.
        may_fail: see `engine.expr.to_excel.excel`.

    Returns:
        The value (flags 0 or 1), for a vector rule one value an index.

    Raises:
        ExcelError: no value comes out, because a name has none, of a division by zero, or the like.
        VerifyMissing: the package is not installed.
        ValueError: the rule cannot be printed.
    """
    if over is None:
        return evaluate(excel_cases(branches, may_fail=may_fail), cells)

    # In the workbook a same-domain name is the cell of the same column. Here it is a name of its own, since the same
    # formula may read the whole row as well.
    here: dict[str, str] = {}

    def reference(name: Name) -> str:
        return here.setdefault(name.id, name.id + _HERE) if name.type.over == over else name.id

    text = excel_cases(branches, reference=reference, may_fail=may_fail)
    values: list[float | str] = []
    for index in range(size):
        column = {short: index if id == over else _entry(id, cells.get(id), index) for id, short in here.items()}
        values += [evaluate(text, {**cells, **column})]
    return values


def evaluate(text: str, cells: Mapping[str, Cell]) -> float | str:
    """Evaluates a formula without leading `=`.

    Args:
        text: the formula.
        cells: see `run_rule`.

    Returns:
        A number or a text.

    Raises:
        ExcelError: the formula is malformed or yields an error.
        VerifyMissing: the package is not installed.
    """
    function, inputs = _compile(text)
    by_upper = {id.upper(): value for id, value in cells.items()}  # `formulas` upper-cases names
    missing = sorted(id.lower().removesuffix(_HERE) for id in inputs if by_upper.get(id) is None)
    result = _single(function(*(_argument(by_upper.get(id)) for id in inputs)))
    if type(result) is str and result:  # cell errors are a subclass of str
        return result
    if isinstance(result, int | float) and not isinstance(result, bool):
        return float(result)
    reason = f" (no value for {', '.join(missing)})" if missing else ""
    raise ExcelError(f"`={text}` yields {result if str(result) else 'an empty text'}{reason}")


@cache
def _formulas() -> tuple[Any, Any]:
    """Returns the parser and the cell error #N/A of the package."""
    try:
        return import_module("formulas").Parser(), import_module("formulas.functions").Error.errors["#N/A"]
    except ModuleNotFoundError as error:
        raise VerifyMissing(
            f"running Excel text needs the package `{error.name}`: pip install {error.name}", name=error.name
        ) from error


@lru_cache(maxsize=4096)
def _compile(text: str) -> tuple[Callable[..., Any], tuple[str, ...]]:
    parser, _ = _formulas()
    try:
        function = parser.ast("=" + text)[1].compile()
    except Exception as error:  # the package lets many kinds of error escape
        raise ExcelError(f"`={text}` is not a formula: {error}") from error
    return function, tuple(function.inputs)


def _argument(value: Cell) -> Any:
    """Returns a cell's value as the package takes it: numbers, texts, errors; a row as an array of one row."""
    if value is None:
        return _formulas()[1]
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence):
        numpy = import_module("numpy")
        row = numpy.empty((1, len(value) + len(_PADDING)), dtype=object)
        row[0, :] = [*(_argument(entry) for entry in value), *_PADDING]
        return row
    return float(value)


def _entry(id: str, value: Cell, index: int) -> Cell:
    if value is None:
        return None
    if isinstance(value, str) or not isinstance(value, Sequence) or index >= len(value):
        raise ExcelError(f"`{id}` has no entry {index}")
    return value[index]


def _single(result: Any) -> Any:
    """Returns the one value that the package wraps in arrays of several shapes."""
    array = import_module("numpy").asarray(result, dtype=object)
    if array.size != 1:
        raise ExcelError(f"an array of {array.size} values instead of one")
    value = array.reshape(-1)[0]
    return value.item() if hasattr(value, "item") else value
