"""Parameters of recorded models, rank by rank."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.preset import Preset
from engine.ruleset import RuleSet
from engine.validate.report import Row, Skipped

CATEGORY = "stage_params_"

LISTS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "ranks": ("rank", {}),
    "ranks_local_spec_mla_down_proj_sharded": ("local-rank", {"transformer-impl": "local"}),
}
"""Recorded lists of ranks: how each is called, and the flags it takes beside those of the record."""


def rows(rules: RuleSet, content: Mapping[str, Any]) -> Iterator[Row | Skipped]:
    """Yields a row for each category of parameters that a rank holds, by the record or by the rules."""
    categories = [id.removeprefix(CATEGORY) for id in rules.rules if id.startswith(CATEGORY)]
    for record in content["records"]:
        for key, (word, flags) in LISTS.items():
            if key in record:
                yield from _ranks(rules, record, record[key], word, flags, categories)


def _ranks(
    rules: RuleSet,
    record: Mapping[str, Any],
    ranks: list[Mapping[str, Any]],
    word: str,
    flags: Mapping[str, Any],
    categories: list[str],
) -> Iterator[Row | Skipped]:
    try:
        preset = Preset.from_megatron_flags({**record["args"], "world-size": record["world_size"], **flags}, rules)
        result = evaluate(rules, preset)
        predicted = {category: result[CATEGORY + category].value for category in categories}
    except EngineError as error:
        yield Skipped(record["name"], error.diagnostics[0].message)
        return
    for rank in ranks:
        id = f"{record['name']}#{word}{rank['rank']}"
        for category in {**dict.fromkeys(categories), **rank["categories"]}:
            recorded = float(rank["categories"].get(category, 0))
            if category not in predicted:
                yield Skipped(id, f"no rule has the parameters of {category}")
                continue
            found = float(predicted[category][rank["pp_rank"]])
            if recorded or found:
                yield Row(id, f"parameters.{category}", found, recorded, found == recorded)
