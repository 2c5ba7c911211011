"""Rules by topic: the folder that holds them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath

from engine.rules import Computed


def topic(rule: Computed) -> str:
    """Returns the title of a rule's topic, such as `Ledger activations`."""
    return PurePath(rule.span.source.path).parent.name.replace("_", " ").capitalize()


def by_topic(rules: Iterable[Computed]) -> list[tuple[str, list[Computed]]]:
    """Returns rules by topic, topics in the order in which they first come up."""
    found: dict[str, list[Computed]] = {}
    for rule in rules:
        found.setdefault(topic(rule), []).append(rule)
    return list(found.items())
