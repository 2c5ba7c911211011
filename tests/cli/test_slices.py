"""`engine slices` on the shipped rules: the matrix, the divisors of a configuration, and what is sent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli

PRESET = str(Path(__file__).resolve().parent.parent.parent / "presets" / "document-7b.yaml")
RULES = str(Path(PRESET).parent.parent / "rules")


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["slices", *arguments], prog_name="engine", terminal_width=100)


def data(*arguments: str) -> Any:
    result = run(*arguments, "--format", "json")
    assert result.exit_code == 0
    return json.loads(result.output)


def test_all_dimensions_with_formulas_and_sources() -> None:
    output = run().output
    assert "Tensor parallelism (TP)" in output
    assert "÷ tensor_model_parallel_size: tp_matrix, embedding, output_layer" in output
    assert "a layer and micro-batch, within a node" in output
    assert "transformer_block.py#L141-L152" in output


def test_a_configuration() -> None:
    output = run(RULES, PRESET).output
    assert [line.split() for line in output.splitlines() if line.startswith("  tp_matrix")] == [
        ["tp_matrix", "4", "4", "256"]
    ]
    assert "  block_inner                                  2, 4" in output.splitlines()
    assert all(len(line) <= 100 for line in output.splitlines())


def test_data() -> None:
    plain = data(RULES)
    assert plain["schema"] == "rank-ledger/slices/1"
    assert [entry["id"] for entry in plain["dimensions"]][:3] == [
        "tensor_parallel",
        "sequence_parallel",
        "pipeline_parallel",
    ]
    tensor = plain["dimensions"][0]
    assert tensor["cells"]["weights"]["divided"] == [
        {"by": "tensor_model_parallel_size", "groups": ["tp_matrix", "embedding", "output_layer"]}
    ]
    assert "value" not in tensor["ranks"]


def test_data_of_a_configuration() -> None:
    live = data(RULES, PRESET, "--set", "sequence_parallel=false")
    tensor, sequence = live["dimensions"][:2]
    assert tensor["ranks"]["value"] == 2
    assert sequence["ranks"]["value"] == 1
    assert tensor["communication"]["value"] == 4 * 2 // 2 * 4096 * 2 * 4096 * 2  # four all-reduces, 2(t-1)/t each
    assert live["divisors"]["norm_dropout"]["activations"]["value"] == [1, 2]


def test_markdown() -> None:
    output = run(RULES, PRESET, "--format", "md").output
    assert "| Tensor parallelism (TP) | 2 | partly | partly | partly | partly |" in output


@pytest.mark.parametrize(
    ("arguments", "code"), [(["--set", "a=1"], 2), ([RULES, PRESET, "--set", "world_size=255"], 1)]
)
def test_exit_codes(arguments: list[str], code: int) -> None:
    assert run(*arguments).exit_code == code


def test_the_view_selects_what_slices_are_made_into() -> None:
    result = CliRunner().invoke(cli, ["eval", RULES, PRESET, "--only", "view:slicing", "--format", "csv"])
    ids = {line.partition(",")[0] for line in result.output.splitlines()[1:]}
    assert {"divisor_tp_matrix_weights", "divisor_ids_activations", "communication_expert_parallel"} <= ids
