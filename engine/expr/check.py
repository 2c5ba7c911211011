"""Names, types, units and domains of an expression: fills in every `type` of a parsed tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

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
    Type,
)
from engine.expr.parse import ExpressionError
from engine.expr.registry import FUNCTIONS, SPECIAL_FORMS, Function, UnitError
from engine.units import DIMENSIONLESS, Unit

DOMAINS = ("stage", "layer", "virtual_stage")

FLAG = Type("flag", None)


@dataclass(frozen=True, slots=True)
class Symbols:
    """What names an expression may use.

    Attributes:
        types: type of every rule and input by id.
        sets: members of every set input by id.
        tables: for every table its keys and the type of each column.
        nearest: suggests a known name for an unknown one.
    """

    types: Mapping[str, Type]
    sets: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    tables: Mapping[str, tuple[tuple[str, ...], Mapping[str, Type]]] = field(default_factory=dict)
    nearest: Callable[[str, list[str]], str | None] = lambda name, candidates: None

    def suggest(self, name: str, candidates: list[str]) -> str | None:
        """Returns a help line with the nearest of the candidates."""
        near = self.nearest(name, candidates)
        return f"did you mean `{near}`?" if near else None


def flag_of(set_input: str, member: str) -> str:
    """Returns the name of the flag that says whether a set input contains a member."""
    return f"{set_input}_{member}"


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


def check_as(node: Node, expected: Type, symbols: Symbols) -> Node:
    """Checks an expression that must yield a given type (a rule's declared unit, or a flag for a condition).

    Raises:
        ExpressionError: the expression is wrong in itself or yields something else (E306, E307, E311).
    """
    checked = check(node, symbols, over=expected.over)
    found = checked.type
    if expected.kind == "text" and isinstance(checked, Text):
        return _as_member(checked, expected.values, symbols)
    if found.kind != expected.kind:
        raise ExpressionError(
            "E307", f"this must be {_article(expected)}, but it is {_article(found)}", node.start, node.end
        )
    if expected.kind == "text" and found.values != expected.values:
        raise ExpressionError(
            "E307",
            f"this is one of {_list(found.values)}, but must be one of {_list(expected.values)}",
            node.start,
            node.end,
        )
    if expected.kind == "number" and found.unit is not None and found.unit != expected.unit:
        raise ExpressionError(
            "E306",
            f"the formula has unit {found.unit}, but {expected.unit} is declared",
            node.start,
            node.end,
            _cast_help(found.unit, expected.unit),
        )
    return checked


def _list(values: tuple[str, ...]) -> str:
    return ", ".join(f"`{value}`" for value in values)


def _article(kind: Type) -> str:
    return {"number": "a number", "flag": "a condition (true or false)", "text": "a member of an enumeration"}[
        kind.kind
    ]


def _cast_help(found: Unit | None, wanted: Unit | None) -> str | None:
    if found == DIMENSIONLESS and wanted is not None and str(wanted) in ("B", "elem", "flop"):
        return f"a plain number becomes {wanted} with the cast {wanted}(…)"
    return None


def _as_member(text: Text, values: tuple[str, ...], symbols: Symbols) -> Text:
    if text.value not in values:
        raise ExpressionError(
            "E311",
            f"`{text.value}` is not one of {_list(values)}",
            text.start,
            text.end,
            symbols.suggest(text.value, list(values)),
        )
    return replace(text, type=Type("text", None, values))


class _Checker:
    def __init__(self, symbols: Symbols, over: str | None) -> None:
        self._symbols = symbols
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
                operand = self._number(node.operand)
                return replace(node, operand=operand, type=operand.type)
            case Power():
                base = self._number(node.base)
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
                return replace(node, operands=operands, type=replace(FLAG, over=self._join(node, *operands)))
            case Not():
                operand = self._flag(node.operand)
                return replace(node, operand=operand, type=operand.type)
            case Call():
                return self._call(node)
        raise AssertionError(f"unexpected node {node!r}")

    def _number(self, node: Node) -> Node:
        checked = self.visit(node)
        if checked.type.kind != "number":
            mend = "write one case for true and one for false" if checked.type.kind == "flag" else None
            raise ExpressionError(
                "E307", f"arithmetic needs a number, but this is {_article(checked.type)}", node.start, node.end, mend
            )
        return checked

    def _flag(self, node: Node) -> Node:
        checked = self.visit(node)
        if checked.type.kind != "flag":
            raise ExpressionError(
                "E307",
                f"this must be a condition, but it is {_article(checked.type)}",
                node.start,
                node.end,
                "compare it with something, for example `> 0`",
            )
        return checked

    def _join(self, node: Node, *parts: Node) -> str | None:
        domains = {part.type.over for part in parts} - {None}
        if len(domains) > 1:
            raise ExpressionError(
                "E308",
                f"vectors over {' and '.join(sorted(str(domain) for domain in domains))} cannot be combined",
                node.start,
                node.end,
            )
        return next(iter(domains), None)

    def _name(self, node: Name) -> Name:
        if node.id in DOMAINS:
            if node.id != self._over:
                where = f"a rule over {self._over}" if self._over else "a scalar rule"
                raise ExpressionError(
                    "E308",
                    f"`{node.id}` has no value in {where}",
                    node.start,
                    node.end,
                    f"declare the rule with `over: {node.id}`",
                )
            return replace(node, type=Type("number", DIMENSIONLESS, over=self._over))
        found = self._known(node)
        if found.over is not None and found.over != self._over:
            where = f"a rule over {self._over}" if self._over else "a scalar rule"
            raise ExpressionError(
                "E308",
                f"`{node.id}` is a vector over {found.over} and cannot stand alone in {where}",
                node.start,
                node.end,
                f"reduce it, for example sum_over({node.id}) or at({node.id}, i)",
            )
        return replace(node, type=found)

    def _known(self, node: Name) -> Type:
        found = self._symbols.types.get(node.id)
        if found is None:
            if node.id in self._symbols.sets:
                member = next(iter(self._symbols.sets[node.id]))
                raise ExpressionError(
                    "E307",
                    f"`{node.id}` is a set",
                    node.start,
                    node.end,
                    f'ask for a member: has({node.id}, "{member}")',
                )
            raise ExpressionError(
                "E303",
                f"unknown name `{node.id}`",
                node.start,
                node.end,
                self._symbols.suggest(node.id, list(self._symbols.types)),
            )
        return found

    def _binary(self, node: Binary) -> Binary:
        left, right = self._number(node.left), self._number(node.right)
        over = self._join(node, left, right)
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
            mend = _cast_help(known[0], odd) or _cast_help(odd, known[0])
            raise ExpressionError("E306", f"units disagree: {known[0]} and {odd}", node.start, node.end, mend)
        return known[0] if known else None

    def _compare(self, node: Compare) -> Compare:
        left, right = self.visit(node.left), self.visit(node.right)
        over = self._join(node, left, right)
        kinds = {left.type.kind, right.type.kind}
        if kinds == {"text"}:
            if node.op not in ("==", "!="):
                raise ExpressionError(
                    "E307", "members of an enumeration have no order", node.start, node.end, "use == or !="
                )
            left, right = self._texts(node, left, right)
        elif kinds == {"number"}:
            self._equal_units(node, [left.type.unit, right.type.unit])
        else:
            mend = "test a flag by its name: `flag` or `not flag`" if "flag" in kinds else None
            raise ExpressionError(
                "E307",
                f"{_article(left.type)} cannot be compared with {_article(right.type)}",
                node.start,
                node.end,
                mend,
            )
        return replace(node, left=left, right=right, type=replace(FLAG, over=over))

    def _texts(self, node: Node, left: Node, right: Node) -> tuple[Node, Node]:
        if isinstance(left, Text) and isinstance(right, Text):
            raise ExpressionError("E307", "two literals are compared", node.start, node.end)
        if isinstance(right, Text):
            return left, _as_member(right, left.type.values, self._symbols)
        if isinstance(left, Text):
            return _as_member(left, right.type.values, self._symbols), right
        if left.type.values != right.type.values:
            raise ExpressionError(
                "E307",
                f"the enumerations differ: {_list(left.type.values)} and {_list(right.type.values)}",
                node.start,
                node.end,
            )
        return left, right

    def _member(self, node: Member) -> Member:
        left = self.visit(node.left)
        items: list[Node] = []
        for item in node.items:
            if isinstance(item, Text) and left.type.kind == "text":
                items.append(_as_member(item, left.type.values, self._symbols))
            elif isinstance(item, Number) and left.type.kind == "number":
                checked = self.visit(item)
                self._equal_units(node, [left.type.unit, checked.type.unit])
                items.append(checked)
            else:
                raise ExpressionError(
                    "E307", f"this does not match the left side, {_article(left.type)}", item.start, item.end
                )
        return replace(node, left=left, items=tuple(items), type=replace(FLAG, over=left.type.over))

    def _call(self, node: Call) -> Node:
        if node.function == "has":
            return self._has(node)
        if node.function == "lookup":
            return self._lookup(node)
        function = FUNCTIONS.get(node.function)
        if function is None:
            known = [*FUNCTIONS, *SPECIAL_FORMS]
            raise ExpressionError(
                "E304",
                f"unknown function `{node.function}`",
                node.start,
                node.end,
                self._symbols.suggest(node.function, known) or "registered functions: " + " ".join(known),
            )
        count, wanted = len(node.arguments), len(function.parameters)
        if count < wanted or (count > wanted and not function.variadic):
            more = " or more" if function.variadic else ""
            raise ExpressionError(
                "E305",
                f"`{function.name}` takes {wanted}{more} argument{'s' * (wanted != 1)}, not {count}",
                node.start,
                node.end,
                function.doc,
            )
        arguments = tuple(
            self._argument(function, position, argument) for position, argument in enumerate(node.arguments)
        )
        vectors = [argument for position, argument in enumerate(arguments) if function.parameter(position) != "number"]
        self._join(node, *vectors)
        over = self._join(
            node, *(argument for position, argument in enumerate(arguments) if function.parameter(position) == "number")
        )
        try:
            unit = function.unit([argument.type.unit for argument in arguments])
        except UnitError as error:
            raise ExpressionError("E306", f"`{function.name}`: {error}", node.start, node.end) from None
        kind = Type("number", unit, over=over) if function.result == "number" else replace(FLAG, over=over)
        return replace(node, arguments=arguments, type=kind)

    def _argument(self, function: Function, position: int, argument: Node) -> Node:
        kind = function.parameter(position)
        if kind == "number":
            return self._number(argument)
        if not isinstance(argument, Name) or argument.id in DOMAINS:
            raise ExpressionError(
                "E308",
                f"argument {position + 1} of `{function.name}` is the name of a vector",
                argument.start,
                argument.end,
                "give the expression a name: make it a rule with `over:`",
            )
        found = self._known(argument)
        if found.over is None:
            raise ExpressionError(
                "E308",
                f"`{argument.id}` is a single value, but `{function.name}` needs a vector",
                argument.start,
                argument.end,
            )
        wanted = "flag" if kind == "flags" else "number"
        if found.kind != wanted:
            raise ExpressionError(
                "E307",
                f"`{function.name}` needs a vector of {wanted}s, but `{argument.id}` is {_article(found)}",
                argument.start,
                argument.end,
            )
        return replace(argument, type=found)

    def _has(self, node: Call) -> Name:
        match node.arguments:
            case (Name(id=name), Text(value=member)) if name in self._symbols.sets:
                members = self._symbols.sets[name]
                _as_member(
                    replace(node.arguments[1], value=member) if isinstance(node.arguments[1], Text) else Text(member),
                    members,
                    self._symbols,
                )
                return Name(flag_of(name, member), start=node.start, end=node.end, type=FLAG)
            case (Name(id=name), Text()):
                raise ExpressionError(
                    "E303",
                    f"`{name}` is not a set input",
                    node.start,
                    node.end,
                    self._symbols.suggest(name, list(self._symbols.sets)),
                )
        raise ExpressionError(
            "E305", "`has` takes a set input and a member", node.start, node.end, SPECIAL_FORMS["has"]
        )

    def _lookup(self, node: Call) -> Lookup:
        match node.arguments:
            case (Name(id=table), key, Name(id=column)):
                pass
            case _:
                raise ExpressionError(
                    "E305", "`lookup` takes a table, a key and a column", node.start, node.end, SPECIAL_FORMS["lookup"]
                )
        if table not in self._symbols.tables:
            raise ExpressionError(
                "E303",
                f"unknown table `{table}`",
                node.arguments[0].start,
                node.arguments[0].end,
                self._symbols.suggest(table, list(self._symbols.tables)),
            )
        keys, columns = self._symbols.tables[table]
        if column not in columns:
            raise ExpressionError(
                "E303",
                f"table `{table}` has no column `{column}`",
                node.arguments[2].start,
                node.arguments[2].end,
                self._symbols.suggest(column, list(columns)),
            )
        checked = self.visit(key)
        if isinstance(checked, Text):
            checked = _as_member(checked, keys, self._symbols)
        if checked.type.kind != "text":
            raise ExpressionError(
                "E307",
                f"the key of a table is a member of an enumeration, but this is {_article(checked.type)}",
                key.start,
                key.end,
            )
        missing = [value for value in checked.type.values if value not in keys]
        if missing:
            raise ExpressionError("E311", f"table `{table}` has no row for {_list(tuple(missing))}", key.start, key.end)
        return Lookup(
            table,
            checked,
            column,
            start=node.start,
            end=node.end,
            type=replace(columns[column], over=checked.type.over),
        )
