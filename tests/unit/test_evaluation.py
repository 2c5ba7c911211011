"""Values, and the reasons for having none: what counts as needed, which input is named, which division is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine import EngineError, RuleSet, evaluate, sweep
from tests.support.written import cases, flag, number, rule, ruleset

INPUTS = {
    **dict.fromkeys(("x", "y", "z", "w"), number()),
    **dict.fromkeys(("on", "off"), flag()),
    "num_layers": "{title: t, type: int, group: g, min: 0, max: 9, required: true}",
    "pipeline_model_parallel_size": "{title: t, type: int, group: g, min: 1, default: 3, assumption: a}",
    "freq": "{title: t, type: layer_vector, parser: megatron_moe_layer_freq, group: g, default: 1, assumption: a}",
    "kind": "{title: t, type: enum, values: [small, large], group: g, default: small, assumption: a}",
    "total": "{title: t, type: number, group: g, either: pair, derived: share * 2, assumption: a}",
    "share": "{title: t, type: number, group: g, either: pair, derived: total / x, assumption: a}",
    "doubled": number(rest="default_formula: x * y, assumption: a"),
}
TABLE = """
tables:
  sizes: {title: t, columns: {size: {assumption: a}}, rows: {small: {size: 1}, large: {size: null}}}
"""

Given = dict[str, Any]


def one(folder: Path, body: str, given: Given, **others: str) -> Any:
    """Returns what a single rule comes to; sweeps must say the same."""
    rules = ruleset(folder, INPUTS, {**others, "it": body}, TABLE)
    found = evaluate(rules, given)["it"]
    swept = sweep(rules, given, {}, ["it"])
    assert (bool(swept.unavailable["it"]), bool(swept.failed["it"])) == (
        found.status == "unavailable",
        found.status == "failed",
    )
    return found


NEEDED: list[tuple[str, Given, Any]] = [
    # every missing input of an expression is named, in reading order
    (rule("x + y * z"), {"y": 1}, ("x", "z")),
    (rule("doubled + 1"), {"y": 1}, ("x",)),
    (rule("share + 1"), {"x": 2}, ("share or total",)),
    (rule("share + 1"), {"total": 2}, ("x",)),
    (rule("lookup(sizes, kind, size)"), {"kind": "large"}, ("size of large in table sizes",)),
    # only what was reached counts: conditions up to the branch that is selected, and that branch
    (cases(("on", "x"), otherwise="y"), {"on": True}, ("x",)),
    (cases(("on", "x"), otherwise="y"), {"on": False}, ("y",)),
    (cases(("on", "x"), otherwise="y"), {}, ("on",)),
    (cases(("on", "x"), otherwise="y"), {"on": False, "y": 5}, 5.0),
    (cases(("x > 1", "x"), ("y > 1", "z"), otherwise="w"), {"x": 0}, ("y",)),
    (cases(("x > 1", "x"), ("y > 1", "z"), otherwise="w"), {"x": 0, "y": 2}, ("z",)),
    (cases(("x > y", "1"), otherwise="2"), {}, ("x", "y")),
    # operands that `and` and `or` do not come to are not needed, and not named
    (cases(("on and x > 1", "1"), otherwise="y"), {"on": False}, ("y",)),
    (cases(("on or x > 1", "z"), otherwise="y"), {"on": True}, ("z",)),
    (cases(("on and x > 1", "1"), otherwise="y"), {"on": True}, ("x",)),
    (cases(("on and off and x > 1", "1"), otherwise="y"), {"on": True}, ("off",)),
    (cases(("not on or (off and x > 1)", "1"), otherwise="y"), {"on": True, "off": False}, ("y",)),
    # through other rules
    (rule("inner + w"), {}, ("x", "y", "w")),
    (cases(("on and inner > 1", "1"), otherwise="y"), {"on": False}, ("y",)),
    # vectors
    (rule("layer + x", "unit: '1', over: layer"), {}, ("num_layers",)),
    (rule("layer + x", "unit: '1', over: layer"), {"num_layers": 2}, ("x",)),
    (rule("layer + x", "unit: '1', over: layer"), {"num_layers": 0}, []),
    (cases(("stage == 1 and on", "x"), otherwise="y", rest="unit: '1', over: stage"), {"y": 1}, ("on",)),
    (cases(("stage == 1 and on", "x"), otherwise="y", rest="unit: '1', over: stage"), {"y": 1, "on": True}, ("x",)),
    (cases(("stage == 7 and on", "x"), otherwise="y", rest="unit: '1', over: stage"), {"y": 1}, [1.0, 1.0, 1.0]),
    (rule("sum_over(freq)"), {}, ("num_layers",)),
    (rule("sum_over(freq)"), {"num_layers": 4}, 4.0),
]


@pytest.mark.parametrize(("body", "given", "expected"), NEEDED)
def test_what_is_needed(tmp_path: Path, body: str, given: Given, expected: Any) -> None:
    found = one(tmp_path, body, given, inner=rule("x * y"))
    if isinstance(expected, tuple):
        assert (found.status, found.missing, found.raw) == ("unavailable", expected, None)
        with pytest.raises(EngineError) as caught:
            _ = found.value
        assert caught.value.diagnostics[0].code == "E602"
        assert f"inputs are missing: {', '.join(expected)}" in str(caught.value)
    else:
        assert (found.status, found.value, found.missing) == ("ok", expected, ())


FAILED: list[tuple[str, Given, str, str]] = [
    (rule("x / y"), {"x": 1, "y": 0}, "E601", "`x` is divided by `y`, which is 0"),
    (rule("x // (y - 1)"), {"x": 1, "y": 1}, "E601", "`x` is divided by `y - 1`, which is 0"),
    (rule("x % y"), {"x": 1, "y": 0}, "E601", "`x` is divided by `y`, which is 0"),
    (rule("ceil_div(x, y)"), {"x": 1, "y": 0}, "E601", "`x` is divided by `y`, which is 0"),
    (rule("ceil_to(x, y)"), {"x": 1, "y": 0}, "E601", "`x` is divided by `y`, which is 0"),
    (rule("1 / 0"), {}, "E601", "`1` is divided by `0`, which is 0"),
    (rule("x / z + x / y"), {"x": 1, "y": 0, "z": 1}, "E601", "`x` is divided by `y`, which is 0"),
    (rule("w / (x / y)"), {"w": 1, "x": 1, "y": 0}, "E601", "`x` is divided by `y`, which is 0"),
    # the division that happened, not one in a branch or operand that was not reached
    (cases(("on", "x / y"), otherwise="x / z"), {"on": False, "x": 1, "y": 0, "z": 0}, "E601", "by `z`"),
    (cases(("y != 0 and x / y > 1", "1"), otherwise="x / z"), {"x": 1, "y": 0, "z": 0}, "E601", "by `z`"),
    (cases(("y == 0 or x / y > 1", "x / w"), otherwise="x / z"), {"x": 1, "y": 0, "w": 0}, "E601", "by `w`"),
    (rule("x / stage", "unit: '1', over: stage"), {"x": 1}, "E601", "`x` is divided by `stage`, which is 0"),
    (rule("share + 1"), {"total": 1, "x": 0}, "E601", "`total` is divided by `x`, which is 0"),
    (rule("log2(x)"), {"x": 0}, "E603", "log2 needs a positive number"),
    (rule("sqrt(x)"), {"x": -1}, "E603", "sqrt needs"),
    (rule("gcd(x, 2)"), {"x": 1.5}, "E603", "positive integers"),
    (rule("lcm(x, y)"), {"x": 2**53, "y": 3}, "E603", "above 2**53"),
    (rule("at(freq, x)"), {"num_layers": 2, "x": 2}, "E603", "index 2 is outside a vector of 2"),
    (rule("at(freq, x)"), {"num_layers": 2, "x": 0.5}, "E603", "index 0.5"),
    (rule("max_over(freq)"), {"num_layers": 0}, "E603", "without entries"),
    (rule("first(freq)"), {"num_layers": 0}, "E603", "without entries"),
    (rule("x ** 16"), {"x": 1e200}, "E603", "too large"),
    (rule("x * x"), {"x": 1e200}, "E603", "too large"),
    (rule("ceil(x * x)"), {"x": 1e200}, "E603", "too large"),
    (rule("ceil(x * x - x * x)"), {"x": 1e200}, "E603", "too large"),
    (rule("sum_over(freq)"), {"num_layers": 3, "freq": [1, 0]}, "E505", "2 entries for 3 layers"),
]


@pytest.mark.parametrize(("body", "given", "code", "words"), FAILED)
def test_what_failed(tmp_path: Path, body: str, given: Given, code: str, words: str) -> None:
    found = one(tmp_path, body, given)
    assert (found.status, found.code, found.raw, found.branch) == ("failed", code, None, None)
    assert words in found.reason
    with pytest.raises(EngineError) as caught:
        _ = found.value
    assert caught.value.diagnostics[0].code == code
    assert found.reason in str(caught.value)


def test_dependents_fail_with_the_rule_that_did(tmp_path: Path) -> None:
    bodies = {"cause": rule("x / y"), "middle": rule("cause + 1"), "end": rule("middle * z"), "free": rule("x + 1")}
    result = evaluate(ruleset(tmp_path, INPUTS, bodies, TABLE), {"x": 1, "y": 0, "z": 1})
    assert [(result[id].status, result[id].origin) for id in ("cause", "middle", "end")] == [("failed", "cause")] * 3
    assert result["end"].reason == result["cause"].reason
    assert result["free"].value == 2


def test_trouble_is_told_in_the_order_of_evaluation(tmp_path: Path) -> None:
    both = {"x": 1, "y": 0}
    assert one(tmp_path, rule("x / y + z"), both).status == "failed"
    assert one(tmp_path, rule("z + x / y"), both).status == "unavailable"
    assert one(tmp_path, rule("lcm(y, z)"), both).status == "unavailable"


def test_without_entries(tmp_path: Path) -> None:
    bodies = {
        "total": rule("sum_over(freq)"), "many": rule("count_where(is_moe)"),
        "every": rule("all_over(is_moe)", "unit: flag"),
        "is_moe": rule("freq > 0", "unit: flag, over: layer"), "some": rule("sum_where(freq, freq, 1)"),
    }  # fmt: skip
    inputs = {name: body for name, body in INPUTS.items() if name not in ("total", "share")}
    result = evaluate(ruleset(tmp_path, inputs, bodies, TABLE), {"num_layers": 0})
    assert [result[id].value for id in bodies] == [0.0, 0.0, True, [], 0.0]
    assert all(isinstance(result[id].value, float) for id in ("total", "many", "some"))


@pytest.mark.parametrize(("given", "branch"), [({"x": 3}, 0), ({"x": 1, "on": True}, 1), ({"x": 1, "on": False}, 2)])
def test_branches(tmp_path: Path, given: Given, branch: int) -> None:
    assert one(tmp_path, cases(("x > 2", "10"), ("on", "20"), otherwise="30"), given).branch == branch


def test_branches_of_a_vector(tmp_path: Path) -> None:
    body = cases(("stage == 0", "x"), ("stage == 2", "x * 2"), otherwise="0", rest="unit: '1', over: stage")
    found = one(tmp_path, body, {"x": 5})
    assert (found.branch, found.value) == ([0, 2, 1], [5.0, 0.0, 10.0])


@pytest.fixture(scope="module")
def shipped() -> RuleSet:
    return RuleSet.load()


def test_checks_never_stop_values(shipped: RuleSet) -> None:
    odd = {
        "num_layers": 5, "hidden_size": 64, "num_attention_heads": 4, "seq_length": 128, "micro_batch_size": 1,
        "padded_vocab_size": 128, "world_size": 7, "pipeline_model_parallel_size": 2, "tensor_model_parallel_size": 3,
    }  # fmt: skip
    result = evaluate(shipped, odd)
    assert result.verdict == "invalid"
    assert result["log_total_mib"].value > 0


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        ({}, ("device or device_usable_bytes",)),
        ({"device": "custom"}, ("device_usable_bytes",)),
    ],
)
def test_an_empty_cell_behind_a_default_is_told_as_the_input_to_give(
    shipped: RuleSet, given: Given, missing: tuple[str, ...]
) -> None:
    assert evaluate(shipped, given)["device_usable_bytes"].missing == missing
