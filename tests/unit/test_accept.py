"""Values for inputs: what they become, and what is said of others."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from engine.diagnostics import Source, Span
from engine.inputs.accept import InputError, accept, show
from engine.rules import Input

SPAN = Span(Source("x.yaml", ""), 1, 1, 1, 1)


def declared(kind: str, **rest: Any) -> Input:
    return Input(id="it", title="It", kind=kind, group="g", unit="1", span=SPAN, **rest)


INT = declared("int", minimum=1, maximum=64)
NUMBER = declared("number", minimum=0.01, maximum=1)
FREE = declared("number")
FLAG = declared("flag")
ENUM = declared("enum", values=("none", "selective", "full"))
SET = declared("set", members=("mlp", "core_attn"))
TEXT = declared("text")
LAYERS = declared("layer_vector", parser="megatron_moe_layer_freq")
LAYOUT = declared("layout", parser="megatron_pipeline_layout")


@pytest.mark.parametrize(
    ("item", "value", "expected"),
    [
        (INT, 4, 4.0),
        (INT, 4.0, 4.0),
        (INT, 1, 1.0),
        (INT, 64, 64.0),
        (INT, np.int64(4), 4.0),
        (NUMBER, 1, 1.0),
        (NUMBER, 0.5, 0.5),
        (NUMBER, np.float64(0.5), 0.5),
        (FREE, -1e300, -1e300),
        (FREE, 10**300, 1e300),
        (FLAG, True, True),
        (FLAG, np.bool_(False), False),
        (ENUM, "full", "full"),
        (ENUM, "FULL", "full"),
        (ENUM, "Selective", "selective"),
        (SET, ["mlp", "CORE_ATTN", "mlp"], frozenset({"mlp", "core_attn"})),
        (SET, [], frozenset()),
        (SET, ("mlp",), frozenset({"mlp"})),
        (TEXT, "", ""),
        (TEXT, "x" * 1000, "x" * 1000),
        (LAYERS, 2, 2),
        (LAYERS, [0, 1], (0.0, 1.0)),
        (LAYERS, np.array([0, 1]), (0.0, 1.0)),
        (LAYOUT, "Et", ({"decoder": 1, "embedding": 1, "mtp": 0, "loss": 0},)),
    ],
)  # fmt: skip
def test_accepted(item: Input, value: Any, expected: Any) -> None:
    found = accept(item, value)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("item", "value", "code", "words"),
    [
        (INT, "4", "E502", "must be an integer, not 4 (text)"),
        (INT, True, "E502", "a flag"),
        (INT, 4.5, "E502", "must be an integer, not 4.5"),
        (INT, [4], "E502", "a list"),
        (INT, {}, "E502", "a mapping"),
        (INT, np.array([4]), "E502", "a list"),
        (INT, 0, "E503", "from 1 to 64, not 0"),
        (INT, 65, "E503", "from 1 to 64, not 65"),
        (INT, math.nan, "E507", "finite"),
        (INT, math.inf, "E507", "finite"),
        (INT, 10**400, "E507", "finite"),
        pytest.param(INT, 10**5000, "E507", "finite", id="huge"),
        pytest.param(FREE, -(10**5000), "E507", "finite", id="huge and negative"),
        (NUMBER, -math.inf, "E507", "finite"),
        (NUMBER, 0, "E503", "from 0.01 to 1"),
        (declared("int", minimum=1), 0, "E503", "at least 1"),
        (declared("int", maximum=1), 2, "E503", "at most 1"),
        (FLAG, 1, "E502", "true or false, not 1 (an integer)"),
        (FLAG, "yes", "E502", "text"),
        pytest.param(FLAG, 10**5000, "E502", "a very large integer", id="huge flag"),
        (ENUM, "ful", "E504", "no member `ful`; members are none, selective, full"),
        (ENUM, 3, "E502", "one of none, selective, full"),
        (ENUM, ["full"], "E502", "one of"),
        (SET, "mlp", "E502", "a list of members"),
        (SET, ["mlpp"], "E504", "no member `mlpp`"),
        (SET, [1], "E502", "one of mlp, core_attn"),
        (TEXT, 3, "E502", "a text"),
        (TEXT, "x" * 1001, "E502", "at most 1000"),
        (LAYERS, "[0", "E505", "cannot be [0"),
        (LAYERS, "[0]*2-[1]", "E505", "(at character 1)"),
        (LAYOUT, "E|x", "E505", "unexpected `x` in the layout (at character 3)"),
    ],
)
def test_refused(item: Input, value: Any, code: str, words: str) -> None:
    with pytest.raises(InputError) as caught:
        accept(item, value)
    assert caught.value.code == code
    assert words in caught.value.message
    assert "`it`" in caught.value.message
    assert "\n" not in caught.value.message


def test_help_says_how_to_mend() -> None:
    def help(item: Input, value: Any) -> str | None:
        with pytest.raises(InputError) as caught:
            accept(item, value)
        return caught.value.help

    assert help(ENUM, "ful") == "did you mean `full`?"
    assert "without quotes" in str(help(INT, "4"))
    assert help(INT, "four") is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (3, "3"),
        ([1, None, "x"], "1, null, x"),
        ("x" * 100, "x" * 57 + "…"),
        pytest.param(10**5000, "a very large integer", id="huge"),
        pytest.param([10**5000], "a very large integer", id="huge in a list"),
    ],
)
def test_values_are_shown_as_a_preset_has_them(value: Any, text: str) -> None:
    assert show(value) == text
