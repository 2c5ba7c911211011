"""The sections of rule files: the model of their bodies, and the files in which they live."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from engine.loading.model import (
    AccountBody,
    ActionBody,
    AdviceBody,
    CaseBody,
    CheckBody,
    ColumnBody,
    CommunicationBody,
    DatasetBody,
    DocumentBody,
    GroupBody,
    InputBody,
    LaunchFlagsBody,
    LeaveBody,
    LedgerBody,
    PaperBody,
    RuleBody,
    RuleTest,
    ScenarioBody,
    SliceBody,
    SourceBody,
    StagesBody,
    TableBody,
    ViewBody,
)
from engine.loading.model_cite import CodeCite, DocumentCite, PaperCite
from engine.loading.model_watch import KeywordBody, ReplayBody, WaiverBody, WatchBody

SECTIONS: dict[str, type[BaseModel]] = {
    "inputs": InputBody,
    "rules": RuleBody,
    "checks": CheckBody,
    "tables": TableBody,
    "groups": GroupBody,
    "slices": SliceBody,
    "scenarios": ScenarioBody,
    "advice": AdviceBody,
    "launch_flags": LaunchFlagsBody,
    "sources": SourceBody,
    "papers": PaperBody,
    "documents": DocumentBody,
    "datasets": DatasetBody,
    "views": ViewBody,
    "watch": WatchBody,
    "replays": ReplayBody,
}
"""Model of the bodies of each section."""

SPECIAL_FILES: dict[str, tuple[str, ...]] = {
    "sources.yaml": ("sources", "papers", "documents", "datasets"),
    "views.yaml": ("views",),
    "watch.yaml": ("watch", "replays"),
}
"""Sections that live in files of a fixed name, and only there."""

NESTED: dict[Any, type[BaseModel]] = {
    "at": CodeCite,
    "paper": PaperCite,
    "document": DocumentCite,
    "cases": CaseBody,
    "communication": CommunicationBody,
    "actions": ActionBody,
    "leave_alone": LeaveBody,
    "tests": RuleTest,
    "columns": ColumnBody,
    "ledger": LedgerBody,
    "stages": StagesBody,
    "accounts": AccountBody,
    "waive": WaiverBody,
    "keywords": KeywordBody,
}
"""Model of the bodies below a key, or of a citation by its kind."""
