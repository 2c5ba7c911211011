"""The HTML report: self-contained, escaped, with working links, and with what a stranger needs; show and cites."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.cli.main import cli
from tests.support.miniature import ALIAS, FORMULAS, SOURCE, Miniature, standard, write_rules

VOID = {"meta", "input", "br", "link", "img", "hr"}


class Page(HTMLParser):
    """Collects ids, links and texts, and whether elements close as they open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: list[str] = []
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.tags: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.add(tag)
        self.ids += [values["id"]] if values.get("id") else []
        self.links += [values["href"]] if values.get("href") else []
        self.loaded += [values[name] for name in ("src", "data", "poster", "srcset") if values.get(name)]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            self.text += data


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


@pytest.fixture
def folder(mini: Miniature, tmp_path: Path) -> Path:
    made = write_rules(tmp_path / "rules", mini.git("rev-parse", "HEAD").strip(), standard())
    text = (made / "rules.yaml").read_text(encoding="utf-8")
    text = text.replace("    title: A rule\n", "    title: A <b>rule</b> & more\n    symbol: '<script>'\n", 1)
    text += (
        "  total:\n    title: Total\n    unit: elem\n    note: '`mlp_step` and <i>more</i>'\n    cases:\n"
        "      - {when: mlp_step > elem(3), formula: mlp_step + head_width, assumption: an example}\n"
        f"      - {{otherwise: mlp_step, cite: [{{at: '{ALIAS}:{FORMULAS}#L41', in: mlp}}]}}\n"
    )
    (made / "rules.yaml").write_text(text, encoding="utf-8")
    return made


def report(folder: Path, mini: Miniature, tmp_path: Path, *options: str) -> tuple[int, Page, str]:
    target = tmp_path / "audit.html"
    done = run("audit", str(folder), f"--source={ALIAS}={mini.folder}", "--report", str(target), *options)
    text = target.read_text(encoding="utf-8")
    return done.exit_code, Page(text), text


def test_everything_true(folder: Path, mini: Miniature, tmp_path: Path) -> None:
    code, page, _ = report(folder, mini, tmp_path)
    assert code == 0
    assert page.open == []
    assert "Nothing: every citation that could be checked is true." in page.text
    assert len(page.ids) == len(set(page.ids))
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)
    assert all(link.startswith(("#", "https://github.com/")) for link in page.links)
    assert page.loaded == []
    assert "math" in page.tags
    for words in ("mlp_step", "declared in", "Assumption: an example", "otherwise", "read by", "unit"):
        assert words in page.text


def test_what_changed_is_shown_with_its_lines(folder: Path, mini: Miniature, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n" + SOURCE.replace("total += 3", "total += 4  # <script>alert(1)</script>")})
    code, page, text = report(folder, mini, tmp_path, "--at", "main")
    assert code == 1
    assert "-        total += 3" in page.text
    assert "+        total += 4  # <script>alert(1)</script>" in page.text
    assert "<script>alert" not in text
    assert text.count("<script>") == 1
    commit = mini.git("rev-parse", "HEAD").strip()
    assert f"https://github.com/example/mini/blob/{commit}/{FORMULAS}#L44" in page.links
    assert page.open == []


def test_texts_of_rules_are_escaped(folder: Path, mini: Miniature, tmp_path: Path) -> None:
    _, page, text = report(folder, mini, tmp_path)
    assert "A <b>rule</b> & more" in page.text
    assert "b" not in page.tags
    assert "<code>mlp_step</code> and &lt;i&gt;more&lt;/i&gt;" in text


def test_coverage_and_replay_have_their_sections(folder: Path, mini: Miniature, tmp_path: Path) -> None:
    watched = f"title: Formulas, source: {ALIAS}, path: {FORMULAS}, symbols: [mlp, report], min_coverage: 99"
    watch = f"watch:\n  w: {{{watched}}}\n"
    watch += (
        f"replays:\n  r: {{title: A function, source: {ALIAS}, path: pkg/run.py, function: f, arguments: args,"
        " returns: [total], draw: {}}\n"
    )
    (folder / "watch.yaml").write_text(watch, encoding="utf-8")
    mini.write("pkg/run.py", "def f(args):\n    return 7\n")
    code, page, _ = report(folder, mini, tmp_path, "--coverage", "--replay", "--presets", "2")
    assert code == 1
    assert "Code that no rule cites" in page.text
    assert "Run beside the rules" in page.text
    assert "2 configurations, 2 values of 1 rules compared: differences begin in these rules." in page.text
    assert page.open == []


def test_the_shipped_rules_make_a_page(repository: Path, tmp_path: Path) -> None:
    target = tmp_path / "audit.html"
    done = run("audit", str(repository / "rules"), "--report", str(target))
    assert done.exit_code == 0
    page = Page(target.read_text(encoding="utf-8"))
    assert page.open == []
    assert {link[1:] for link in page.links if link.startswith("#")} <= set(page.ids)


def test_show_prints_the_cited_lines(folder: Path, mini: Miniature, tmp_path: Path) -> None:
    mini.commit({FORMULAS: "\n\n" + SOURCE})
    arguments = ["show", "total", "--rules", str(folder), f"--source={ALIAS}={mini.folder}"]
    commit = mini.git("rev-parse", "HEAD~1").strip()
    text = run(*arguments).output
    assert f"{FORMULAS} in mlp, at {commit[:8]}\n  41      for layer in range(config.heads):\n" in text
    data = json.loads(run(*arguments, "--format", "json").output)
    assert data["cited_lines"] == [
        {
            "case": 1,
            "path": FORMULAS,
            "in": "mlp",
            "at": commit[:8],
            "lines": [[41, "    for layer in range(config.heads):"]],
        }
    ]
    assert "````\n41      for layer in range(config.heads):\n````" in run(*arguments, "--format", "md").output
    assert run(*arguments[:-1], f"--source=none={mini.folder}").exit_code == 2


def test_show_from_a_folder_without_the_pinned_commit(folder: Path, tmp_path: Path) -> None:
    plain = tmp_path / "plain" / "pkg"
    plain.mkdir(parents=True)
    (plain / "formulas.py").write_text(SOURCE, encoding="utf-8")
    text = run("show", "mlp_step", "--rules", str(folder), f"--source={ALIAS}={plain.parent}").output
    assert (
        f"{FORMULAS} in mlp, at work tree\n  the checkout is not a git repository: these are the lines as they lie"
        in text
    )
    assert "43          total += 3" in text


@pytest.mark.parametrize(
    ("place", "rules"),
    [
        (f"{FORMULAS}#L43", ["mlp_step", "mlp_sum"]),
        ("formulas.py#L41-L42", ["mlp_sum", "total"]),
        (f"{ALIAS}:{FORMULAS}#L5", ["bytes_constant"]),
        (f"example/mini@0123abcd:{FORMULAS}#L17", ["head_width"]),
        ("formulas.py", [*standard(), "total"]),
    ],
)
def test_cites(folder: Path, place: str, rules: list[str]) -> None:
    done = run("cites", place, "--rules", str(folder), "--format", "json")
    assert {one["rule"] for one in json.loads(done.output)["citations"]} == set(rules)
    text = run("cites", place, "--rules", str(folder)).output
    assert text.startswith(f"{FORMULAS}\n   L")
    assert all(rule in text for rule in rules)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("formulas.py#L99", "no rule cites formulas.py#L99"),
        ("formula.py", "did you mean pkg/formulas.py?"),
        ("ulas.py", "no rule cites"),
        (f"other:{FORMULAS}", "no rule cites"),
        ("formulas.py#43", "is not of the form L5 or L5-L9"),
        ("formulas.py#L9-L5", "the lines run backwards"),
    ],
)
def test_cites_nothing(folder: Path, place: str, words: str) -> None:
    done = run("cites", place, "--rules", str(folder))
    assert done.exit_code == 2
    assert words in done.output
