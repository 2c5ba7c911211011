"""Expressions for printer tests: a few declared names, and random well-typed rule text."""

from __future__ import annotations

import math
from collections.abc import Mapping
from random import Random
from typing import Any

from engine.expr.check import check
from engine.expr.nodes import Node, Type
from engine.expr.parse import parse
from engine.expr.symbols import FLAG, Symbols
from engine.units import parse_unit

DTYPES = ("bf16", "fp32", "fp8")
_NUMBER = Type("number", parse_unit("1"))

SYMBOLS = Symbols(
    types={
        **dict.fromkeys(("a", "b", "d", "e", "num_layers", "pipeline_model_parallel_size"), _NUMBER),
        "virtual_pipeline_model_parallel_size": _NUMBER,
        **dict.fromkeys(("f", "g", "h"), FLAG),
        "dtype": Type("text", None, DTYPES),
        **{name: Type("number", parse_unit("1"), over="layer") for name in ("x", "k")},
        **{name: Type("number", parse_unit("1"), over="stage") for name in ("weights", "work")},
        "moe_layer": Type("flag", None, over="layer"),
        "chunks": Type("number", parse_unit("1"), over="virtual_stage"),
    },
    sets={"modules": ("mlp", "core_attn")},
    tables={"dtypes": (DTYPES, {"width": _NUMBER})},
)


def checked(text: str, over: str | None = None) -> Node:
    """Returns the checked tree of rule text."""
    return check(parse(text), SYMBOLS, over=over)


# What rule text means, spelled independently of the printers: rule text is Python, with these functions.
MEANING: Mapping[str, Any] = {
    "min": min,
    "max": max,
    "abs": abs,
    "floor": math.floor,
    "ceil": math.ceil,
    "ceil_div": lambda a, b: math.ceil(a / b),
    "ceil_to": lambda a, b: math.ceil(a / b) * b,
    "half_up": lambda a: math.floor(a + 0.5),
    "log2": math.log2,
    "sqrt": math.sqrt,
    "lcm": lambda *values: math.lcm(*map(int, values)),
    "gcd": lambda *values: math.gcd(*map(int, values)),
    "sum_over": sum,
    "max_over": max,
    "min_over": min,
    "argmax_over": lambda values: values.index(max(values)),
    "count_where": sum,
    "all_over": all,
    "sum_where": lambda values, keys, key: sum(v for v, k in zip(values, keys, strict=True) if k == key),
    "sum_below": lambda values, keys, limit: sum(v for v, k in zip(values, keys, strict=True) if k < limit),
    "count_below": lambda values, limit: sum(value < limit for value in values),
    "at": lambda values, index: values[int(index)],
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "lookup": lambda table, key, column: column[key],
    "has": lambda members, member: member in members,
    **{cast: lambda value: value for cast in ("B", "elem", "flop")},
}


_INTEGER = (
    "{x} + {y}", "{x} - ({y})", "({x}) * ({y})", "({x}) // ({y})", "({x}) % ({y})", "-({x})", "({x}) ** 2",
    "({x}) - {y}", "min({x}, {y})", "max({x}, {y}, a)", "abs({x})", "floor({x})", "ceil_div(abs({x}) + 1, b)",
    "ceil_to(abs({x}) + 1, d)", "gcd(abs({x}) + 1, abs({y}) + 1)", "lcm(a, abs({x}) + 1)",
)  # fmt: skip
_REAL = (
    "{x} + {y}", "{x} - ({y})", "({x}) * ({y})", "({x}) / ({y})", "({x}) / (({y}) * ({x}))", "-({x})", "-({x}) ** 2",
    "({x}) ** 3", "a / b * ({x})", "sqrt(abs({x}))", "log2(abs({x}) + 1)", "min({x}, {y})", "B({x}) / B(1)", "{n}",
)  # fmt: skip
_FLAG = (
    "({p}) and ({q})", "({p}) or ({q})", "not ({p})", "({p}) and ({q}) and ({r})", "({p}) or ({q}) or ({r})",
    "{n} {op} {m}", "1 < {n} <= {m}", "({n}) in (1, 2, 3)", 'dtype == "bf16"', 'dtype in ("fp8", "fp32")',
    'dtype not in ("fp8",)', "not (({p}) or {n} {op} {m})",
)  # fmt: skip


class RandomText:
    """Random rule text. Comparisons are between integers, where all engines agree without a tolerance."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)

    def values(self) -> dict[str, Any]:
        """Returns values of the scalar names."""
        values: dict[str, Any] = {name: float(self._random.randint(1, 9)) for name in "abde"}
        values |= {name: self._random.random() < 0.5 for name in "fgh"}
        return values | {"dtype": self._random.choice(DTYPES)}

    def integer(self, depth: int) -> str:
        if depth <= 0:
            return self._random.choice(["a", "b", "d", "e", "2", "3", "0"])
        x, y = (self.integer(self._random.randrange(depth)) for _ in range(2))
        return self._random.choice(_INTEGER).format(x=x, y=y)

    def real(self, depth: int) -> str:
        if depth <= 0:
            return self._random.choice(["a", "b", "d", "1.05", "0.25", "34", "1e3"])
        x, y = (self.real(self._random.randrange(depth)) for _ in range(2))
        return self._random.choice(_REAL).format(x=x, y=y, n=self.integer(depth - 1))

    def flag(self, depth: int) -> str:
        if depth <= 0:
            return self._random.choice(["f", "g", "h"])
        p, q, r = (self.flag(self._random.randrange(depth)) for _ in range(3))
        n, m = (self.integer(depth - 1) for _ in range(2))
        op = self._random.choice(["==", "!=", "<", "<=", ">", ">="])
        return self._random.choice(_FLAG).format(p=p, q=q, r=r, n=n, m=m, op=op)
