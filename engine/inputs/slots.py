"""The names that an input provides to expressions, and their types."""

from __future__ import annotations

from collections.abc import Mapping

from engine.expr.symbols import FLAG, flag_of
from engine.expr.types import Type
from engine.rules import Input
from engine.units import parse_unit

LAYOUT_PARTS = ("decoder", "embedding", "mtp", "loss")
"""Vectors over virtual stages that a layout input provides: how many of each kind a virtual stage holds."""


def slots_of(item: Input) -> Mapping[str, Type]:
    """Returns the names that an input provides, with their types.

    A number, flag or enumeration provides itself, a set one flag a member, a layer vector itself over `layer`, a layout
    `X` the vectors `X_decoder`, `X_embedding`, `X_mtp`, `X_loss` over `virtual_stage`, the number `X_stages` of virtual
    stages that it spells (0 if absent) and the flag `X_given`; a text nothing.
    """
    match item.kind:
        case "int" | "number":
            return {item.id: Type("number", parse_unit(item.unit))}
        case "flag":
            return {item.id: FLAG}
        case "enum":
            return {item.id: Type("text", None, item.values)}
        case "set":
            return {flag_of(item.id, member): FLAG for member in item.members}
        case "layer_vector":
            return {item.id: Type("number", parse_unit(item.unit), over="layer")}
        case "layout":
            vectors = {
                f"{item.id}_{part}": Type("number", parse_unit("1"), over="virtual_stage") for part in LAYOUT_PARTS
            }
            return {**vectors, f"{item.id}_stages": Type("number", parse_unit("1")), f"{item.id}_given": FLAG}
    return {}
