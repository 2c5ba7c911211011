"""Patterns of MoE layers and pipeline layouts, as Megatron-LM's own texts describe them, and hostile ones."""

from __future__ import annotations

import time
from typing import Any

import pytest

from engine.inputs.parsers import (
    MAX_ENTRIES,
    MAX_LENGTH,
    PARSER_KINDS,
    PARSERS,
    PatternError,
    expand_layers,
    megatron_moe_layer_freq,
    megatron_pipeline_layout,
)

LETTERS = {"embedding": "E", "decoder": "t", "mtp": "m", "loss": "L"}


@pytest.mark.parametrize(
    ("value", "layers"),
    [
        # from the text of `moe_freq_type` in megatron/training/arguments.py
        ("([1]*3+[0]*1)*3", [1, 1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 0]),
        ("([0]+[1]*23)", [0, *[1] * 23]),
        ("([1]*3+[0]*2)*2", [1, 1, 1, 0, 0, 1, 1, 1, 0, 0]),
        # from the issue and published configurations
        ("([0]*3+[1]*58)", [0] * 3 + [1] * 58),
        ("[0]*1+[1]*26", [0, *[1] * 26]),
        ([0, 1, 1], [0, 1, 1]),
        ((1, 0.0), [1, 0]),
        (" [0, 1] * 2 + [1] ", [0, 1, 0, 1, 1]),
        ("[0]*2+[]+[1]", [0, 0, 1]),
        ("(([1]))", [1]),
        ("+".join(["[0]*1+[1]*1"] * 61), [0, 1] * 61),
        (1, [1, 1, 1, 1, 1]),
        ("1", [1, 1, 1, 1, 1]),
        (" 2 ", [1, 0, 1, 0, 1]),
        (3, [1, 0, 0, 1, 0, 0, 1]),
    ],
)
def test_layers(value: Any, layers: list[int]) -> None:
    assert expand_layers(megatron_moe_layer_freq(value), len(layers)) == tuple(map(float, layers))


@pytest.mark.parametrize(
    "value",
    [
        0, -1, "0", "-2", MAX_ENTRIES + 1, True, 1.5, None, {}, "", " ", [], [2], [0, True], ["0"], [[0]], [None],
        object(), "[", "[0", "[0]*", "[2]", "[0.0]", "[True]", "['0']", "[[0]]", "[0]*True", "[0]*-1", "[0]*1.5",
        "[0]**2", "[0]-[0]", "3*[0]", "[0]*2*", "[x]", "x", "[0 for _ in (1,)]", "(lambda: [0])()",
        "__import__('os')", "[0] if 1 else [1]", "[0]; [1]", "[0]\n[1]", "1 + 1", "1e3", "0x1", "1_0", "²", "１",
        "\x00", "[0]\x00", "{0}", "(0, 1)", "[*[0]]", "[0]*99999", f"[0]*{MAX_ENTRIES}*{MAX_ENTRIES}",
        f"([0]*{MAX_ENTRIES})*2", f"[0]*{MAX_ENTRIES}+[1]", "9" * 5000,
        "(" * 300 + "[0]" + ")" * 300, "[" + "0," * 5000 + "]", "[0]+" * 100_000 + "[0]",
    ],
)  # fmt: skip
def test_refused_layers(value: Any) -> None:
    started = time.perf_counter()
    with pytest.raises(PatternError):
        megatron_moe_layer_freq(value)
    assert time.perf_counter() - started < 5


def test_a_list_must_fit_the_layers() -> None:
    with pytest.raises(PatternError, match="3 entries for 4 layers"):
        expand_layers(megatron_moe_layer_freq([0, 1, 1]), 4)


def spelled(value: Any) -> list[str]:
    """Returns what a layout holds, a text for each virtual stage."""
    return [
        "".join(LETTERS[part] * count for part, count in stage.items()) for stage in megatron_pipeline_layout(value)
    ]


@pytest.mark.parametrize(
    ("value", "stages"),
    [
        # from `parse_str_to_list` and the help of the option
        ("Ettt|(tt|)*29,m|L", ["Ettt", *["tt"] * 29, "m", "L"]),
        ("E|(t|)*3,m|m||L", ["E", "t", "t", "t", "m", "m", "", "L"]),
        # from the comments beside the patterns there, in letters that are allowed
        ("Em(tt|tm|mL)*2,tL", ["Emtt", "tm", "mLtt", "tm", "mLtL"]),
        ("(tm)*3", ["tmtmtm"]),
        ("tt,(mL|)*2", ["ttmL", "mL", ""]),
        ("(|tt)*2,mL", ["", "tt", "ttmL"]),
        # the rest
        ("Et*3|t*12|L", ["Ettt", "t" * 12, "L"]),
        ("Et|(tt|)*30mL", ["Et", *["tt"] * 30, "mL"]),
        ("t*0|L", ["", "L"]),
        ("|*3", ["", "", "", ""]),
        ("((t|)*2m)*2", ["t", "t", "mt", "t", "m"]),
        (" E , t | L ", ["Et", "L"]),
        ("t", ["t"]),
        ("|", ["", ""]),
        (["Et", "tL"], ["Et", "tL"]),
        (("E", "", "L"), ["E", "", "L"]),
    ],
)
def test_layouts(value: Any, stages: list[str]) -> None:
    order = "tEmL"
    assert spelled(value) == ["".join(sorted(stage, key=order.index)) for stage in stages]


@pytest.mark.parametrize(
    ("value", "position"),
    [
        ("Etx", 2), ("e|t", 0), ("E-t", 1), ("t*", 1), ("t*|", 1), ("t**2", 1), ("*2", 0), ("E||*", 3),
        ("t*2*3", 3), ("t*4097", 1), ("(t", 1), ("t)", 1), ("((t)*2", 5), ("()*3", 2), ("t 2", 2), ("t*²", 1),
        ("t*-1", 1), ("t*1.5", 3), ("E\x00t", 1), ("日", 0), ("(t*4096)*4096", 8), ("t*4096|t*4096", None),
        ("(" * 60 + "t" + ")" * 60, None), ("t*" + "9" * 5000, 1), ("t" * 5000, 4096), ("", None), ("  ", None),
        ([], None), (None, None), (3, None), ({}, None), ([["E"], ["t"]], None), (["E", 1], None),
        ("()" * 100_000, None), ("," * (MAX_LENGTH + 1), None),
    ],
)  # fmt: skip
def test_refused_layouts(value: Any, position: int | None) -> None:
    started = time.perf_counter()
    with pytest.raises(PatternError) as caught:
        megatron_pipeline_layout(value)
    assert time.perf_counter() - started < 5
    assert position is None or caught.value.position == position


def test_all_parsers_are_of_a_kind() -> None:
    assert PARSERS.keys() == PARSER_KINDS.keys()
    assert set(PARSER_KINDS.values()) == {"layer_vector", "layout"}
