"""What is typed in a workbook is a preset, as strictly as one in YAML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import Preset, RuleSet, evaluate
from engine.cli.main import cli
from engine.diagnostics import EngineError
from tests.support.xlsx import put_cell, rewrite, type_into
from workbook.build import make
from workbook.reading.cell_xml import to_number
from workbook.reading.opened import preset_in
from workbook.reading.package import Package
from workbook.reading.read import read
from workbook.sheets.inputs import ENTERED, WHAT_IF


@pytest.fixture(scope="module")
def built(rules: RuleSet, document: Preset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The document's workbook with little room: what is read does not depend on it."""
    path = tmp_path_factory.mktemp("small") / "plan.xlsx"
    make(rules, document, path, layer=64, stage=4, virtual_stage=8)
    return path


def place(path: Path, name: str, column: int = ENTERED) -> tuple[str, str]:
    """Returns sheet and address of the cell in which an input is typed."""
    from workbook.cells import letters

    with Package(path) as package:
        area = package.names[name]
    return area.sheet, f"{letters(column)}{area.row}"


def preset(rules: RuleSet, path: Path, scenario: str | None = None) -> Preset:
    return preset_in(read(path, rules), rules, scenario)


def error(rules: RuleSet, path: Path, scenario: str | None = None) -> str:
    with pytest.raises(EngineError) as caught:
        preset(rules, path, scenario)
    return str(caught.value).replace(f"{path.parent}/", "")


@pytest.mark.parametrize("name", ["document-7b", "deepseek-v3", "llama3-70b", "mixtral-8x7b", "gpt3-175b"])
def test_a_workbook_stands_for_the_preset_it_was_built_from(
    name: str, rules: RuleSet, repository: Path, tmp_path: Path
) -> None:
    original = Preset.load(repository / "presets" / f"{name}.yaml")
    path = tmp_path / "plan.xlsx"
    make(rules, original, path)
    here, there = evaluate(rules, preset(rules, path)), evaluate(rules, original)
    assert {id: here.get(id) for id in rules.computed} == {id: there.get(id) for id in rules.computed}
    assert here.verdict == there.verdict


def test_flags_that_are_not_modelled_survive(rules: RuleSet, document: Preset, tmp_path: Path) -> None:
    flags = {"num-layers": 2, "heterogeneous-layers-config-path": "x"}
    original = Preset.from_megatron_flags(flags, rules)
    assert original.flags is not None and original.flags.unmodelled
    path = tmp_path / "plan.xlsx"
    make(rules, Preset(document.values, flags=original.flags), path)
    found = preset(rules, path)
    assert found.flags is not None
    assert found.flags.unmodelled == original.flags.unmodelled
    assert evaluate(rules, found).verdict == "incomplete"


def test_what_is_typed_counts(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    cells: dict[tuple[str, str], Any] = {
        place(built, "micro_batch_size"): 4,
        place(built, "swiglu"): "OFF",
        place(built, "device"): "A100-80GB",
        place(built, "recompute_modules_mlp"): "on",
        place(built, "context_parallel_size"): None,
        place(built, "hidden_dropout"): 0.25,
    }
    found = preset(rules, type_into(built, tmp_path / "typed.xlsx", cells))
    values = evaluate(rules, found)
    assert values.get("micro_batch_size") == 4
    assert values.get("swiglu") is False
    assert values.get("device") == "a100-80gb"
    assert values.get("recompute_modules_mlp") is True
    assert values.get("hidden_dropout") == 0.25
    assert "context_parallel_size" not in found.values


def test_what_ifs_change_what_is_entered(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    third = WHAT_IF + 2
    cells: dict[tuple[str, str], Any] = {
        place(built, "data_parallel_size", third): 8,
        place(built, "kv_channels", third): "none",
        place(built, "sequence_parallel", third): "off",
        ("Inputs", "G5"): "Small",
    }
    path = type_into(built, tmp_path / "typed.xlsx", cells)
    for scenario in ("What-if 3", "small", "What-if 3: Small"):
        found = preset(rules, path, scenario)
        assert found.path == f"{path}, What-if 3"
        assert found.values["data_parallel_size"] == 8
        assert "world_size" not in found.values
        assert found.values["sequence_parallel"] is False
        assert evaluate(rules, found).get("kv_channels") == 128
    assert preset(rules, path, "entered").values["world_size"] == 256
    assert evaluate(rules, preset(rules, path, "zero3")).get("sharding") == "zero3"
    assert "did you mean `What-if 3`" in error(rules, path, "what-if 33")


def test_the_scenario_that_is_shown_is_read(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    path = type_into(built, tmp_path / "typed.xlsx", {("Plan", "B14"): "zero3: ZeRO-3 in place of ZeRO-1"})
    assert preset(rules, path).path.endswith(", zero3")
    path = type_into(built, tmp_path / "typed.xlsx", {("Plan", "B14"): "something else"})
    assert "which is no scenario" in error(rules, path)


def test_layers_can_be_set_by_hand(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    with Package(built) as package:
        typed = package.names["moe_layer_freq_typed"]
    cells: dict[tuple[str, str], Any] = {
        ("Layers", f"E{typed.row}"): 0,
        ("Layers", f"G{typed.row}"): 0,
        place(built, "num_layers"): 4,
        place(built, "num_layers", WHAT_IF): 6,
    }
    path = type_into(built, tmp_path / "typed.xlsx", cells)
    assert preset(rules, path).values["moe_layer_freq"] == "([0]*1+[1]*1+[0]*1+[1]*1)"
    assert evaluate(rules, preset(rules, path, "What-if 1")).get("moe_layer_freq") == [0, 1, 0, 1, 1, 1]


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("device", "abacus", "error[E504]: `device` has no member `abacus`"),
        ("hidden_size", "4096 ", "error[E502]: `hidden_size` must be a number, not the text '4096 '"),
        ("hidden_size", 4096.5, "error[E502]: `hidden_size` must be an integer, not 4096.5"),
        ("hidden_size", 0, "error[E503]: `hidden_size` must be from 1"),
        ("swiglu", "yes", "error[E502]: `swiglu` must be on or off, not yes"),
        ("swiglu", True, "error[E502]: `swiglu` cannot be TRUE"),
        ("recompute_modules_mlp", "maybe", "error[E502]: `recompute_modules` must be on or off, not maybe"),
        ("moe_layer_freq_every", "often", "error[E505]: `moe_layer_freq` cannot be often"),
        ("moe_layer_freq_every", "list", "error[E505]: `moe_layer_freq` is list, but nothing is typed here"),
        ("pipeline_model_parallel_layout_stages", "Et|L", "error[E505]: `pipeline_model_parallel_layout` must be list"),
        ("micro_batch_size", "=2*2", "error[E906]: `micro_batch_size`: the formula =2*2 has no stored value"),
    ],
)
def test_errors_name_sheet_and_cell(
    name: str, value: object, expected: str, rules: RuleSet, built: Path, tmp_path: Path
) -> None:
    sheet, address = place(built, name)
    path = type_into(built, tmp_path / "typed.xlsx", {(sheet, address): value})
    text = error(rules, path)
    assert expected in text
    where = "sheet Layers, cell E7" if "nothing is typed here" in text else f"sheet {sheet}, cell {address}"
    assert text.startswith(f"typed.xlsx, {where}: ")


def test_entries_of_layers_are_checked(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    text = error(rules, type_into(built, tmp_path / "typed.xlsx", {("Layers", "F7"): 2}))
    assert text.startswith("typed.xlsx, sheet Layers, cell F7: error[E505]: `moe_layer_freq` must be 0 or 1, not 2")


def test_all_errors_are_told_at_once(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    cells = {place(built, "hidden_size"): "many", place(built, "device"): "abacus", place(built, "num_layers"): 0}
    cells |= {place(built, "swiglu"): True, place(built, "seq_length"): "=8*1024"}
    text = error(rules, type_into(built, tmp_path / "typed.xlsx", cells))
    assert "5 errors" in text
    assert all(f"cell {address}: error" in text for _, address in cells)


def test_a_typed_formula_counts_by_its_stored_number(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    sheet, address = place(built, "seq_length")
    path = put_cell(built, tmp_path / "typed.xlsx", sheet, address, "<c {}><f>8*1024</f><v>8192</v></c>")
    opened = read(path, rules)
    assert preset_in(opened, rules).values["seq_length"] == 8192
    (note,) = opened.notes
    assert f"sheet {sheet}, cell {address}: note[N901]: `seq_length`: the formula =8*1024 counts as 8192" in str(note)
    path = put_cell(built, tmp_path / "typed.xlsx", sheet, address, '<c {} t="e"><f>1/0</f><v>#DIV/0!</v></c>')
    assert "error[E906]: `seq_length`: the formula =1/0 shows #DIV/0!" in error(rules, path)


def test_a_missing_name_is_told(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    def without(name: str, content: bytes) -> bytes:
        return content.replace(b'name="hidden_size"', b'name="hidden_size_2"') if name == "xl/workbook.xml" else content

    text = error(rules, rewrite(built, tmp_path / "renamed.xlsx", without, {}))
    assert "error[E904]: sheet Inputs has no cell of the name `hidden_size` for the input `hidden_size`" in text
    assert "error[E501]: unknown input `hidden_size`" in text  # its row is there, and something is typed in it


def test_a_workbook_of_other_rules_is_refused(rules: RuleSet, built: Path, repository: Path, tmp_path: Path) -> None:
    import shutil

    other = tmp_path / "rules"
    shutil.copytree(repository / "rules", other)
    file = other / "document" / "devices.yaml"
    file.write_text(file.read_text().replace("<= fit_band", "< fit_band"), encoding="utf-8")
    changed = RuleSet.load(other)
    text = error(changed, built)
    assert text.startswith("plan.xlsx, sheet Read me, cell B")
    assert "error[E905]: the workbook was built from rules" in text
    assert preset_in(read(built, changed, other_rules=True), changed).values["hidden_size"] == 4096


def test_rows_of_unknown_inputs_are_not_dropped_in_silence(
    rules: RuleSet, built: Path, repository: Path, tmp_path: Path
) -> None:
    def renamed(name: str, content: bytes) -> bytes:
        return content.replace(b'name="kv_channels"', b'name="kv_chanels"') if name == "xl/workbook.xml" else content

    assert "unknown input `kv_channels`" in error(rules, rewrite(built, tmp_path / "old.xlsx", renamed, {}))


def test_columns_may_have_been_inserted(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    from openpyxl import load_workbook

    book = load_workbook(built)
    sheet = book["Inputs"]
    shift = 1
    moved = load_workbook(built)
    target = moved["Inputs"]
    for row in sheet.iter_rows(min_col=ENTERED):  # by hand, since openpyxl leaves formulas and names behind
        for cell in row:
            target.cell(cell.row, cell.column + shift).value = cell.value
            if cell.column == ENTERED:
                target.cell(cell.row, cell.column).value = None
    for name in list(moved.defined_names):
        text = moved.defined_names[name].attr_text
        if text.startswith("Inputs!"):
            parts = text.removeprefix("Inputs!").replace("$", " ").split()
            columns = [part.rstrip(":") for part in parts if part.rstrip(":").isalpha()]
            for column in dict.fromkeys(columns):
                from workbook.cells import letters

                text = text.replace(f"${column}$", f"$#{letters(to_number(column) + shift)}$")
            moved.defined_names[name].attr_text = text.replace("#", "")
    path = tmp_path / "moved.xlsx"
    moved.save(path)
    assert preset(rules, path).values["hidden_size"] == 4096


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, arguments, prog_name="engine")
    return result.exit_code, result.output


def test_eval_takes_a_workbook(built: Path, repository: Path) -> None:
    rules, yaml = str(repository / "rules"), str(repository / "presets" / "document-7b.yaml")
    only = ("--only", "log_total_mib,document_first_stage_bytes")
    assert run("eval", rules, str(built), *only) == run("eval", rules, yaml, *only)
    zero3 = ("--scenario", "zero3", *only)
    assert run("eval", rules, str(built), *zero3) == run("eval", rules, yaml, *zero3)
    code, text = run("eval", rules, str(built), "--scenario", "What-if 7")
    assert code == 2
    assert "there is no scenario `What-if 7`" in text


def test_read_writes_a_preset(built: Path, repository: Path, rules: RuleSet, tmp_path: Path) -> None:
    target = tmp_path / "preset.yaml"
    assert run("workbook", "read", str(built), "-o", str(target)) == (0, "")
    here, there = Preset.load(target), Preset.load(repository / "presets" / "document-7b.yaml")
    assert evaluate(rules, here).to_dict()["values"] == evaluate(rules, there).to_dict()["values"]
    code, text = run("workbook", "read", str(built))
    assert (code, text) == (0, target.read_text(encoding="utf-8"))


def test_a_failed_read_leaves_the_file_as_it_was(built: Path, tmp_path: Path) -> None:
    target = tmp_path / "preset.yaml"
    target.write_text("mine", encoding="utf-8")
    path = type_into(built, tmp_path / "typed.xlsx", {place(built, "hidden_size"): "many"})
    code, _ = run("workbook", "read", str(path), "-o", str(target))
    assert code == 2
    assert target.read_text(encoding="utf-8") == "mine"
