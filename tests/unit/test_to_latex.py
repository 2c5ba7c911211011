from __future__ import annotations

import re

import pytest

from engine.expr.nodes import Name, Number, Text
from engine.expr.registry import FUNCTIONS
from engine.expr.to_latex import latex, latex_cases
from tests.support.expressions import RandomText, checked

SYMBOLS = {"a": "a", "b": "b", "d": "d", "e": "e^{*}", "f": "F", "g": "G", "h": "H", "x": "x_{i}", "k": "k"}
SYMBOLS |= {"num_layers": "L", "layer": r"\ell"}

PRINTED = [
    ("a - (b - d)", r"a - \left(b - d\right)"),
    ("a + (b - d)", "a + b - d"),
    ("a - (b + d)", r"a - \left(b + d\right)"),
    ("(a - b) - d", "a - b - d"),
    ("a * (b + d)", r"a \cdot \left(b + d\right)"),
    ("a / (b * d)", r"\frac{a}{b \cdot d}"),
    ("(a + b) / d * 2", r"\frac{a + b}{d} \cdot 2"),
    ("a / b / d", r"\frac{\frac{a}{b}}{d}"),
    ("(a / b) ** 2", r"\left(\frac{a}{b}\right)^{2}"),
    ("-(a) ** 2", "-a^{2}"),
    ("(-a) ** 2", r"\left(-a\right)^{2}"),
    ("e ** 2", r"\left(e^{*}\right)^{2}"),
    ("(a ** 2) ** 3", r"\left(a^{2}\right)^{3}"),
    ("-a + b", "-a + b"),
    ("a + -b", r"a + \left(-b\right)"),
    ("a - -b", r"a - \left(-b\right)"),
    ("-(a + b)", r"-\left(a + b\right)"),
    ("-(a * b)", r"-a \cdot b"),
    ("-a * b", r"\left(-a\right) \cdot b"),
    ("a // b + 1", r"\left\lfloor \frac{a}{b} \right\rfloor + 1"),
    ("(a // b) ** 2", r"\left\lfloor \frac{a}{b} \right\rfloor^{2}"),
    ("a * b % d", r"a \cdot b \bmod d"),
    ("a % (b * d)", r"a \bmod \left(b \cdot d\right)"),
    ("(a % b) * d", r"\left(a \bmod b\right) \cdot d"),
    ("a + b % d", r"a + \left(b \bmod d\right)"),
    ("(a + b) % d", r"\left(a + b\right) \bmod d"),
    ("a % b == 0", r"a \bmod b = 0"),
    ("ceil_div(a, b)", r"\left\lceil \frac{a}{b} \right\rceil"),
    ("ceil_to(a, b + d)", r"\left\lceil \frac{a}{b + d} \right\rceil \cdot \left(b + d\right)"),
    ("ceil_to(a, b) ** 2", r"\left(\left\lceil \frac{a}{b} \right\rceil \cdot b\right)^{2}"),
    ("ceil(a / b)", r"\left\lceil \frac{a}{b} \right\rceil"),
    ("floor(a)", r"\left\lfloor a \right\rfloor"),
    ("half_up(a)", r"\left\lfloor a + \tfrac{1}{2} \right\rfloor"),
    ("min(a, b + 1)", r"\min\left(a, b + 1\right)"),
    ("max(a, b) ** 2", r"\left(\max\left(a, b\right)\right)^{2}"),
    ("lcm(a, b) + gcd(a, b)", r"\operatorname{lcm}\left(a, b\right) + \gcd\left(a, b\right)"),
    ("log2(a)", r"\log_2\left(a\right)"),
    ("abs(a - b)", r"\left| a - b \right|"),
    ("sqrt(a + b)", r"\sqrt{a + b}"),
    ("elem(a + b) * 2", r"\left(a + b\right) \cdot 2"),
    ("B(6 + 12 / a) / elem(1)", r"6 + \frac{12}{a}"),
    ("1e9 * a", r"10^{9} \cdot a"),
    ("2.5e-7", r"2.5 \times 10^{-7}"),
    ("1_000 * 1.05", r"1000 \cdot 1.05"),
    ("0x10", "16"),
    ("a < b <= d", r"a < b \land b \leq d"),
    ("a != b", r"a \neq b"),
    ("(f and g) or h", r"\left(F \land G\right) \lor H"),
    ("f and (g and h)", r"F \land G \land H"),
    ("not f and g", r"\lnot F \land G"),
    ("not (f and g)", r"\lnot \left(F \land G\right)"),
    ("not a > b", r"\lnot \left(a > b\right)"),
    ("not not f", r"\lnot \left(\lnot F\right)"),
    ("a in (1, 2)", r"a \in \left\{1, 2\right\}"),
    ('dtype not in ("fp8", "bf16")', r"\mathrm{dtype} \notin \left\{\text{fp8}, \text{bf16}\right\}"),
    ('dtype == "fp8"', r"\mathrm{dtype} = \text{fp8}"),
    ('has(modules, "core_attn")', r"\mathrm{modules\_core\_attn}"),
    ("lookup(dtypes, dtype, width) * a", r"\mathrm{dtypes.width}\left(\mathrm{dtype}\right) \cdot a"),
    ("sum_over(x) + 1", r"\sum_{\ell} x_{i} + 1"),
    ("2 * sum_over(x)", r"2 \cdot \left(\sum_{\ell} x_{i}\right)"),
    ("max_over(weights)", r"\max_{\mathrm{stage}} \mathrm{weights}"),
    ("min_over(chunks)", r"\min_{\mathrm{virtual\_stage}} \mathrm{chunks}"),
    ("argmax_over(x)", r"\operatorname*{arg\,max}_{\ell} x_{i}"),
    ("count_where(moe_layer)", r"\left|\left\{ \ell : \mathrm{moe\_layer} \right\}\right|"),
    ("all_over(moe_layer)", r"\bigwedge_{\ell} \mathrm{moe\_layer}"),
    ("sum_where(x, k, a + 1)", r"\sum_{k = a + 1} x_{i}"),
    ("sum_below(x, k, a + 1)", r"\sum_{k < a + 1} x_{i}"),
    ("count_below(x, a)", r"\left|\left\{ \ell : x_{i} < a \right\}\right|"),
    ("at(x, a - 1)", r"x_{i}\left[a - 1\right]"),
    ("first(x) - last(x)", r"x_{i}\left[0\right] - x_{i}\left[L - 1\right]"),
]


@pytest.mark.parametrize(("text", "printed"), PRINTED)
def test_printed_text(text: str, printed: str) -> None:
    assert latex(checked(text), symbol=SYMBOLS.get) == printed


def test_ids_without_a_symbol_are_upright() -> None:
    assert latex(checked("a * num_layers")) == r"\mathrm{a} \cdot \mathrm{num\_layers}"
    assert latex(checked("stage + 1", "stage")) == r"\mathrm{stage} + 1"


def test_texts_are_escaped() -> None:
    assert latex(Text("50%_{a}\\")) == r"\text{50\%\_\{a\}\textbackslash{}}"


def test_number_without_its_text() -> None:
    assert latex(Number(16.0, "")) == "16"


def test_cases() -> None:
    branches = [(checked("f and a > 1"), checked("a / b")), (checked("g"), checked("2 * a")), (None, checked("0"))]
    assert latex_cases(branches, symbol=SYMBOLS.get) == (
        "\\begin{cases}\n"
        "\\frac{a}{b} & \\text{if } F \\land a > 1 \\\\\n"
        "2 \\cdot a & \\text{if } G \\\\\n"
        "0 & \\text{otherwise}\n"
        "\\end{cases}"
    )
    assert latex_cases([(None, checked("a + b"))], symbol=SYMBOLS.get) == "a + b"
    with pytest.raises(ValueError, match="otherwise"):
        latex_cases([(Name("f"), Name("a"))])


def _balanced(text: str) -> bool:
    plain = re.sub(r"\\[{}]", "", text)
    depth = 0
    for sign in plain:
        depth += (sign == "{") - (sign == "}")
        if depth < 0:
            return False
    return depth == 0 and text.count(r"\left") == text.count(r"\right")


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_registered_examples_are_balanced(function) -> None:  # type: ignore[no-untyped-def]
    names = {"x": "x", "k": "k", "f": "moe_layer"}
    for example in function.examples:
        text = re.sub(r"\bf\b", names["f"], example.text)
        assert _balanced(latex(checked(text)))


def test_random_text_is_balanced_and_has_no_double_exponent() -> None:
    for seed in range(300):
        text = RandomText(seed)
        for rule in (text.real(4), text.flag(4)):
            printed = latex(checked(rule), symbol=SYMBOLS.get)
            assert _balanced(printed), rule
            assert not re.search(r"\^\{[^{}]*\}\^", printed), rule
            assert "--" not in printed.replace(" ", ""), rule
