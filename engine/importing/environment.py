"""What the environment of a launch says about memory."""

from __future__ import annotations

from collections.abc import Mapping

from engine.diagnostics import Source
from engine.importing.given import Given
from engine.importing.shell_scope import Value
from engine.importing.words import plain, span, unknown

_ALLOCATOR = ("PYTORCH_CUDA_ALLOC_CONF", "PYTORCH_ALLOC_CONF")


def from_environment(variables: Mapping[str, Value], source: Source) -> list[Given]:
    """Returns the inputs that variables of the environment set.

    Source: torch's notes on CUDA semantics for the allocator's settings; Megatron-LM
    `megatron/training/arguments.py`, `validate_args`, for NCCL_GRAPH_REGISTER.
    """
    found: list[Given] = []
    for name, value in variables.items():
        if not isinstance(value, tuple) or not value or unknown(value):
            continue
        text, where = plain(value), span(value, source)
        if name in _ALLOCATOR and "expandable_segments" in text:
            found.append(Given("expandable-segments", "expandable_segments:true" in text.casefold(), where, where))
        elif name == "NCCL_GRAPH_REGISTER":
            found.append(Given("nccl-graph-register", text != "0", where, where))
    return found
