"""The document's workbook, built once."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine import Preset, RuleSet
from workbook.build import make


@pytest.fixture(scope="session")
def rules() -> RuleSet:
    return RuleSet.load()


@pytest.fixture(scope="session")
def document(repository: Path) -> Preset:
    return Preset.load(repository / "presets" / "document-7b.yaml")


@pytest.fixture(scope="session")
def built(rules: RuleSet, document: Preset, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("workbook") / "plan.xlsx"
    make(rules, document, path)
    return path
