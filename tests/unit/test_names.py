from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.expr.excel_run import evaluate
from engine.expr.registry import FUNCTIONS
from engine.expr.to_excel import SAFE_FUNCTIONS
from engine.loading.names import invalid_name

CELLS = (
    "TP1 m1 DP64 pp4 vpp2 fp8 bf16 fp16 FP32 int8 H100 A100 H200 B200 GB200 MI300 LOG10 E5 a1 A1 XFD1048576 XFE1 t5 zz9"
)
ROWS_AND_COLUMNS = "R r C c RC rc R1 C1 r2c R1C1 r10c20"
GOOD = (
    "MI300X zero1 tp_1 TP_1 dp_64 fp8_bytes hidden_size tensor_model_parallel_size b s h L num_layers a1b zero_1_ rcx "
    "rope log_total_mib xfd_1 summary int8_bytes index_ mod_ stages layers vpp_2 match_ cell"
)
MEGATRON = "bf16 fp16 fp8 seq_length micro_batch_size data_parallel_size world_size swiglu kv_channels q_lora_rank"


@pytest.mark.parametrize("name", GOOD.split())
def test_good_names_and_their_use_in_a_formula(name: str) -> None:
    assert invalid_name(name) is None
    assert evaluate(f"{name}*2", {name: 4096}) == 8192


@pytest.mark.parametrize(
    ("names", "reason"),
    [
        (CELLS.split(), "as a cell"),
        (ROWS_AND_COLUMNS.split(), "as a"),
        (["stage", "layer", "virtual_stage"], "index of a domain"),
        (["min", "ceil_div", "sum_over", "at", "first", "elem", "lookup", "has"], "function of the rule language"),
        (["if", "and", "or", "not", "lambda", "None", "in", "for"], "keyword"),
        (["IF", "index", "Match", "mod", "int", "INT", "power", "round", "SUM", "log"], "spreadsheet function"),
        (["TRUE", "true_x", "False_", "auto_open", "Print_Area", "print_titles", "criteria", "DATABASE"], "reserve"),
        (
            ["", "_a", "_xlnm", "1abc", "a b", "a-b", "a.b", "x[0]", "1e5", "\\a", "a?b", "größe", "a\n", " a"],
            "starts with",
        ),
        (["x" * 201], "the limit is 200"),
    ],
)
def test_bad_names(names: list[str], reason: str) -> None:
    for name in names:
        assert reason in (invalid_name(name) or ""), name


def test_longest_name() -> None:
    assert invalid_name("x" * 200) is None


def test_all_functions_are_refused() -> None:
    for name in (*FUNCTIONS, *SAFE_FUNCTIONS):
        assert invalid_name(name)


def test_megatron_argument_names() -> None:
    """Only the precisions look like cells; they are enumerated inputs instead."""
    assert [name for name in MEGATRON.split() if invalid_name(name)] == ["bf16", "fp16", "fp8"]


def test_declared_ids_are_good() -> None:
    """Ids at the second level of the shipped rule files."""
    for path in (Path(__file__).parents[2] / "rules").rglob("*.yaml"):
        section = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"(\w+):", line):
                section = match[1]
            elif section in ("inputs", "rules", "checks", "tables") and (match := re.match(r"  (\w+):", line)):
                assert invalid_name(match[1]) is None, (path.name, match[1])
