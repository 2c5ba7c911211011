"""What kind of configuration a text is."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from engine import EngineError, Preset, RuleSet
from engine.diagnostics import Source
from engine.importing.sniff import kind_of, read_source

HERE = Path(__file__).resolve().parent


@pytest.mark.parametrize(
    ("path", "text", "kind"),
    [
        ("a.yaml", "num_layers: 2\n", "preset"),
        ("a", "num_layers: 2\nhidden_size: 64\n", "preset"),
        ("a", "# a comment\n---\nnum_layers: 2\n", "preset"),
        ("a", "{num_layers: 2, hidden_size: 64}", "preset"),
        ("a.json", '{"num_layers": 2}', "preset"),
        ("a", "", "preset"),
        ("a", "- 1\n- 2\n", "preset"),
        ("a.sh", "echo", "script"),
        ("run", "#!/bin/bash\n", "script"),
        ("run", "#!/usr/bin/env -S bash -e\n", "script"),
        ("run", "TP=8\ntorchrun a.py --num-layers 2", "script"),
        ("run", "torchrun a.py \\\n --num-layers 2", "script"),
        ("flags.txt", "--num-layers 2 --swiglu\n", "script"),
        ("flags.txt", "--num-layers 2 \\\n--swiglu\n", "script"),
        ("a.yaml", "MODEL_ARGS:\n  --num-layers: 2\n", "arguments"),
        ("a", "--num-layers: 2\n", "arguments"),
        ("a.yaml", "language_model:\n  num_layers: 2\n", "arguments"),
        ("a.log", "x\n---------------- arguments ----------------\n", "log"),
        ("a.yaml", "x\n---------------- arguments ----------------\n", "log"),
        ("a.txt", "".join(f"  name_{i} ......... {i}\n" for i in range(5)), "log"),
        ("config.json", '{"model_type": "llama"}', "model"),
        ("-", '\n {"num_hidden_layers": 2}', "model"),
        ("a", '{"a": }', "preset"),
    ],
)
def test_kind(path: str, text: str, kind: str) -> None:
    assert kind_of(Source(path, text)) == kind


@pytest.mark.parametrize("path", sorted((HERE.parents[1] / "presets").glob("*.yaml")), ids=lambda path: path.stem)
def test_presets_are_presets(path: Path) -> None:
    assert kind_of(read_source(path)) == "preset"


def test_standard_input_is_sniffed_too(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(b"torchrun --nproc_per_node 4 t.py --num-layers 2 --hidden-size 64")

    monkeypatch.setattr("sys.stdin", Stdin)
    assert Preset.load("-").values == {"world_size": 4, "num_layers": 2, "hidden_size": 64}


def test_of_a_long_log_the_beginning_is_read(tmp_path: Path) -> None:
    path = tmp_path / "train.log"
    text = (HERE / "files" / "train.log").read_text()
    path.write_text(text + "0: iteration 1 | loss 1.0\n" * 250_000)
    assert Preset.load(path).values["num_layers"] == 24


def test_a_long_file_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n" * 1_100_000)
    with pytest.raises(EngineError) as caught:
        Preset.load(path)
    assert caught.value.diagnostics[0].code == "E103"


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("config.json", '{"model_type": "llama"}', "E501"),
        ("a.sh", "echo hello", "E510"),
        ("a.log", "------------------ arguments ------------------\nnothing", "E510"),
        ("a.yaml", "MODEL_ARGS: [1]\n", "E510"),
        ("a.sh", "echo 'x", "E511"),
        ("a.yaml", "not_modelled: [a]\n", "E502"),
    ],
)
def test_what_cannot_be_read(tmp_path: Path, name: str, text: str, code: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(EngineError) as caught:
        Preset.load(tmp_path / name)
    assert caught.value.diagnostics[0].code == code


def test_flags_are_read_for_the_inputs_of_the_rules(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "inputs: {width: {title: t, type: int, group: g, min: 1, flag: --my-width, default: 1, assumption: a}}\n"
    )
    script = tmp_path / "run.sh"
    script.write_text("torchrun t.py --my-width 7")
    assert Preset.load(script, RuleSet.load(rules)).values == {"width": 7}
