"""How findings are collected and shown."""

import pytest

from engine.diagnostics import EngineError, Findings, Severity, Source, nearest, render, summary

TEXT = "rules:\n  log_rule:\n    formula: seqq * micro_batch_size\n"
SOURCE = Source("rules/log.yaml", TEXT)


def one(text: str, part: str, message: str = "unknown name") -> str:
    findings = Findings()
    start = text.index(part)
    findings.add("E303", message, Source("x.yaml", text).span(start, start + len(part)))
    return render(findings.diagnostics)


def test_compiler_style() -> None:
    findings = Findings()
    start = TEXT.index("seqq")
    findings.add(
        "E303",
        "unknown name `seqq`",
        SOURCE.span(start, start + 4),
        help="did you mean `seq_length`?\nor another",
        related=[(Source("rules/x.yaml", "a\nb\n").span(2, 3), "first defined here")],
    )
    findings.add("W703", "nothing uses `log_rule`", SOURCE.span(9, 17))
    findings.add("E506", "`tp:8` is not name=value")
    findings.add("E107", "the file holds nothing", Source("rules/a.yaml").whole())
    assert (
        render(findings.diagnostics)
        == """\
error[E506]: `tp:8` is not name=value

rules/a.yaml: error[E107]: the file holds nothing

rules/log.yaml:2:3: warning[W703]: nothing uses `log_rule`
   |
 2 |   log_rule:
   |   ^^^^^^^^

rules/log.yaml:3:14: error[E303]: unknown name `seqq`
   |
 3 |     formula: seqq * micro_batch_size
   |              ^^^^
   = help: did you mean `seq_length`?
     or another
   = note: rules/x.yaml:2:1: first defined here

3 errors, 1 warning
"""
    )


def test_nothing_to_show() -> None:
    assert render([]) == ""
    assert summary([]) == "no findings"


def test_each_finding_once_and_in_order() -> None:
    findings = Findings()
    for code, offset in (("E303", 9), ("E301", 2), ("E303", 9)):
        findings.add(code, "x", SOURCE.span(offset, offset + 1))
    assert [item.code for item in findings.sorted()] == ["E301", "E303"]


def test_severity_comes_from_the_code() -> None:
    findings = Findings()
    findings.add("W701", "x")
    assert not findings.has_errors
    findings.raise_if_errors()
    findings.add("W701", "x", severity=Severity.ERROR)
    with pytest.raises(EngineError, match="1 error, 1 warning"):
        findings.raise_if_errors()


def test_unknown_code_is_a_programming_error() -> None:
    with pytest.raises(KeyError):
        Findings().add("E999", "x")


def test_marks_stand_below_wide_and_combining_characters_and_tabs() -> None:
    assert one("日本: seqq\n", "seqq").splitlines()[3] == "   |       ^^^^"
    assert one("e\u0301: seqq\n", "seqq").splitlines()[3] == "   |    ^^^^"
    assert one("a\tb: seqq\n", "seqq").splitlines()[3] == "   |  \t   ^^^^"
    assert one("a: 日本\n", "日本").splitlines()[3] == "   |    ^^^^"


def test_span_over_lines_is_marked_on_its_first() -> None:
    assert one("a: [1,\n 2]\n", "[1,\n 2]").splitlines()[2:4] == [" 1 | a: [1,", "   |    ^^^"]


def test_empty_span_gets_one_mark() -> None:
    findings = Findings()
    findings.add("E202", "missing", Source("x.yaml", "a:\n").span(2, 2))
    assert render(findings.diagnostics).splitlines()[3] == "   |   ^"


def test_long_line_is_cut_around_the_mark() -> None:
    lines = one("a: " + "x " * 5000 + "seqq" + " y" * 5000, "seqq").splitlines()
    assert len(lines[2]) < 160
    column = lines[3].index("^")
    assert lines[2][column : column + 4] == "seqq"
    assert lines[2].startswith(" 1 | ...")
    assert lines[2].endswith("...")


def test_text_of_others_cannot_steer_the_terminal() -> None:
    shown = one("a: \x1b[31mseqq\n", "seqq", message="unknown name `\x1b[2J\u202e`")
    assert "\x1b" not in shown
    assert "`\\x1b[2J\\u202e`" in shown
    assert shown.splitlines()[3].index("^") == shown.splitlines()[2].index("seqq")


def test_color_only_adds_escapes() -> None:
    import re

    findings = Findings()
    findings.add("E303", "x", SOURCE.span(9, 12), help="h")
    colored = render(findings.diagnostics, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == render(findings.diagnostics)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("seq_lenght", "seq_length"),
        ("SEQ_LENGTH", "seq_length"),
        ("--seq-length", "seq_length"),
        ("mbs", "micro_batch_size"),
        ("seqq", "seq_length"),
        ("num_layer", "num_layers"),
        ("zzz", None),
        ("", None),
    ],
)
def test_nearest(name: str, expected: str | None) -> None:
    assert nearest(name, ["seq_length", "micro_batch_size", "num_layers", "hidden_size", "num_experts"]) == expected
