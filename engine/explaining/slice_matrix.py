"""What each parallel dimension does to each kind of memory, rolled up over groups of tensors from the slices."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.result import Value
from engine.rules import COMPONENTS, Slice
from engine.trouble import Trouble

if TYPE_CHECKING:
    from engine.result import Result
    from engine.ruleset import RuleSet

Groups = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Cell:
    """What one dimension does to one component.

    Attributes:
        divided: groups of tensors by the expression that divides them.
        multiplied: groups of tensors by the expression that multiplies them.
        whole: groups that the dimension divides by nothing.
    """

    divided: Mapping[str, Groups]
    multiplied: Mapping[str, Groups]
    whole: Groups

    @property
    def state(self) -> str:
        """`whole` where no group is divided, `divided` where all are, else `partly`."""
        if not self.divided:
            return "whole"
        return "partly" if self.whole else "divided"


@dataclass(frozen=True, slots=True)
class Row:
    """One dimension: a cell for each component."""

    slice: Slice
    cells: Mapping[str, Cell]


@dataclass(frozen=True, slots=True)
class Sent:
    """What a dimension sends in a configuration: the rule's value, how often, over which link."""

    slice: Slice
    title: str
    value: Value


def matrix(rules: RuleSet, names: Sequence[str] = ()) -> tuple[Row, ...]:
    """Rolls the slices up.

    Args:
        rules: a rule set.
        names: slices, in order; all of them where there are none.
    """
    return tuple(
        Row(item, {component: _cell(rules, item, component) for component in COMPONENTS})
        for item in (rules.slices[name] for name in names or rules.slices)
    )


def degree(result: Result, item: Slice) -> float | None:
    """Returns how many ranks a dimension has in a configuration, None where that is not known."""
    try:
        return float(result.rules.program.evaluate(item.degree.node, result.resolved.scope))
    except (Trouble, ZeroDivisionError):
        return None


def divisors(rules: RuleSet) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Yields for each group of tensors the rules for the product over all dimensions, by component."""
    for group in rules.groups.values():
        yield group.id, {component: f"divisor_{group.id}_{component}" for component in group.components}


def sent(result: Result, rows: Sequence[Row]) -> tuple[Sent, ...]:
    """Returns what the dimensions send in a configuration."""
    rules = result.rules
    return tuple(
        Sent(row.slice, rules.rules[row.slice.communication].title, result[row.slice.communication])
        for row in rows
        if row.slice.communication
    )


def matrix_ids(rules: RuleSet) -> tuple[str, ...]:
    """Returns the rules whose values a matrix shows: the divisors, then what is sent."""
    products = [id for _, components in divisors(rules) for id in components.values()]
    return (*products, *(item.communication for item in rules.slices.values() if item.communication))


def _cell(rules: RuleSet, item: Slice, component: str) -> Cell:
    return Cell(
        _by_expression(rules, item.divides, component),
        _by_expression(rules, item.multiplies, component),
        tuple(group for (group, part), id in item.divides.items() if part == component and id is None),
    )


def _by_expression(rules: RuleSet, cells: Mapping[tuple[str, str], str | None], component: str) -> Mapping[str, Groups]:
    found: dict[str, Groups] = {}
    for (group, part), id in cells.items():
        if part == component and id is not None:
            text = rules.rules[id].branches[0].formula.text
            found[text] = (*found.get(text, ()), group)
    return found
