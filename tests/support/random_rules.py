"""Random rules over the inputs of the synthetic rule set: all kinds of formulas, cases, vectors that read each other.

Numbers are of two sorts, so that evaluation in another order of additions cannot tip a comparison: exact ones are
integers, and only they are compared, rounded, or used as an index or a key; real ones are the rest.
"""

from __future__ import annotations

from random import Random

DOMAINS = ("stage", "layer", "virtual_stage")
FLAGS = ("gated", "tied", "fused", "plan_given", "is_sum")
_EXACT = (
    "{x} + {y}", "{x} - ({y})", "({x}) * ({y})", "({x}) // ({y})", "({x}) % ({y})", "-({x})", "({x}) ** 2",
    "min({x}, {y})", "max({x}, {y}, 1)", "abs({x})", "floor(({x}) / 2)", "ceil(({x}) / 4)", "ceil_div(abs({x}), {y})",
    "ceil_to({x}, abs({y}))", "gcd({x}, 6)", "lcm({x}, {y})", "half_up(abs({x}) / 2)",
)  # fmt: skip
_REAL = (
    "{x} + {y}", "{x} - ({y})", "({x}) * ({y})", "({x}) / ({y})", "-({x})", "({x}) ** 3", "sqrt({x})", "log2({x})",
    "min({x}, {y})", "{n} / ({m})", "lookup(paints, colour, weight) * ({x})", "{n}",
)  # fmt: skip
_FLAG = (
    "({p}) and ({q})", "({p}) or ({q})", "not ({p})", "({p}) and ({q}) and ({r})", "({p}) or ({q}) or ({r})",
    "{n} < {m}", "{n} == {m}", "1 < {n} <= {m}", "({n}) in (1, 2, 3)", 'colour == "red"', "colour != shade",
    'colour not in ("green",)', 'has(parts, "door")', "({p}) and {n} // ({m}) > 1",
)  # fmt: skip
_AGGREGATES = (
    "sum_over({v})", "max_over({v})", "min_over({v})", "argmax_over({v})", "first({v})", "last({v})",
    "at({v}, {n})", "sum_where({v}, {w}, {n})", "count_where({f})", "sum_below({v}, {w}, {n})", "count_below({w}, {n})",
)  # fmt: skip


class RandomRules:
    """Draws a file of rules; each rule reads inputs and the rules before it."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._scalars: dict[str, list[str]] = {"exact": [], "real": [], "flag": []}
        self._vectors: dict[tuple[str, str], list[str]] = {}

    def text(self, count: int) -> str:
        """Returns a rule file with some rules of each sort."""
        lines = ["rules:"]
        for number in range(count):
            sort = self._random.choice(("exact", "exact", "real", "flag"))
            over = self._random.choice((None, *DOMAINS)) if number % 2 else None
            lines.append(self._rule(f"rule_{number}_{sort}", sort, over))
        return "\n".join(lines) + "\n"

    def _rule(self, id: str, sort: str, over: str | None) -> str:
        cases = []
        for position in range(self._random.choice((0, 0, 1, 2))):
            when = f"({self.flag(2, over)}) or count == {20 + position}"  # never holds, but tells conditions apart
            cases.append(f"      - {{when: '{when}', formula: '{self._formula(sort, over)}', assumption: a}}")
        body = [f"  {id}:", "    title: t", f'    unit: "{"flag" if sort == "flag" else 1}"']
        body += [f"    over: {over}"] if over else []
        body += ["    cases:", *cases, f"      - {{otherwise: '{self._formula(sort, over)}', assumption: a}}"]
        (self._vectors.setdefault((over, sort), []) if over else self._scalars[sort]).append(id)
        return "\n".join(body)

    def _formula(self, sort: str, over: str | None) -> str:
        match sort:
            case "exact":  # kept small: products of products would soon be beyond what is exact
                return f"({self.exact(3, over)}) % 97"
            case "real":
                return self.real(2, over)
        return self.flag(3, over)

    def exact(self, depth: int, over: str | None) -> str:
        if depth <= 0:
            return self._leaf("exact", ["count", "place", "parts_of_whole", "share", "0", "1", "2", "5"], over)
        if self._random.random() < 0.25 and (text := self._aggregate("exact", over)):
            return text
        x, y = (self.exact(self._random.randrange(depth), over) for _ in range(2))
        return self._random.choice(_EXACT).format(x=x, y=y)

    def real(self, depth: int, over: str | None) -> str:
        if depth <= 0:
            return self._leaf("real", ["rate", "width", "0.25", "1.05", "3"], over)
        if self._random.random() < 0.2 and (text := self._aggregate("real", over)):
            return text
        x, y = (self.real(self._random.randrange(depth), over) for _ in range(2))
        n, m = (self.exact(depth - 1, over) for _ in range(2))
        return self._random.choice(_REAL).format(x=x, y=y, n=n, m=m)

    def flag(self, depth: int, over: str | None) -> str:
        if depth <= 0:
            return self._leaf("flag", list(FLAGS[:-1]), over)
        p, q, r = (self.flag(self._random.randrange(depth), over) for _ in range(3))
        n, m = (self.exact(depth - 1, over) for _ in range(2))
        return self._random.choice(_FLAG).format(p=p, q=q, r=r, n=n, m=m).replace("'", '"')

    def _leaf(self, sort: str, names: list[str], over: str | None) -> str:
        names = [*names, *self._scalars[sort]]
        if over:
            names += [*self._vectors.get((over, sort), ()), *([over] * 2 if sort != "flag" else ())]
            names += {"layer": ["special", "marked"], "virtual_stage": ["plan_decoder"]}.get(over, []) * (
                sort == "exact"
            )
        return self._random.choice(names)

    def _aggregate(self, sort: str, over: str | None) -> str | None:
        domain = self._random.choice(DOMAINS)
        exact = [*self._vectors.get((domain, "exact"), ()), *(["special", "marked"] if domain == "layer" else ())]
        vectors = exact if sort == "exact" else self._vectors.get((domain, "real"), [])
        flags = self._vectors.get((domain, "flag"), [])
        if not vectors or not exact or not flags:
            return None
        template = self._random.choice(_AGGREGATES)
        v, w, f = (self._random.choice(names) for names in (vectors, exact, flags))
        return template.format(v=v, w=w, f=f, n=self.exact(1, over))
