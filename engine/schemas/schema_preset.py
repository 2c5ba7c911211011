"""JSON Schema (2020-12) of a preset, from the inputs that a rule set declares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.evaluating.artifact import number
from engine.inputs.accept import MAX_TEXT
from engine.inputs.kept_names import kept_names
from engine.inputs.parsers import MAX_ENTRIES
from engine.preset import NOT_MODELLED
from engine.rules import Input
from engine.ruleset import RuleSet
from engine.schemas.schema import DIALECT, Schema

_SPECIAL = set("\\^$.|?*+()[]{}/")

_PARSED: Mapping[str, list[Schema]] = {
    "megatron_moe_layer_freq": [
        {"type": "integer", "minimum": 1, "maximum": MAX_ENTRIES},
        {"type": "array", "items": {"enum": [0, 1]}, "minItems": 1, "maxItems": MAX_ENTRIES},
        {"type": "string", "pattern": r"^[\s0-9\[\]()+*,]+$"},
    ],
    "megatron_pipeline_layout": [
        {"type": "string", "pattern": r"^[\sEtmL0-9|()*,]+$"},
        {"type": "array", "items": {"type": "string", "pattern": r"^[\sEtmL0-9()*,]*$"}},
    ],
}
"""What each parser takes, as far as a pattern can say it."""


def preset_schema(rules: RuleSet) -> Schema:
    """Returns the schema of a preset for a rule set.

    Every input may be null, which is the same as leaving it out. Members of enumerations are offered as they are
    declared and taken in any case.
    """
    properties = {item.id: _property(rules, item) for item in rules.inputs.values()}
    for item in rules.inputs.values():
        for flag, member in item.from_flags.items():
            properties.setdefault(flag, {"title": f"Means {item.id}: {member}", "type": ["boolean", "null"]})
        for name in kept_names(item):
            properties.setdefault(name, {**properties[item.id], "title": f"Means {item.id}"})
    properties[NOT_MODELLED] = {
        "title": "Launch flags that move memory and that no input stands for",
        "description": "Each with what it is about, as an import writes them; the verdict is then incomplete.",
        "type": ["object", "null"],
        "additionalProperties": {"type": "string"},
    }
    return {
        "$schema": DIALECT,
        "title": "rank-ledger preset",
        "description": "Inputs of one configuration, under the names of Megatron's arguments.",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
    }


def _property(rules: RuleSet, item: Input) -> Schema:
    schema: Schema = {"title": item.title, "description": _description(rules, item)}
    if item.default is not None:
        schema["default"] = number(item.default)
    return schema | _shape(item)


def _shape(item: Input) -> Schema:
    match item.kind:
        case "int" | "number":
            limits = {"minimum": number(item.minimum), "maximum": number(item.maximum)}
            kind = "integer" if item.kind == "int" else "number"
            return {"type": [kind, "null"]} | {key: value for key, value in limits.items() if value is not None}
        case "flag":
            return {"type": ["boolean", "null"]}
        case "enum":
            return {"anyOf": [{"enum": [*item.values, None]}, _in_any_case(item.values)]}
        case "set":
            members = {"anyOf": [{"enum": list(item.members)}, _in_any_case(item.members)]}
            return {"type": ["array", "null"], "items": members}
        case "text":
            return {"type": ["string", "null"], "maxLength": MAX_TEXT}
    return {"anyOf": [*_PARSED[item.parser or ""], {"type": "null"}]}


def _in_any_case(members: tuple[str, ...]) -> Schema:
    """Returns a pattern that takes the members however they are capitalised; schemas know no other way to say so."""
    alternatives = "|".join("".join(map(_either_case, member)) for member in members)
    return {"type": "string", "pattern": f"^(?:{alternatives})$"}


def _either_case(sign: str) -> str:
    if sign.isalpha():
        return f"[{sign.upper()}{sign.lower()}]"
    return f"\\{sign}" if sign in _SPECIAL else sign


def _description(rules: RuleSet, item: Input) -> str:
    parts = [f"Flag {item.flag}."] if item.flag else []
    parts += [f"Flag --{flag} means {member}." for flag, member in item.from_flags.items()]
    if item.kind in ("int", "number") and item.unit != "1":
        parts.append(f"In {item.unit}.")
    parts.append(_stand_in(rules, item))
    return " ".join(parts) + (f" {item.note}" if item.note else "")


def _stand_in(rules: RuleSet, item: Input) -> str:
    """Says what holds where the input is not given."""
    if item.required:
        return "Needed: without it, what reads it has no value."
    if item.default_formula is not None:
        text = f"default: {' '.join(item.default_formula.text.split())}."
    elif item.default is not None:
        text = f"default: {_written(item.default)}."
    elif item.absent is not None:
        text = f"null or nothing stands for {_written(item.absent)}."
    else:
        text = "without either, what reads it has no value."
    if item.either:
        return f"Follows from {' or '.join(rules.siblings(item))} where that is given; {text}"
    return text[:1].upper() + text[1:]


def _written(value: Any) -> str:
    value = number(value)
    if isinstance(value, bool):
        return str(value).lower()
    return ", ".join(map(str, value)) or "nothing" if isinstance(value, list | tuple) else str(value)
