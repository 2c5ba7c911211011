"""The commands that tell about the rules: show, explain, graph, schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import RuleSet
from engine.cli.main import cli
from engine.codes import REGISTRY
from engine.explaining.describe import LISTS, describe
from engine.render import page

HERE = Path(__file__).parent
RULES = ("--rules", "cited/rules")


@pytest.fixture(autouse=True)
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(HERE)  # so that outputs name paths that are the same everywhere


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, [*arguments])


GOLDEN = {
    "show-rule": ("show", "expert_factor", *RULES),
    "show-vector": ("show", "stage_bytes", *RULES),
    "show-rule-md": ("show", "dense_parameters", *RULES, "--format", "md"),
    "show-rule-json": ("show", "dense_parameters", *RULES, "--format", "json"),
    "show-input": ("show", "num_layers", *RULES),
    "show-input-of-a-pair": ("show", "data_parallel_size", *RULES),
    "show-set": ("show", "recompute_modules_mlp", *RULES),
    "show-check": ("show", "check_budget", *RULES),
    "show-table": ("show", "dtypes", *RULES),
    "show-table-md": ("show", "dtypes", *RULES, "--format", "md"),
    "show-view": ("show", "memory", *RULES),
    "show-inputs": ("show", "inputs", *RULES),
    "show-rules": ("show", "rules", *RULES),
    "show-code": ("show", "e306"),
    "explain": ("explain", "check_budget", "cited/preset.yaml", *RULES),
    "explain-depth": ("explain", "stage_bytes", "cited/preset.yaml", *RULES, "--depth", "1"),
    "explain-entry": ("explain", "stage_bytes[1]", "cited/preset.yaml", *RULES, "--depth", "0"),
    "explain-missing": ("explain", "headroom_share", "cited/preset.yaml", *RULES, "--set", "hidden_size=null"),
    "explain-failed": (
        "explain", "headroom_share", "cited/preset.yaml", *RULES, "--set", "num_experts=0", "--depth", "1",
    ),
    "explain-json": ("explain", "expert_factor", "cited/preset.yaml", *RULES, "--format", "json"),
    "graph-dot": ("graph", "cited/rules", "--select", "+expert_factor,check_budget", "--as", "dot"),
    "graph-mermaid": ("graph", "cited/rules", "--select", "+stage_bytes", "--as", "mermaid"),
    "graph-json": ("graph", "cited/rules", "--select", "num_layers+", "--as", "json"),
    "schema-preset": ("schema", "preset", "cited/rules"),
    "schema-views": ("schema", "views"),
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_output(name: str, update_golden: bool) -> None:
    result = run(*GOLDEN[name])
    output = re.sub(r"\b[0-9a-f]{64}\b", "DIGEST", result.stdout)  # it is not for this test to hold
    path = HERE / "golden" / f"{name}.txt"
    assert (result.exit_code, result.stderr) == (0, "")
    if update_golden:
        path.write_text(output, encoding="utf-8")
    assert output == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", [name for name in GOLDEN if name.startswith(("show", "explain"))])
def test_text_fits_a_plain_terminal(name: str) -> None:
    if "--format" not in GOLDEN[name]:
        lines = (HERE / "golden" / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        assert [line for line in lines if len(line) > 100 and "https://" not in line] == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "expert_facto", *RULES), "did you mean `expert_factor`?"),
        (("show", "xyz", *RULES), "`engine show WORD` lists what there is: inputs, rules,"),
        (("show", "E999"), "there is no diagnostic code `E999`"),
        (("show", "peak_bytes", "--rules", "nowhere"), "nowhere"),
        (("explain", "peak_byte", "cited/preset.yaml", *RULES), "did you mean `peak_bytes`?"),
        (("explain", "peak_bytes", "nowhere.yaml", *RULES), "nowhere.yaml"),
        (("explain", "peak_bytes", "cited/preset.yaml", *RULES, "--set", "hidden_size"), "name=value"),
        (("explain", "peak_bytes", "cited/preset.yaml", *RULES, "--set", "hidden_size=-1"), "must be from 1"),
        (("explain", "peak_bytes", "cited/preset.yaml", *RULES, "--depth", "-1"), "--depth"),
        (("graph", "cited/rules", "--select", "peak_byte"), "did you mean `peak_bytes`?"),
        (("graph", "cited/rules", "--as", "svg"), "svg"),
        (("schema", "workbook"), "workbook"),
        (("schema", "preset", "nowhere"), "nowhere"),
    ],
)
def test_what_cannot_be_done_exits_with_2(arguments: tuple[str, ...], words: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert words in result.stderr
    assert "Traceback" not in result.stderr


def test_every_page_of_the_shipped_rules_fits_a_plain_terminal() -> None:
    rules = RuleSet.load()
    plans = {"slice": rules.slices, "group": rules.groups, "scenario": rules.scenarios, "advice": rules.advice}
    named = (f"{kind}:{id}" for kind, ids in plans.items() for id in ids)
    for name in (*rules.computed, *rules.inputs, *rules.tables, *rules.views, *named, *LISTS):
        content = describe(rules, name)
        assert json.dumps(content, allow_nan=False)
        assert page.markdown(content).startswith("# ")
        lines = page.text(content, 100).splitlines()
        assert [line for line in lines if len(line) > 100 and "https://" not in line] == []


@pytest.mark.parametrize("form", ["text", "md", "json"])
@pytest.mark.parametrize("code", REGISTRY)
def test_every_code_has_a_page(code: str, form: str) -> None:
    # from a place without rules: what is broken may be the rules
    result = run("show", code, "--format", form)
    assert result.exit_code == 0
    assert REGISTRY[code].title in result.stdout
    if form == "json":
        assert json.loads(result.stdout)["code"] == code


@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_the_list_of_codes(form: str) -> None:
    result = run("show", "codes", "--format", form)
    assert all(code in result.stdout for code in REGISTRY)


def test_the_page_of_a_slice() -> None:
    content = describe(RuleSet.load(), "tensor_parallel")
    assert (content["kind"], content["degree"]) == ("slice", "tensor_model_parallel_size")
    cells = {(cell["group"], cell["component"]): cell["divided_by"] for cell in content["cells"]}
    assert cells["tp_matrix", "optimizer"] == "tensor_model_parallel_size"
    assert cells["norm_dropout", "activations"] == "1"
    assert set(content["notes"]) == {"expert", "norm_dropout"}
    text = page.text(content, 100)
    assert "weights, gradients, optimizer  tensor_model_parallel_size" in text
    assert "how often  a layer and micro-batch" in text
    assert content["sends"]["rule"] == "communication_tensor_parallel"
    assert "stage_in_flight_microbatches" in page.text(describe(RuleSet.load(), "pipeline_parallel"), 100)


def test_the_page_of_a_group_of_tensors() -> None:
    content = describe(RuleSet.load(), "expert")
    assert content["kind"] == "group"
    assert {"expert_parallel", "zero1", "zero3"} <= {one["slice"] for one in content["cut_by"]}
    assert content["divisors"][0]["id"] == "divisor_expert_weights"
    assert "Cut by" in page.text(content, 100)


def test_the_page_of_advice() -> None:
    content = describe(RuleSet.load(), "out_of_memory")
    titles = [action["title"] for action in content["actions"]]
    text = page.text(content, 100)
    assert titles[0] == "Smaller micro-batch, more of them"
    assert content["actions"][0]["formulas"]["micro_batch_size"] == "max(1, micro_batch_size // 2)"
    assert [line for line in text.splitlines() if line.startswith(("1. ", "2. "))] == [
        f"1. {titles[0]}",
        f"2. {titles[1]}",
    ]
    assert "Leave alone" in page.text(describe(RuleSet.load(), "states_too_large"), 100)


def test_a_scenario_and_a_slice_of_one_name() -> None:
    rules = RuleSet.load()
    first, second = describe(rules, "zero3"), describe(rules, "scenario:zero3")
    assert (first["kind"], first["see_also"]) == ("slice", ["scenario:zero3"])
    assert (second["kind"], second["changes"]) == ("scenario", {"sharding": "zero3"})
    assert "see_also" not in second
    assert "engine show scenario:zero3" in page.text(first, 100)
    assert run("show", "rule:zero3").exit_code == 2


@pytest.mark.parametrize("word", ["inputs", "rules", "checks", "tables", "views"])
@pytest.mark.parametrize("form", ["text", "md", "json"])
def test_lists(word: str, form: str) -> None:
    result = run("show", word, *RULES, "--format", form)
    assert result.exit_code == 0
    if form == "json":
        assert json.loads(result.stdout)["entries"]


def test_graphs_can_go_to_a_file(tmp_path: Path) -> None:
    path = tmp_path / "graph.dot"
    result = run("graph", "cited/rules", "-o", str(path))
    assert (result.exit_code, result.stdout) == (0, "")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("digraph")
    assert text.count(" -> ") == sum(map(len, RuleSet.load("cited/rules").graph.reads.values()))


def test_a_graph_has_no_edge_to_what_was_not_selected() -> None:
    content = json.loads(run("graph", "cited/rules", "--select", "weight_bytes,peak_bytes", "--as", "json").stdout)
    assert [node["id"] for node in content["nodes"]] == ["weight_bytes", "peak_bytes"]
    assert content["edges"] == []


@pytest.mark.parametrize("kind", ["rules", "sources", "views", "preset"])
@pytest.mark.parametrize("folder", [(), ("cited/rules",)])
def test_schemas_are_json(kind: str, folder: tuple[str, ...]) -> None:
    if kind != "preset" or folder:  # the shipped rules have their own tests
        assert json.loads(run("schema", kind, *folder).stdout)["$schema"].endswith("2020-12/schema")
