"""Aggregates over vectors of lanes: the array side of `sum_over`, `at` and their like."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np

from engine.sweeping.lanes import FAILED, Array, Lane, join, lane, marked


class Domains(Protocol):
    """What aggregates need to know of an environment."""

    def mask(self, domain: str) -> Array | None:
        """Which entries of a padded vector count; None if all do."""

    def size(self, domain: str) -> Lane:
        """Number of indices of a domain in each lane."""


class Factored:
    """A vector that was evaluated once for each distinct placement, and the placement of each lane.

    Attributes:
        space: the environment of the distinct placements.
        value: the vector in that environment.
        inverse: position of each lane's placement.
    """

    __slots__ = ("inverse", "space", "value")

    def __init__(self, space: Domains, value: Lane, inverse: Array) -> None:
        self.space = space
        self.value = value
        self.inverse = inverse

    def expanded(self) -> Lane:
        """Returns the vector with one row a lane."""
        return expand(self.value, self.inverse)


def expand(value: Lane, inverse: Array) -> Lane:
    """Spreads values of distinct placements over lanes."""

    def spread(array: Array) -> Array:
        return array if array.shape[0] == 1 else array[inverse]

    return Lane(spread(value.array), None if value.bad is None else spread(value.bad), value.over)


Row = Lane | Factored


def _aggregate(
    function: Callable[[Array], Array], padding: float | bool, *, of_nothing: bool = True
) -> Callable[[Domains, Row], Lane]:
    """Returns an aggregate; `of_nothing` says whether a vector without entries has one."""

    def apply(v: Domains, row: Row) -> Lane:
        if isinstance(row, Factored):
            return expand(apply(row.space, row.value), row.inverse)
        assert row.over is not None
        mask = v.mask(row.over)
        bad = _whole(row) if of_nothing else join(_whole(row), _empty(v, row.over))
        return Lane(function(row.array if mask is None else np.where(mask, row.array, padding)), bad)

    return apply


def _whole(row: Lane) -> Array | None:
    """Trouble of a vector as a whole; evaluation has spread it over all of its entries."""
    return None if row.bad is None else row.bad[..., 0]


def _empty(v: Domains, domain: str) -> Array | None:
    return marked(v.size(domain).array < 1)


def _first(v: Domains, row: Row) -> Lane:
    if isinstance(row, Factored):
        return expand(_first(row.space, row.value), row.inverse)
    assert row.over is not None
    return Lane(row.array[..., 0], join(_whole(row), _empty(v, row.over)))


def _last(v: Domains, row: Row) -> Lane:
    if isinstance(row, Factored):
        return expand(_last(row.space, row.value), row.inverse)
    assert row.over is not None
    return _at(v, row, v.size(row.over) - 1.0)


def _at(v: Domains, row: Row, index: Any) -> Lane:
    value = row.expanded() if isinstance(row, Factored) else row
    position = lane(index)
    vector = position.over is not None
    wanted = position.array if vector else position.array[..., None]
    assert value.over is not None
    size = v.size(value.over).array[..., None]
    wrong = (wanted < 0) | (wanted >= size) | (wanted != np.floor(wanted))
    safe = np.where(wrong, 0, wanted).astype(np.intp)
    if value.array.shape[-1] == 1:  # one number for all entries, as many as there are
        safe = np.zeros_like(safe)
    array, safe = _aligned(value.array, safe)
    found = np.take_along_axis(array, safe, axis=-1)
    trouble = np.where(wrong, FAILED, np.int8(0)) if wrong.any() else None
    if vector:
        vector_bad = None if value.bad is None else value.bad[..., :1]
        return Lane(found, join(join(vector_bad, position.bad), trouble), position.over)
    return Lane(found[..., 0], join(join(_whole(value), position.bad), None if trouble is None else trouble[..., 0]))


def _aligned(array: Array, index: Array) -> tuple[Array, Array]:
    """Broadcasts all axes but the last against each other."""
    lead = np.broadcast_shapes(array.shape[:-1], index.shape[:-1])
    return np.broadcast_to(array, (*lead, array.shape[-1])), np.broadcast_to(index, (*lead, index.shape[-1]))


def _sum_where(v: Domains, values: Row, keys: Row, key: Any) -> Lane:
    return _selected(v, values, keys, key, np.equal)


def _sum_below(v: Domains, values: Row, keys: Row, limit: Any) -> Lane:
    return _selected(v, values, keys, limit, np.less)


def _count_below(v: Domains, values: Row, limit: Any) -> Lane:
    row = values.expanded() if isinstance(values, Factored) else values
    return _selected(v, Lane(np.ones_like(row.array), row.bad, row.over), row, limit, np.less)


def _selected(v: Domains, values: Row, keys: Row, key: Any, test: Callable[[Array, Array], Array]) -> Lane:
    """Sums the values whose keys compare with one key, or with each key of a vector of them."""
    a = values.expanded() if isinstance(values, Factored) else values
    b = keys.expanded() if isinstance(keys, Factored) else keys
    wanted = lane(key)
    assert a.over is not None
    mask = v.mask(a.over)
    numbers = a.array if mask is None else np.where(mask, a.array, 0.0)
    trouble = join(_whole(a), _whole(b))
    if wanted.over is None:
        total = np.where(test(b.array, wanted.array[..., None]), numbers, 0.0).sum(axis=-1)
        return Lane(total, join(trouble, wanted.bad))
    columns = [
        np.where(test(b.array, wanted.array[..., position, None]), numbers, 0.0).sum(axis=-1)
        for position in range(wanted.array.shape[-1])
    ]
    lifted = None if trouble is None else trouble[..., None]
    return Lane(np.stack(columns, axis=-1), join(lifted, wanted.bad), wanted.over)


RUNTIME: Mapping[str, Any] = {
    "_sum_over": _aggregate(lambda array: array.sum(axis=-1), 0.0),
    "_max_over": _aggregate(lambda array: array.max(axis=-1), -np.inf, of_nothing=False),
    "_min_over": _aggregate(lambda array: array.min(axis=-1), np.inf, of_nothing=False),
    "_argmax_over": _aggregate(lambda array: array.argmax(axis=-1).astype(np.float64), -np.inf, of_nothing=False),
    "_count_where": _aggregate(lambda array: array.sum(axis=-1, dtype=np.float64), False),
    "_all_over": _aggregate(lambda array: np.asarray(array.all(axis=-1)), True),
    "_first": _first,
    "_last": _last,
    "_at": _at,
    "_sum_where": _sum_where,
    "_sum_below": _sum_below,
    "_count_below": _count_below,
}
"""Aggregates that printed array code may call; each takes the environment first."""
