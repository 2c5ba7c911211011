"""`engine import`, and launch scripts where a preset is taken."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from engine import Preset, RuleSet, evaluate
from engine.cli.main import cli

FILES = Path(__file__).resolve().parent / "files"
RULES = str(Path(__file__).resolve().parents[2] / "rules")
SHAPE = {"num-layers": 4, "hidden-size": 256, "num-attention-heads": 8, "seq-length": 128, "micro-batch-size": 1}
SMALL = [word for name, value in SHAPE.items() for word in (f"--{name}", str(value))]


def engine(*arguments: str, text: str | None = None) -> Result:
    return CliRunner().invoke(cli, list(arguments), prog_name="engine", input=text)


def told(*arguments: str) -> dict[str, Any]:
    result = engine("import", *arguments, "--format", "json")
    assert result.exit_code in (0, 1), result.output
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def effective(found: dict[str, Any], id: str) -> dict[str, Any]:
    return next(entry for entry in found["effective"] if entry["input"] == id)


@pytest.mark.parametrize(
    ("flags", "id", "value", "origin", "why"),
    [
        ([], "ffn_hidden_size", 1024, "default", "4 * hidden_size"),
        (["--swiglu"], "ffn_hidden_size", 640, "default", "floor(4 * hidden_size * 2 / 3 / 64) * 64"),
        (["--ffn-hidden-size", "512"], "ffn_hidden_size", 512, "given", None),
        ([], "kv_channels", 32, "default", "hidden_size // num_attention_heads"),
        (["--tensor-model-parallel-size", "4"], "expert_tensor_parallel_size", 4, "default",
         "tensor_model_parallel_size"),
        (["--vocab-size", "50257", "--tensor-model-parallel-size", "8"], "padded_vocab_size", 51200, "derived",
         "ceil_to(vocab_size, make_vocab_size_divisible_by * tensor_model_parallel_size)"),
        (["--pipeline-model-parallel-size", "2", "--num-layers-per-virtual-pipeline-stage", "1"],
         "virtual_pipeline_model_parallel_size", 2, "derived",
         "max(1, pipeline_layer_slots // pipeline_model_parallel_size // num_layers_per_virtual_pipeline_stage)"),
        (["--disable-bias-linear"], "add_bias_linear", False, "given", None),
        ([], "add_bias_linear", True, "default", None),
        (["--sequence-parallel"], "sequence_parallel", False, "launcher",
         "the launcher switches it off without tensor parallelism"),
        (["--sequence-parallel", "--tensor-model-parallel-size", "2"], "sequence_parallel", True, "given", None),
        (["--recompute-num-layers", "0"], "recompute_num_layers", 0, "given", None),
        ([], "recompute_granularity", "none", "absent", None),
        (["--recompute-activations"], "recompute_granularity", "selective", "given", None),
        (["--num-experts", "8"], "moe_token_dispatcher_type", "allgather", "launcher", "the launcher's own default"),
        ([], "vocab_size", None, "missing", None),
    ],
)  # fmt: skip
def test_effective_values(flags: list[str], id: str, value: Any, origin: str, why: str | None) -> None:
    entry = effective(told("megatron", *SMALL, *flags), id)
    assert (entry["value"], entry["origin"], entry.get("why")) == (value, origin, why)


def test_values_that_follow_name_their_source() -> None:
    entry = effective(told("megatron", *SMALL), "ffn_hidden_size")
    assert entry["source"].startswith("megatron:megatron/training/arguments.py#L")


def test_every_flag_about_memory_is_accounted_for() -> None:
    found = told("megatron", str(FILES / "dense.sh"))
    inputs = RuleSet.load().inputs.values()
    named = {item.id for item in inputs if item.flag or item.other_flags or item.off_flags or item.from_flags}
    assert named <= {entry["input"] for entry in found["effective"]}
    assert effective(found, "num_layers")["line"] == 27


def test_flags_after_the_dashes_belong_to_the_launch() -> None:
    found = told("megatron", *SMALL)
    result = engine("import", "megatron", "--format", "json", "--", *SMALL)
    assert json.loads(result.stdout)["preset"] == found["preset"]


def test_a_script_with_arguments_and_variables() -> None:
    found = told("megatron", str(FILES / "dense.sh"), "--env", "PRECISION=fp16", "--micro-batch-size", "2")
    assert found["preset"]["params_dtype"] == "fp16"
    assert found["preset"]["micro_batch_size"] == 2


def test_the_preset_is_written(tmp_path: Path) -> None:
    path = tmp_path / "preset.yaml"
    result = engine("import", "megatron", str(FILES / "experts.sbatch"), "-o", str(path))
    assert "Not modelled" in result.stdout
    assert result.stdout.endswith("INCOMPLETE\n")
    text = path.read_text()
    assert text.startswith("# From experts.sbatch: the launch command in line 27 (`pretrain_gpt.py`)")
    assert "not_modelled:\n  --optimizer: Optimizers other than Adam" in text
    again = Preset.load(path)
    assert again.flags is not None
    assert list(again.flags.unmodelled) == ["--optimizer"]
    to_output = engine("import", "megatron", str(FILES / "experts.sbatch"), "-o", "-")
    assert to_output.stdout == text


def test_a_flag_that_is_not_modelled_shows_in_every_form(tmp_path: Path) -> None:
    script = str(FILES / "experts.sbatch")
    text = engine("eval", RULES, script)
    assert "INCOMPLETE  not modelled: --optimizer" in text.stdout
    read = "read the launch command in line 27 (`pretrain_gpt.py`), with 39 flags, on 128 ranks; they set 37 inputs"
    assert text.stderr.splitlines() == [f"{script}: {read}", f"{script}: not modelled: --optimizer"]
    data = json.loads(engine("eval", RULES, script, "--format", "json").stdout)
    assert data["verdict"] == "incomplete"
    assert list(data["not_modelled"]) == ["--optimizer"]


def test_a_layout_that_the_launcher_refuses_is_an_error() -> None:
    flags = ["--pipeline-model-parallel-size", "3", "--world-size", "6", "--vocab-size", "1000"]
    result = engine("import", "megatron", *SMALL, *flags)
    assert result.exit_code == 1
    assert "check_layers_divisible_by_pp" in result.stdout
    found = told("megatron", *SMALL, *flags)
    check = next(item for item in found["failed_checks"] if item["id"] == "check_layers_divisible_by_pp")
    assert check["nearest"]["pipeline_model_parallel_size"]


def test_a_model() -> None:
    found = told("hf", str(FILES / "config.json"))
    assert found["preset"]["num_query_groups"] == 8
    assert effective(found, "vocab_size")["origin"] == "given"


@pytest.mark.parametrize(
    "arguments",
    [
        ("eval", RULES, "-", "--only", "total_parameters"),
        ("slices", RULES, "-"),
        ("scenarios", RULES, "-"),
        ("explain", "total_parameters", "-", "--depth", "0"),
    ],
)
def test_commands_that_take_a_preset_take_a_script(arguments: tuple[str, ...]) -> None:
    script = "torchrun --nproc_per_node 2 t.py --vocab-size 1000 " + " ".join(SMALL)
    result = engine(*arguments, text=script)
    assert result.exit_code == 0, result.output
    assert "<stdin>: read the launch command in line 1 (`t.py`), with 6 flags, on 2 ranks" in result.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["megatron", "none.sh"], "cannot read the file"),
        (["megatron", "run.sh", "--env", "1=2"], "`1=2` is not of the form NAME=VALUE"),
        (["megatron"], "Missing argument"),
        (["hf", str(FILES / "dense.sh")], "this is not JSON"),
    ],
)
def test_usage(arguments: list[str], message: str) -> None:
    result = engine("import", *arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_a_preset_of_a_script_evaluates_as_one_of_flags() -> None:
    rules = RuleSet.load()
    script = evaluate(rules, Preset.load(FILES / "dense.sh", rules))
    flags = Preset.from_megatron_flags(script.preset.values)
    assert dict(evaluate(rules, flags).inputs) == dict(script.inputs)
