from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from engine import RuleSet
from engine.diagnostics import Findings, Source
from engine.files.yaml_source import parse, to_plain
from engine.loading.names import invalid_name
from engine.schemas.schema import rules_schema
from engine.schemas.schema_preset import preset_schema
from engine.schemas.schema_words import WORDS

KINDS = ("rules", "sources", "views", "watch")


def plain(text: str) -> Any:
    findings = Findings()
    node = parse(Source("test.yaml", text), findings)
    assert node is not None, findings.sorted()
    return to_plain(node)


def validator(schema: dict[str, Any]) -> jsonschema.Draft202012Validator:
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.fixture(scope="module")
def shipped() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="module")
def of_preset(shipped: RuleSet) -> jsonschema.Draft202012Validator:
    return validator(preset_schema(shipped))


@pytest.fixture(scope="module")
def of_rules() -> jsonschema.Draft202012Validator:
    return validator(rules_schema("rules"))


@pytest.mark.parametrize("folder", ["rules", "tests/cli/cited/rules"])
@pytest.mark.parametrize("suggesting", [False, True])
def test_rule_files_are_valid(repository: Path, folder: str, suggesting: bool) -> None:
    rules = RuleSet.load(repository / folder) if suggesting else None
    validators = {kind: validator(rules_schema(kind, rules)) for kind in KINDS}
    for path in sorted((repository / folder).rglob("*.yaml")):
        kind = path.stem if path.stem in KINDS else "rules"
        errors = list(validators[kind].iter_errors(plain(path.read_text(encoding="utf-8"))))
        assert not errors, f"{path}: {errors[0].json_path}: {errors[0].message}"


def test_presets_are_valid(repository: Path, of_preset: jsonschema.Draft202012Validator) -> None:
    for path in sorted((repository / "presets").glob("*.yaml")):
        errors = list(of_preset.iter_errors(plain(path.read_text(encoding="utf-8"))))
        assert not errors, f"{path}: {errors[0].json_path}: {errors[0].message}"


def test_every_key_is_described(shipped: RuleSet) -> None:
    used = set()
    for kind in KINDS:
        for body, schema in rules_schema(kind)["$defs"].items():
            assert schema["description"], body
            for key, value in schema.get("properties", {}).items():
                assert value["description"], f"say in engine/schemas/schema_words.py what `{key}` of {body} means"
                used |= {key, f"{body}.{key}"}
    assert set(WORDS) <= used, "a key that no body has"
    for name, schema in preset_schema(shipped)["properties"].items():
        assert schema["title"], name


RULE = """
rules:
  some_bytes:
    title: Bytes
    unit: B
    formula: B(2) * hidden_size
    cite: [{at: "upstream:a.py#L1-L2", in: f}]
    tests: [{given: {hidden_size: 2}, expect: 4}]
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("title: Bytes", "titel: Bytes"),
        ("title: Bytes", "title: 3"),
        ("    title: Bytes\n", ""),
        ("unit: B\n", "unit: bytes\n"),
        ("unit: B\n", "unit: B/\n"),
        ("unit: B\n", "unit: B\n    values: [a]\n"),
        ("    unit: B\n", ""),
        ("formula: B(2) * hidden_size", "formula: [1]"),
        ("    formula: B(2) * hidden_size\n", ""),
        ('    cite: [{at: "upstream:a.py#L1-L2", in: f}]\n', ""),
        ("upstream:a.py#L1-L2", "upstream:a.py"),
        (", in: f", ""),
        ("in: f", "in: f, line: 3"),
        ('at: "upstream:a.py#L1-L2", in: f', "paper: zero"),
        ("expect: 4", "rel: 1"),
        ("some_bytes", "bf16"),
        ("some_bytes", "stage"),
        ("some_bytes", "2nd"),
        ("rules:", "views:"),
        ("rules:", "rule:"),
        ("    unit: B\n", "    unit: B\n    over: rank\n"),
        ("    formula: B(2) * hidden_size\n", "    cases: [{when: a, formula: b}]\n"),
        (
            "    formula: B(2) * hidden_size\n",
            "    cases: [{when: a, formula: b, assumption: c}, {otherwise: d, assumption: e}]\n",
        ),
        (
            '    formula: B(2) * hidden_size\n    cite: [{at: "upstream:a.py#L1-L2", in: f}]\n',
            "    cases: [{when: a, formula: b, assumption: c}, {when: x, otherwise: d, assumption: e}]\n",
        ),
    ],
)
def test_broken_rules_are_not_valid(of_rules: jsonschema.Draft202012Validator, old: str, new: str) -> None:
    assert of_rules.is_valid(plain(RULE))
    assert RULE.count(old) == 1 or old == "title: Bytes"
    assert not of_rules.is_valid(plain(RULE.replace(old, new)))


@pytest.mark.parametrize(
    ("body", "valid"),
    [
        ("type: int, required: true", True),
        ("type: int", False),
        ("type: int, default: 1, absent: 2", False),
        ("type: whole, required: true", False),
        ("type: enum, required: true", False),
        ("type: enum, values: [a], absent: a", True),
        ("type: set, absent: []", False),
        ("type: layout, parser: megatron_moe_layer_freq, absent: none", False),
        ("type: layout, parser: megatron_pipeline_layout, absent: none", True),
        ("type: int, either: pair", False),
        ("type: int, either: pair, derived: other", True),
        ("type: int, required: false", False),
    ],
)
def test_inputs(of_rules: jsonschema.Draft202012Validator, body: str, valid: bool) -> None:
    assert of_rules.is_valid(plain(f"inputs: {{some_input: {{title: T, group: model, {body}}}}}")) is valid


@pytest.mark.parametrize(
    "name", ["bf16", "R1C1", "r2", "c", "RC", "tp8", "stage", "lookup", "ceil_div", "a b", "_a", "9a"]
)
def test_refused_ids_are_those_of_the_loader(name: str) -> None:
    names = rules_schema("rules")["properties"]["rules"]["propertyNames"]
    assert invalid_name(name)
    assert not validator(names).is_valid(name)


@pytest.mark.parametrize("name", ["seq_length", "weights", "bf16_bytes", "row", "log2x_y", "num_layers"])
def test_good_ids_are_taken(name: str) -> None:
    assert invalid_name(name) is None
    assert validator(rules_schema("rules")["properties"]["rules"]["propertyNames"]).is_valid(name)


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("num_layers: 32", True),
        ("num_layers: null", True),
        ("num_layers: 0", False),
        ("num_layers: 1.5", False),
        ("num_layers: '32'", False),
        ("num_layer: 32", False),
        ("swiglu: 1", False),
        ("params_dtype: BF16", True),
        ("params_dtype: bf17", False),
        ("bf16: true", True),
        ("bf16: yes", False),
        ("recompute_modules: [core_attn, MLP]", True),
        ("recompute_modules: [attention]", False),
        ("recompute_modules: core_attn", False),
        ("moe_layer_freq: 2", True),
        ("moe_layer_freq: [0, 1]", True),
        ("moe_layer_freq: '([0]*3+[1]*58)'", True),
        ("moe_layer_freq: [2]", False),
        ("moe_layer_freq: 'open(1)'", False),
        ("pipeline_model_parallel_layout: Et*3|(tt|)*29,m|L", True),
        ("pipeline_model_parallel_layout: [Et, tL]", True),
        ("pipeline_model_parallel_layout: x", False),
        ("[1, 2]", False),
    ],
)
def test_values_of_presets(of_preset: jsonschema.Draft202012Validator, text: str, valid: bool) -> None:
    assert of_preset.is_valid(plain(text)) is valid


def test_names_are_suggested_but_not_required(repository: Path) -> None:
    rules = RuleSet.load(repository / "tests/cli/cited/rules")
    views = rules_schema("views", rules)["$defs"]["ViewBody"]["properties"]["rows"]["items"]
    assert {"hidden_size", "peak_bytes", "check_budget"} <= set(views["anyOf"][0]["enum"])
    assert validator(views).is_valid("about_to_be_written")
    paper = rules_schema("rules", rules)["$defs"]["PaperCite"]["properties"]["paper"]
    assert paper["anyOf"][0]["enum"] == ["zero"]


def test_patterns_are_read_alike_by_all_validators(shipped: RuleSet) -> None:
    # escapes that only Python knows would fail in an editor, whose patterns are those of JavaScript
    patterns = re.findall(r"'pattern': '((?:[^'\\]|\\.)*)'", repr([preset_schema(shipped), rules_schema("rules")]))
    assert patterns
    for pattern in patterns:
        assert not re.search(r"\\{1,2}[-_ AZ#~%@&!<>=:;\"`]|\(\?P|\(\?<[^=!]", pattern), pattern
