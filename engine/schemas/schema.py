"""JSON Schema (2020-12) of rule files and presets, so that editors complete and check them while they are written.

The schema of a rule file comes from the models that load it (`engine.loading.model`); what spans several keys of a
body is added here. Units, names and expressions are checked by `engine lint`, which knows the whole rule set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Any

from engine.expr.registry import FUNCTIONS, SPECIAL_FORMS
from engine.expr.symbols import DOMAINS
from engine.inputs.parsers import PARSER_KINDS
from engine.loading.sections import SECTIONS, SPECIAL_FILES
from engine.ruleset import RuleSet
from engine.schemas.schema_words import meaning
from engine.units import BASES

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_FACTOR = rf"(?:1|{'|'.join(BASES)})(?:\^-?[0-9]+)?"
_UNIT = rf"{_FACTOR}(?:[*/]{_FACTOR})*"
_ID: Schema = {
    # what a spreadsheet reads as a cell (bf16, R1C1) cannot be a name there
    "pattern": r"^(?!(?:[A-Za-z]{1,3}[0-9]+|(?:[Rr][0-9]*)?(?:[Cc][0-9]*)?)$)[A-Za-z][A-Za-z0-9_]*$",
    "maxLength": 200,
    "not": {"enum": [*DOMAINS, *FUNCTIONS, *SPECIAL_FORMS]},
}
_NAMESPACE = ("inputs", "rules", "checks", "tables")


def _one_of(*keys: str) -> Schema:
    return {"oneOf": [{"required": [key]} for key in keys]}


def _when(condition: Schema, *consequences: Schema) -> Schema:
    return {"if": condition, "then": {"allOf": list(consequences)}}


_SOURCED: Schema = {"anyOf": [{"required": ["cite"]}, {"required": ["assumption"]}]}
_STAND_INS = ("required", "default", "default_formula", "absent")


def _of_type(*kinds: str) -> Schema:
    return {"properties": {"type": {"enum": list(kinds)}}, "required": ["type"]}


def _parsed(kind: str) -> Schema:
    return {"properties": {"parser": {"enum": [name for name, serves in PARSER_KINDS.items() if serves == kind]}}}


_RELATIONS: Mapping[str, Schema] = {
    "RuleBody": {
        "allOf": [
            _one_of("formula", "cases"),
            _one_of("unit", "values"),
            _when({"required": ["formula"]}, _SOURCED),
            _when({"required": ["cases"]}, {"properties": {"cite": False, "assumption": False}}),
        ]
    },
    "CaseBody": {
        "oneOf": [
            {"required": ["when", "formula"], "properties": {"otherwise": False}},
            {"required": ["otherwise"], "properties": {"when": False, "formula": False}},
        ],
        "allOf": [_SOURCED],
    },
    "CheckBody": _SOURCED,
    "InputBody": {
        "allOf": [
            {"anyOf": [{"required": [key]} for key in (*_STAND_INS, "either")]},
            {"not": {"anyOf": [{"required": list(pair)} for pair in combinations(_STAND_INS, 2)]}},
            _when(_of_type("enum"), {"required": ["values"]}),
            _when(_of_type("set"), {"required": ["members"]}),
            *(_when(_of_type(kind), {"required": ["parser"]}, _parsed(kind)) for kind in ("layer_vector", "layout")),
        ],
        "dependentRequired": {"either": ["derived"], "derived": ["either"]},
    },
}
"""What holds between the keys of a body."""


def rules_schema(file: str, known: RuleSet | None = None) -> Schema:
    """Returns the schema of a rule file.

    Args:
        file: `rules`, or the name of a file with sections of its own: `sources`, `views`, `watch`.
        known: a rule set whose names are suggested where a name belongs. Others stay valid: the file that declares
            them may be about to be written.
    """
    special = SPECIAL_FILES.get(f"{file}.yaml")
    elsewhere = {section for sections in SPECIAL_FILES.values() for section in sections}
    sections = special or tuple(section for section in SECTIONS if section not in elsewhere)
    definitions: dict[str, Schema] = {}
    properties: dict[str, Schema] = {}
    for section in sections:
        body = SECTIONS[section].model_json_schema(by_alias=True)
        name = SECTIONS[section].__name__
        definitions |= body.pop("$defs", {})
        definitions[name] = body
        properties[section] = {
            "description": (SECTIONS[section].__doc__ or "").strip().splitlines()[0],
            "type": "object",
            "additionalProperties": {"$ref": f"#/$defs/{name}"},
        } | ({"propertyNames": _ID} if section in _NAMESPACE else {})
    return {
        "$schema": DIALECT,
        "title": f"rank-ledger {'rule file' if not special else file}",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "minProperties": 1,
        "$defs": {name: _body(name, definitions[name], known) for name in sorted(definitions)},
    }


def _body(name: str, schema: Schema, known: RuleSet | None) -> Schema:
    """Returns the schema of one body: keys described, relations between them added, names suggested."""
    body = _tidy(schema)
    for key, value in body.get("properties", {}).items():
        suggestions = _suggestions(name, key, known) if known else ()
        if suggestions and "items" in value:
            value["items"] = _suggested(suggestions, value["items"])
        elif suggestions:
            value = _suggested(suggestions, value)
        if name in _UNITS and key == "unit":
            value = value | {"pattern": f"^(?:{_UNITS[name]})$"}
        body["properties"][key] = {"description": meaning(name, key) or value.get("description", "")} | {
            word: part for word, part in value.items() if word != "description"
        }
    return body | _RELATIONS.get(name, {})


_UNITS = {"RuleBody": f"{_UNIT}|flag", "InputBody": _UNIT, "ColumnBody": _UNIT}


def _suggestions(body: str, key: str, known: RuleSet) -> Iterable[str]:
    sections = {
        ("PaperCite", "paper"): "papers",
        ("DocumentCite", "document"): "documents",
        ("RuleBody", "evidence"): "datasets",
        ("CheckBody", "evidence"): "datasets",
    }
    if (body, key) in sections:
        return known.sources[sections[body, key]]
    if (body, key) == ("CheckBody", "fields"):
        return known.inputs
    part_of_view = body in ("LedgerBody", "StagesBody", "AccountBody") and key != "title"
    if part_of_view or (body == "ViewBody" and key in _SHOWN):
        return [*known.inputs, *known.computed]
    return ()


_SHOWN = ("rows", "configuration", "capacity", "peak_stage", "verdict", "phase", "low", "high")


def _suggested(names: Iterable[str], schema: Schema) -> Schema:
    return {"anyOf": [{"enum": list(names)}, schema]}


def _tidy(schema: Schema) -> Schema:
    """Returns a generated schema without what only repeats: titles made from keys, null defaults, nested choices."""
    node = {key: part for key, part in schema.items() if key != "title" and not (key == "default" and part is None)}
    if "properties" in node:
        node["properties"] = {key: _tidy(part) for key, part in node["properties"].items()}
    for key in ("items", "additionalProperties"):
        if isinstance(node.get(key), dict):
            node[key] = _tidy(node[key])
    for key in ("anyOf", "oneOf"):
        if key in node:
            node[key] = [_tidy(part) for part in node[key]]
    return node | _choice(node.pop("anyOf")) if "anyOf" in node else node


def _choice(options: list[Schema]) -> Schema:
    """Merges a choice between plain types into one list of types."""
    flat: list[Schema] = []
    for option in options:
        flat += option.get("anyOf", [option])
    types: list[str] = []
    for option in flat:
        if set(option) <= {"type", "description"}:
            types += option["type"] if isinstance(option["type"], list) else [option["type"]]
    if "number" in types:
        types = [kind for kind in types if kind != "integer"]
    types = list(dict.fromkeys(types))
    others = [option for option in flat if not set(option) <= {"type", "description"}]
    if not others:
        return {"type": types[0] if len(types) == 1 else types}
    if len(others) == 1 and types == ["null"] and isinstance(others[0].get("type"), str) and "const" not in others[0]:
        only = others[0]
        return only | {"type": [only["type"], "null"]} | ({"enum": [*only["enum"], None]} if "enum" in only else {})
    return {"anyOf": [*others, *({"type": kind} for kind in types)]}
