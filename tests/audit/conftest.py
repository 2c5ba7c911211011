"""A repository whose first commit holds the cited file."""

from pathlib import Path

import pytest

from engine import RuleSet
from tests.support.miniature import FORMULAS, SOURCE, Miniature, load_rules


@pytest.fixture(autouse=True)
def no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGINE_CACHE", "off")


@pytest.fixture
def mini(tmp_path: Path) -> Miniature:
    repository = Miniature(tmp_path / "mini")
    repository.commit({FORMULAS: SOURCE, "pkg/__init__.py": ""})
    return repository


@pytest.fixture
def pinned(mini: Miniature, tmp_path: Path) -> RuleSet:
    """The rules that cite the first commit."""
    return load_rules(tmp_path / "rules", mini.git("rev-parse", "HEAD").strip())
