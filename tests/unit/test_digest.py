"""Equal digests compute equal values: what changes values changes the digest, what does not leaves it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine import RuleSet

TEXT = """
inputs:
  size: {title: Size, type: int, group: model, min: 1, max: 9, required: true}
  kind: {title: Kind, type: enum, values: [small, large], group: model, absent: small, from_flags: {big: large}}
  parts: {title: Parts, type: set, members: [door, roof, wheel], group: model, default: [door, roof], assumption: usual}
  num_layers: {title: Layers, type: int, group: model, default: 4, assumption: few}
  freq:
    {title: F, type: layer_vector, parser: megatron_moe_layer_freq, group: model, default: '[0]+[1]*3', assumption: a}
  total: {title: Total, type: int, group: model, either: pair, derived: share * 2, assumption: half}
  share: {title: Share, type: int, group: model, either: pair, derived: total // 2, assumption: half}
tables:
  costs: {title: Costs, columns: {price: {unit: B, assumption: known}}, rows: {small: {price: 1}, large: {price: null}}}
rules:
  price:
    title: Price
    unit: B
    cases:
      - {when: size > 2, formula: 'lookup(costs, kind, price) * size', assumption: first}
      - {otherwise: B(size), assumption: second, note: why}
    tests: [{given: {size: 2}, expect: 2}]
  doubled: {title: Twice, over: layer, unit: "1", formula: freq * 2, assumption: third}
checks:
  enough: {title: Enough, level: error, require: size > 1, message: too few, fields: [size], assumption: fourth}
"""


def digest(folder: Path, text: str) -> str:
    (folder / "rules.yaml").write_text(text, encoding="utf-8")
    return RuleSet.load(folder).digest


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("max: 9", "max: 8"),
        ("min: 1", "min: 0"),
        ("absent: small", "absent: large"),
        ("{big: large}", "{large_one: large}"),
        ("default: [door, roof]", "default: [door]"),
        ("members: [door, roof, wheel]", "members: [roof, door, wheel]"),
        ("'[0]+[1]*3'", "'[1]*4'"),
        ("derived: share * 2", "derived: share * 3"),
        ("price: 1}", "price: 2}"),
        ("price: null", "price: 3"),
        ("size > 2", "size > 3"),
        ("otherwise: B(size)", "otherwise: B(size) * 1"),
        ("freq * 2", "freq * 3"),
        ("require: size > 1", "require: size > 0"),
        ("type: int, group: model, min", "type: number, group: model, min"),
    ],
)
def test_what_changes_it(tmp_path: Path, old: str, new: str) -> None:
    assert old in TEXT
    assert digest(tmp_path, TEXT) != digest(tmp_path, TEXT.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Price", "title: Costs of it"),
        ("assumption: first", "assumption: another"),
        (", note: why", ""),
        ("tests: [{given: {size: 2}, expect: 2}]", "tests: []"),
        ("message: too few", "message: not enough"),
        ("default: [door, roof]", "default: [roof, door]"),
        ("inputs:", "# a comment\ninputs:"),
    ],
)
def test_what_does_not(tmp_path: Path, old: str, new: str) -> None:
    assert old in TEXT
    assert digest(tmp_path, TEXT) == digest(tmp_path, TEXT.replace(old, new))


def test_it_is_the_same_in_every_process(tmp_path: Path) -> None:
    here = digest(tmp_path, TEXT)
    script = "import sys; from engine import RuleSet; print(RuleSet.load(sys.argv[1]).digest)"
    for seed in ("1", "2", "3"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "ENGINE_CACHE": "off"}
        run = subprocess.run(
            [sys.executable, "-c", script, str(tmp_path)], env=environment, capture_output=True, text=True, check=True
        )
        assert run.stdout.strip() == here
