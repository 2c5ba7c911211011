"""Text of an expression to its syntax tree: a closed subset of Python expressions, parsed with the standard `ast`."""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import dataclass

from engine.expr.nodes import And, Binary, Call, Compare, Member, Name, Negate, Node, Not, Number, Or, Power, Text, walk

MAX_LENGTH = 1000
MAX_NODES = 200
MAX_DEPTH = 30
MAX_EXPONENT = 16
MAX_LITERAL = 2.0**53

_BINARY = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARE = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}
_REFUSED = {
    ast.IfExp: (
        "`if … else` inside an expression",
        "write one case a branch under `cases:`, each with its own citation",
    ),
    ast.Attribute: ("a dotted name", "ids are flat snake_case words"),
    ast.Subscript: ("a subscript", "use `at(vector, index)`"),
    ast.Lambda: ("a lambda", "use the registered functions"),
    ast.List: ("a list", "membership takes a tuple of literals: x in (1, 2)"),
    ast.JoinedStr: ("an f-string", "texts are plain literals"),
}


@dataclass(frozen=True, slots=True)
class ExpressionError(Exception):
    """A finding in an expression: code, message, the characters it is about, and how to mend it."""

    code: str
    message: str
    start: int
    end: int
    help: str | None = None


def parse(text: str) -> Node:
    """Parses an expression.

    Args:
        text: the expression as it stands in the rule.

    Returns:
        The tree, with types not yet filled in (see `engine.expr.check`).

    Raises:
        ExpressionError: the text is not an expression of the rule language (E301, E302, E305, E309, E310).
    """
    if len(text) > MAX_LENGTH:
        raise ExpressionError(
            "E309",
            f"the expression has {len(text)} characters, the limit is {MAX_LENGTH}",
            0,
            len(text),
            "give parts of it a name: each can be a rule of its own",
        )
    line = re.sub(r"[\n\t\r\f]", " ", text)
    shift = len(line) - len(line.lstrip())
    try:
        with warnings.catch_warnings():  # of Python about its own literals
            warnings.simplefilter("ignore")
            tree = ast.parse(line.strip(), mode="eval").body
    except (SyntaxError, MemoryError, RecursionError, ValueError) as error:
        at = shift + max((getattr(error, "offset", None) or 1) - 1, 0)
        at = min(at, max(len(text) - 1, 0))
        reason = getattr(error, "msg", None) or "it is nested too deeply"
        raise ExpressionError(
            "E301",
            f"this is not an expression: {reason}",
            at,
            max(at + 1, min(len(text), at + 1)),
            "expressions use + - * / // % **, comparisons, `and or not` and calls",
        ) from None
    builder = _Builder(line.strip(), shift)
    builder.refuse_comment(tree)
    root = builder.build(tree, 1)
    count = sum(1 for _ in walk(root))
    if count > MAX_NODES:
        raise ExpressionError(
            "E309",
            f"the expression has {count} parts, the limit is {MAX_NODES}",
            0,
            len(text),
            "give parts of it a name: each can be a rule of its own",
        )
    return root


class _Builder:
    """Converts `ast` nodes to ours, one method a construct."""

    def __init__(self, text: str, shift: int) -> None:
        self._text = text
        self._bytes = text.encode()
        self._ascii = len(self._bytes) == len(text)
        self._shift = shift

    def _span(self, node: ast.expr) -> tuple[int, int]:
        start, end = node.col_offset, node.end_col_offset or node.col_offset + 1
        if not self._ascii:  # ast counts UTF-8 bytes
            start, end = len(self._bytes[:start].decode()), len(self._bytes[:end].decode())
        return start + self._shift, end + self._shift

    def refuse_comment(self, node: ast.expr) -> None:
        """Refuses a comment: lines have been joined, so it would swallow what stands on the next ones."""
        end = self._span(node)[1]
        at = self._text.find("#", end - self._shift)
        if at >= 0:
            raise ExpressionError(
                "E302",
                "a comment is not part of the rule language",
                at + self._shift,
                len(self._text) + self._shift,
                "write it beside the formula, as `note:`",
            )

    def build(self, node: ast.expr, depth: int) -> Node:
        start, end = self._span(node)
        if depth > MAX_DEPTH:
            raise ExpressionError(
                "E309",
                f"the expression is nested more than {MAX_DEPTH} deep",
                start,
                end,
                "give the inner part a name: it can be a rule of its own",
            )
        match node:
            case ast.Constant():
                return self._constant(node, start, end)
            case ast.Name():
                return Name(node.id, start=start, end=end)
            case ast.UnaryOp(op=ast.USub()):
                return Negate(self.build(node.operand, depth + 1), start=start, end=end)
            case ast.UnaryOp(op=ast.Not()):
                return Not(self.build(node.operand, depth + 1), start=start, end=end)
            case ast.BinOp(op=ast.Pow()):
                return Power(self.build(node.left, depth + 1), self._exponent(node.right), start=start, end=end)
            case ast.BinOp() if type(node.op) in _BINARY:
                return Binary(
                    _BINARY[type(node.op)],
                    self.build(node.left, depth + 1),
                    self.build(node.right, depth + 1),
                    start=start,
                    end=end,
                )
            case ast.Compare():
                return self._compare(node, depth, start, end)
            case ast.BoolOp():
                return self._bool(node, depth, start, end)
            case ast.Call():
                return self._call(node, depth, start, end)
        what, mend = next(
            ((what, mend) for kind, (what, mend) in _REFUSED.items() if isinstance(node, kind)),
            ("this construct", "expressions use + - * / // % **, comparisons, `and or not` and calls"),
        )
        raise ExpressionError("E302", f"{what} is not part of the rule language", start, end, mend)

    def _constant(self, node: ast.Constant, start: int, end: int) -> Node:
        value = node.value
        if isinstance(value, str):
            return Text(value, start=start, end=end)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ExpressionError(
                "E302",
                f"`{value!r}` is not part of the rule language",
                start,
                end,
                "test a flag by its name: `flag` or `not flag`",
            )
        if not abs(value) <= MAX_LITERAL:
            raise ExpressionError("E309", "a literal must be finite and at most 2**53", start, end)
        begin, stop = start - self._shift, end - self._shift
        return Number(float(value), self._text[begin:stop], start=start, end=end)

    def _exponent(self, node: ast.expr) -> int:
        if isinstance(node, ast.Constant) and type(node.value) is int and 1 <= node.value <= MAX_EXPONENT:
            return node.value
        start, end = self._span(node)
        raise ExpressionError("E302", f"an exponent is a literal integer from 1 to {MAX_EXPONENT}", start, end)

    def _compare(self, node: ast.Compare, depth: int, start: int, end: int) -> Node:
        parts: list[Node] = []
        left = node.left
        for op, right in zip(node.ops, node.comparators, strict=True):
            low, high = self._span(left)[0], self._span(right)[1]
            if isinstance(op, ast.In | ast.NotIn):
                if (
                    not isinstance(right, ast.Tuple)
                    or not right.elts
                    or not all(isinstance(item, ast.Constant) for item in right.elts)
                ):
                    at, stop = self._span(right)
                    raise ExpressionError(
                        "E302", "`in` takes a tuple of literals", at, stop, 'for example: x in ("a", "b")'
                    )
                member: Node = Member(
                    self.build(left, depth + 1),
                    tuple(self.build(item, depth + 1) for item in right.elts),
                    start=low,
                    end=high,
                )
                parts.append(Not(member, start=low, end=high) if isinstance(op, ast.NotIn) else member)
            elif type(op) in _COMPARE:
                parts.append(
                    Compare(
                        _COMPARE[type(op)],
                        self.build(left, depth + 1),
                        self.build(right, depth + 1),
                        start=low,
                        end=high,
                    )
                )
            else:
                raise ExpressionError("E302", "`is` is not part of the rule language", start, end, "use ==")
            left = right
        return parts[0] if len(parts) == 1 else And(tuple(parts), start=start, end=end)

    def _bool(self, node: ast.BoolOp, depth: int, start: int, end: int) -> Node:
        for value in node.values:
            if isinstance(value, ast.BoolOp) and type(value.op) is not type(node.op):
                low, high = self._span(value)
                if not self._parenthesised(low - self._shift, high - self._shift):
                    raise ExpressionError(
                        "E310",
                        "`and` and `or` are mixed without parentheses",
                        start,
                        end,
                        "add parentheses that say which belongs together",
                    )
        operands = tuple(self.build(value, depth + 1) for value in node.values)
        return (
            And(operands, start=start, end=end) if isinstance(node.op, ast.And) else Or(operands, start=start, end=end)
        )

    def _parenthesised(self, low: int, high: int) -> bool:
        return self._text[:low].rstrip().endswith("(") and self._text[high:].lstrip().startswith(")")

    def _call(self, node: ast.Call, depth: int, start: int, end: int) -> Node:
        if not isinstance(node.func, ast.Name):
            raise ExpressionError("E302", "only registered functions can be called", start, end)
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            raise ExpressionError("E302", "arguments are given by position", start, end)
        return Call(
            node.func.id, tuple(self.build(argument, depth + 1) for argument in node.args), start=start, end=end
        )
