"""Which changes bring a difference about: each is made in turn, in the order in which rules read each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluating.resolve import resolve
from engine.preset import Preset
from engine.result import Result
from engine.rules import Computed, Input, Table
from engine.ruleset import RuleSet
from engine.trouble import Trouble


@dataclass(frozen=True, slots=True)
class Cause:
    """A change, and what it adds to a difference once the changes before it have been made.

    Attributes:
        kind: `rule`, `input`, `table` or `value` (of an input in the preset).
        id: what changed; several ids where only together they lead to a value.
        old: the formula or value before, as text; empty for something new.
        new: the same after; empty for something that is gone.
        change: what it adds.
    """

    kind: str
    id: str
    old: str
    new: str
    change: float


@dataclass(frozen=True, slots=True)
class _Step:
    kind: str
    id: str
    old: str
    new: str
    make: Callable[[_State], _State]


@dataclass(frozen=True, slots=True)
class _State:
    rules: RuleSet
    values: Mapping[str, Any]

    def value(self, id: str) -> float | None:
        """Returns the value of a rule, of a vector its largest entry; None without one."""
        try:
            found = resolve(self.rules, Preset(self.values)).scope[id]
        except (Trouble, EngineError, KeyError, IndexError, ArithmeticError, ValueError):
            return None
        return float(max(found)) if isinstance(found, list) else float(found)


def causes(old: Result, new: Result, id: str) -> tuple[list[Cause], list[str]]:
    """Returns the changes that bring about the difference of a rule, and the ids of changes that do not matter.

    The changes of the causes add up to the difference. Where two changes act on each other, the later one in the order
    of the graph gets what they bring about together.
    """
    state = _State(_merged(old.rules, new.rules), dict(old.preset.values))
    start = before = state.value(id)
    found: list[Cause] = []
    idle: list[str] = []
    held: list[_Step] = []
    for step in _steps(old, new, id):
        state = step.make(state)
        held.append(step)
        after = state.value(id)
        if after is None or before is None:
            continue  # only together with the next changes does this lead to a value
        if after != before or len(held) > 1:
            kinds = dict.fromkeys(one.kind for one in held)
            text = [
                ", ".join(part for part in parts if part) for parts in zip(*((s.old, s.new) for s in held), strict=True)
            ]
            found.append(Cause(" and ".join(kinds), ", ".join(s.id for s in held), text[0], text[1], after - before))
        else:
            idle.append(step.id)
        before, held = after, []
    target = _largest(new[id].value)
    if start is not None and before is not None and before != target and old.rules is not new.rules:
        found.append(Cause("rule", "the rest", "", "", target - before))
    return found, idle


def _largest(value: Any) -> float:
    return float(max(value)) if isinstance(value, list) else float(value)


def _merged(old: RuleSet, new: RuleSet) -> RuleSet:
    """Returns the old rules with what only the new ones have, under the names of both."""
    if old is new:
        return old
    symbols = replace(new.symbols, types={**old.symbols.types, **new.symbols.types})
    return replace(
        new,
        rules={**new.rules, **old.rules},
        checks={**new.checks, **old.checks},
        inputs={**new.inputs, **old.inputs},
        tables={**new.tables, **old.tables},
        symbols=symbols,
    )


def _steps(old: Result, new: Result, id: str) -> Iterator[_Step]:
    needed = old.rules.graph.ancestors([id]) | new.rules.graph.ancestors([id])
    if old.rules is not new.rules:
        yield from _rule_steps(old.rules, new.rules, needed)
    names = [*new.rules.inputs, *(name for name in new.preset.values if name not in new.rules.inputs)]
    names += [name for name in old.preset.values if name not in names]
    for name in names:
        before, after = old.preset.values.get(name), new.preset.values.get(name)
        if before != after or type(before) is not type(after):

            def give(state: _State, name: str = name, after: Any = after) -> _State:
                return _State(state.rules, {**state.values, name: after})

            yield _Step("value", name, _shown(before), _shown(after), give)


def _shown(value: Any) -> str:
    return "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _rule_steps(old: RuleSet, new: RuleSet, needed: set[str]) -> Iterator[_Step]:
    for name, table in new.tables.items():
        before = old.tables.get(name)
        if before is None or before.cells != table.cells:

            def lay(state: _State, name: str = name, table: Table = table) -> _State:
                return _State(replace(state.rules, tables={**state.rules.tables, name: table}), state.values)

            yield _Step("table", name, "", "", lay)
    for name, item in new.inputs.items():
        known = old.inputs.get(name)
        if known is not None and _stand_in(known) != _stand_in(item):

            def declare(state: _State, name: str = name, item: Input = item) -> _State:
                return _State(replace(state.rules, inputs={**state.rules.inputs, name: item}), state.values)

            yield _Step("input", name, _stand_in(known), _stand_in(item), declare)
    for name in new.graph.order:
        rule = new.rules.get(name)
        earlier = old.computed.get(name)
        if rule is None or name not in needed or (earlier is not None and formulas(earlier) == formulas(rule)):
            continue

        def put(state: _State, name: str = name, rule: Any = rule) -> _State:
            return _State(replace(state.rules, rules={**state.rules.rules, name: rule}), state.values)

        yield _Step("rule", name, "; ".join(formulas(earlier)) if earlier else "", "; ".join(formulas(rule)), put)


def formulas(rule: Computed) -> list[str]:
    """Returns the conditions and formulas of a rule, as text."""
    found = []
    for branch in rule.branches:
        text = " ".join(branch.formula.text.split())
        found.append(f"{text} if {' '.join(branch.when.text.split())}" if branch.when else text)
    return found


def _stand_in(item: Input) -> str:
    parts = [item.default, item.absent, *(one.text if one else None for one in (item.default_formula, item.derived))]
    return ", ".join(f"{part:.15g}" if isinstance(part, float) else str(part) for part in parts if part is not None)
