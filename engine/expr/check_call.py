"""Checks calls: registered functions, and the special forms `has` and `lookup`."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from engine.expr.check_help import as_member, described, join, listed, wrong
from engine.expr.nodes import Call, Lookup, Name, Node, Text, Type
from engine.expr.registry import FUNCTIONS, SPECIAL_FORMS, Function, UnitError
from engine.expr.symbols import DOMAINS, FLAG, Symbols, flag_of


class Checker(Protocol):
    """The part of the checker that calls need."""

    symbols: Symbols

    def visit(self, node: Node) -> Node:
        """Checks any expression."""

    def number(self, node: Node) -> Node:
        """Checks an expression that must be a number."""

    def known(self, node: Name) -> Type:
        """Returns the type of a name that must be known."""


def check_call(checker: Checker, node: Call) -> Node:
    """Checks a call: its function, the number and kind of its arguments, their units."""
    if node.function == "has":
        return _has(checker, node)
    if node.function == "lookup":
        return _lookup(checker, node)
    function = FUNCTIONS.get(node.function)
    if function is None:
        known = [*FUNCTIONS, *SPECIAL_FORMS]
        raise wrong(
            node,
            "E304",
            f"unknown function `{node.function}`",
            checker.symbols.suggest(node.function, known) or "registered functions: " + " ".join(known),
        )
    count, wanted = len(node.arguments), len(function.parameters)
    if count < wanted or (count > wanted and not function.variadic):
        more = " or more" if function.variadic else ""
        raise wrong(
            node,
            "E305",
            f"`{function.name}` takes {wanted}{more} argument{'s' * (wanted != 1)}, not {count}",
            function.doc,
        )
    arguments = tuple(
        _argument(checker, function, position, argument) for position, argument in enumerate(node.arguments)
    )
    vectors = [argument for position, argument in enumerate(arguments) if function.parameter(position) != "number"]
    join(node, *vectors)
    over = join(
        node, *(argument for position, argument in enumerate(arguments) if function.parameter(position) == "number")
    )
    try:
        unit = function.unit([argument.type.unit for argument in arguments])
    except UnitError as error:
        raise wrong(node, "E306", f"`{function.name}`: {error}") from None
    kind = Type("number", unit, over=over) if function.result == "number" else replace(FLAG, over=over)
    return replace(node, arguments=arguments, type=kind)


def _argument(checker: Checker, function: Function, position: int, argument: Node) -> Node:
    kind = function.parameter(position)
    if kind == "number":
        return checker.number(argument)
    if not isinstance(argument, Name) or argument.id in DOMAINS:
        raise wrong(
            argument,
            "E308",
            f"argument {position + 1} of `{function.name}` is the name of a vector",
            "give the expression a name: make it a rule with `over:`",
        )
    found = checker.known(argument)
    if found.over is None:
        raise wrong(argument, "E308", f"`{argument.id}` is a single value, but `{function.name}` needs a vector")
    wanted = "flag" if kind == "flags" else "number"
    if found.kind != wanted:
        raise wrong(
            argument,
            "E307",
            f"`{function.name}` needs a vector of {wanted}s, but `{argument.id}` is {described(found)}",
        )
    return replace(argument, type=found)


def _has(checker: Checker, node: Call) -> Name:
    match node.arguments:
        case (Name(id=name), Text(value=member)) if name in checker.symbols.sets:
            members = checker.symbols.sets[name]
            as_member(
                replace(node.arguments[1], value=member) if isinstance(node.arguments[1], Text) else Text(member),
                members,
                checker.symbols,
            )
            return Name(flag_of(name, member), start=node.start, end=node.end, type=FLAG)
        case (Name(id=name), Text()):
            raise wrong(
                node,
                "E303",
                f"`{name}` is not a set input",
                checker.symbols.suggest(name, list(checker.symbols.sets)),
            )
    raise wrong(node, "E305", "`has` takes a set input and a member", SPECIAL_FORMS["has"])


def _lookup(checker: Checker, node: Call) -> Lookup:
    match node.arguments:
        case (Name(id=table), key, Name(id=column)):
            pass
        case _:
            raise wrong(node, "E305", "`lookup` takes a table, a key and a column", SPECIAL_FORMS["lookup"])
    if table not in checker.symbols.tables:
        raise wrong(
            node.arguments[0],
            "E303",
            f"unknown table `{table}`",
            checker.symbols.suggest(table, list(checker.symbols.tables)),
        )
    keys, columns = checker.symbols.tables[table]
    if column not in columns:
        raise wrong(
            node.arguments[2],
            "E303",
            f"table `{table}` has no column `{column}`",
            checker.symbols.suggest(column, list(columns)),
        )
    checked = checker.visit(key)
    if isinstance(checked, Text):
        checked = as_member(checked, keys, checker.symbols)
    if checked.type.kind != "text":
        raise wrong(
            key, "E307", f"the key of a table is a member of an enumeration, but this is {described(checked.type)}"
        )
    missing = [value for value in checked.type.values if value not in keys]
    if missing:
        raise wrong(key, "E311", f"table `{table}` has no row for {listed(tuple(missing))}")
    return Lookup(
        table,
        checked,
        column,
        start=node.start,
        end=node.end,
        type=replace(columns[column], over=checked.type.over),
    )
