"""Speed as ratios measured in one run: rules against the cited estimator in plain Python.

    python benchmarks/speed.py UPSTREAM [--preset presets/document-7b.yaml] [--enforce]

UPSTREAM is the path of Megatron-LM's `megatron/training/theoretical_memory_usage.py` at the commit that
rules/sources.yaml pins; it is run with its printing and its one relative import replaced. `--enforce` exits 1 where
a limit is missed. Times are those of the processor: what else the machine does meanwhile does not count.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from engine import Preset, RuleSet, evaluate, sweep, sweep_rows
from engine.evaluating.resolve import resolve

ROOT = Path(__file__).resolve().parent.parent
WANT = "log_total_mib"
PRINTED = "data_parallel_size"  # stands in every format of the main job's output, and not in its help

GRID: dict[str, list[int]] = {
    "tensor_model_parallel_size": [1, 2, 4, 8],
    "pipeline_model_parallel_size": [1, 2, 4, 8, 16],
    "data_parallel_size": [4, 8, 16, 32, 64],
    "micro_batch_size": [1, 2, 4, 8],
    "seq_length": [2048, 4096, 8192, 16384, 32768],
    "ffn_hidden_size": [8192 + 512 * step for step in range(10)],
    "num_layers": [16 * step for step in range(1, 51)],
}
"""10^6 configurations."""


def _children() -> float:
    """Returns the processor seconds of all processes that have ended so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def load_upstream(path: Path) -> Callable[..., Any]:
    """Returns `report_theoretical_memory` of a file, silent."""
    text = path.read_text(encoding="utf-8").replace("from .utils import", "from upstream_utils import")
    silent = {"is_hybrid_model": lambda args: False, "print_rank_0": lambda *values: None}
    sys.modules["upstream_utils"] = SimpleNamespace(**silent)  # type: ignore[assignment]
    namespace: dict[str, Any] = {"__name__": "upstream", "print": lambda *values: None}
    exec(compile(text, str(path), "exec"), namespace)
    return namespace["report_theoretical_memory"]  # type: ignore[no-any-return]


def best(function: Callable[[], Any], *, number: int = 1, repeat: int = 5) -> float:
    """Returns the least processor seconds of one call over several rounds."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        for _ in range(number):
            function()
        times.append((time.process_time() - start) / number)
    return min(times)


def upstream_arguments(rules: RuleSet, preset: Preset) -> SimpleNamespace:
    """Returns the preset as the namespace that the estimator reads."""
    result = evaluate(rules, preset)
    whole = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, (value, _) in result.inputs.items()
    }
    absent = {
        name: None
        for name in ("num_experts", "moe_shared_expert_intermediate_size", "mtp_num_layers", "q_lora_rank")
        if not whole[name]
    }
    arguments = SimpleNamespace(**{**whole, **absent})
    arguments.normalization = {"rmsnorm": "RMSNorm", "layernorm": "LayerNorm"}[whole["normalization"]]
    arguments.virtual_pipeline_model_parallel_size = None
    return arguments


def compiled(rules: RuleSet, preset: Preset, report: Callable[..., Any]) -> dict[str, float]:
    """Times one evaluation: the estimator, the compiled function of the same total, and the full `evaluate`."""
    arguments = upstream_arguments(rules, preset)
    microbatches = int(evaluate(rules, preset)["num_microbatches"].value)
    function = rules.function(WANT)
    resolved = resolve(rules, preset)
    inputs = {name: resolved.scope[name] for name in rules.slots if _available(resolved.scope, name)}
    expected = report(arguments, num_microbatches=microbatches)[2]
    assert abs(function(inputs) - expected) <= 1e-12 * expected, "the rules and the estimator disagree"
    upstream = best(lambda: report(arguments, num_microbatches=microbatches), number=5000)
    return {
        "upstream_us": upstream * 1e6,
        "compiled_ratio": best(lambda: function(inputs), number=2000) / upstream,
        "evaluate_ratio": best(lambda: evaluate(rules, preset).to_dict(), number=5) / upstream,
    }


def _available(scope: Any, name: str) -> bool:
    from engine.trouble import Trouble

    try:
        scope[name]
    except Trouble:
        return False
    return True


def grid(rules: RuleSet, preset: Preset, upstream_seconds: float) -> dict[str, float]:
    """Times a grid of 10^6 configurations, after showing that every axis changes the result."""
    values = sweep(rules, preset, GRID, [WANT]).values[WANT]
    show_every_axis_changes(values)
    seconds = best(lambda: sweep(rules, preset, GRID, [WANT]), repeat=5)
    return {"grid_ratio": upstream_seconds * values.size / seconds, "grid_ms": seconds * 1e3}


def show_every_axis_changes(values: np.ndarray[Any, Any]) -> None:
    """Raises an AssertionError if varying one of the inputs of `GRID` leaves all values as they are."""
    for axis, name in enumerate(GRID):
        assert (np.diff(values, axis=axis) != 0).any(), f"{name} does not change the result"


def rows(rules: RuleSet, preset: Preset, upstream_seconds: float, count: int = 1_000_000) -> dict[str, float]:
    """Times 10^6 unrelated configurations drawn from the grid's values."""
    random = np.random.default_rng(0)
    columns = {name: random.choice(np.array(values), count) for name, values in GRID.items()}
    seconds = best(lambda: sweep_rows(rules, preset, columns, [WANT]), repeat=3)
    return {"rows_ratio": upstream_seconds * count / seconds, "rows_ms": seconds * 1e3}


COLD = {"cold": ("text", True), "cold_json": ("json", True), "first": ("text", False)}
"""Cold starts: the format, and whether rules are kept on disk from an earlier run, as they are on all but the first."""


def cold_start(preset: Path) -> dict[str, float]:
    """Times `engine eval` in processes of its own against an interpreter that does nothing, alternating."""
    with tempfile.TemporaryDirectory() as cache:
        runs = {"nothing": ([sys.executable, "-c", "pass"], {})} | {
            name: (command(preset, form), {"ENGINE_CACHE": cache if kept else "off"})
            for name, (form, kept) in COLD.items()
        }
        for run, environment in runs.values():  # fills the cache, and shows that the commands do their work
            seconds_of(run, environment)
        times = {name: min(seconds_of(*run) for _ in range(7)) for name, run in runs.items()}
    ratios = {f"{name}_ratio": times[name] / times["nothing"] for name in COLD}
    return ratios | {f"{name}_ms": seconds * 1e3 for name, seconds in times.items()}


def command(preset: Path, form: str) -> list[str]:
    """Returns the command line of the main job."""
    return [sys.executable, "-m", "engine", "eval", str(ROOT / "rules"), str(preset), "--format", form]


def seconds_of(command: list[str], environment: Mapping[str, str]) -> float:
    """Runs a command and returns the processor seconds it took; one that prints nothing has done nothing.

    Raises:
        RuntimeError: an evaluation printed no result.
    """
    before = _children()
    run = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, env=os.environ | environment)
    seconds = _children() - before
    if "eval" in command and PRINTED not in run.stdout:
        raise RuntimeError(f"{' '.join(command)} did not print a result: {run.stderr}")
    return seconds


LIMITS = {
    "compiled_ratio": ("at most", 10.0),
    "grid_ratio": ("at least", 100.0),
    "rows_ratio": ("at least", 10.0),
    "cold_ratio": ("at most", 30.0),
    "cold_json_ratio": ("at most", 30.0),
}


def main() -> int:
    """Prints the figures as JSON; see the module's text."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("upstream", type=Path)
    parser.add_argument("--preset", type=Path, default=ROOT / "presets" / "document-7b.yaml")
    parser.add_argument("--enforce", action="store_true")
    options = parser.parse_args()
    rules, preset = RuleSet.load(ROOT / "rules"), Preset.load(options.preset)
    figures = compiled(rules, preset, load_upstream(options.upstream))
    seconds = figures["upstream_us"] / 1e6
    figures |= grid(rules, preset, seconds) | rows(rules, preset, seconds) | cold_start(options.preset)
    missed = [name for name, (bound, limit) in LIMITS.items() if (figures[name] > limit) == (bound == "at most")]
    limits = {name: f"{bound} {limit:g}" for name, (bound, limit) in LIMITS.items()}
    print(
        json.dumps(
            {"figures": {name: round(value, 2) for name, value in figures.items()}, "limits": limits, "missed": missed},
            indent=2,
        )
    )
    return 1 if options.enforce and missed else 0


if __name__ == "__main__":
    sys.exit(main())
