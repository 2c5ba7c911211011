"""Presets written as launch flags, in many ways, are read back as they were."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from engine import RuleSet
from engine.diagnostics import Source
from engine.importing.megatron_flags import spelled
from engine.importing.sniff import read_preset
from engine.inputs.accept import accept
from engine.rules import Input

RULES = RuleSet.load()
INPUTS = [item for item in RULES.inputs.values() if item.flag or item.off_flags or item.from_flags]
PATTERNS = {
    "layer_vector": ["1", "3", "([0]*1+[1]*3)", "[1,0]*2"],
    "layout": ["Et*2|(t|)*2,mL", "E|t*3|tL", "Etttt|ttttL"],
}


def values(item: Input) -> st.SearchStrategy[Any]:
    """Values that flags can give to an input."""
    match item.kind:
        case "int":
            return st.integers(int(item.minimum or 0), min(int(item.maximum or 10**6), 10**6))
        case "number":
            return st.floats(item.minimum or 0, min(item.maximum or 1e6, 1e6), allow_subnormal=False)
        case "flag":
            return st.sampled_from([True] * bool(item.flag) + [False] * bool(item.off_flags))
        case "enum":
            members = item.values if item.flag else tuple(item.from_flags.values())
            return st.sampled_from(members)
        case "set":
            return st.lists(st.sampled_from(item.members), min_size=1, unique=True)
    return st.sampled_from(PATTERNS[item.kind])


@st.composite
def presets(draw: st.DrawFn) -> dict[str, Any]:
    chosen = draw(st.lists(st.sampled_from(INPUTS), min_size=1, max_size=25, unique_by=_one_of))
    return {item.id: draw(values(item)) for item in chosen}


def _one_of(item: Input) -> str:
    """Of the ways to say how many chunks a stage has, the launcher takes one."""
    return "chunks" if item.either == "virtual_pipeline" or item.kind == "layout" else item.id


def flags_of(preset: Mapping[str, Any]) -> list[list[str]]:
    """Returns a flag and its values for each input."""
    found = []
    for id, value in preset.items():
        item = RULES.inputs[id]
        named = item.flag or spelled(id)
        if item.kind == "flag":
            found.append([item.off_flags[0] if value is False else named])
        elif item.kind == "enum" and not item.flag:
            found.append([next(spelled(name) for name, member in item.from_flags.items() if member == value)])
        else:
            found.append([named, *(value if isinstance(value, list) else [str(value)])])
    return found


@st.composite
def scripts(draw: st.DrawFn, flags: list[list[str]]) -> str:
    """Writes flags as a launch script; each group of them in another way."""
    head, tail = ["#!/bin/bash"], ["torchrun", "train.py"]
    for number, (flag, *words) in enumerate(flags):
        way = draw(st.sampled_from(["plain", "equals", "variable", "array", "string", "condition", "braces"]))
        quoted = [shlex.quote(word) for word in words]
        simple = all(word.replace(".", "").replace("-", "").replace("_", "").isalnum() for word in words)
        if way == "equals" and len(words) == 1:
            tail.append(f"{flag}={quoted[0]}")
        elif way == "variable" and len(words) == 1:
            head.append(f"X{number}={quoted[0]}  # {flag}")
            tail += [flag, f'"$X{number}"']
        elif way == "array":
            head.append(f"A{number}=(\n    {flag}\n    {' '.join(quoted)}\n)")
            tail.append(f'"${{A{number}[@]}}"')
        elif way == "string" and simple:
            head.append(f'S{number}=" \\\n  {flag} {" ".join(words)} "')
            tail.append(f"$S{number}")
        elif way == "condition" and simple:
            head.append(f'C{number}=""\nif [[ -z "$NOTHING" ]]; then C{number}+=" {flag} {" ".join(words)}"; fi')
            tail.append(f"${{C{number}}}")
        elif way == "braces" and len(words) == 1 and simple:
            tail += [flag, f"${{UNSET{number}:-{words[0]}}}"]
        else:
            tail += [flag, *quoted]
    return "\n".join(head) + "\n" + draw(st.sampled_from([" \\\n    ", " "])).join(tail) + "\n"


def assert_same(preset: Mapping[str, Any], found: Mapping[str, Any], settled: Mapping[str, str]) -> None:
    expected = {id: accept(RULES.inputs[id], value) for id, value in preset.items()}
    if preset.get("sequence_parallel") and preset.get("tensor_model_parallel_size", 1) == 1:
        expected["sequence_parallel"] = False
    actual = {id: accept(RULES.inputs[id], value) for id, value in found.items()}
    assert {id: value for id, value in actual.items() if id not in settled or id in expected} == expected


@settings(max_examples=60, deadline=None)
@given(st.data(), presets())
def test_a_script(data: st.DataObject, preset: dict[str, Any]) -> None:
    script = data.draw(scripts(flags_of(preset)))
    found = read_preset(Source("run.sh", script), RULES)
    assert found.flags is not None
    assert not found.flags.unread
    assert not found.flags.unknown
    found_values = {id: value for id, value in found.values.items() if id != "world_size" or id in preset}
    assert_same(preset, found_values, found.flags.settled)


@settings(max_examples=30, deadline=None)
@given(presets())
def test_an_argument_file(preset: dict[str, Any]) -> None:
    import yaml

    flags = {flag: True if not words else words[0] if len(words) == 1 else f"[{' '.join(words)}]"
             for flag, *words in flags_of(preset)}  # fmt: skip
    text = yaml.safe_dump({"MODEL_ARGS": flags})
    found = read_preset(Source("args.yaml", text), RULES)
    assert found.flags is not None
    assert_same(preset, found.values, found.flags.settled)


@settings(max_examples=30, deadline=None)
@given(presets())
def test_a_log(preset: dict[str, Any]) -> None:
    if preset.get("recompute_granularity") != "full":
        preset = {id: v for id, v in preset.items() if id not in ("recompute_num_layers", "recompute_method")}
    lines = [f"  {id} {'.' * (48 - len(id))} {value}" for id, value in preset.items()]
    head, tail = "-" * 24 + " arguments " + "-" * 24, "-" * 20 + " end of arguments " + "-" * 21
    found = read_preset(Source("x.log", "\n".join([head, *lines, "  lr ........ 0.1", tail])), RULES)
    assert found.flags is not None
    assert_same(preset, found.values, found.flags.settled)
