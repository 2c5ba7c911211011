"""Builds inputs from their declarations, in two steps: what they are, then the formulas that stand in for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from engine.diagnostics import Span, nearest
from engine.expr.nodes import Type
from engine.inputs.accept import InputError, accept
from engine.inputs.parsers import PARSER_KINDS
from engine.inputs.slots import slots_of
from engine.loading.build import Builder
from engine.loading.declare import Declaration
from engine.loading.model import InputBody
from engine.rules import Expression, Input, LaunchFlags
from engine.units import parse_unit

_ONLY_FOR = {
    "values": ("enum",),
    "members": ("set",),
    "parser": ("layer_vector", "layout"),
    "min": ("int", "number"),
    "max": ("int", "number"),
    "default_formula": ("int", "number", "flag", "enum"),
    "derived": ("int", "number"),
    "from_flags": ("enum",),
    "off_flags": ("flag",),
}
_STAND_INS = ("required", "default", "default_formula", "absent")


def declared(item: Declaration, builder: Builder) -> Input:
    """Builds an input without its formulas; contradictions in the declaration are findings (E409)."""
    body: InputBody = item.body
    _consistent(item, body, builder)
    result = Input(
        id=item.id, title=body.title, kind=body.type, group=body.group, unit=body.unit, symbol=body.symbol,
        minimum=body.min, maximum=body.max, values=tuple(body.values or ()), members=tuple(body.members or ()),
        parser=body.parser, flag=body.flag, other_flags=tuple(body.other_flags), off_flags=tuple(body.off_flags),
        from_flags=body.from_flags, required=bool(body.required), either=body.either,
        citations=builder.citations(item), assumption=body.assumption, note=body.note, span=item.span,
    )  # fmt: skip
    return replace(
        result, default=_value(result, "default", item, builder), absent=_value(result, "absent", item, builder)
    )


def _consistent(item: Declaration, body: InputBody, builder: Builder) -> None:
    def wrong(key: str, message: str, help: str | None = None) -> None:
        builder.findings.add("E409", message, item.at(key).span if key in item.node.entries else item.span, help=help)

    for key, kinds in _ONLY_FOR.items():
        if getattr(body, key) not in (None, {}, []) and body.type not in kinds:
            wrong(key, f"`{key}` has no meaning for an input of type {body.type}", f"it goes with {' or '.join(kinds)}")
    for key, kinds in (("values", ("enum",)), ("members", ("set",)), ("parser", ("layer_vector", "layout"))):
        if body.type in kinds and getattr(body, key) is None:
            wrong(key, f"an input of type {body.type} needs `{key}`")
    if (
        body.parser is not None
        and PARSER_KINDS.get(body.parser) != body.type
        and body.type in ("layer_vector", "layout")
    ):
        near = nearest(body.parser, PARSER_KINDS)
        wrong(
            "parser",
            f"there is no parser `{body.parser}` for a {body.type}",
            f"did you mean `{near}`?" if near else None,
        )
    names = [*(body.values or ()), *(body.members or ())]
    if any(name != name.casefold() for name in names) or len(set(names)) < len(names):
        wrong(
            "values" if body.values else "members",
            "members of an enumeration are lower-case and each appears once",
            "a spreadsheet compares text without case",
        )
    stand_ins = [key for key in _STAND_INS if getattr(body, key) is not None]
    if len(stand_ins) > 1:
        wrong(
            stand_ins[1],
            f"both `{stand_ins[0]}` and `{stand_ins[1]}` say what stands where nothing is given",
            "keep one of them",
        )
    if not stand_ins and not body.either:
        wrong(
            "title",
            "it is not said what stands where nothing is given",
            "add `required: true`, `default:`, `default_formula:` or `absent:`",
        )
    if bool(body.either) != (body.derived is not None):
        wrong(
            "either",
            "`either:` and `derived:` go together",
            "a member of an either-or group says how it follows from the others",
        )
    if body.min is not None and body.max is not None and body.min > body.max:
        wrong("min", f"`min` {body.min:g} is above `max` {body.max:g}")
    try:
        parse_unit(body.unit)
    except ValueError as error:
        builder.findings.add(
            "E312", str(error), item.at("unit").span, help="units are 1, B, elem, flop, s and quotients such as B/elem"
        )
    if body.default is not None or body.default_formula is not None or body.derived is not None:
        builder.require_citation(body, f"what stands in for `{item.id}`", item.span)


def _value(item: Input, key: str, declaration: Declaration, builder: Builder) -> Any:
    raw = getattr(declaration.body, key)
    if raw is None:
        return None
    if item.kind == "enum" and not item.values:  # reported above
        return None
    if key == "absent" and item.kind == "layout" and raw == "none":
        return ()
    try:
        return accept(item, raw)
    except InputError as error:
        builder.findings.add(
            "E409", f"`{key}` does not fit: {error.message}", declaration.at(key).span, help=error.help
        )
        return None
    except KeyError:  # an unknown parser, reported above
        return None


def with_formulas(item: Input, declaration: Declaration, builder: Builder) -> Input:
    """Adds the formulas that stand in for an input, once the types of all names are known."""
    types = list(slots_of(item).values())
    expected = types[0] if types else Type()

    def formula(key: str) -> Expression | None:
        if getattr(declaration.body, key) is None:
            return None
        return builder.expression(declaration.scalar(key), expected)

    return replace(item, default_formula=formula("default_formula"), derived=formula("derived"))


def check_groups(inputs: Mapping[str, Input], builder: Builder) -> None:
    """Finds either-or groups that are not pairs."""
    groups: dict[str, list[Input]] = {}
    for item in inputs.values():
        if item.either:
            groups.setdefault(item.either, []).append(item)
    for group, members in groups.items():
        if len(members) != 2:
            others = ", ".join(f"`{member.id}`" for member in members)
            builder.findings.add(
                "E409",
                f"the either-or group `{group}` has {len(members)} member{'s' * (len(members) != 1)}: {others}",
                members[0].span,
                help="an either-or group is a pair: one of the two is given, the other derived",
            )


def launch_flags(items: Iterable[Declaration], builder: Builder) -> Mapping[str, LaunchFlags]:
    """Builds the lists of launch flags that no input stands for; a flag in two of them is a finding (E409)."""
    found: dict[str, LaunchFlags] = {}
    seen: dict[str, Span] = {}
    for item in items:
        body = item.body
        for position, name in enumerate(body.names):
            span = item.at("names", position).span
            if name in seen:
                related = [(seen[name], "first here")]
                builder.findings.add("E409", f"{name} is listed twice", span, related=related, help="keep one of them")
            seen.setdefault(name, span)
        for name in set(body.harmless).difference(body.names):
            builder.findings.add("E409", f"{name} is not among the names", item.at("harmless", name).span)
        harmless = {name: str(value) for name, value in body.harmless.items()}
        found[item.id] = LaunchFlags(
            item.id, body.title, tuple(body.names), body.moves_memory, harmless, body.note, item.span
        )
    return found
