"""Makes the steps of an explanation: one for each value that a formula reads."""

from __future__ import annotations

import re
from typing import Any

from engine.cite import references
from engine.diagnostics import Findings, nearest
from engine.evaluating.resolve import origin
from engine.evaluating.trace import Substituted, Tracer
from engine.explaining.explain import Part, Step, Tried
from engine.expr.nodes import names
from engine.inputs.kept_names import kept_names
from engine.result import Result
from engine.rules import Branch, Check, Computed, Input, Table

_KEY = re.compile(r"(?P<id>[^\[\]]+)\[(?P<entry>[^\[\]]+)\](?:\.(?P<column>\w+))?\Z")
_SHAPED = ("set", "layer_vector", "layout")  # inputs that expressions see in another form than they are given


class StepMaker:
    """Makes the steps of one evaluation."""

    def __init__(self, result: Result) -> None:
        self._result = result
        self._rules = result.rules
        self._tracer = Tracer(result.rules, result.resolved.scope)

    def require(self, key: str) -> None:
        """Refuses a key that does not exist.

        Raises:
            EngineError: there is no such id or entry (E604).
        """
        findings = Findings()
        match = _KEY.match(key)
        id = match["id"] if match else key
        if id in self._rules.inputs and not match:
            return
        if id not in self._rules.symbols.types:
            near = nearest(id, [*self._rules.symbols.types, *self._rules.inputs])
            help = f"did you mean `{near}`?" if near else None
            findings.add("E604", f"there is no rule, check or input `{id}`", help=help)
        elif match:
            row = self._result.get(id)
            over = self._rules.symbols.types[id].over
            if over is None:
                findings.add("E604", f"`{id}` is a single value and has no entries", help=f"ask for `{id}`")
            elif isinstance(row, list) and match["entry"] not in map(str, range(len(row))):
                message = f"`{id}` has no entry {match['entry']}: it is a vector over {over}"
                findings.add("E604", message, help=f"its entries are 0 to {len(row) - 1}")
        findings.raise_if_errors()

    def step(self, key: str) -> Step:
        """Returns the step of a key."""
        match = _KEY.match(key)
        if match and match["column"]:
            return self._cell(key, self._rules.tables[match["id"]], match["entry"], match["column"])
        id, index = (match["id"], int(match["entry"])) if match else (key, None)
        if id in self._rules.computed:
            return self._computed(key, self._rules.computed[id], index)
        return self._input(key, id, index)

    def _computed(self, key: str, rule: Computed, index: int | None) -> Step:
        found = self._result[rule.id]
        over = rule.type.over
        if over is None or index is not None:
            parts, reads = self._single(rule, index)
        else:
            parts, reads = self._vector(rule, over, found.branch)
        return Step(
            key=key,
            id=rule.id,
            kind="check" if isinstance(rule, Check) else "rule",
            title=rule.title,
            unit=found.unit,
            value=_entry(found.raw, index),
            status=found.status,
            parts=parts,
            reads=reads,
            over=over,
            cases=len(rule.branches) if len(rule.branches) > 1 else 0,
            why=found.reason or ", ".join(found.missing),
            culprit=found.origin,
        )

    def _single(self, rule: Computed, index: int | None) -> tuple[tuple[Part, ...], tuple[str, ...]]:
        over = rule.type.over
        tried: list[Tried] = []
        reads: list[str] = []
        for number, branch in enumerate(rule.branches, 1):
            holds: bool | None = True
            if branch.when is not None:
                traced = self._tracer.single(branch.when, over, index)
                reads += traced.reads
                holds = traced.value
                tried.append(Tried(number, traced.written, holds))
            if holds is None:
                return (Part(None, tried=tuple(tried)),), tuple(dict.fromkeys(reads))
            if holds:
                traced = self._tracer.single(branch.formula, over, index)
                part = self._part(rule, number, branch, traced.written, tuple(tried))
                return (part,), tuple(dict.fromkeys([*reads, *traced.reads]))
        raise AssertionError(f"`{rule.id}` has no branch without a condition")

    def _vector(self, rule: Computed, over: str, taken: Any) -> tuple[tuple[Part, ...], tuple[str, ...]]:
        """Returns one part for each case that some entry takes; all cases where the vector has no value."""
        reads: list[str] = []
        parts: list[Part] = []
        last = max(taken, default=0) if taken is not None else len(rule.branches)
        for position, branch in enumerate(rule.branches):
            indices = tuple(index for index, case in enumerate(taken or ()) if case == position)
            when = self._tracer.whole(branch.when, over) if branch.when is not None and position <= last else None
            reads += when.reads if when else ()
            if indices or taken is None:
                traced = self._tracer.whole(branch.formula, over)
                reads += traced.reads
                tried = (Tried(position + 1, when.written, True if indices else None),) if when else ()
                parts.append(self._part(rule, position + 1, branch, traced.written, tried, indices))
        sizes = names(self._rules.sizes[over].node)
        return tuple(parts), tuple(dict.fromkeys([*reads, *sizes]))

    def _part(
        self, rule: Computed, number: int, branch: Branch, formula: Substituted, tried: tuple[Tried, ...],
        indices: tuple[int, ...] = (),
    ) -> Part:  # fmt: skip
        return Part(
            formula, number if len(rule.branches) > 1 else None, indices, tried,
            references(branch.citations, self._rules.sources), branch.assumption, branch.note,
        )  # fmt: skip

    def _input(self, key: str, id: str, index: int | None) -> Step:
        """Returns the step of an input, or of one of the names that a set or a layout provides."""
        item = self._rules.slots.get(id) or self._rules.inputs[id]
        type = self._rules.symbols.types.get(id)
        where = origin(self._rules, self._result.resolved, item.id)
        value, unit, status, why, culprit = self._input_value(item, id)
        formula = {"derived": item.derived, "default": item.default_formula}.get(where)
        traced = self._tracer.single(formula) if formula else None
        cited = references(item.citations, self._rules.sources)
        part = Part(traced.written if traced else None, citations=cited, assumption=item.assumption, note=item.note)
        return Step(
            key=key,
            id=id,
            kind="input",
            title=item.title,
            unit=unit,
            value=_entry(value, index),
            status=status,
            parts=(part,),
            reads=tuple(dict.fromkeys(traced.reads)) if traced else (),
            over=type.over if type else None,
            why=why,
            culprit=culprit,
            origin=where,
            place=self._place(item) if where == "given" else "",
            written=self._result.preset.values.get(item.id) if item.kind in _SHAPED and where == "given" else None,
        )

    def _input_value(self, item: Input, id: str) -> tuple[Any, str, str, str, str]:
        """Returns value, unit, status, what is missing or failed, and in which rule."""
        if id in self._rules.symbols.types:
            found = self._result[id]
            return found.raw, found.unit, found.status, found.reason or ", ".join(found.missing), found.origin
        value = self._result.inputs[id][0]  # a set, a layout or a text, which expressions never see as a whole
        if value is None:
            value = item.absent
        missing = value is None
        return value, item.kind, "unavailable" if missing else "ok", id if missing else "", ""

    def _place(self, item: Input) -> str:
        """Says where an input is given; nothing if the preset has no file."""
        preset = self._result.preset
        spellings = (item.id, *item.from_flags, *kept_names(item))
        name = next((name for name in spellings if preset.values.get(name) not in (None, False)), item.id)
        if name not in preset.places:
            return "--set" if preset.places else ""
        span = preset.places[name][0]
        return f"{span.source.path}:{span.line}" + (f" as {name}" if name != item.id else "")

    def _cell(self, key: str, table: Table, row: str, column: str) -> Step:
        value = table.cells[column][row]
        return Step(
            key=key,
            id=table.id,
            kind="cell",
            title=f"{table.title}: {table.titles[row]}",
            unit=str(table.columns[column].unit),
            value=value,
            status="unavailable" if value is None else "ok",
            parts=(
                Part(
                    None,
                    citations=references(table.cited(column, row), self._rules.sources),
                    assumption=table.assumptions.get(row) or table.assumptions.get(column),
                ),
            ),
            why=f"{column} of {row} in table {table.id}" if value is None else "",
        )


def _entry(value: Any, index: int | None) -> Any:
    return value if index is None or value is None else value[index]
