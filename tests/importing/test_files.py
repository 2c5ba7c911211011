"""What whole files are read as: values, origins and remarks, in golden files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine import Preset, RuleSet, evaluate
from engine.importing.preset_text import preset_text
from engine.importing.sniff import read_preset, read_source

HERE = Path(__file__).resolve().parent
CASES: dict[str, dict[str, Any]] = {
    "dense": {"file": "dense.sh"},
    "dense-fp16": {"file": "dense.sh", "variables": {"PRECISION": "fp16", "SLURM_NNODES": "2", "DATA": "corpus"},
                   "arguments": ["--micro-batch-size", "2"]},
    "experts": {"file": "experts.sbatch"},
    "options": {"file": "options.sh", "arguments": ["70B", "1", "512", "4096", "8", "2", "full", "true"]},
    "options-without-arguments": {"file": "options.sh"},
    "fragment": {"file": "fragment.sh", "variables": {"TP": "2"}},
    "flags": {"file": "flags.txt"},
    "model-args": {"file": "model_args.yaml"},
    "flat-args": {"file": "flat_args.yaml"},
    "log": {"file": "train.log"},
    "model": {"file": "config.json"},
}  # fmt: skip


@pytest.fixture(scope="module")
def rules() -> RuleSet:
    return RuleSet.load()


def read(name: str, rules: RuleSet) -> Preset:
    case = dict(CASES[name])
    source = read_source(HERE / "files" / case.pop("file"))
    return read_preset(source, rules, **case)


@pytest.mark.parametrize("name", CASES)
def test_file(name: str, rules: RuleSet, update_golden: bool) -> None:
    preset = read(name, rules)
    flags = preset.flags
    assert flags is not None
    told = {
        "headline": flags.headline,
        "values": dict(preset.values),
        "lines": {id: span.line for id, (span, _) in preset.places.items()},
        "settled": dict(flags.settled),
        "unused": list(flags.unused),
        "unmodelled": dict(flags.unmodelled),
        "unknown": dict(flags.unknown),
        "unread": dict(flags.unread),
        "remarks": [f"{item.code} line {item.span.line if item.span else 0}: {item.message}" for item in flags.remarks],
    }
    actual = json.dumps(told, indent=1, ensure_ascii=False) + "\n"
    golden = HERE / "golden" / f"{name}.json"
    if update_golden:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(actual, encoding="utf-8")
    assert actual == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_the_written_preset_is_the_same(name: str, rules: RuleSet, tmp_path: Path) -> None:
    preset = read(name, rules)
    path = tmp_path / "preset.yaml"
    path.write_text(preset_text(preset, rules, ["a remark"]), encoding="utf-8")
    again = Preset.load(path)
    assert again.values == preset.values
    old, new = evaluate(rules, preset), evaluate(rules, again)
    assert new.verdict == old.verdict
    assert dict(new.inputs) == dict(old.inputs)


def test_a_script_without_an_end_of_line_or_a_launcher(tmp_path: Path, rules: RuleSet) -> None:
    path = tmp_path / "run"
    path.write_text("python pretrain_gpt.py --num-layers 2 --hidden-size 64")
    assert Preset.load(path, rules).values == {"num_layers": 2, "hidden_size": 64}
