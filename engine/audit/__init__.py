"""The citation audit: is every citation true at its own commit, and what has become of the cited lines since?"""

from __future__ import annotations

from engine.audit.outcome import Audit, AuditedCitation
from engine.audit.run import audit
from engine.audit.verdict import State, Verdict

__all__ = ["Audit", "AuditedCitation", "State", "Verdict", "audit"]
