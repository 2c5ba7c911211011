"""`engine audit PLAN.xlsx`: every cell that departs from its rule, what was typed since, and rules that moved on."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner
from openpyxl import load_workbook

from engine import Preset, RuleSet
from engine.cli.audit_workbook import as_data
from engine.cli.main import cli
from tests.audit.sarif import SCHEMA
from tests.support.xlsx import rewrite, type_into
from workbook.cells import Cell, letters
from workbook.checking.audit import WorkbookAudit, audit
from workbook.checking.reached import reached
from workbook.plan import plan
from workbook.recalculation.in_libreoffice import convert, find
from workbook.sheets.inputs import ENTERED, SCENARIO, TITLES, WHAT_IF
from workbook.state import from_preset

SOFFICE = find()


@dataclass(frozen=True)
class Cells:
    """Cells of the document's workbook that tests change, as sheet and address."""

    ledger: tuple[str, str]
    row: tuple[tuple[str, str], ...]
    inside: tuple[str, str]
    presented: tuple[str, str]
    hidden_size: tuple[str, str]

    @property
    def changes(self) -> dict[tuple[str, str], Any]:
        return {
            self.ledger: 5, self.presented: "fits", self.inside: 1, self.hidden_size: 8192,
            **dict.fromkeys(self.row, 7),
        }  # fmt: skip

    @property
    def told(self) -> set[tuple[str, str, str]]:
        computed = {("formula", *cell) for cell in (self.ledger, self.inside, *self.row)}
        return computed | {("presentation", *self.presented)}


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(cli, ["audit", *map(str, arguments)], prog_name="engine")
    return result.exit_code, result.stdout, result.stderr


def told(found: WorkbookAudit) -> set[tuple[str, str, str]]:
    return {(one.kind, one.sheet, one.address) for one in found.departures}


@pytest.fixture(scope="module")
def planned(rules: RuleSet, document: Preset) -> dict[str, dict[tuple[int, int], Cell]]:
    return {sheet.title: sheet.cells for sheet in plan(rules, from_preset(rules, document)).sheets}


@pytest.fixture(scope="module")
def at(planned: dict[str, dict[tuple[int, int], Cell]]) -> Cells:
    def first(sheet: str, which: Callable[[Cell], bool]) -> tuple[str, str]:
        return sheet, next(cell.address for cell in planned[sheet].values() if cell.kind == "formula" and which(cell))

    stages = [cell for cell in planned["Stages"].values() if cell.source and cell.source.id == "stage_peak_bytes"]
    names = {cell.content: row for (row, _), cell in planned["Inputs"].items() if cell.kind == "text"}
    return Cells(
        ledger=first("Ledger", lambda cell: cell.source is not None and cell.source.id == "layernorm_params"),
        row=tuple(("Stages", cell.address) for cell in stages[1:25]),
        inside=first("Stages", lambda cell: cell.role == "presentation"),
        presented=first("Plan", lambda cell: cell.style == "size"),
        hidden_size=("Inputs", f"{letters(ENTERED)}{names['hidden_size']}"),
    )


@pytest.fixture(scope="module")
def other(rules: RuleSet, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Rules of which one has another formula, one is new and one has another name."""
    folder = tmp_path_factory.mktemp("other") / "rules"
    shutil.copytree(rules.path, folder)
    path = folder / "parameters" / "mlp.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count("elem(2 * hidden_size * norm_size)") == 1
    path.write_text(text.replace("elem(2 * hidden_size * norm_size)", "elem(3 * hidden_size * norm_size)"), "utf-8")
    (folder / "more.yaml").write_text(
        'rules: {one_more: {title: One more, unit: "1", formula: "num_layers + 1", assumption: a test}}\n', "utf-8"
    )
    return folder


@pytest.fixture(scope="module")
def touched(built: Path, at: Cells, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return type_into(built, tmp_path_factory.mktemp("touched") / "touched.xlsx", at.changes)


@pytest.fixture(scope="module")
def found(touched: Path, rules: RuleSet) -> WorkbookAudit:
    return audit(touched, rules)


def test_a_fresh_workbook_is_clean(built: Path, rules: RuleSet) -> None:
    found = audit(built, rules)
    assert (found.departures, found.inputs, found.other, found.problems) == ((), (), None, ())
    assert found.compared > 20_000
    code, out, _ = run(built)
    assert code == 0
    assert "formulas compared: none changed, 0 inputs changed since it was built" in out


def test_200_cells_at_random_are_all_told_and_no_others(
    built: Path, rules: RuleSet, planned: dict[str, dict[tuple[int, int], Cell]], tmp_path: Path
) -> None:
    random = Random(7)
    formulas = [(title, cell) for title, cells in planned.items() for cell in cells.values() if cell.kind == "formula"]
    changes: dict[tuple[str, str], Any] = {}
    for title, cell in random.sample(formulas, 200):
        number = re.search(r"(?<![\w$.])\d+", str(cell.content))
        edits = [1.5, "=1+1", None, "gone", f"={cell.content}+1"]
        edits += [f"={cell.content[: number.start()]}9{cell.content[number.start() :]}"] if number else []
        changes[title, cell.address] = random.choice(edits)
    found = audit(type_into(built, tmp_path / "t.xlsx", changes), rules)
    assert {(one.sheet, one.address) for one in found.departures} == set(changes)
    roles = {(title, cell.address): cell.role for title, cell in formulas}
    assert all(roles[one.sheet, one.address] == "presentation" for one in found.departures if one.kind != "formula")


def test_what_only_presents_is_told_apart(found: WorkbookAudit, touched: Path, at: Cells) -> None:
    assert told(found) == at.told
    code, out, _ = run(touched)
    assert code == 1
    formulas, _, presented = out.partition("\ncells that only present\n")
    assert f"sheet Ledger, cell {at.ledger[1]}: error[E909]: 5 in place of =" in formulas
    assert f"sheet Stages, cell {at.inside[1]}: error[E909]: 1 in place of =IF(" in formulas
    assert "(presentation that rules read)" in formulas
    assert f"sheet Plan, cell {at.presented[1]}: error[E911]: 'fits' in place of =IF(" in presented
    assert f"sheet Inputs, cell {at.hidden_size[1]}: note[N902]: hidden_size: 4096 when built, 8192 now" in presented
    cells = f"{at.row[0][1]}:{at.row[-1][1]}"
    assert f"sheet Stages, cells {cells}: error[E909]: 24 cells, the first with 7 in place of" in formulas
    assert "compared: 26 changed, 1 that only present changed, 1 input changed since it was built" in out


def test_inputs_may_change_and_are_listed(built: Path, rules: RuleSet, at: Cells, tmp_path: Path) -> None:
    book = load_workbook(built)
    entered, what_if = letters(ENTERED), letters(WHAT_IF)
    flag = next(row for row in range(7, 200) if book["Inputs"][f"{entered}{row}"].value == "on")
    size = at.hidden_size[1].removeprefix(entered)
    layers = f"F{next(row[0].row for row in book['Layers'].iter_rows() if str(row[0].value).endswith('type here'))}"
    changes = {
        at.hidden_size: 8192, ("Inputs", f"{what_if}{TITLES}"): "Larger", ("Inputs", f"{what_if}{size}"): 64,
        ("Layers", layers): 1, ("Inputs", f"{entered}{flag}"): "ON",
    }  # fmt: skip
    found = audit(type_into(built, tmp_path / "t.xlsx", changes), rules)
    assert (found.departures, found.failing()) == ((), False)
    assert [(one.name, one.sheet, one.address, one.built, one.now) for one in found.inputs] == [
        ("hidden_size", *at.hidden_size, "4096", "8192"),
        ("moe_layer_freq[1]", "Layers", layers, "nothing", "1"),
    ]
    assert found.built.what_ifs == 1


def test_what_is_typed_may_make_no_configuration(built: Path, rules: RuleSet, at: Cells, tmp_path: Path) -> None:
    path = type_into(built, tmp_path / "t.xlsx", {at.hidden_size: "=1/0", at.ledger: 5})
    found = audit(path, rules)
    assert told(found) == {("formula", *at.ledger)}
    assert [(one.code, one.span is not None) for one in found.problems] == [("E906", True)]
    assert found.failing()


def test_rules_that_moved_on(touched: Path, built: Path, at: Cells, other: Path) -> None:
    clean = audit(built, RuleSet.load(other))
    assert clean.departures == ()
    (finding,) = clean.of_rules()
    assert finding.code == "E905"
    assert finding.help == "rules with another formula: `layernorm_params`; rules that the workbook lacks: `one_more`"
    code, out, _ = run(touched, "--rules", other)
    assert code == 1
    assert "touched.xlsx: error[E905]: the workbook was built from rules with digest" in out
    cells = f"{at.row[0][1]}:{at.row[-1][1]}"
    assert f"sheet Stages, cells {cells}: error[E909]: 24 cells, the first with 7 in place of" in out
    assert "which its row prints (" in out
    assert "the rest not: 25 changed" in out


def test_rules_that_moved_on_as_data(touched: Path, other: Path) -> None:
    data = as_data(audit(touched, RuleSet.load(other)))
    assert not data["rules"]["same"]
    assert data["rules"]["new"] == ["one_more"]
    assert "3*hidden_size*norm_size" in data["rules"]["changed"]["layernorm_params"]["rules"]


def test_formats(found: WorkbookAudit, touched: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workbook.checking.audit.audit", lambda path, rules: found)
    sarif = json.loads(run(touched, "--format", "sarif")[1])
    jsonschema.validate(sarif, SCHEMA)
    assert [one["ruleId"] for one in sarif["runs"][0]["results"]] == ["E909", "E909", "E909", "E911", "N902"]
    (place,) = {
        one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in sarif["runs"][0]["results"]
    }
    assert place.endswith("touched.xlsx")
    assert "::error title=E909,file=" in run(touched, "--format", "github")[1]
    page = run(touched, "--format", "md")[1]
    assert page.startswith("# Audit of touched.xlsx\n")
    assert "\n## Inputs changed since it was built\n\n- N902 sheet Inputs, cell" in page
    out = tmp_path / "out.json"
    assert run(touched, "--format", "json", "-o", out)[0] == 1
    data = json.loads(out.read_text(encoding="utf-8"))
    assert data["schema"] == "rank-ledger/workbook-audit/1"
    assert len(data["departures"]) == 27
    assert data["summary"] == {
        "formulas": found.compared, "changed": 26, "presentation": 1, "inputs": 1, "failing": True,
    }  # fmt: skip


def test_what_cannot_run(built: Path, tmp_path: Path) -> None:
    code, _, error = run(built, "--at", "main")
    assert (code, "--at is for citations" in error) == (2, True)
    code, _, error = run("rules", "--rules", "rules")
    assert (code, "--rules is for a workbook" in error) == (2, True)
    code, _, error = run(tmp_path / "none.xlsx")
    assert (code, "error[E101]" in error) == (2, True)

    def nameless(name: str, content: bytes) -> bytes:
        return re.sub(rb"<definedNames>.*</definedNames>", b"", content, flags=re.DOTALL)

    code, _, error = run(rewrite(built, tmp_path / "nameless.xlsx", nameless, {}))
    assert (code, "error[E904]: the workbook has no name" in error) == (2, True)


def test_what_rules_read_without_being_a_formula(
    built: Path, rules: RuleSet, planned: dict[str, dict[tuple[int, int], Cell]], tmp_path: Path
) -> None:
    changes: dict[tuple[str, str], Any] = {}
    for title, wanted in (("Tables", "h100-80gb"), ("Tables", 85899345920), ("Stages", 1), ("Plan data", "zero3")):
        address = next(cell.address for cell in planned[title].values() if cell.content == wanted)
        changes[title, address] = 3 if isinstance(wanted, int) else "another"
    size = next(row for (row, _), cell in planned["Inputs"].items() if cell.content == "hidden_size")
    changes["Inputs", f"{letters(SCENARIO)}{size}"] = 64  # of a scenario of the rules, in a locked column
    found = audit(type_into(built, tmp_path / "t.xlsx", changes), rules)
    assert told(found) == {("constant", sheet, address) for sheet, address in changes}


def test_names(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    def change(name: str, content: bytes) -> bytes:
        if name != "xl/workbook.xml":
            return content
        text = content.replace(b'"bytes_per_gib">Ledger!$E$', b'"bytes_per_gib">Ledger!$D$')
        text, count = re.subn(rb'<definedName name="fit_band">[^<]*</definedName>', b"", text)
        assert count == 1
        own = b'<definedName name="Hidden_Size" localSheetId="5">Ledger!$A$1</definedName></definedNames>'
        return text.replace(b"</definedNames>", own)

    found = audit(rewrite(built, tmp_path / "t.xlsx", change, {}), rules)
    assert {(one.kind, one.id) for one in found.departures} == {
        ("name", "bytes_per_gib"), ("name", "fit_band"), ("name", "hidden_size"),
    }  # fmt: skip
    text = "\n".join(one.message for one in found.departures)
    assert "the name `fit_band` is missing" in text
    assert "sheet Ledger has a name `Hidden_Size` of its own" in text


def test_a_sheet_that_is_gone(built: Path, rules: RuleSet, tmp_path: Path) -> None:
    book = load_workbook(built)
    del book["Slicing"]
    book.save(tmp_path / "t.xlsx")
    found = audit(tmp_path / "t.xlsx", rules)
    assert [one.message for one in found.departures] == ["sheet Slicing is missing"]


def test_cells_that_rules_read(rules: RuleSet, document: Preset) -> None:
    book = plan(rules, from_preset(rules, document))
    read = reached(book)
    for sheet in book.sheets:
        for cell in sheet.formulas():
            if sheet.title in ("Plan", "Views", "Read me") and cell.role == "presentation":
                assert (sheet.title, cell.row, cell.column) not in read
    title, _, address = book.names["hidden_size"].partition("!")
    column, row = re.fullmatch(r"\$([A-Z]+)\$(\d+)", address).groups()  # type: ignore[union-attr]
    assert {place for place in read if letters(place[2]) == column and place[:2] == (title, int(row))}


@pytest.mark.skipif(SOFFICE is None, reason="LibreOffice (soffice) is not installed")
def test_after_libreoffice_saved_it(
    built: Path, touched: Path, found: WorkbookAudit, rules: RuleSet, at: Cells, other: Path, tmp_path: Path
) -> None:
    assert SOFFICE is not None
    clean = audit(convert(SOFFICE, built, "xlsx", tmp_path / "clean"), rules)
    assert (clean.departures, clean.inputs, clean.other) == ((), (), None)
    saved = convert(SOFFICE, touched, "xlsx", tmp_path / "touched")
    again = audit(saved, rules)
    assert told(again) == told(found)
    assert again.inputs == found.inputs
    assert len(audit(saved, RuleSet.load(other)).departures) == 1 + len(at.row)
