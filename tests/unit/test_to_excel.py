from __future__ import annotations

import math
from string import Formatter

import pytest
from openpyxl.formula import Tokenizer
from openpyxl.utils import FORMULAE

from engine.expr.nodes import Binary, Call, Compare, Name, Negate, Not, Number, Power, Text
from engine.expr.parse import parse
from engine.expr.registry import FUNCTIONS
from engine.expr.to_excel import SAFE_FUNCTIONS, excel, excel_cases
from tests.support.expressions import RandomText, checked

PRINTED = [
    # arithmetic: parentheses where Excel needs them, and at the same level on the right
    ("a + b + d", "a+b+d"),
    ("a + (b + d)", "a+(b+d)"),
    ("a - (b - d)", "a-(b-d)"),
    ("a - b - d", "a-b-d"),
    ("(a + b) * d", "(a+b)*d"),
    ("a + b * d", "a+b*d"),
    ("a * (b * d)", "a*(b*d)"),
    ("a / b / d", "a/b/d"),
    ("a / (b * d)", "a/(b*d)"),
    ("a / (b / d)", "a/(b/d)"),
    ("a * b / d", "a*b/d"),
    # minus and powers: -2^2 is 4 in a spreadsheet, and ^ is never printed
    ("-a", "(0-a)"),
    ("-(a + b)", "(0-(a+b))"),
    ("-(a * b)", "(0-a*b)"),
    ("-(-a)", "(0-(0-a))"),
    ("-a ** 2", "(0-POWER(a,2))"),
    ("-(a) ** 2", "(0-POWER(a,2))"),
    ("(-a) ** 2", "POWER((0-a),2)"),
    ("(a ** 2) ** 3", "POWER(POWER(a,2),3)"),
    ("a - -b", "a-(0-b)"),
    ("(a + b) ** 2 * d", "POWER(a+b,2)*d"),
    ("1024 ** 3", "POWER(1024,3)"),
    # quotients
    ("a // b", "INT(a/b)"),
    ("(a + b) // (d * e)", "INT((a+b)/(d*e))"),
    ("a * b // d", "INT(a*b/d)"),
    ("a % b", "MOD(a,b)"),
    ("a % (b + d) * e", "MOD(a,b+d)*e"),
    ("ceil_div(a + b, d * e)", "ROUNDUP((a+b)/(d*e),0)"),
    ("ceil_div(a, b) * 2", "ROUNDUP(a/b,0)*2"),
    ("ceil_to(a, b * d)", "CEILING(a,b*d)"),
    ("half_up(a / b)", "ROUND(a/b,0)"),
    ("floor(a / b)", "INT(a/b)"),
    ("ceil(a / b)", "ROUNDUP(a/b,0)"),
    ("log2(a)", "LOG(a,2)"),
    ("abs(a - b)", "ABS(a-b)"),
    ("sqrt(a)", "SQRT(a)"),
    ("min(a, b + d, 3)", "MIN(a,b+d,3)"),
    ("gcd(a, b)", "GCD(a,b)"),
    ("lcm(a, b, d)", "LCM(a,b,d)"),
    ("elem(a + b) * 2", "(a+b)*2"),
    ("elem(a * b) * 2", "a*b*2"),
    ("B(18) / elem(1)", "18"),
    ("B(a + b) / elem(1) * 2", "(a+b)*2"),
    ("a // 1", "INT(a/1)"),
    # literals
    ("1e9", "1000000000"),
    ("2.5e-7", "0.00000025"),
    ("1_000", "1000"),
    ("0x10", "16"),
    ("1.0", "1"),
    ("1.05", "1.05"),
    ("0.1 * a", "0.1*a"),
    ("1e15", "1000000000000000"),
    # flags as values and as conditions
    ("f", "f"),
    ("not f", "IF(NOT((f=1)),1,0)"),
    ("a > b", "IF(a>b,1,0)"),
    ("a + 1 != b * d", "IF(a+1<>b*d,1,0)"),
    ("a == b", "IF(a=b,1,0)"),
    ('dtype == "bf16"', 'IF(dtype="bf16",1,0)'),
    ('dtype in ("bf16", "fp8")', 'IF(OR(dtype="bf16",dtype="fp8"),1,0)'),
    ('dtype in ("bf16",)', 'IF(dtype="bf16",1,0)'),
    ('dtype not in ("bf16", "fp8")', 'IF(NOT(OR(dtype="bf16",dtype="fp8")),1,0)'),
    ("f and g", "IF(AND((f=1),(g=1)),1,0)"),
    ("not (f and not g)", "IF(NOT(AND((f=1),NOT((g=1)))),1,0)"),
    ("f or (g and a > 1)", "IF(OR((f=1),AND((g=1),a>1)),1,0)"),
    ("1 < a <= 4", "IF(AND(1<a,a<=4),1,0)"),
    ('has(modules, "mlp")', "modules_mlp"),
    (
        'has(modules, "mlp") and not has(modules, "core_attn")',
        "IF(AND((modules_mlp=1),NOT((modules_core_attn=1))),1,0)",
    ),
    # later operands that can fail: Excel evaluates all arguments of AND and OR
    ("f and a / b > 1", "IF((f=1),IF(a/b>1,1,0),0)"),
    ("f or a / b > 1", "IF((f=1),1,IF(a/b>1,1,0))"),
    ("f and a / 2 > 1", "IF(AND((f=1),a/2>1),1,0)"),
    ("f and a / 0 > 1", "IF((f=1),IF(a/0>1,1,0),0)"),
    ("a / b > 1 and f", "IF(AND(a/b>1,(f=1)),1,0)"),
    ("f and g and a % b == 0", "IF((f=1),IF((g=1),IF(MOD(a,b)=0,1,0),0),0)"),
    ("f and a % 2 == 0 and g", "IF(AND((f=1),MOD(a,2)=0,(g=1)),1,0)"),
    ("f and log2(a) > 1", "IF((f=1),IF(LOG(a,2)>1,1,0),0)"),
    ("f and at(x, a) > 1", "IF((f=1),IF(INDEX(x,1,a+1)>1,1,0),0)"),
    ("not (f and a // b > 1)", "IF(NOT((IF((f=1),IF(INT(a/b)>1,1,0),0)=1)),1,0)"),
    ("(f and a // b > 1) or g", "IF(OR((IF((f=1),IF(INT(a/b)>1,1,0),0)=1),(g=1)),1,0)"),
    ("f or (g and a // b > 1) or h", "IF((f=1),1,IF((IF((g=1),IF(INT(a/b)>1,1,0),0)=1),1,h))"),
    # vectors: an aggregate reads the row
    ("sum_over(x)", "SUM(x)"),
    ("max_over(x) - min_over(x)", "MAX(x)-MIN(x)"),
    ("argmax_over(x) * 2", "(MATCH(MAX(x),x,0)-1)*2"),
    ("count_where(moe_layer)", "COUNTIF(moe_layer,1)"),
    ("all_over(moe_layer)", "IF((COUNTIF(moe_layer,0)=0),1,0)"),
    ("not all_over(moe_layer)", "IF(NOT((COUNTIF(moe_layer,0)=0)),1,0)"),
    ("sum_where(x, k, a + 1)", "SUMIF(k,a+1,x)"),
    ("sum_below(x, k, a + 1)", 'SUMIF(k,"<"&a+1,x)'),
    ("count_below(x, a * 2)", 'COUNTIF(x,"<"&a*2)'),
    ("at(x, a - 1)", "INDEX(x,1,a-1+1)"),
    ("at(x, a * 2)", "INDEX(x,1,a*2+1)"),
    ("first(x) + last(x)", "INDEX(x,1,1)+INDEX(x,1,num_layers)"),
    ("last(weights)", "INDEX(weights,1,pipeline_model_parallel_size)"),
    ("last(chunks)", "INDEX(chunks,1,pipeline_model_parallel_size*virtual_pipeline_model_parallel_size)"),
    ("lookup(dtypes, dtype, width) * a", "INDEX(dtypes_width,1,MATCH(dtype,dtypes_key,0))*a"),
]


@pytest.mark.parametrize(("text", "printed"), PRINTED)
def test_printed_text(text: str, printed: str) -> None:
    assert excel(checked(text)) == printed


def test_text_literals_double_their_quotes() -> None:
    assert excel(Text('a "b"')) == '"a ""b"""'
    assert excel(Compare("==", Name("name"), Text('"'))) == 'IF(name="""",1,0)'


def test_a_negative_literal_is_a_difference() -> None:
    assert excel(Binary("-", Name("a"), Number(-2.0, "-2"))) == "a-(0-2)"


def test_cases_are_nested_in_order() -> None:
    branches = [(checked("f"), checked("a")), (checked("a > 1 or g"), checked("b * 2")), (None, checked("0"))]
    assert excel_cases(branches) == "IF((f=1),a,IF(OR(a>1,(g=1)),b*2,0))"


def test_cases_of_a_flag_and_of_an_enumeration() -> None:
    assert excel_cases([(checked("f"), checked("a > b")), (None, checked("g"))]) == "IF((f=1),IF(a>b,1,0),g)"
    assert excel_cases([(checked("f"), Text("full")), (None, Text("none"))]) == 'IF((f=1),"full","none")'


@pytest.mark.parametrize("branches", [[], [(Name("f"), Name("a"))], [(None, Name("a")), (None, Name("b"))]])
def test_malformed_cases_are_refused(branches: list[tuple[Name | None, Name]]) -> None:
    with pytest.raises(ValueError, match="otherwise"):
        excel_cases(branches)


def test_reference_gives_cells_to_values_and_leaves_rows() -> None:
    node = checked("weights / max_over(weights) + stage * a", "stage")
    cells = {"weights": "C$7", "stage": "C$4"}
    printed = excel(node, reference=lambda name: cells.get(name.id, name.id))
    assert printed == "C$7/MAX(weights)+C$4*a"


def test_names_that_may_fail_are_guarded() -> None:
    node = checked("f and a > 1 and g")
    assert excel(node, may_fail=lambda name: name.id == "a") == "IF((f=1),IF(a>1,g,0),0)"
    assert excel(node, may_fail=lambda name: name.id == "f") == "IF(AND((f=1),a>1,(g=1)),1,0)"


def test_literal_with_more_digits_than_a_formula_keeps() -> None:
    assert excel(Number(123456789012345.0, "")) == "123456789012345"
    for value in (1234567890123456.0, 0.1 + 0.2, math.pi):
        with pytest.raises(ValueError, match="significant digits"):
            excel(Number(value, ""))


def test_limits_of_excel() -> None:
    with pytest.raises(ValueError, match="limit of Excel is 255"):
        excel(Text("x" * 256))
    node = Name("some_quite_long_name_of_a_rule")
    long = node
    for _ in range(300):
        long = Binary("+", long, node)
    with pytest.raises(ValueError, match="limit of Excel is 8192"):
        excel(long)
    deep = Name("a")
    for _ in range(64):
        deep = Call("abs", (deep,))
    assert excel(deep).count("ABS") == 64
    with pytest.raises(ValueError, match="nests functions 65 deep"):
        excel(Call("abs", (deep,)))
    with pytest.raises(ValueError, match="nests functions 65 deep"):
        excel_cases([(Name("f"), Name("a"))] * 65 + [(None, Name("b"))])


def test_nesting_counts_the_calls_of_templates() -> None:
    deep = Name("x", type=checked("x", "layer").type)
    inner = Call("argmax_over", (deep,))  # two calls
    for _ in range(62):
        inner = Negate(Call("abs", (inner,)))
    excel(inner)
    with pytest.raises(ValueError, match="65 deep"):
        excel(Call("abs", (inner,)))


def test_aggregates_need_a_vector() -> None:
    with pytest.raises(ValueError, match="needs a vector"):
        excel(Call("last", (Name("a"),)))
    with pytest.raises(ValueError, match="not the name of a vector"):
        excel(Call("sum_over", (Number(1.0, "1"),)))


def _functions(formula: str) -> set[str]:
    tokens = Tokenizer("=" + formula).items
    for token in tokens:
        assert token.type != "OPERATOR-PREFIX", formula
        assert token.value != "^", formula
        if token.type == "OPERAND" and token.subtype not in ("TEXT", "NUMBER"):
            assert token.value not in ("TRUE", "FALSE"), formula
            assert "." not in token.value, formula
    return {token.value[:-1] for token in tokens if token.type == "FUNC" and token.subtype == "OPEN"}


def test_safe_functions_are_known_without_prefix() -> None:
    assert set(FORMULAE) >= SAFE_FUNCTIONS


def test_emitted_functions_are_safe() -> None:
    formulas = [printed for _, printed in PRINTED]
    for seed in range(300):
        text = RandomText(seed)
        formulas += [excel(checked(part)) for part in (text.real(4), text.flag(4))]
    used: set[str] = set()
    for formula in formulas:
        assert "_xlfn" not in formula
        used |= _functions(formula)
    assert used == SAFE_FUNCTIONS  # nothing else, and each is proven


@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=lambda function: function.name)
def test_templates_bind_as_one(function) -> None:  # type: ignore[no-untyped-def]
    """A template is one call or stands in parentheses, since printed calls never get parentheses."""
    template = function.excel
    if template == "{a}":
        return
    fields = {field for _, field, _, _ in Formatter().parse(template) if field}
    filled = template.format(**dict.fromkeys(fields, "z"))
    depth = 0
    for position, sign in enumerate(filled):
        depth += (sign == "(") - (sign == ")")
        if depth == 0 and sign == ")":
            assert position == len(filled) - 1
    assert filled.endswith(")")


def test_hand_built_tree() -> None:
    node = Not(Compare("<=", Power(Negate(Name("a")), 2), Number(4.0, "4")))
    assert excel(node) == "IF(NOT(POWER((0-a),2)<=4),1,0)"
    assert excel(parse("not (-a) ** 2 <= 4")) == excel(node)
