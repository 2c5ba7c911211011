"""Prints a checked expression as an Excel formula, in the subset that spreadsheet applications agree on.

Flags are the numbers 0 and 1 in cells, never TRUE and FALSE, so an expression has two printings: as a value
(`IF(a>b,1,0)`) and as a condition (`a>b`; a flag's cell is tested as `(flag=1)`). What each printed form avoids is told
in docs/spreadsheet-differences.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

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
    walk,
)
from engine.expr.printing import CASTS, DOMAIN_SIZES, Branch, check_branches, fill, is_one, vector_domain
from engine.expr.registry import FUNCTIONS

SAFE_FUNCTIONS = frozenset(
    {"ABS", "AND", "CEILING", "COUNTIF", "GCD", "IF", "INDEX", "INT", "LCM", "LOG", "MATCH", "MAX"}
    | {"MIN", "MOD", "NOT", "OR", "POWER", "ROUND", "ROUNDUP", "SQRT", "SUM", "SUMIF"}
)
"""Every function that a printed formula may use; each gives the same value in all applications that were tried."""

MAX_LENGTH = 8192  # characters of a formula, with its `=`
MAX_NESTING = 64  # function calls inside one another
MAX_TEXT = 255  # characters of a text literal
MAX_DIGITS = 15  # significant digits that a formula keeps of a literal

# How tightly a printed text binds. Excel knows more levels; what lies between them is always put in parentheses.
_COMPARISON, _SUM, _PRODUCT, _ATOM = range(4)
_OPERATORS = {"+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT}
_COMPARE = {"==": "=", "!=": "<>"}
_NEEDS_LEFT = {
    "(": _COMPARISON, ",": _COMPARISON, "+": _PRODUCT, "-": _PRODUCT, "*": _ATOM, "/": _ATOM, "=": _SUM, "&": _SUM,
}  # fmt: skip
_NEEDS_RIGHT = {")": _COMPARISON, ",": _COMPARISON, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "=": _SUM}

Reference = Callable[[Name], str]


def excel(
    node: Node,
    *,
    reference: Reference = lambda name: name.id,
    row: Reference = lambda name: name.id,
    may_fail: Callable[[Name], bool] = lambda name: False,
) -> str:
    """Prints an expression as an Excel formula without the leading `=`.

    Args:
        node: a checked tree. The text of a vector is that of one index.
        reference: the text of a name that stands for one value: an id, or the cell of a same-domain vector.
        row: the text of a vector that an aggregate reads: its id, the name of the whole row, or the row's address.
        may_fail: whether the cell of a name may hold an error. A later operand of `and` and `or` that reads such a name
            is guarded, since Excel evaluates all arguments of AND and OR.

    Returns:
        Text that yields a number (flags 0 or 1) or a text.

    Raises:
        ValueError: the formula passes a limit of Excel (length, nesting, digits of a literal, length of a text).
    """
    return excel_cases([(None, node)], reference=reference, row=row, may_fail=may_fail)


def excel_cases(
    branches: Sequence[Branch],
    *,
    reference: Reference = lambda name: name.id,
    row: Reference = lambda name: name.id,
    may_fail: Callable[[Name], bool] = lambda name: False,
) -> str:
    """Prints a whole rule body: cases as IF inside IF, in their order.

    Args:
        branches: pairs of condition and formula; the last condition is None. A rule without cases is one such pair.
        reference: see `excel`.
        row: see `excel`.
        may_fail: see `excel`.

    Returns:
        Text without the leading `=`.

    Raises:
        ValueError: the branches are malformed, or the formula passes a limit of Excel.
    """
    check_branches(branches)
    printer = _Printer(reference, row, may_fail)
    printed = printer.value(branches[-1][1])
    for when, formula in reversed(branches[:-1]):
        if when is not None:
            printed = _call("IF", printer.condition(when), printer.value(formula), printed)
    if len(printed.text) + 1 > MAX_LENGTH:
        raise ValueError(f"the formula has {len(printed.text) + 1} characters, the limit of Excel is {MAX_LENGTH}")
    if printed.nesting > MAX_NESTING:
        raise ValueError(f"the formula nests functions {printed.nesting} deep, the limit of Excel is {MAX_NESTING}")
    return printed.text


@dataclass(frozen=True, slots=True)
class _Printed:
    """A printed part: its text, how tightly it binds, and how deep it nests functions."""

    text: str
    level: int = _ATOM
    nesting: int = 0

    def within(self, level: int) -> str:
        """Returns the text, in parentheses where it binds less tightly than `level`."""
        return self.text if self.level >= level else f"({self.text})"


_ONE, _ZERO = _Printed("1"), _Printed("0")


def _call(function: str, *arguments: _Printed) -> _Printed:
    text = f"{function}({','.join(argument.text for argument in arguments)})"
    return _Printed(text, nesting=1 + max(argument.nesting for argument in arguments))


def _infix(op: str, left: _Printed, right: _Printed, level: int) -> _Printed:
    # The right operand needs parentheses at the same level as well: rounding makes even + depend on the order.
    text = f"{left.within(level)}{op}{right.within(level + 1)}"
    return _Printed(text, level, max(left.nesting, right.nesting))


class _Printer:
    """Prints nodes; `value` and `condition` are the two contexts."""

    def __init__(self, reference: Reference, row: Reference, may_fail: Callable[[Name], bool]) -> None:
        self._reference = reference
        self._row = row
        self._may_fail = may_fail

    def value(self, node: Node) -> _Printed:
        """Prints what a cell or an operand holds: a number, a text, or 0 or 1 for a flag."""
        match node:
            case Number():
                return _Printed(_digits(node.value)) if node.value >= 0 else self.value(Negate(Number(-node.value, "")))
            case Text():
                return _Printed(_quoted(node.value))
            case Name():
                return _Printed(self._reference(node))
            case Negate():  # never a leading minus: -2^2 is 4 in a spreadsheet
                operand = self.value(node.operand)
                return _Printed(f"(0-{operand.within(_PRODUCT)})", nesting=operand.nesting)
            case Power():
                return _call("POWER", self.value(node.base), _Printed(str(node.exponent)))
            case Binary(op="%"):
                return _call("MOD", self.value(node.left), self.value(node.right))
            case Binary(op="//"):
                return _call("INT", _infix("/", self.value(node.left), self.value(node.right), _PRODUCT))
            case Binary(op="/") if is_one(node.right):
                return self.value(node.left)
            case Binary():
                return _infix(node.op, self.value(node.left), self.value(node.right), _OPERATORS[node.op])
            case Lookup():
                row = _call("MATCH", self.value(node.key), _Printed(f"{node.table}_key"), _ZERO)
                return _call("INDEX", _Printed(f"{node.table}_{node.column}"), _ONE, row)
            case Call() if node.function in CASTS:
                return self.value(node.arguments[0])
            case Call() if FUNCTIONS[node.function].result != "flag":
                return self._function(node)
            case And() | Or() if self._needs_guard(node):
                return self._guarded(node)
        return _call("IF", self.condition(node), _ONE, _ZERO)

    def condition(self, node: Node) -> _Printed:
        """Prints what stands in the first place of IF or in AND, OR and NOT."""
        match node:
            case Compare():
                op = _COMPARE.get(node.op, node.op)
                return _infix(op, self.value(node.left), self.value(node.right), _COMPARISON)
            case Member():
                tests = [self.condition(Compare("==", node.left, item)) for item in node.items]
                return tests[0] if len(tests) == 1 else _call("OR", *tests)
            case Not():
                return _call("NOT", self.condition(node.operand))
            case And() | Or() if not self._needs_guard(node):
                function = "AND" if isinstance(node, And) else "OR"
                return _call(function, *(self.condition(operand) for operand in node.operands))
            case Call() if FUNCTIONS[node.function].result == "flag":
                return self._function(node)
        value = self.value(node)
        return _Printed(f"({value.text}=1)", nesting=value.nesting)

    def _function(self, node: Call) -> _Printed:
        function = FUNCTIONS[node.function]
        arguments = []
        for position, argument in enumerate(node.arguments):
            if function.parameter(position) == "number":
                arguments.append(self.value(argument))
            elif isinstance(argument, Name):
                arguments.append(_Printed(self._row(argument)))
            else:
                raise ValueError(f"argument {position + 1} of `{function.name}` is not the name of a vector")
        parts = dict(zip("abc", arguments, strict=False))
        if "{size}" in function.excel:
            parts["size"] = self.value(DOMAIN_SIZES[vector_domain(node)])

        def render(slot: str, left: str, right: str) -> str:
            if slot == "args":
                return ",".join(argument.text for argument in arguments)
            return parts[slot].within(max(_NEEDS_LEFT[left], _NEEDS_RIGHT[right]))

        nesting = max(part.nesting for part in (*arguments, *parts.values()))
        return _Printed(fill(function.excel, render), nesting=nesting + _nesting(function.excel))

    def _needs_guard(self, node: And | Or) -> bool:
        return any(self._can_fail(operand) for operand in node.operands[1:])

    def _can_fail(self, node: Node) -> bool:
        for part in walk(node):
            match part:
                case Binary(op="/" | "//" | "%", right=divisor):
                    if not (is_one(divisor) or (isinstance(divisor, Number) and divisor.value)):
                        return True
                case Lookup():
                    return True
                case Call() if FUNCTIONS[part.function].can_fail:
                    return True
                case Name() if self._may_fail(part):
                    return True
        return False

    def _guarded(self, node: And | Or) -> _Printed:
        *earlier, last = node.operands
        printed = self.value(last)
        for operand in reversed(earlier):
            test = self.condition(operand)
            printed = _call("IF", test, printed, _ZERO) if isinstance(node, And) else _call("IF", test, _ONE, printed)
        return printed


def _nesting(template: str) -> int:
    """Returns how many function calls of a template contain one another."""
    depth = deepest = 0
    stack = []
    for position, sign in enumerate(template):
        if sign == "(":
            stack.append(template[position - 1 : position].isalpha())
            depth += stack[-1]
            deepest = max(deepest, depth)
        elif sign == ")":
            depth -= stack.pop()
    return deepest


def _digits(value: float) -> str:
    # plain digits: `1E9` without a sign makes one application refuse the file, digits past the 15th are cut by others
    number = Decimal(repr(value)).normalize()
    if len(number.as_tuple().digits) > MAX_DIGITS:
        raise ValueError(f"{value!r} has more than {MAX_DIGITS} significant digits, which a formula does not keep")
    return f"{number:f}"


def _quoted(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise ValueError(f"a text of {len(text)} characters, the limit of Excel is {MAX_TEXT}")
    return '"' + text.replace('"', '""') + '"'
