"""Files are written whole or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.files.whole import replacing


def test_a_file_takes_the_place_of_another_with_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(path)
    with replacing(link) as new:
        new.write_text("new")
        assert path.read_text() == "old"
    assert (path.read_text(), path.stat().st_mode & 0o777) == ("new", 0o640)
    assert link.is_symlink()
    assert sorted(tmp_path.iterdir()) == [link, path]


def test_a_new_file_has_the_permissions_of_any(tmp_path: Path) -> None:
    (tmp_path / "any").touch()
    with replacing(tmp_path / "new") as new:
        new.write_text("new")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "any").stat().st_mode


def test_after_an_error_all_is_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "plan"
    path.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(path) as new:
        new.write_text("half")
        raise ZeroDivisionError
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_error_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"none/plan'"), replacing(tmp_path / "none" / "plan"):
        pass
