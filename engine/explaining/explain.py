"""Why an id has the value that it has: the steps from it down to the inputs, each with formula, branch and citations.

The steps form a graph in which each appears once, whoever reads it; `engine.render.explanation` shows it as a tree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.cite import Reference
    from engine.evaluating.trace import Substituted
    from engine.result import Result


@dataclass(frozen=True, slots=True)
class Tried:
    """A condition that was tested: the number of its case, from 1, and whether it holds (None: it has no value)."""

    case: int
    condition: Substituted
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Part:
    """A formula at work: the only one, or that of the case that was taken.

    Attributes:
        case: number of the case, from 1; None for a rule without cases.
        indices: entries of a vector that it yields; empty for a single value.
        tried: conditions tested on the way, the last of them the one that holds.
        formula: None where there is none, as for a given input, or where a condition has no value.
        assumption: what stands in for a citation.
    """

    formula: Substituted | None
    case: int | None = None
    indices: tuple[int, ...] = ()
    tried: tuple[Tried, ...] = ()
    citations: tuple[Reference, ...] = ()
    assumption: str | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One value and how it came about.

    Attributes:
        key: `id`, `id[2]` for one entry of a vector, `table[key].column` for a cell of a table.
        kind: `rule`, `check`, `input` or `cell`.
        unit: unit as text; `flag`, `enum`, or the type of an input that is no single value.
        value: float, bool, str, a list for a vector or a set; None without a value.
        over: domain of a vector, also for one entry of it.
        cases: how many cases a rule has, 0 without cases.
        status: `ok`, `unavailable` or `failed`; `why` says what is missing or what failed, `culprit` in which rule.
        origin: of an input: `given`, `derived`, `default`, `absent` or `missing`.
        place: of a given input: the file and line that gives it, or `--set`.
        written: of a given input that expressions see in another form: what was given.
        reads: keys of the steps that it was computed from, in reading order.
    """

    key: str
    id: str
    kind: str
    title: str
    unit: str
    value: Any
    status: str
    parts: tuple[Part, ...]
    reads: tuple[str, ...] = ()
    over: str | None = None
    cases: int = 0
    why: str = ""
    culprit: str = ""
    origin: str = ""
    place: str = ""
    written: Any = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """All steps behind one value.

    Attributes:
        root: key of the value that is explained.
        steps: by key, in the order in which they are reached level by level.
        depth: how many levels below the root are included, None for all.
        preset: what was evaluated.
        digest: of the rule set.
    """

    root: str
    steps: Mapping[str, Step]
    depth: int | None
    preset: str
    digest: str


def explain(result: Result, key: str, depth: int | None = None) -> Explanation:
    """Explains one value.

    Args:
        result: the evaluation it belongs to.
        key: id of a rule, check or input; `id[2]` for one entry of a vector.
        depth: levels below it to include; None goes down to the inputs.

    Returns:
        The explanation; it exists for a value that is missing or failed, too, and then says why.

    Raises:
        EngineError: there is no such id, or no such entry (E604).
    """
    from engine.explaining.explain_steps import StepMaker

    maker = StepMaker(result)
    maker.require(key)
    steps: dict[str, Step] = {}
    level, wanted = 0, [key]
    while wanted and (depth is None or level <= depth):
        steps |= {key: maker.step(key) for key in wanted}
        wanted = list(dict.fromkeys(read for key in wanted for read in steps[key].reads if read not in steps))
        level += 1
    return Explanation(key, steps, depth, result.preset.path, result.rules.digest)
