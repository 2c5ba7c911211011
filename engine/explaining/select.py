"""Selectors: which rules, checks and inputs a user means."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from engine.diagnostics import EngineError, Findings, nearest

if TYPE_CHECKING:
    from engine.loading.model import ViewBody
    from engine.rules import View
    from engine.ruleset import RuleSet

SYNTAX = "write ids, log_*, +ID (with all it reads), ID+ (with all that read it), view:NAME, separated by commas"


@dataclass(frozen=True, slots=True)
class Selection:
    """What a selector selects.

    Attributes:
        ids: all selected ids, each once, in the order of the selector; what `+` adds comes in the order of evaluation.
        asked: the ids that were asked for by name, pattern or view; those must have a value, what `+` adds need not.
    """

    ids: tuple[str, ...]
    asked: frozenset[str]


def select(rules: RuleSet, selector: str) -> Selection:
    """Reads a selector.

    Args:
        rules: the rule set whose ids are meant.
        selector: see `SYNTAX`.

    Raises:
        EngineError: nothing bears one of the names (E604).
    """
    findings = Findings()
    ids: dict[str, None] = {}
    asked: set[str] = set()
    for part in filter(None, (part.strip() for part in selector.split(","))):
        core = part.removeprefix("+").removesuffix("+")
        named = tuple(_named(rules, core, findings))
        asked.update(named)
        ids.update(dict.fromkeys(_around(rules, named, up=part.startswith("+"), down=part.endswith("+"))))
    if not ids and not findings.has_errors:
        findings.add("E604", "the selector is empty", help=SYNTAX)
    if findings.has_errors:
        raise EngineError(findings.sorted())
    return Selection(tuple(ids), frozenset(asked))


def view_ids(body: ViewBody) -> tuple[str, ...]:
    """Returns the ids that a view shows, each once, in its order."""
    ids = [*body.configuration, *body.rows]
    ids += [*body.ledger.rows, body.ledger.total] if body.ledger else []
    ids += body.stages.rows if body.stages else []
    ids += [id for account in body.accounts for id in (*account.rows, account.total, account.verdict) if id]
    ids += [id for id in (body.capacity, body.peak_stage, body.verdict, body.phase, body.low, body.high) if id]
    return tuple(dict.fromkeys(ids))


def shown_by(rules: RuleSet, view: View) -> tuple[str, ...]:
    """Returns the ids that a view of a rule set shows, each once; for a matrix what its slices are made into."""
    if view.kind == "matrix":
        from engine.explaining.slice_matrix import matrix_ids

        return tuple(dict.fromkeys((*view_ids(view.body), *matrix_ids(rules))))
    return view_ids(view.body)


def names_of(rules: RuleSet, id: str) -> tuple[str, ...]:
    """Returns the names under which an id has values: itself, or for a set or layout input those that it provides."""
    if id in rules.symbols.types:
        return (id,)
    return tuple(name for name, item in rules.slots.items() if item.id == id)


def _named(rules: RuleSet, core: str, findings: Findings) -> Iterator[str]:
    if core.startswith("view:"):
        name = core.removeprefix("view:")
        if name in rules.views:
            for id in shown_by(rules, rules.views[name]):
                yield from names_of(rules, id)
            return
        _unknown(f"there is no view `{name}`", name, rules.views, findings, "view:")
    elif any(sign in core for sign in "*?["):
        found = [id for id in (*rules.slots, *rules.computed) if fnmatchcase(id, core)]
        if not found:
            findings.add("E604", f"no rule, check or input matches `{core}`", help=SYNTAX)
        yield from found
    elif names := names_of(rules, core):
        yield from names
    else:
        _unknown(
            f"there is no rule, check or input `{core}`",
            core,
            [*rules.computed, *rules.slots, *rules.inputs],
            findings,
        )


def _unknown(message: str, name: str, known: Iterable[str], findings: Findings, prefix: str = "") -> None:
    known = list(known)
    near = nearest(name, known)
    if near is None:
        within = [id for id in known if len(name) > 2 and name in id]
        near = within[0] if len(within) == 1 else None
    mend = f"did you mean `{prefix}{near}`?" if near else SYNTAX
    if prefix and not near:
        mend = "views: " + " ".join(known) if known else "these rules declare no views"
    findings.add("E604", message, help=mend)


def _around(rules: RuleSet, named: tuple[str, ...], *, up: bool, down: bool) -> tuple[str, ...]:
    if not (up or down):
        return named
    found = set(named)
    found |= rules.graph.ancestors(named) if up else set()
    found |= rules.graph.descendants(named) if down else set()
    return tuple(id for id in rules.graph.order if id in found)
