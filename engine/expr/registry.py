"""The registry of functions that an expression may call."""

from __future__ import annotations

from collections.abc import Mapping

from engine.expr.function import Example, Function, UnitError
from engine.expr.scalar_functions import SCALAR_FUNCTIONS
from engine.expr.vector_functions import VECTOR_FUNCTIONS

__all__ = ["FUNCTIONS", "SPECIAL_FORMS", "Example", "Function", "UnitError"]

FUNCTIONS: Mapping[str, Function] = {function.name: function for function in (*SCALAR_FUNCTIONS, *VECTOR_FUNCTIONS)}

SPECIAL_FORMS: Mapping[str, str] = {
    "lookup": "lookup(table, key, column): the value of a column in the table's row that the key names",
    "has": 'has(set_input, "member"): whether a set input contains a member',
}
"""Calls whose arguments are not expressions; the checker turns them into `Lookup` and `Name` nodes."""
