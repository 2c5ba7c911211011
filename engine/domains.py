"""The index domains of vectors: their sizes in terms of inputs."""

from __future__ import annotations

from collections.abc import Mapping

SIZES: Mapping[str, str] = {
    "layer": "num_layers",
    "stage": "pipeline_model_parallel_size",
    "virtual_stage": "pipeline_model_parallel_size * virtual_pipeline_model_parallel_size",
}
"""Expression for the number of indices of each domain; indices run from 0."""
