"""A workbook is verified by recalculation in engines of foreign make, and every changed cell is told."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from engine import Preset, RuleSet
from engine.cli.main import cli
from engine.diagnostics import Diagnostic
from tests.support.xlsx import rewrite, type_into
from workbook.build import build
from workbook.cells import letters
from workbook.checking.audit import audit
from workbook.checking.carried import normal
from workbook.checking.verify import MOST_DIFFERENCES, compare, verify
from workbook.context import Context
from workbook.frame import Frame
from workbook.plan import plan
from workbook.reading.package import Package
from workbook.recalculation.engines import loader
from workbook.state import from_preset


def changed_cells(path: Path, rules: RuleSet) -> list[Diagnostic]:
    return [one.finding(path) for one in audit(path, rules).departures]


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(cli, arguments, prog_name="engine")
    return result.exit_code, result.output


def test_what_is_built_verifies(built: Path, rules: RuleSet) -> None:
    report = verify(built, rules, "ironcalc")
    assert report.findings == ()
    assert report.formulas > 20_000
    assert report.engine.startswith("ironcalc ")


def test_values_that_are_stored_do_not_count(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    def stale(name: str, content: bytes) -> bytes:
        return re.sub(rb"</f><v>[^<]*</v>", b"</f><v>999</v>", content)

    assert verify(rewrite(built, tmp_path / "stale.xlsx", stale, {}), rules, "ironcalc").findings == ()


def test_inputs_may_be_changed(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    path = type_into(
        built, tmp_path / "typed.xlsx", {("Inputs", "D9"): 8192, ("Inputs", "E10"): 64, ("Plan", "B15"): "GiB"}
    )
    assert verify(path, rules, "ironcalc").findings == ()


def test_every_kind_of_change_is_told(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    planned = plan(rules, from_preset(rules, Preset.load("presets/document-7b.yaml")))
    changes: dict[tuple[str, str], Any] = {}
    wanted = {}
    for title in ("Ledger", "Stages", "Virtual stages", "Layers", "Scenarios", "Checks", "Slicing"):
        cells = [cell for cell in planned.sheet(title).formulas() if cell.role == "rule" and cell.content != "1"]
        if cells:
            cell = cells[len(cells) // 2]
            changes[title, cell.address] = "=1"
            wanted[title] = cell.address
    changes["Plan", "B7"] = 12.5
    changes["Tables", "C6"] = 3
    path = type_into(built, tmp_path / "changed.xlsx", changes)
    found = [str(one).replace(f"{path}, ", "") for one in changed_cells(path, rules)]
    for title, address in {**wanted, "Plan": "B7", "Tables": "C6"}.items():
        code = "E911" if title == "Plan" else "E909"  # what only presents is told apart
        assert any(text.startswith(f"sheet {title}, cell {address}: error[{code}]: ") for text in found), (title, found)
    assert len(found) == len(changes)
    recalculated = verify(path, rules, "ironcalc").findings
    assert {one.code for one in recalculated} == {"E909", "E910", "E911"}


def test_what_follows_from_a_wrong_cell_is_counted(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    with Package(built) as package:
        area = package.names["hidden_size"]
    path = type_into(built, tmp_path / "changed.xlsx", {(area.sheet, f"{letters(area.column)}{area.row}"): "=7"})
    found = [str(one) for one in verify(path, rules, "ironcalc").findings]
    assert len([text for text in found if "E910" in text]) == MOST_DIFFERENCES + 1
    assert any("cells differ besides those that are told here" in text for text in found)


def test_a_moved_name_is_told(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    def moved(name: str, content: bytes) -> bytes:
        return content.replace(b'"bytes_per_gib">Ledger!$E$', b'"bytes_per_gib">Ledger!$D$')

    (found,) = changed_cells(rewrite(built, tmp_path / "moved.xlsx", moved, {}), rules)
    assert "error[E909]: the name `bytes_per_gib` belongs to Ledger!$E$" in str(found)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("IF( a >1, B$4 ,1000000000000000)", "if(A>1,b$4,1E+015)"),
        ("'Inputs'!$A$1+'Plan data'!B2", "Inputs!$A$1+'Plan data'!B2"),
        ('"A b"&x', '"A b" & X'),
        ("0.95", "0.9500"),
    ],
)
def test_applications_write_formulas_in_their_own_way(one: str, other: str) -> None:
    assert normal(one) == normal(other)
    assert normal(one) != normal(one + "+1")


def test_texts_keep_their_case() -> None:
    assert normal('"A b"') != normal('"a b"')
    assert normal('"A  b"') != normal('"A b"')


def test_verify_on_the_command_line(built: Path, tmp_path: Path) -> None:
    code, text = run("workbook", "verify", str(built))
    assert code == 0
    assert "formulas are those of the rules; recalculated by ironcalc" in text
    path = type_into(built, tmp_path / "changed.xlsx", {("Ledger", "E6"): "=1"})
    code, text = run("workbook", "verify", str(path))
    assert code == 1
    assert "sheet Ledger, cell E6: error[E909]: =1 in place of =" in text
    code, text = run("workbook", "verify", str(tmp_path / "none.xlsx"))
    assert code == 2


@pytest.mark.parametrize("engine", ["ironcalc", "formulas", "libreoffice"])
def test_a_missing_engine_says_how_to_install_it(
    engine: str, built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, engine, None)
    monkeypatch.setattr("shutil.which", lambda name: None)
    code, text = run("workbook", "verify", str(built), "--with", engine)
    assert code == 2
    assert "error[E908]: " in text
    assert ("libreoffice-calc-nogui" if engine == "libreoffice" else f"pip install {engine}") in text


def test_a_reduced_workbook_in_formulas(rules: RuleSet, tmp_path: Path) -> None:
    few = replace(rules, scenarios={"zero3": rules.scenarios["zero3"]})  # each column of scenarios takes seconds
    preset = Preset(
        {
            "num_layers": 8, "hidden_size": 512, "num_attention_heads": 8, "seq_length": 1024,
            "padded_vocab_size": 32000, "micro_batch_size": 2, "global_batch_size": 64, "world_size": 16,
            "tensor_model_parallel_size": 2, "pipeline_model_parallel_size": 4, "sequence_parallel": True,
            "virtual_pipeline_model_parallel_size": 2, "swiglu": True, "use_distributed_optimizer": True,
            "params_dtype": "bf16", "num_experts": 8, "moe_layer_freq": 2, "recompute_granularity": "selective",
            "device": "h100-80gb",
        }
    )  # fmt: skip
    state = from_preset(few, preset)
    book = plan(few, state, Frame(8, 4, 8))
    path = tmp_path / "small.xlsx"
    build(book, None, path)
    found = compare(book, Context(few, state), loader("formulas")(path))
    assert found.differences == ()
    assert found.excused == 0
