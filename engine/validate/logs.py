"""Recorded runs of the estimate that Megatron-LM prints at the head of a training log."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.preset import Preset
from engine.ruleset import RuleSet
from engine.validate.report import Row, Skipped

RULES = {
    "num_microbatches": "num_microbatches",
    "weight_and_optimizer_mib": "log_weight_and_optimizer_mib",
    "activation_mib": "log_activation_mib",
    "total_mib": "log_total_mib",
}
"""Rule or input that stands for each recorded result."""

RELATIVE = 1e-12
"""The rules may add in another order than the recorded code."""


def rows(rules: RuleSet, content: Sequence[Mapping[str, Any]] | Mapping[str, Any]) -> Iterator[Row | Skipped]:
    """Yields a row for each result of each run."""
    for record in [content] if isinstance(content, Mapping) else content:  # a file of one line is one record
        try:
            result = evaluate(rules, Preset(record["args"]))
            predicted = {key: float(result[id].value) for key, id in RULES.items()}
        except EngineError as error:
            yield Skipped(record["id"], error.diagnostics[0].message)
            continue
        for key, id in RULES.items():
            recorded = float(record[key])
            same = math.isclose(predicted[key], recorded, rel_tol=RELATIVE)
            yield Row(record["id"], id, predicted[key], recorded, same)
