"""Prints a checked expression as LaTeX mathematics for the page of a rule; amsmath, MathJax and KaTeX can set it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from engine.expr.nodes import (
    And,
    Binary,
    Call,
    Compare,
    Lookup,
    Member,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Or,
    Power,
    Text,
)
from engine.expr.printing import CASTS, DOMAIN_SIZES, Branch, check_branches, fill, is_one, vector_domain
from engine.expr.registry import FUNCTIONS

Symbol = Callable[[str], str | None]

# How tightly a printed part binds. `mod` stands below the sum, since `x + a mod b` reads as (x + a) mod b.
_JUNCTION, _NOT, _RELATION, _MOD, _NEGATIVE, _SUM, _LARGE, _PRODUCT, _POWER, _ATOM = range(10)

_RELATIONS = {"==": "=", "!=": r"\neq", "<": "<", "<=": r"\leq", ">": ">", ">=": r"\geq"}
# Functions whose printing does not end in its own delimiters; all others may stand anywhere but under an exponent.
_LEVELS: Mapping[str, int] = {
    "sum_over": _LARGE, "max_over": _LARGE, "min_over": _LARGE, "argmax_over": _LARGE, "sum_where": _LARGE,
    "sum_below": _LARGE, "all_over": _LARGE, "ceil_to": _PRODUCT,
}  # fmt: skip
_NEEDS = {"+": _SUM, "-": _SUM, r"\cdot": _PRODUCT, "=": _NEGATIVE, "<": _NEGATIVE}

_SCIENTIFIC = re.compile(r"(\d+(?:\.\d*)?|\.\d+)[eE]([+-]?\d+)\Z")
_DECIMAL = re.compile(r"\d+(\.\d*)?\Z|\.\d+\Z")
_SPECIAL = {sign: "\\" + sign for sign in "_%&#${}"} | {"\\": r"\textbackslash{}", "^": r"\^{}", "~": r"\~{}"}


def latex(node: Node, *, symbol: Symbol = lambda id: None) -> str:
    """Prints an expression.

    Args:
        node: a checked tree.
        symbol: the LaTeX symbol of a rule, an input or a domain; None where it has none, it is then printed upright.

    Returns:
        Text for math mode, without delimiters.
    """
    return _Printer(symbol).show(node).text


def latex_cases(branches: Sequence[Branch], *, symbol: Symbol = lambda id: None) -> str:
    """Prints a whole rule body.

    Args:
        branches: pairs of condition and formula; the last condition is None. A rule without cases is one such pair.
        symbol: see `latex`.

    Returns:
        Text for math mode: the formula alone, or a `cases` environment.

    Raises:
        ValueError: the branches are malformed.
    """
    check_branches(branches)
    if len(branches) == 1:
        return latex(branches[0][1], symbol=symbol)
    lines = [
        f"{latex(formula, symbol=symbol)} & "
        + (r"\text{otherwise}" if when is None else rf"\text{{if }} {latex(when, symbol=symbol)}")
        for when, formula in branches
    ]
    return "\\begin{cases}\n" + " \\\\\n".join(lines) + "\n\\end{cases}"


@dataclass(frozen=True, slots=True)
class _Printed:
    text: str
    level: int = _ATOM

    def within(self, level: int) -> str:
        """Returns the text, in parentheses where it binds less tightly than `level`."""
        return self.text if self.level >= level else rf"\left({self.text}\right)"


class _Printer:
    def __init__(self, symbol: Symbol) -> None:
        self._symbol = symbol

    def show(self, node: Node) -> _Printed:
        match node:
            case Number():
                return _number(node)
            case Text():
                return _Printed(rf"\text{{{_escaped(node.value)}}}")
            case Name():
                return self._name(node.id)
            case Negate():
                return _Printed(f"-{self.show(node.operand).within(_LARGE)}", _NEGATIVE)
            case Power():
                return _Printed(f"{self.show(node.base).within(_ATOM)}^{{{node.exponent}}}", _POWER)
            case Binary(op="/") if is_one(node.right):
                return self.show(node.left)
            case Binary():
                return self._binary(node.op, self.show(node.left), self.show(node.right))
            case Compare():
                left, right = self.show(node.left), self.show(node.right)
                return _Printed(f"{left.within(_MOD)} {_RELATIONS[node.op]} {right.within(_MOD)}", _RELATION)
            case Member():
                return self._member(node, r"\in")
            case Not(operand=Member() as member):
                return self._member(member, r"\notin")
            case Not():
                return _Printed(rf"\lnot {self.show(node.operand).within(_MOD)}", _NOT)
            case And():
                return self._junction(node, r" \land ")
            case Or():
                return self._junction(node, r" \lor ")
            case Lookup():
                cell = _escaped(f"{node.table}.{node.column}")
                return _Printed(rf"\mathrm{{{cell}}}\left({self.show(node.key).text}\right)", _POWER)
            case Call() if node.function in CASTS:
                return self.show(node.arguments[0])
            case Call():
                return self._call(node)
        raise AssertionError(f"unexpected node {node!r}")

    def _name(self, id: str) -> _Printed:
        symbol = self._symbol(id)
        if not symbol:
            return _Printed(rf"\mathrm{{{_escaped(id)}}}")
        return _Printed(symbol, _POWER if "^" in symbol else _ATOM)  # a second exponent would be an error

    def _binary(self, op: str, left: _Printed, right: _Printed) -> _Printed:
        match op:
            case "/":
                return _Printed(rf"\frac{{{left.text}}}{{{right.text}}}", _POWER)
            case "//":
                return _Printed(rf"\left\lfloor \frac{{{left.text}}}{{{right.text}}} \right\rfloor")
            case "%":
                return _Printed(rf"{left.within(_PRODUCT)} \bmod {right.within(_POWER)}", _MOD)
            case "*":
                return _Printed(rf"{left.within(_PRODUCT)} \cdot {right.within(_PRODUCT)}", _PRODUCT)
            case "-":
                return _Printed(f"{left.within(_NEGATIVE)} - {right.within(_LARGE)}", _SUM)
        return _Printed(f"{left.within(_NEGATIVE)} + {right.within(_SUM)}", _SUM)

    def _junction(self, node: And | Or, sign: str) -> _Printed:
        # `and` and `or` never stand side by side without parentheses, as in the rule language
        levels = [_JUNCTION if type(operand) is type(node) else _NOT for operand in node.operands]
        texts = [self.show(operand).within(level) for operand, level in zip(node.operands, levels, strict=True)]
        return _Printed(sign.join(texts), _JUNCTION)

    def _member(self, node: Member, relation: str) -> _Printed:
        items = ", ".join(self.show(item).text for item in node.items)
        return _Printed(rf"{self.show(node.left).within(_MOD)} {relation} \left\{{{items}\right\}}", _RELATION)

    def _call(self, node: Call) -> _Printed:
        function = FUNCTIONS[node.function]
        arguments = [self.show(argument) for argument in node.arguments]
        parts = dict(zip("abc", arguments, strict=False))
        if function.parameter(0) != "number":
            over = vector_domain(node)
            parts |= {"over": self._name(over), "size": self.show(DOMAIN_SIZES[over])}

        def render(slot: str, left: str, right: str) -> str:
            if slot == "args":
                return ", ".join(argument.text for argument in arguments)
            return parts[slot].within(max(_NEEDS.get(left, _JUNCTION), _NEEDS.get(right, _JUNCTION)))

        return _Printed(fill(function.latex, render), _LEVELS.get(node.function, _POWER))


def _number(node: Number) -> _Printed:
    raw = node.raw.replace("_", "")
    if match := _SCIENTIFIC.match(raw):
        power = f"10^{{{int(match[2])}}}"
        return _Printed(power, _POWER) if match[1] == "1" else _Printed(rf"{match[1]} \times {power}", _PRODUCT)
    return _Printed(raw if _DECIMAL.match(raw) else f"{node.value:.17g}")


def _escaped(text: str) -> str:
    return "".join(_SPECIAL.get(sign, sign) for sign in text)
