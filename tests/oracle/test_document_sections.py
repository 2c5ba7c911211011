"""The papers' view, side-by-side figures and discrepancies against sections 1 to 3 of the document's figures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, Result, RuleSet, evaluate
from tests.support.figures import FIGURES, GB, shows

TESTS = Path(__file__).parent.parent
PRESETS = TESTS.parent / "presets"
EXAMPLE = PRESETS / "document-7b.yaml"
PAPER = FIGURES["section_3_paper_equations"]
DISCREPANCIES = FIGURES["document_discrepancies"]


SHAPES = (
    {"s": 4096, "b": 2, "h": 4096, "a": 32, "t": 2, "L": 32},
    {"s": 2048, "b": 4, "h": 6144, "a": 64, "t": 8, "L": 48},
    {"s": 56, "b": 3, "h": 40, "a": 5, "t": 4, "L": 12},
)
"""Sizes in the symbols of the equations: the worked example, the paper's 22B model, and one with no round numbers."""

INPUTS = {
    "s": "seq_length",
    "b": "micro_batch_size",
    "h": "hidden_size",
    "a": "num_attention_heads",
    "t": "tensor_model_parallel_size",
    "L": "num_layers",
}


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def example(rules: RuleSet) -> Result:
    return evaluate(rules, Preset.load(EXAMPLE))


@pytest.fixture(scope="module", params=SHAPES, ids=lambda shape: f"h{shape['h']}")
def sized(request: pytest.FixtureRequest, rules: RuleSet) -> tuple[dict[str, int], Result]:
    shape: dict[str, int] = request.param
    changes = {INPUTS[symbol]: value for symbol, value in shape.items()}
    return shape, evaluate(rules, Preset.load(EXAMPLE), set={**changes, "data_parallel_size": 8, "world_size": None})


def formula(text: str, shape: dict[str, int]) -> float:
    """Value of a formula of the figures, in their symbols."""
    assert re.fullmatch(r"[sbhatL0-9 +*/().]+", text)
    return float(eval(text, {"__builtins__": {}}, dict(shape)))


def items(text: str, shape: dict[str, int]) -> int:
    """Value of a sum of terms such as 2sbh and 5as2b."""
    s, b, h, a = (shape[symbol] for symbol in "sbha")
    sizes = {"sbh": s * b * h, "as2b": a * s**2 * b}
    terms = [re.fullmatch(r"(\d*)(sbh|as2b)", term.strip()) for term in text.split("+")]
    return sum(int(term[1] or 1) * sizes[term[2]] for term in terms if term)


# Section 1


def test_units(example: Result) -> None:
    assert example["card_80gb_nominal_bytes"].value == 80 * 2**30
    assert shows(example["card_80gb_nominal_gb"].value, 85.9)
    budget = FIGURES["worked_example"]["section_1_and_6_4"]["budget_GB"]
    assert example["card_80gb_planned_bytes"].value == example["document_budget_bytes"].value == budget * GB
    assert example["device_nominal_bytes"].value == example["card_80gb_nominal_bytes"].value


def test_components_are_resident_or_flowing(rules: RuleSet) -> None:
    rows = {name: set(rules.views[name].body.stages.rows) for name in ("components", "resident", "flowing")}
    assert rows["components"] < rows["resident"] | rows["flowing"]
    assert not rows["resident"] & rows["flowing"]


# Section 2.1


@pytest.mark.parametrize("dp", [1, 8, 64])
@pytest.mark.parametrize("gradients", ["fp32", "bf16"])
@pytest.mark.parametrize("sharding", ["ddp", "zero1", "zero2", "zero3"])
def test_bytes_per_parameter(rules: RuleSet, sharding: str, gradients: str, dp: int) -> None:
    table = FIGURES["section_2_1_bytes_per_param"]
    figures = table.get(sharding) or table[f"{sharding}_ideal"]
    expected = eval(str(figures[f"{gradients}_grads"]), {"__builtins__": {}}, {"DP": dp})
    result = evaluate(rules, Preset.load(EXAMPLE), set={"data_parallel_size": dp})
    assert result[f"document_bytes_per_parameter_{sharding}_{gradients}"].value == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("gradients", ["fp32", "bf16", "fp16"])
@pytest.mark.parametrize("sharding", ["ddp", "zero1", "zero2", "zero3"])
def test_row_for_the_preset_is_one_of_the_table(rules: RuleSet, sharding: str, gradients: str) -> None:
    params = "fp16" if gradients == "fp16" else "bf16"
    changes = {"sharding": sharding, "grad_dtype": gradients, "params_dtype": params, "data_parallel_size": 16}
    result = evaluate(rules, Preset.load(EXAMPLE), set=changes)
    row = result[f"document_bytes_per_parameter_{sharding}_{gradients}"]
    assert result["document_bytes_per_parameter"].value == row.value


def test_zero_stages_of_the_paper(rules: RuleSet) -> None:
    """With gradients of 2 bytes the document's account is the paper's."""
    result = evaluate(rules, Preset.load(EXAMPLE), set={"data_parallel_size": 24})
    for stage, sharding in enumerate(("ddp", "zero1", "zero2", "zero3")):
        per_parameter = result[f"paper_zero{stage}_bytes_per_parameter"].value
        document = result[f"document_bytes_per_parameter_{sharding}_bf16"].value
        assert per_parameter == pytest.approx(document, rel=1e-12)
        total = result[f"paper_zero{stage}_bytes"].value
        assert total == per_parameter * result["log_most_loaded_shard_parameters"].value


# Section 2.2


@pytest.mark.parametrize("preset", sorted(path.name for path in PRESETS.glob("*.yaml")))
def test_groups_of_tensors_add_up(rules: RuleSet, preset: str) -> None:
    result = evaluate(rules, Preset.load(PRESETS / preset))
    assert result["document_stage_params_by_group"].value == pytest.approx(
        result["document_stage_params"].value, rel=1e-12
    )


def test_groups_of_tensors_of_the_worked_example(rules: RuleSet, example: Result) -> None:
    figures = FIGURES["worked_example"]["section_6_1_parameters"]
    assert example["document_stage_params_by_group"].value == [figures["shard_first_or_last_stage"]] * 2
    assert example["document_stage_embedding_params"].value == [figures["embedding_on_shard"], 0]
    assert example["document_stage_tied_copy_params"].value == [0, figures["embedding_on_shard"]]
    assert example["document_stage_norm_params"].value == [figures["replicated_on_shard"]] * 2
    split = ("document_stage_attention_params", "document_stage_mlp_params")
    assert sum(example[id].value[0] for id in split) == figures["tp_sharded_block_on_shard"]
    middle = evaluate(rules, Preset.load(EXAMPLE), set={"pipeline_model_parallel_size": 4, "num_layers": 64})
    final_norm = 4096 // 2 - 4096 // 4  # this account spreads it over all stages
    assert middle["document_stage_params_by_group"].value[1:3] == [figures["shard_middle_stage"] - final_norm] * 2


# Section 3: the equations

EQUATIONS = {
    "eq1_no_parallelism": "paper_layer_bytes",
    "eq2_tp": "paper_layer_bytes_tp",
    "eq4_tp_sp": "paper_layer_bytes_tp_sp",
    "eq5_first_stage_total": "paper_first_stage_layer_bytes",
    "eq6_selective_total": "paper_selective_total_bytes",
    "full_total": "paper_full_total_bytes",
}


@pytest.mark.parametrize("equation", EQUATIONS)
def test_equations(sized: tuple[dict[str, int], Result], equation: str) -> None:
    shape, result = sized
    expected = formula(PAPER[equation], shape)
    assert result[EQUATIONS[equation]].value == pytest.approx(expected, rel=1e-12)


ITEMS = {
    ("attention_items", "qkv_input"): "paper_qkv_input_bytes",
    ("attention_items", "q_and_k"): "paper_query_key_bytes",
    ("attention_items", "softmax_output"): "paper_softmax_output_bytes",
    ("attention_items", "softmax_dropout_mask"): "paper_softmax_dropout_mask_bytes",
    ("attention_items", "attention_over_v_dropout_output"): "paper_softmax_dropout_output_bytes",
    ("attention_items", "v"): "paper_value_bytes",
    ("attention_items", "projection_input"): "paper_projection_input_bytes",
    ("attention_items", "attention_dropout_mask"): "paper_attention_dropout_mask_bytes",
    ("attention_items", "sum"): "paper_attention_bytes",
    ("mlp_items", "fc1_input"): "paper_fc1_input_bytes",
    ("mlp_items", "gelu_input"): "paper_gelu_input_bytes",
    ("mlp_items", "fc2_input"): "paper_fc2_input_bytes",
    ("mlp_items", "dropout_mask"): "paper_mlp_dropout_mask_bytes",
    ("mlp_items", "sum"): "paper_mlp_bytes",
    ("layernorm_items", "two_inputs"): "paper_norm_bytes",
}


def test_no_saved_tensor_is_left_out() -> None:
    groups = ("attention_items", "mlp_items", "layernorm_items")
    assert set(ITEMS) == {(group, item) for group in groups for item in PAPER[group]}


@pytest.mark.parametrize(("group", "item"), ITEMS)
def test_saved_tensors(sized: tuple[dict[str, int], Result], group: str, item: str) -> None:
    shape, result = sized
    assert result[ITEMS[group, item]].value == items(PAPER[group][item], shape)


def test_composite_coefficients(sized: tuple[dict[str, int], Result]) -> None:
    shape, result = sized
    values = {
        id: result[id].value
        for id in (
            "paper_attention_coefficient",
            "paper_score_coefficient",
            "paper_mlp_coefficient",
            "paper_norm_coefficient",
            "paper_linear_coefficient",
            "paper_undivided_coefficient",
            "paper_divided_coefficient",
            "paper_output_coefficient",
            "document_fixed_coefficient",
        )
    }
    assert list(values.values()) == [11, 5, 19, 4, 34, 10, 24, 4, 18]
    width = result["ffn_hidden_size"].value
    assert result["document_layer_coefficient"].value == pytest.approx(18 + 4 * width / shape["h"], rel=1e-12)
    assert result["document_layer_linear_bytes"].value == result["log_layer_bytes_with_sp"].value


def test_output_term_is_that_of_the_training_log(rules: RuleSet) -> None:
    one_stage = evaluate(rules, Preset.load(EXAMPLE), set={"pipeline_model_parallel_size": 1})
    assert one_stage["paper_output_bytes"].value == one_stage["log_output_bytes_with_sp"].value


def test_score_tensors_of_the_worked_example(example: Result) -> None:
    assert example["paper_score_term"].value == PAPER["worked_example_ratio_5as_over_h"]
    ratio = FIGURES["worked_example"]["section_6_5_more"]["score_term_over_linear_term"]
    assert shows(example["paper_score_over_linear"].value, ratio)


def test_stages_of_the_paper(rules: RuleSet) -> None:
    """The first stage has equation 5 and the masks of the embedding; each stage after it one micro-batch less."""
    changes = {"pipeline_model_parallel_size": 4, "recompute_granularity": None}
    result = evaluate(rules, Preset.load(EXAMPLE), set=changes)
    layers = result["paper_stage_layer_bytes"].value
    assert layers[0] == result["paper_first_stage_layer_bytes"].value
    assert [layers[0] - value for value in layers] == [layers[0] / 4 * stage for stage in range(4)]
    last = layers[3] + result["paper_output_bytes"].value / result["tensor_model_parallel_size"].value
    first = layers[0] + result["paper_embedding_dropout_bytes"].value
    assert result["paper_stage_activation_bytes"].value == [first, layers[1], layers[2], last]


def test_interleaving_of_the_paper(rules: RuleSet) -> None:
    changes = {"pipeline_model_parallel_size": 4, "virtual_pipeline_model_parallel_size": 2}
    result = evaluate(rules, Preset.load(EXAMPLE), set=changes)
    grown = result["num_layers"].value * result["interleaved_schedule_memory_penalty"].value
    assert result["paper_stage_layers_in_flight"].value[0] == grown


# Section 3.3: what recomputation costs


@pytest.mark.parametrize("model", ["GPT-3", "MT-NLG"])
def test_selective_recomputation_adds_few_operations(rules: RuleSet, model: str) -> None:
    figures = PAPER["selective_flops_formula"][model]
    changes = {"seq_length": figures["s"], "hidden_size": figures["h"]}
    share = evaluate(rules, Preset.load(EXAMPLE), set=changes)["paper_selective_flop_share"].value
    assert round(share, 4) == figures["value"]
    assert round(share, 3) == PAPER["recompute_cost"]["selective_flops"][model]


def test_measured_recompute_costs(example: Result) -> None:
    costs = PAPER["recompute_cost"]
    layer = costs["table4_22B_layer"]
    expected = {
        "paper_selective_layer_overhead": layer["selective"],
        "paper_full_layer_overhead": layer["full"],
        "paper_selective_sp_layer_overhead": layer["selective_with_sp"],
        "paper_selective_step_overhead": costs["selective_step"],
        "paper_full_step_overhead_low": costs["full_step"][0],
        "paper_full_step_overhead_high": costs["full_step"][1],
    }
    assert {id: example[id].value for id in expected} == expected
    assert shows(example["full_step_overhead"].value, 0.35)


# Discrepancies: both figures can be seen


def discrepancy(section: str, key: str) -> Any:
    return next(entry[key] for entry in DISCREPANCIES if entry["section"].startswith(section) and key in entry)


def test_rule_of_thumb(example: Result) -> None:
    assert example["document_rule_of_thumb_params"].value == 6.7e9
    assert example["rule_of_thumb_params"].value == discrepancy("6.1", "computed")
    assert shows(example["twelve_h_squared_params"].value / GB, 6.44)
    total = FIGURES["worked_example"]["section_6_1_parameters"]["total"]
    assert example["rule_of_thumb_excess_params"].value == discrepancy("6.1", "computed") - total > 0


def test_what_selective_recomputation_removes(example: Result) -> None:
    assert round(example["document_removed_by_selective_bytes"].value / GB) == 87
    assert round(example["removed_score_bytes"].value / GB, 2) == discrepancy("6.5", "computed_GB")
    tokens_times_width = FIGURES["worked_example"]["section_6_3_activations"]["layer_per_microbatch"] / 32
    assert example["removed_score_difference_bytes"].value == tokens_times_width * (34 - 32) * 32 / 2


def test_row_without_recomputation(example: Result) -> None:
    row = "6.5 row without recompute"
    assert shows(example["document_unrecomputed_bytes"].value / GB, discrepancy(row, "says_GB"))
    by_width = example["document_unrecomputed_bytes_by_ffn"].value
    assert shows(by_width / GB, discrepancy(row, "computed_with_its_own_layer_term_GB"))
    difference = example["document_unrecomputed_difference_bytes"].value
    assert difference == example["document_unrecomputed_bytes"].value - by_width


def test_row_without_distributed_optimizer(rules: RuleSet, example: Result) -> None:
    row = "6.5 row without distributed optimizer"
    total = example["document_unsharded_first_stage_bytes"].value
    assert shows(total / GB, discrepancy(row, "computed_GB"))
    assert example["document_unsharded_first_stage_printed_bytes"].value == discrepancy(row, "says_total_GB") * GB
    plain = evaluate(rules, Preset.load(EXAMPLE), set={"use_distributed_optimizer": False})
    assert plain["document_first_stage_bytes"].value == total


def test_fp16_gradients(example: Result) -> None:
    assert example["document_bytes_per_parameter_ddp_fp16"].value == 18
    assert example["code_bytes_per_parameter_ddp_fp16"].value == 20
    assert example["code_bytes_per_parameter_zero1_fp16"].value == 4 + 16 / 64
    assert shows(example["measured_bytes_per_parameter_ddp_fp16"].value, 20.1)
    assert example["fp16_ddp_difference_bytes_per_parameter"].value == 2


def test_context_parallel_ranks_shard_the_optimizer(rules: RuleSet) -> None:
    changes = {"context_parallel_size": 4, "data_parallel_size": 16}
    result = evaluate(rules, Preset.load(EXAMPLE), set=changes)
    assert result["optimizer_over_dp_bytes"].value == 4 * result["optimizer_over_dp_cp_bytes"].value
    difference = result["optimizer_sharding_difference_bytes"].value
    assert difference == result["optimizer_over_dp_bytes"].value * 3 / 4
    peak = result["measured_peak_per_parameter_context_parallel"].value
    assert 6 + 12 / 4 < peak < 6 + 12, "the states of data-parallel shards alone would not have fitted"


def test_tokens_of_experts_stay_on_average_only(rules: RuleSet, example: Result) -> None:
    changes = {"expert_model_parallel_size": 4, "expert_tensor_parallel_size": 1}
    result = evaluate(rules, Preset.load(PRESETS / "mixtral-8x7b.yaml"), set=changes)
    assert result["expert_tokens_balanced"].value == result["expert_tokens_sent"].value > 0
    assert result["expert_tokens_worst"].value == 4 * result["expert_tokens_sent"].value
    assert example["expert_tokens_difference"].value == 0


@pytest.mark.parametrize("view", ["discrepancies", "bytes_per_parameter"])
def test_both_figures_are_shown(rules: RuleSet, view: str) -> None:
    """A row of the document's account stands in the view together with what differs from it."""
    rows = rules.views[view].body.rows
    origins = {row.split("_")[0] for row in rows}
    assert {"document", "code", "measured"} <= origins
