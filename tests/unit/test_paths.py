"""The shipped data is found, in a clone and in an installed wheel."""

from pathlib import Path

import pytest

from engine import paths


def test_clone() -> None:
    for directory in (paths.shipped_rules(), paths.shipped_presets(), paths.shipped_templates()):
        assert directory.is_dir(), directory


def test_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "_data" / "rules").mkdir(parents=True)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path)
    assert paths.shipped_rules() == tmp_path / "_data" / "rules"
