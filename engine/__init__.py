"""A declarative rules engine for the GPU memory of large-model training.

from engine import Preset, RuleSet, evaluate

rules = RuleSet.load()
result = evaluate(rules, Preset.load("presets/document-7b.yaml"), set={"micro_batch_size": 1})
result["document_first_stage_bytes"].value
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic, EngineError
    from engine.evaluation import evaluate
    from engine.preset import Preset
    from engine.result import Result
    from engine.ruleset import RuleSet
    from engine.sweeps import SweepResult, sweep, sweep_rows

__all__ = ["Diagnostic", "EngineError", "Preset", "Result", "RuleSet", "SweepResult", "evaluate", "sweep", "sweep_rows"]

_HOMES = {
    "Diagnostic": "engine.diagnostics",
    "EngineError": "engine.diagnostics",
    "Preset": "engine.preset",
    "Result": "engine.result",
    "RuleSet": "engine.ruleset",
    "SweepResult": "engine.sweeps",
    "evaluate": "engine.evaluation",
    "sweep": "engine.sweeps",
    "sweep_rows": "engine.sweeps",
}


def __getattr__(name: str) -> Any:
    """Imports public names on first use, so that a command loads only what it needs."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module `engine` has no attribute `{name}`")
    value = globals()[name] = getattr(import_module(home), name)
    return value
