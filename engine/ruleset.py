"""The rule set: everything that a folder of rules says, checked, with its dependency graph."""

from __future__ import annotations

import hashlib
import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from engine.diagnostics import Diagnostic
from engine.expr.symbols import Symbols
from engine.graph import Graph
from engine.rules import (
    Advice,
    Check,
    Computed,
    Expression,
    Group,
    Input,
    LaunchFlags,
    Override,
    Rule,
    Scenario,
    Slice,
    Table,
    View,
    unit_text,
)

if TYPE_CHECKING:
    from engine.evaluating.program import Program
    from engine.sweeping.space import ArrayProgram
    from engine.watch import Replay, Watch


@dataclass(frozen=True, eq=False, repr=False)
class RuleSet:
    """A loaded rule set. Make one with `RuleSet.load`.

    Attributes:
        path: folder that it was read from.
        inputs: declared inputs by id.
        rules: rules by id.
        checks: checks by id.
        tables: lookup tables by id.
        views: tables of results by name.
        groups: groups of tensors that parallel dimensions cut alike.
        slices: what each parallel dimension does to them, in order.
        scenarios: named changes of a preset.
        advice: symptoms with ordered actions.
        launch_flags: launch flags that no input stands for, by topic.
        watch: code that the rules must follow.
        replays: cited functions that can be run beside the rules.
        sources: cited repositories, papers, documents and datasets: section, key, validated body.
        symbols: types of all names.
        sizes: expression for the size of each domain whose inputs are declared.
        graph: who reads whom; inputs are nodes too.
        warnings: findings that are not errors.
        overlays: folders that were laid over the rules, in order.
        overrides: what they replaced or added.
        codes: formulas compiled ahead, marshalled, as `Program.code` makes them; only a rule set kept on disk has any,
            and `dataclasses.replace` drops them, since they need not fit what it puts in.
    """

    path: Path
    inputs: Mapping[str, Input]
    rules: Mapping[str, Rule]
    checks: Mapping[str, Check]
    tables: Mapping[str, Table]
    views: Mapping[str, View]
    groups: Mapping[str, Group]
    slices: Mapping[str, Slice]
    scenarios: Mapping[str, Scenario]
    advice: Mapping[str, Advice]
    launch_flags: Mapping[str, LaunchFlags]
    watch: Mapping[str, Watch]
    replays: Mapping[str, Replay]
    sources: Mapping[str, Mapping[str, Any]]
    symbols: Symbols = field(repr=False)
    sizes: Mapping[str, Expression] = field(repr=False)
    graph: Graph = field(repr=False)
    warnings: tuple[Diagnostic, ...] = ()
    overlays: tuple[Path, ...] = ()
    overrides: tuple[Override, ...] = ()
    codes: Mapping[str, bytes] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def load(cls, path: str | Path | None = None, overlay: str | Path | Sequence[str | Path] | None = None) -> RuleSet:
        """Reads and checks a rule set.

        Args:
            path: folder of rule files, or one file; None for the rules that are shipped with the package.
            overlay: a folder of rule files, or several, whose declarations replace those of the same section and id
                or add to them; a later one wins. What results is checked as if it had been written in one place.

        Raises:
            EngineError: with every finding in every file, if one of them is an error.
        """
        from engine import collector, paths
        from engine.loading import cache

        root = Path(path) if path is not None else paths.shipped_rules()
        layers = [overlay] if isinstance(overlay, str | Path) else overlay or []
        overlays = tuple(Path(layer) for layer in layers)
        name = cache.key(root, overlays)
        with collector.paused():
            found = cache.read(name)
            if isinstance(found, cls):
                return found
            from engine.loading.load import load

            rules = load(root, overlays)
            if name is not None:
                rules = rules._compiled()
                cache.write(name, rules)
        return rules

    def _compiled(self) -> RuleSet:
        """Returns a copy that holds its formulas compiled, and its digest."""
        copy = replace(self)
        vars(copy)["digest"] = self.digest
        codes = {key: marshal.dumps(self.program.code(key)) for key in self.program.names()}
        object.__setattr__(copy, "codes", codes)
        return copy

    def __repr__(self) -> str:
        counts = f"{len(self.inputs)} inputs, {len(self.rules)} rules, {len(self.checks)} checks"
        return f"<RuleSet {self.path}: {counts}>"

    @cached_property
    def computed(self) -> Mapping[str, Computed]:
        """Rules and checks by id."""
        return {**self.rules, **self.checks}

    @cached_property
    def slots(self) -> Mapping[str, Input]:
        """The input behind every name that an input provides: itself, the flags of a set, the vectors of a layout."""
        from engine.inputs.slots import slots_of

        return {name: item for item in self.inputs.values() for name in slots_of(item)}

    def unit(self, id: str) -> str:
        """Returns the unit of a rule, a check, or a name that an input provides, as text: `B`, …, `flag` or `enum`."""
        return unit_text(self.symbols.types[id])

    def siblings(self, item: Input) -> tuple[str, ...]:
        """Returns the other members of an input's either-or group."""
        if not item.either:
            return ()
        return tuple(other.id for other in self.inputs.values() if other.either == item.either and other.id != item.id)

    @cached_property
    def program(self) -> Program:
        """The rules as lazily compiled scalar code."""
        from engine.evaluating.program import Program

        return Program(self)

    @cached_property
    def array_program(self) -> ArrayProgram:
        """The rules as lazily compiled array code."""
        from engine.sweeping.space import ArrayProgram

        return ArrayProgram(self)

    def function(self, want: str) -> Callable[[Mapping[str, Any]], Any]:
        """Returns a fast function from resolved inputs (see `engine.evaluating.resolve`) to the value of one rule.

        Raises:
            EngineError: there is no such rule (E604).
        """
        return self.program.function(want)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all formulas, units and conditions: equal digests compute equal values."""
        return hashlib.sha256("\n".join(self._lines()).encode()).hexdigest()

    def _lines(self) -> Iterator[str]:
        for id in sorted(self.inputs):
            item = self.inputs[id]
            texts = [expression.text for expression in (item.default_formula, item.derived) if expression]
            yield repr(
                (
                    id,
                    item.kind,
                    item.unit,
                    item.minimum,
                    item.maximum,
                    item.values,
                    item.members,
                    _fixed(item.default),
                    _fixed(item.absent),
                    item.parser,
                    sorted(item.from_flags.items()),
                    item.either,
                    texts,
                )
            )
        for id in sorted(self.computed):
            rule = self.computed[id]
            yield repr(
                (
                    id,
                    rule.type.kind,
                    rule.unit,
                    rule.type.values,
                    rule.type.over,
                    [(branch.when.text if branch.when else "", branch.formula.text) for branch in rule.branches],
                )
            )
        for id in sorted(self.tables):
            yield repr((id, sorted((column, sorted(cells.items())) for column, cells in self.tables[id].cells.items())))


def _fixed(value: Any) -> Any:
    """Returns a value whose text is the same in every process."""
    return sorted(value) if isinstance(value, frozenset) else value
