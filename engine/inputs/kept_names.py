"""Names under which the trainer keeps launch flags, where they are neither the flag's own nor that of an input."""

from __future__ import annotations

from engine.rules import Input
from engine.ruleset import RuleSet

KEPT_AS = {
    "fp8": "fp8_format", "fp4": "fp4_format", "torch_fsdp2_reshard_after_forward": "reshard_after_forward",
    "nccl_ub": "use_nccl_ub",
}  # fmt: skip
"""From the name to that of the flag."""


def kept_under(rules: RuleSet, name: str) -> Input | None:
    """Returns the input whose flag the trainer keeps under a name."""
    return next((item for item in rules.inputs.values() if name in kept_names(item)), None)


def kept_names(item: Input) -> tuple[str, ...]:
    """Returns the names under which the trainer keeps the flags of an input."""
    flags = {(flag or "").lstrip("-").replace("-", "_") for flag in (item.flag, *item.other_flags)}
    return tuple(name for name, flag in KEPT_AS.items() if flag in flags)
