"""Cited lines as they stand in a reader's own checkout."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path

from engine.audit.checkout import Checkout, open_checkout, require_known
from engine.audit.collect import Cited, citations
from engine.audit.integrity import problem
from engine.audit.places import Place, parse_where
from engine.audit.source_text import Unreadable
from engine.ruleset import RuleSet


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Lines of a citation.

    Attributes:
        cited: the citation.
        place: file, lines and symbol.
        moment: the commit or revision that they were read at, or `work tree`.
        lines: number and text of each line; empty where there is a problem.
        problem: why there are none, or what is wrong with them.
    """

    cited: Cited
    place: Place
    moment: str
    lines: tuple[tuple[int, str], ...]
    problem: str = ""


def excerpts(rules: RuleSet, name: str, checkouts: Mapping[str, str | Path]) -> list[Excerpt]:
    """Returns the lines that an id cites, each place once.

    Lines are read at the pinned commit; where the checkout lacks it, as they lie there.

    Args:
        rules: a loaded rule set.
        name: id of a rule, check, input, table or the like.
        checkouts: alias of a source to its checkout; citations of other sources are passed over.

    Raises:
        EngineError: a checkout that cannot be used (E810, E811).
    """
    wanted = [cited for cited in citations(rules) if _is_of(cited, name)]
    declared = rules.sources["sources"]
    require_known(checkouts, declared)
    with ExitStack() as closing:
        opened = {
            alias: open_checkout(alias, Path(path), declared[alias].commit, None, closing)
            for alias, path in checkouts.items()
        }
        return list(_read(wanted, opened).values())


def _is_of(cited: Cited, name: str) -> bool:
    own = name.rpartition(":")[2]
    return cited.citation.kind == "code" and own in (cited.rule, cited.rule.partition(".")[2])


def _read(wanted: Iterable[Cited], opened: Mapping[str, Checkout]) -> dict[tuple[str, Place], Excerpt]:
    found: dict[tuple[str, Place], Excerpt] = {}
    for cited in wanted:
        alias = cited.citation.source
        path, lines = parse_where(cited.citation.where)
        place = Place(path, lines, cited.citation.symbol)
        checkout = opened.get(alias)
        if checkout is None or (alias, place) in found:
            continue
        tree = checkout.pinned or checkout.target
        moment = str(tree.commit)[:8] if tree.commit else "work tree"
        wrong = problem(place, tree)
        if checkout.pinned is None:
            wrong = wrong or f"{checkout.absent}: these are the lines as they lie there"
        text = None
        with suppress(Unreadable):  # `problem` says so
            text = tree.read(path)
        shown = tuple(zip(lines.numbers(), text.excerpt(lines), strict=False)) if text else ()
        found[alias, place] = Excerpt(cited, place, moment, shown, wrong or "")
    return found
