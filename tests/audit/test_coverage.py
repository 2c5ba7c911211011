"""Which statements count, which of them are covered, and what is told about code that came since."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine import RuleSet
from engine.audit import audit
from engine.audit.coverage import Coverage, spans
from engine.audit.source_text import SourceText
from engine.audit.statements import MODULE, statements
from engine.cli.main import cli
from tests.support.miniature import ALIAS, FORMULAS, SOURCE, Miniature, write_rules

EVERYTHING = '''"""Docstring."""
import os
from sys import path

LIMIT = 3


class Config:
    """Sizes."""

    width: int = 4
    """Width."""
    size = width

    def area(self, scale):
        """Area."""
        assert isinstance(scale, int)
        assert scale > 0
        global path
        print("area")
        logger.info("area")
        print_rank_0("area")
        if self.width:
            print("wide")
        if self.width > 2:
            print("wider")
            return 1
        elif scale:
            pass
        else:
            warnings.warn("narrow")
        for one in range(
            scale
        ):
            self.width += one
        while scale:
            break
        with open(scale) as file, open(
            scale
        ):
            x = 1
        try:
            y = 2
        except ValueError:
            z = 3
        finally:
            w = 4
        match scale:
            case 1:
                v = 5
        return (
            self.width
            * scale
        )
'''


def test_what_counts_as_a_statement() -> None:
    text = SourceText("a.py", EVERYTHING.encode())
    found = [(one.symbol, str(one.lines)) for one in statements(text, ["*"])]
    assert found == [
        (MODULE, "L5"), ("Config", "L11"), ("Config", "L13"), ("Config.area", "L18"), ("Config.area", "L25"),
        ("Config.area", "L27"), ("Config.area", "L32-L34"), ("Config.area", "L35"), ("Config.area", "L36"),
        ("Config.area", "L37"), ("Config.area", "L38-L40"), ("Config.area", "L41"), ("Config.area", "L43"),
        ("Config.area", "L45"), ("Config.area", "L47"), ("Config.area", "L48"), ("Config.area", "L50"),
        ("Config.area", "L51-L54"),
    ]  # fmt: skip


def test_patterns_choose_symbols() -> None:
    text = SourceText("a.py", EVERYTHING.encode())
    assert {one.symbol for one in statements(text, ["Config.*"])} == {"Config.area"}
    assert {one.symbol for one in statements(text, [MODULE])} == {MODULE}
    assert statements(SourceText("a.md", b"# x\n"), ["*"]) == []


def watching(mini: Miniature, folder: Path, watch: str) -> RuleSet:
    cited = {"adds": (f"{FORMULAS}#L40-L43", "mlp"), "ratio": (f"{FORMULAS}#L37-L38", "mlp")}
    write_rules(folder, mini.git("rev-parse", "HEAD").strip(), cited)
    head = f"watch:\n  formulas:\n    title: Formulas\n    source: {ALIAS}\n    path: {FORMULAS}\n"
    (folder / "watch.yaml").write_text(head + watch, encoding="utf-8")
    return RuleSet.load(folder)


def covered(rules: RuleSet, mini: Miniature, at: str | None = "HEAD") -> Coverage:
    result = audit(rules, {ALIAS: mini.folder}, at=at, with_coverage=True)
    assert result.coverage is not None
    (one,) = result.coverage
    return one


def test_cited_waived_and_left(mini: Miniature, tmp_path: Path) -> None:
    waiver = f'    waive: [{{at: "{ALIAS}:{FORMULAS}#L44", in: mlp, reason: hands it back}}]\n'
    found = covered(watching(mini, tmp_path / "r", "    symbols: [mlp]\n" + waiver), mini)
    assert (found.count.total, found.count.cited, found.count.waived) == (8, 6, 1)
    assert found.count.percent == pytest.approx(87.5)
    assert [(symbol, str(lines), part) for symbol, lines, part in spans(found)] == [("mlp", "L39", False)]


def test_a_statement_cited_in_part_is_not_covered(mini: Miniature, tmp_path: Path) -> None:
    folder = tmp_path / "r"
    write_rules(folder, mini.git("rev-parse", "HEAD").strip(), {"one": (f"{FORMULAS}#L24-L26", "attention")})
    watch = f"watch:\n  w: {{title: W, source: {ALIAS}, path: {FORMULAS}, symbols: [attention]}}\n"
    (folder / "watch.yaml").write_text(watch, encoding="utf-8")
    found = covered(RuleSet.load(folder), mini)
    assert ("attention", True) in [(symbol, part) for symbol, lines, part in spans(found) if str(lines).endswith("L28")]
    assert found.count.cited == 0


def test_waivers_are_audited_like_citations(mini: Miniature, tmp_path: Path) -> None:
    waiver = f'    waive: [{{at: "{ALIAS}:{FORMULAS}#L44", in: mlp, reason: hands it back}}]\n'
    rules = watching(mini, tmp_path / "r", "    symbols: [mlp]\n" + waiver)
    mini.commit({FORMULAS: SOURCE.replace("return total * ratio", "return total")})
    result = audit(rules, {ALIAS: mini.folder}, at="HEAD")
    state = {one.cited.rule: str(one.state) for one in result.code_citations}
    assert state == {"adds": "ok", "ratio": "ok", "watch.formulas": "changed"}


def test_what_is_new_since_the_pin(mini: Miniature, tmp_path: Path) -> None:
    rules = watching(mini, tmp_path / "r", '    symbols: ["Config", "m*"]\n    calls: ["ceil(", "zeros("]\n')
    text = SOURCE.replace(
        "def report", "def mtp(x):\n    return zeros(x)\n\n\ndef other(x):\n    return zeros(x)\n\n\ndef report"
    )
    text = text.replace("heads: int = 4", "heads: int = 4\n    groups: int = 2")
    mini.commit({FORMULAS: text})
    found = covered(rules, mini)
    assert [(name, str(lines)) for name, lines in found.new_symbols] == [("mtp", "L48-L49"), ("Config.groups", "L13")]
    assert found.new_calls == ((49, "mtp", "zeros("),)
    done = run(rules, mini, "--coverage", "--at", "HEAD")
    assert done.exit_code == 0
    message = "warning[W823]: new in pkg/formulas.py: `mtp` (L48-L49), `Config.groups` (L13), `zeros(` in mtp (L49)"
    assert message in done.output


def run(rules: RuleSet, mini: Miniature, *options: str) -> Result:
    arguments = ["audit", str(rules.path), f"--source={ALIAS}={mini.folder}", *options]
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def test_the_ratchet(mini: Miniature, tmp_path: Path) -> None:
    rules = watching(mini, tmp_path / "r", "    symbols: [mlp]\n    min_coverage: 75\n")
    assert run(rules, mini, "--coverage").exit_code == 0
    done = run(rules, mini, "--min-coverage", "80")
    assert done.exit_code == 1
    assert "75.0 % of its statements are cited or waived, 80 % must be" in done.output
    data = json.loads(run(rules, mini, "--coverage", "--format", "json").output)
    (one,) = data["coverage"]
    assert (one["watch"], one["statements"], one["cited"], one["percent"]) == ("formulas", 8, 6, 75.0)
    assert one["uncovered"] == [
        {"in": "mlp", "lines": [39, 39], "partly": False}, {"in": "mlp", "lines": [44, 44], "partly": False},
    ]  # fmt: skip
    assert (
        "| `formulas` | pkg/formulas.py | 8 | 6 | 0 | 75.0 % | L39, L44 |"
        in run(rules, mini, "--coverage", "--format", "md").output
    )
    assert json.loads(run(rules, mini, "--format", "json").output)["coverage"] is None


def test_watch_without_its_source_is_passed_over(mini: Miniature, tmp_path: Path) -> None:
    rules = watching(mini, tmp_path / "r", "    symbols: [mlp]\n    min_coverage: 100\n")
    assert CliRunner().invoke(cli, ["audit", str(rules.path), "--coverage"]).exit_code == 0


def test_a_waiver_of_another_file_is_refused(mini: Miniature, tmp_path: Path) -> None:
    waiver = f'    waive: [{{at: "{ALIAS}:pkg/__init__.py#L1", in: "", reason: elsewhere}}]\n'
    with pytest.raises(Exception, match=r"E402.*the waived lines are not in mini:pkg/formulas.py"):
        watching(mini, tmp_path / "r", "    symbols: [mlp]\n" + waiver)
