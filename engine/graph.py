"""The dependency graph of a rule set: who reads whom, in which order to evaluate, and where a cycle runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from graphlib import CycleError, TopologicalSorter


class Graph:
    """Edges from each id to the ids that its formulas read.

    Attributes:
        reads: ids read by each id, in reading order.
    """

    def __init__(self, reads: Mapping[str, tuple[str, ...]]) -> None:
        self.reads = reads

    def cycles(self) -> Iterator[list[str]]:
        """Yields cycles that share no id: the ids along each, the first repeated at the end."""
        reads = dict(self.reads)
        while True:
            try:
                TopologicalSorter(reads).prepare()
            except CycleError as error:
                path: list[str] = error.args[1]
                yield path[::-1]  # graphlib lists predecessors; we show who reads whom
                reads.update(dict.fromkeys(path, ()))
            else:
                return

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All ids, each after everything it reads."""
        return tuple(TopologicalSorter(self.reads).static_order())

    @cached_property
    def read_by(self) -> Mapping[str, tuple[str, ...]]:
        """Ids that read each id."""
        readers: dict[str, list[str]] = {id: [] for id in self.reads}
        for id, others in self.reads.items():
            for other in others:
                readers.setdefault(other, []).append(id)
        return {id: tuple(others) for id, others in readers.items()}

    def before(self, id: str) -> Iterator[str]:
        """Yields everything that an id reads, directly or not, each after everything that it reads itself."""
        needed = self.ancestors([id]) - {id}
        return (other for other in self.order if other in needed)

    def ancestors(self, ids: Iterable[str]) -> set[str]:
        """Returns the given ids and everything that they read, directly or not."""
        return _closure(ids, self.reads)

    def descendants(self, ids: Iterable[str]) -> set[str]:
        """Returns the given ids and everything that reads them, directly or not."""
        return _closure(ids, self.read_by)


def _closure(ids: Iterable[str], edges: Mapping[str, tuple[str, ...]]) -> set[str]:
    found: set[str] = set()
    todo = list(ids)
    while todo:
        id = todo.pop()
        if id not in found:
            found.add(id)
            todo.extend(edges.get(id, ()))
    return found
