"""Replay: does a cited function still compute what the rules compute? It runs code of the checkout."""

from __future__ import annotations

from engine.audit.replay.compare import Departure, Replayed
from engine.audit.replay.run import replay

__all__ = ["Departure", "Replayed", "replay"]
