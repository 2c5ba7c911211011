"""The part of SARIF 2.1.0 that the audit writes, and what code hosts ask for beyond it, as a JSON Schema.

Written for these tests, stricter than the standard: a property that is not listed here is an error.
"""

from __future__ import annotations

from typing import Any


def _object(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "required": required, "additionalProperties": False, "properties": properties}


_TEXT = {"type": "string", "minLength": 1}
_MESSAGE = _object(["text"], text=_TEXT)
_LEVEL = {"enum": ["none", "note", "warning", "error"]}
_POSITION = {"type": "integer", "minimum": 1}

SCHEMA: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    **_object(
        ["version", "runs"],
        **{"$schema": {"type": "string", "format": "uri"}},
        version={"const": "2.1.0"},
        runs={
            "type": "array",
            "minItems": 1,
            "items": _object(
                ["tool", "results"],
                tool=_object(
                    ["driver"],
                    driver=_object(
                        ["name", "rules"],
                        name=_TEXT,
                        semanticVersion=_TEXT,
                        informationUri={"type": "string", "format": "uri"},
                        rules={
                            "type": "array",
                            "uniqueItems": True,
                            "items": _object(
                                ["id", "shortDescription", "fullDescription", "help"],
                                id=_TEXT,
                                name=_TEXT,
                                shortDescription=_MESSAGE,
                                fullDescription=_MESSAGE,
                                help=_MESSAGE,
                                defaultConfiguration=_object(["level"], level=_LEVEL),
                            ),
                        },
                    ),
                ),
                columnKind={"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                results={
                    "type": "array",
                    "maxItems": 25_000,
                    "items": _object(
                        ["ruleId", "message", "partialFingerprints"],
                        ruleId=_TEXT,
                        ruleIndex={"type": "integer", "minimum": 0},
                        level=_LEVEL,
                        message=_MESSAGE,
                        partialFingerprints={"type": "object", "additionalProperties": {"type": "string"}},
                        locations={
                            "type": "array",
                            "minItems": 1,
                            "maxItems": 1,
                            "items": _object(
                                ["physicalLocation"],
                                physicalLocation=_object(
                                    ["artifactLocation"],
                                    artifactLocation=_object(
                                        ["uri"], uri={"type": "string", "pattern": "^(?!.*[ \\\\]).+$"}
                                    ),
                                    region=_object(
                                        ["startLine"],
                                        startLine=_POSITION,
                                        startColumn=_POSITION,
                                        endLine=_POSITION,
                                        endColumn=_POSITION,
                                    ),
                                ),
                            ),
                        },
                    ),
                },
            ),
        },
    ),
}
