"""Published cases: verdicts, failing checks, heaviest stages, and figures worked out or measured."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.preset import Preset
from engine.result import Result
from engine.ruleset import RuleSet
from engine.validate.report import Number, Row, Skipped

GIB = 2**30

_AGGREGATES: Mapping[str, Callable[[list[Any]], Any]] = {
    "max": max,
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
}


def rows(rules: RuleSet, content: Mapping[str, Any]) -> Iterator[Row | Skipped]:
    """Yields a row for each thing that a case, or a published layout, says of its configuration."""
    for record in (*content["records"], *content.get("published_layouts", ())):
        preset = Preset(_values(record))
        try:
            result = evaluate(rules, preset)
            yield from _judged(result, record)
        except EngineError as error:
            yield Skipped(record["id"], error.diagnostics[0].message)
            continue
        for check in record["expect"]["checks"]:
            yield from _figure(rules, preset, result, record["id"], check)


def verdict(result: Result) -> str:
    """Returns `invalid` where an error-level check fails, else whether the fullest stage fits."""
    if any(check.level == "error" for check in result.failed_checks):
        return "invalid"
    return result.get("verdict") or "unknown"


def _values(record: Mapping[str, Any]) -> dict[str, Any]:
    values = dict(record["preset"])
    if record.get("device_usable_gib") is not None:
        values["device_usable_bytes"] = record["device_usable_gib"] * GIB
    return values


def _judged(result: Result, record: Mapping[str, Any]) -> Iterator[Row]:
    id, expect = record["id"], record["expect"]
    found = verdict(result)
    if expect["verdict"] is not None:
        accepted = [expect["verdict"], *expect.get("accept", ())]
        yield Row(id, "verdict", found, expect["verdict"], found in accepted)
    failing = sorted(check.id for check in result.failed_checks if check.level == "error")
    expected = sorted(expect["failing_checks"])
    yield Row(id, "failing_checks", failing, expected, failing == expected)
    for key, rule in (("heaviest_stage", "peak_stage"), ("dominant", "dominant_component")):
        if expect.get(key) is not None:
            value = result[rule].value
            yield Row(id, rule, value, expect[key], value == expect[key])


def _figure(
    rules: RuleSet, preset: Preset, result: Result, id: str, check: Mapping[str, Any]
) -> Iterator[Row | Skipped]:
    changes = check.get("set")
    if changes:
        id = f"{id} with {', '.join(f'{name} {value}' for name, value in changes.items())}"
    try:
        changed = evaluate(rules, preset, set=changes) if changes else result
        found: Any = verdict(changed) if check["id"] == "verdict" else changed[check["id"]].value
    except EngineError as error:
        yield Skipped(id, error.diagnostics[0].message)
        return
    if isinstance(found, list):
        found = found[check["stage"]] if check.get("stage") is not None else _AGGREGATES[check["agg"]](found)
    recorded: Number = check["value"]
    yield Row(id, check["id"], found, recorded, agrees(found, recorded, check["rel_tol"]))


def agrees(found: Number, recorded: Number, tolerance: float) -> bool:
    """Tells whether a value agrees with a recorded one within a relative tolerance; 0 means that they are equal."""
    if tolerance == 0 or isinstance(recorded, (bool, str, list)) or isinstance(found, (bool, str, list)):
        return found == recorded
    return math.isclose(found, recorded, rel_tol=0, abs_tol=tolerance * abs(recorded))
