"""Measured training runs: peak and steady memory of a stage against what the rules predict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.preset import Preset
from engine.result import Result
from engine.ruleset import RuleSet
from engine.validate import measured
from engine.validate.measured_trainer import Record
from engine.validate.measured_words import UnknownWord
from engine.validate.report import Row, Skipped

TERMS = (
    "stage_loss_bytes",
    "stage_layer_transient_bytes",
    "stage_dummy_gradient_bytes",
    "stage_workspace_bytes",
    "stage_shared_buffer_bytes",
    "stage_step_tensor_bytes",
    "stage_idle_pipeline_bytes",
    "stage_gradient_copy_bytes",
    "stage_fp8_copy_bytes",
    "stage_reserve_bytes",
)
"""Terms of a prediction that could explain a miss: what neither states nor kept tensors settle."""


def rows(rules: RuleSet, content: Sequence[Record]) -> Iterator[Row | Skipped]:
    """Yields a row for each measured quantity of each run."""
    for record in content:
        try:
            result = evaluate(rules, Preset(measured.preset(record)))
            stage = measured.stage(record)
            compared = [
                (quantity, _at(result[rule].value, stage), recorded)
                for quantity, rule, recorded in measured.comparisons(record)
            ]
            share, least = float(result["peak_error_share"].value), float(result["peak_error_bytes"].value)
            terms = _terms(result, stage)
        except (EngineError, UnknownWord) as error:
            reason = error.diagnostics[0].message if isinstance(error, EngineError) else str(error)
            yield Skipped(record["id"], reason)
            continue
        except KeyError as error:
            yield Skipped(record["id"], f"the record has no {error.args[0]}")
            continue
        for quantity, predicted, recorded in compared:
            yield Row(
                record["id"],
                quantity,
                predicted,
                recorded,
                None,
                measured.framework(record),
                measured.family(record),
                max(share * predicted, least) if quantity == "max_allocated_bytes" else None,
                terms,
            )


def _terms(result: Result, stage: int | None) -> tuple[tuple[str, float], ...]:
    found = [(id, _at(result[id].value, stage)) for id in TERMS]
    return tuple(sorted(((id, size) for id, size in found if size > 0), key=lambda term: -term[1]))


def _at(values: Any, stage: int | None) -> float:
    """Returns the value of a stage, of the fullest one for None."""
    return float(max(values) if stage is None else values[stage])
