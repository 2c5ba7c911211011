"""Audits a workbook without calculating it: formulas, names, what was typed since, and the rules behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import groupby
from pathlib import Path

from engine.diagnostics import Diagnostic, EngineError, Findings, Severity, Source
from engine.ruleset import RuleSet
from workbook.cells import Plan
from workbook.checking.carried import Departure, departures
from workbook.checking.facts import Built, Facts, InputChange
from workbook.checking.printed import OtherRules, against_print, other_rules
from workbook.plan import plan
from workbook.reading.package import Package, cell_place
from workbook.reading.read import read
from workbook.state import State

_UNREADABLE = frozenset({"E101", "E901", "E902", "E903"})
_MOST_IDS = 5


@dataclass(frozen=True)
class WorkbookAudit:
    """What an audit of a workbook found.

    Attributes:
        path: the file.
        rules: the rules that it was compared with.
        built: what it says it was built from.
        compared: number of formula cells that were compared.
        departures: cells and names that are not as they were built.
        inputs: inputs that changed since.
        other: how the rules differ from those that it was built from; None if they are the same.
        problems: why what is typed cannot be read as a configuration.
    """

    path: Path
    rules: RuleSet
    built: Built
    compared: int
    departures: tuple[Departure, ...]
    inputs: tuple[InputChange, ...]
    other: OtherRules | None = None
    problems: tuple[Diagnostic, ...] = field(default=())

    def findings(self) -> list[Diagnostic]:
        """Returns everything as findings; neighbouring cells of one row are one finding."""
        found = [*self.of_rules(), *self.of_cells(), *self.of_cells(presentation=True), *self.problems]
        return [*found, *self.of_inputs()]

    def failing(self) -> bool:
        """Whether something is wrong; inputs may be changed, that is what a workbook is for."""
        return any(item.severity is Severity.ERROR for item in self.findings())

    def of_rules(self) -> list[Diagnostic]:
        """Returns a finding if the rules are others than those that the workbook was built from."""
        if self.other is None:
            return []
        parts = {
            f"rules with another formula: {_ids(self.other.changed)}": self.other.changed,
            f"rules that the workbook lacks: {_ids(self.other.new)}": self.other.new,
            f"rules that are no more: {_ids(self.other.gone)}": self.other.gone,
        }
        found = Findings()
        found.add(
            "E905",
            f"the workbook was built from rules with digest {self.built.rules[:12]} (rank-ledger {self.built.by}), "
            f"these are {self.rules.digest[:12]}",
            Source(str(self.path)).whole(),
            help="; ".join(text for text, ids in parts.items() if ids)
            or "no formula of a rule differs: inputs, tables or checks do",
        )
        return found.diagnostics

    def of_cells(self, *, presentation: bool = False) -> list[Diagnostic]:
        """Returns the findings about cells that only present, or about all others and names."""
        chosen = [one for one in self.departures if (one.kind == "presentation") is presentation]
        return [_together(self.path, run) for run in _runs(chosen)]

    def of_inputs(self) -> list[Diagnostic]:
        """Returns a note on each changed input."""
        found = Findings()
        for one in self.inputs:
            place = cell_place(self.path, one.sheet, one.address)
            found.add("N902", f"{one.name}: {one.built} when built, {one.now} now", place)
        return found.diagnostics


def audit(path: str | Path, rules: RuleSet) -> WorkbookAudit:
    """Audits a workbook.

    With the rules that it was built from, every formula cell is compared. With others, cells of rules are compared
    with the formulas that the workbook itself prints beside them, and these with the rules.

    Args:
        path: the workbook, as it was built or as an application has saved it.
        rules: the rules to compare it with.

    Raises:
        EngineError: the file is no workbook or is refused (E101, E901 to E903), or was not built here (E904, E905).
    """
    path = Path(path)
    with Package(path) as package:
        facts = Facts(package)
        built, inputs = facts.built(), tuple(facts.changes())
        if built.rules != rules.digest:
            found, compared = against_print(facts, package)
            other = other_rules(facts, package, rules)
            return WorkbookAudit(path, rules, built, compared, tuple(found), inputs, other)
        state, problems = _state(path, rules)
        expected = plan(rules, state or State(), built.frame)
        there = Plan([sheet for sheet in expected.sheets if sheet.title in package.sheets], expected.names)
        found = [_no_sheet(sheet.title) for sheet in expected.sheets if sheet.title not in package.sheets]
        actual = {sheet.title: facts.cells(sheet.title) for sheet in there.sheets}
        found += departures(there, package, actual, fixed=state is not None)
        compared = sum(1 for sheet in there.sheets for _ in sheet.formulas())
    return WorkbookAudit(path, rules, built, compared, tuple(found), inputs, problems=problems)


def _state(path: Path, rules: RuleSet) -> tuple[State | None, tuple[Diagnostic, ...]]:
    """Returns what is typed; None, and why, if it makes no configuration: formulas do not depend on it."""
    try:
        opened = read(path, rules)
    except EngineError as error:
        if any(item.code in _UNREADABLE for item in error.diagnostics):
            raise
        return None, error.diagnostics
    return opened.state, ()


def _no_sheet(title: str) -> Departure:
    return Departure("name", "", 0, 0, "", "nothing", f"sheet {title}", f"sheet {title} is missing")


def _runs(found: list[Departure]) -> Iterator[list[Departure]]:
    """Yields departures, neighbours in a row together where they are of one rule."""
    runs = groupby(
        enumerate(found), lambda pair: (pair[1].kind, pair[1].sheet, pair[1].row, pair[1].id, pair[1].column - pair[0])
    )
    for (kind, *_), run in runs:
        cells = [departure for _, departure in run]
        yield from [[one] for one in cells] if kind in ("name", "constant") else [cells]


def _together(path: Path, run: list[Departure]) -> Diagnostic:
    first = run[0]
    if len(run) == 1:
        return first.finding(path)
    message = f"{len(run)} cells, the first with {first.message}"
    return replace(
        first.finding(path), message=message, span=cell_place(path, first.sheet, f"{first.address}:{run[-1].address}")
    )


def _ids(ids: Iterable[str]) -> str:
    names = [f"`{id}`" for id in ids]
    more = f" and {len(names) - _MOST_IDS} more" if len(names) > _MOST_IDS else ""
    return f"{', '.join(names[:_MOST_IDS])}{more}"
