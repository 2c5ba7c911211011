"""The examples of every function, in all four targets."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from engine.expr.check import check
from engine.expr.excel_run import run_rule
from engine.expr.nodes import Node, Type
from engine.expr.parse import parse
from engine.expr.registry import FUNCTIONS, SPECIAL_FORMS, Example
from engine.expr.runtime import RUNTIME
from engine.expr.symbols import FLAG, Symbols
from engine.expr.to_excel import SAFE_FUNCTIONS
from engine.expr.to_latex import latex
from engine.expr.to_numpy import numpy
from engine.expr.to_python import python
from engine.sweeping.lanes import RUNTIME as LANES
from engine.sweeping.lanes import Lane, lane
from engine.sweeping.rows import RUNTIME as ROWS
from engine.units import parse_unit

EXAMPLES = [pytest.param(example, id=example.text) for function in FUNCTIONS.values() for example in function.examples]


def checked(example: Example) -> Node:
    types = {
        name: Type("flag", None, over="layer")
        if isinstance(value, list) and isinstance(value[0], bool)
        else Type("number", parse_unit("1"), over="layer" if isinstance(value, list) else None)
        for name, value in example.given.items()
    }
    return check(parse(example.text), Symbols(types | {"num_layers": Type(), "some_flag": FLAG}))


class Lanes(dict[str, Lane]):
    """An environment of two equal lanes, with vectors padded by one entry that must not count."""

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__()
        self._count = next((len(value) for value in values.values() if isinstance(value, list)), 1)
        for name, value in values.items():
            if isinstance(value, list):
                padding = True if isinstance(value[0], bool) else 1000.0
                self[name] = Lane(np.array([[*value, padding]] * 2), None, "layer")
            else:
                self[name] = Lane(np.array([value] * 2))

    def row(self, name: str) -> Lane:
        return self[name]

    def size(self, domain: str) -> Lane:
        return Lane(np.array([float(self._count)] * 2))

    def mask(self, domain: str) -> Any:
        return np.arange(self._count + 1) < self.size(domain).array[..., None]


@pytest.mark.parametrize("example", EXAMPLES)
def test_python(example: Example) -> None:
    found = eval(python(checked(example)), {**RUNTIME, "v": example.given})
    assert found == example.expect
    assert type(found) is type(example.expect)


@pytest.mark.parametrize("example", EXAMPLES)
def test_numpy(example: Example) -> None:
    found = lane(eval(numpy(checked(example), {}), {**LANES, **ROWS, "v": Lanes(example.given)}))
    assert found.bad is None or not found.bad.any()
    assert np.broadcast_to(found.array, (2,)).tolist() == [example.expect] * 2


@pytest.mark.parametrize("example", EXAMPLES)
def test_excel(example: Example) -> None:
    sizes = {"num_layers": next((len(value) for value in example.given.values() if isinstance(value, list)), 1)}
    found = run_rule([(None, checked(example))], {**sizes, **example.given})
    assert isinstance(found, float)
    assert math.isclose(found, float(example.expect), rel_tol=1e-12)


@pytest.mark.parametrize("example", EXAMPLES)
def test_latex(example: Example) -> None:
    text = latex(checked(example))
    assert text
    assert text.count("{") == text.count("}")


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_rows_of_the_registry(function: Any) -> None:
    assert function.examples
    assert function.doc[0].isupper()
    assert function.doc.endswith(".")
    assert "\n" not in function.doc
    assert function.name not in SPECIAL_FORMS
    assert not function.variadic or function.parameters[-1] == "number"


def test_printed_excel_uses_the_safe_subset() -> None:
    called = {name for function in FUNCTIONS.values() for name in re.findall(r"([A-Z]+)\(", function.excel)}
    assert called <= SAFE_FUNCTIONS
