"""MathML of the LaTeX that rules print and that symbols are written in."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from engine import RuleSet
from engine.explaining.describe import describe
from engine.expr.to_mathml import mathml

NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"


def shown(latex: str) -> str:
    """Returns the MathML without what all elements share."""
    text = mathml(latex)
    start, stop = text.index(">") + 1, text.rindex("</math>")
    return text[start:stop]


@pytest.mark.parametrize(
    ("latex", "expected"),
    [
        ("a", "<mi>a</mi>"),
        ("12.5", "<mn>12.5</mn>"),
        ("a - 1", "<mrow><mi>a</mi><mo>−</mo><mn>1</mn></mrow>"),
        (r"\frac{a}{b}", "<mfrac><mi>a</mi><mi>b</mi></mfrac>"),
        ("P_{attn}", "<msub><mi>P</mi><mi>attn</mi></msub>"),
        ("P^{tp}_0", "<msubsup><mi>P</mi><mn>0</mn><mi>tp</mi></msubsup>"),
        (
            "M_{n,moe}'",
            "<msubsup><mi>M</mi><mrow><mi>n</mi><mo>,</mo><mi>moe</mi></mrow><mrow><mo>′</mo></mrow></msubsup>",
        ),
        (r"x^{2}", "<msup><mi>x</mi><mn>2</mn></msup>"),
        (r"\beta \cdot \sigma", "<mrow><mi>β</mi><mo>·</mo><mi>σ</mi></mrow>"),
        (r"\mathrm{hidden\_size}", '<mi mathvariant="normal">hidden_size</mi>'),
        (r"\text{if }", "<mtext>if&#160;</mtext>"),
        (
            r"\left\lfloor a \right\rfloor",
            '<mrow><mo stretchy="true">⌊</mo><mi>a</mi><mo stretchy="true">⌋</mo></mrow>',
        ),
        (
            r"\sum_{i=0}^{n} a",
            '<mrow><munderover><mo largeop="true" movablelimits="false">∑</mo>'
            "<mrow><mi>i</mi><mo>=</mo><mn>0</mn></mrow><mi>n</mi></munderover><mi>a</mi></mrow>",
        ),
        (r"a \leq b \land \lnot c", "<mrow><mi>a</mi><mo>≤</mo><mi>b</mi><mo>∧</mo><mo>¬</mo><mi>c</mi></mrow>"),
        (r"\unknown", "<mtext>unknown</mtext>"),
        ("", "<mrow></mrow>"),
    ],
)
def test_pieces(latex: str, expected: str) -> None:
    assert shown(latex) == expected


def test_cases() -> None:
    latex = "\\begin{cases}\na & \\text{if } x > 1 \\\\\n\\frac{b}{2} & \\text{otherwise}\n\\end{cases}"
    tree = ElementTree.fromstring(mathml(latex, block=True))
    assert tree.attrib["display"] == "block"
    rows = tree.findall(f".//{NAMESPACE}mtr")
    assert [len(row.findall(f"{NAMESPACE}mtd")) for row in rows] == [2, 2]
    assert ["".join(row.itertext()) for row in rows] == ["aif\xa0x>1", "b2otherwise"]


@pytest.mark.parametrize(
    "latex",
    [
        "{", "}", "a_", "^", "\\", r"\frac", r"\frac{a}", r"\left(", r"\right)", r"\begin{cases}",
        r"\begin{cases} a & b", r"\text{", r"\mathrm", "a_b_c^d^e", "''", "&", r"\\", "{" * 3000, r"\left(" * 3000,
        "a_{" * 3000, r"\frac{" * 500,
    ],
)  # fmt: skip
def test_whatever_stands_in_a_symbol_is_well_formed(latex: str) -> None:
    ElementTree.fromstring(mathml(latex))


@pytest.mark.parametrize("text", ["<script>", "a & b", '"', r"\text{</math><script>}", r"\mathrm{<b>}", "<" * 50])
def test_marks_are_escaped(text: str) -> None:
    tree = ElementTree.fromstring(mathml(text))
    assert all(element.tag.startswith(NAMESPACE) for element in tree.iter())
    assert "script" not in {element.tag.removeprefix(NAMESPACE) for element in tree.iter()}


def test_every_shipped_rule_prints(repository: object) -> None:
    rules = RuleSet.load()
    for id in rules.computed:
        tree = ElementTree.fromstring(mathml(describe(rules, id)["latex"]))
        assert "".join(tree.itertext()).strip()
