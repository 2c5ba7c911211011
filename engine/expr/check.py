"""Names, types, units and domains of an expression: fills in every `type` of a parsed tree."""

from __future__ import annotations

from dataclasses import replace

from engine.expr.check_call import check_call
from engine.expr.check_help import as_member, cast_help, described, join, listed, wrong
from engine.expr.nodes import (
    And,
    Binary,
    Call,
    Compare,
    Member,
    Name,
    Negate,
    Node,
    Not,
    Number,
    Or,
    Power,
    Text,
    Type,
    walk,
)
from engine.expr.parse import ExpressionError
from engine.expr.registry import SPECIAL_FORMS
from engine.expr.symbols import DOMAINS, FLAG, Symbols
from engine.units import DIMENSIONLESS, Unit


def check(node: Node, symbols: Symbols, *, over: str | None = None) -> Node:
    """Checks an expression and fills in its types.

    Args:
        node: a parsed tree.
        symbols: the names that may be used.
        over: domain of the rule that the expression belongs to, None for a scalar rule.

    Returns:
        The tree with types; `has` has become a `Name` and `lookup` a `Lookup`.

    Raises:
        ExpressionError: the first thing that is wrong (E303 to E308, E311).
    """
    return _Checker(symbols, over).visit(node)


def unknown_names(node: Node, symbols: Symbols) -> list[ExpressionError]:
    """Returns a finding for each name of a parsed tree that nothing declares, so that all can be said at once."""
    special = {
        id(argument)
        for part in walk(node)
        if isinstance(part, Call) and part.function in SPECIAL_FORMS
        for position, argument in enumerate(part.arguments)
        if (part.function, position) != ("lookup", 1)  # the key is an expression like any other
    }
    return [
        _unknown(part, symbols)
        for part in walk(node)
        if isinstance(part, Name) and id(part) not in special and not _known(part.id, symbols)
    ]


def _known(name: str, symbols: Symbols) -> bool:
    return name in symbols.types or name in symbols.sets or name in DOMAINS


def _unknown(name: Name, symbols: Symbols) -> ExpressionError:
    instead = symbols.flags.get(name.id)
    mend = f"write `{instead}`" if instead else symbols.suggest(name.id, list(symbols.types))
    return wrong(name, "E303", f"unknown name `{name.id}`", mend)


def check_as(node: Node, expected: Type, symbols: Symbols) -> Node:
    """Checks an expression that must yield a given type (a rule's declared unit, or a flag for a condition).

    Raises:
        ExpressionError: the expression is wrong in itself or yields something else (E306, E307, E311).
    """
    checked = check(node, symbols, over=expected.over)
    found = checked.type
    if expected.kind == "text" and isinstance(checked, Text):
        return as_member(checked, expected.values, symbols)
    if found.kind != expected.kind:
        raise wrong(node, "E307", f"this must be {described(expected)}, but it is {described(found)}")
    if expected.kind == "text" and found.values != expected.values:
        raise wrong(
            node, "E307", f"this is one of {listed(found.values)}, but must be one of {listed(expected.values)}"
        )
    units_known = found.unit is not None and expected.unit is not None
    if expected.kind == "number" and units_known and found.unit != expected.unit:
        raise wrong(
            node,
            "E306",
            f"the formula has unit {found.unit}, but {expected.unit} is declared",
            cast_help(found.unit, expected.unit),
        )
    return checked


class _Checker:
    def __init__(self, symbols: Symbols, over: str | None) -> None:
        self.symbols = symbols
        self._over = over

    def visit(self, node: Node) -> Node:
        match node:
            case Number():
                return replace(node, type=Type("number", None if node.value == 0 else DIMENSIONLESS))
            case Text():
                return replace(node, type=Type("text", None, (node.value,)))
            case Name():
                return self._name(node)
            case Negate():
                operand = self.number(node.operand)
                return replace(node, operand=operand, type=operand.type)
            case Power():
                base = self.number(node.base)
                return replace(
                    node,
                    base=base,
                    type=replace(base.type, unit=(base.type.unit or DIMENSIONLESS).power(node.exponent)),
                )
            case Binary():
                return self._binary(node)
            case Compare():
                return self._compare(node)
            case Member():
                return self._member(node)
            case And() | Or():
                operands = tuple(self._flag(operand) for operand in node.operands)
                return replace(node, operands=operands, type=replace(FLAG, over=join(node, *operands)))
            case Not():
                operand = self._flag(node.operand)
                return replace(node, operand=operand, type=operand.type)
            case Call():
                return check_call(self, node)
        raise AssertionError(f"unexpected node {node!r}")

    def number(self, node: Node) -> Node:
        checked = self.visit(node)
        if checked.type.kind != "number":
            mend = "write one case for true and one for false" if checked.type.kind == "flag" else None
            raise wrong(node, "E307", f"arithmetic needs a number, but this is {described(checked.type)}", mend)
        return checked

    def _flag(self, node: Node) -> Node:
        checked = self.visit(node)
        if checked.type.kind != "flag":
            raise wrong(
                node,
                "E307",
                f"this must be a condition, but it is {described(checked.type)}",
                "compare it with something, for example `> 0`",
            )
        return checked

    def _name(self, node: Name) -> Name:
        if node.id in DOMAINS:
            if node.id != self._over:
                where = f"a rule over {self._over}" if self._over else "a scalar rule"
                raise wrong(
                    node,
                    "E308",
                    f"`{node.id}` has no value in {where}",
                    f"declare the rule with `over: {node.id}`",
                )
            return replace(node, type=Type("number", DIMENSIONLESS, over=self._over))
        found = self.known(node)
        if found.over is not None and found.over != self._over:
            where = f"a rule over {self._over}" if self._over else "a scalar rule"
            raise wrong(
                node,
                "E308",
                f"`{node.id}` is a vector over {found.over} and cannot stand alone in {where}",
                f"reduce it, for example sum_over({node.id}) or at({node.id}, i)",
            )
        return replace(node, type=found)

    def known(self, node: Name) -> Type:
        found = self.symbols.types.get(node.id)
        if found is None:
            if node.id in self.symbols.sets:
                member = next(iter(self.symbols.sets[node.id]))
                raise wrong(
                    node,
                    "E307",
                    f"`{node.id}` is a set",
                    f'ask for a member: has({node.id}, "{member}")',
                )
            raise _unknown(node, self.symbols)
        return found

    def _binary(self, node: Binary) -> Binary:
        left, right = self.number(node.left), self.number(node.right)
        over = join(node, left, right)
        units = [left.type.unit, right.type.unit]
        unit: Unit | None
        if node.op in ("+", "-", "%"):
            unit = self._equal_units(node, units)
        elif node.op == "*":
            unit = None if units == [None, None] else (units[0] or DIMENSIONLESS) * (units[1] or DIMENSIONLESS)
        else:
            unit = (units[0] or DIMENSIONLESS) / (units[1] or DIMENSIONLESS)
        return replace(node, left=left, right=right, type=Type("number", unit, over=over))

    def _equal_units(self, node: Node, units: list[Unit | None]) -> Unit | None:
        known = [unit for unit in units if unit is not None]
        if any(unit != known[0] for unit in known):
            odd = next(unit for unit in known if unit != known[0])
            mend = cast_help(known[0], odd) or cast_help(odd, known[0])
            raise wrong(node, "E306", f"units disagree: {known[0]} and {odd}", mend)
        return known[0] if known else None

    def _compare(self, node: Compare) -> Compare:
        left, right = self.visit(node.left), self.visit(node.right)
        over = join(node, left, right)
        kinds = {left.type.kind, right.type.kind}
        if kinds == {"text"}:
            if node.op not in ("==", "!="):
                raise wrong(node, "E307", "members of an enumeration have no order", "use == or !=")
            left, right = self._texts(node, left, right)
        elif kinds == {"number"}:
            self._equal_units(node, [left.type.unit, right.type.unit])
        else:
            mend = "test a flag by its name: `flag` or `not flag`" if "flag" in kinds else None
            raise wrong(
                node,
                "E307",
                f"{described(left.type)} cannot be compared with {described(right.type)}",
                mend,
            )
        return replace(node, left=left, right=right, type=replace(FLAG, over=over))

    def _texts(self, node: Node, left: Node, right: Node) -> tuple[Node, Node]:
        if isinstance(left, Text) and isinstance(right, Text):
            raise wrong(node, "E307", "two literals are compared")
        if isinstance(right, Text):
            return left, as_member(right, left.type.values, self.symbols)
        if isinstance(left, Text):
            return as_member(left, right.type.values, self.symbols), right
        if left.type.values != right.type.values:
            raise wrong(
                node, "E307", f"the enumerations differ: {listed(left.type.values)} and {listed(right.type.values)}"
            )
        return left, right

    def _member(self, node: Member) -> Member:
        left = self.visit(node.left)
        items: list[Node] = []
        for item in node.items:
            if isinstance(item, Text) and left.type.kind == "text":
                items.append(as_member(item, left.type.values, self.symbols))
            elif isinstance(item, Number) and left.type.kind == "number":
                checked = self.visit(item)
                self._equal_units(node, [left.type.unit, checked.type.unit])
                items.append(checked)
            else:
                raise wrong(item, "E307", f"this does not match the left side, {described(left.type)}")
        return replace(node, left=left, items=tuple(items), type=replace(FLAG, over=left.type.over))
