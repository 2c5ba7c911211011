"""The files of a source at one moment: at a commit, or as they lie in a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Protocol

from engine.audit.git import Repository
from engine.audit.places import unsafe_path
from engine.audit.source_text import LIMIT_BYTES, SourceText, Unreadable

_MOST_FILES = 50_000


class Tree(Protocol):
    """The files of a source at one moment.

    Attributes:
        commit: the commit, or None for files that lie in a folder.
    """

    commit: str | None

    def read(self, path: str) -> SourceText | None:
        """Returns a file, None if there is none.

        Raises:
            Unreadable: it is there but cannot be audited.
        """

    def prefetch(self, paths: Iterable[str]) -> None:
        """Reads files ahead of `read`."""

    def containing(self, text: str, suffix: str) -> list[str]:
        """Returns the files with an ending that hold a text within one line."""

    def renamed_from(self, old: Tree, path: str) -> str | None:
        """Returns what a file of an older tree is called in this one, None where that cannot be told."""


class Texts:
    """Files that have been read, each content once: two trees often have the same one."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bytes], SourceText] = {}

    def make(self, path: str, data: bytes) -> SourceText:
        """Returns the file with this path and content.

        Raises:
            Unreadable: it cannot be audited.
        """
        found = self._known.get((path, data))
        if found is None:
            found = self._known[path, data] = SourceText(path, data)
        return found


class CommitTree:
    """Files at a commit of a repository."""

    def __init__(self, repository: Repository, commit: str, texts: Texts) -> None:
        self.repository = repository
        self.commit: str | None = commit
        self._texts = texts
        self._data: dict[str, bytes | None] = {}
        self._renames: dict[tuple[str, str], dict[str, str]] = {}

    def prefetch(self, paths: Iterable[str]) -> None:
        """Reads files ahead of `read`, with one call of git."""
        wanted = [path for path in dict.fromkeys(paths) if path not in self._data and not unsafe_path(path)]
        if wanted:
            self._data.update(self.repository.read(str(self.commit), wanted))

    def read(self, path: str) -> SourceText | None:
        """Returns a file, None if there is none; raises Unreadable."""
        self.prefetch([path])
        data = self._data.get(path)
        return None if data is None else self._texts.make(path, data)

    def containing(self, text: str, suffix: str) -> list[str]:
        """Returns the files with an ending that hold a text within one line."""
        return self.repository.grep(str(self.commit), text, suffix)

    def renamed_from(self, old: Tree, path: str) -> str | None:
        """Returns what git takes a file's new name to be, within the top folder of its path."""
        folder = path.partition("/")[0] if "/" in path else ""
        key = (str(old.commit), folder)
        if old.commit is None:
            return None
        if key not in self._renames:
            self._renames[key] = self.repository.renamed(old.commit, str(self.commit), folder)
        return self._renames[key].get(path)


class FolderTree:
    """Files as they lie in a folder. Nothing outside the folder is read: links that lead out are refused."""

    def __init__(self, root: Path, texts: Texts, head: CommitTree | None = None) -> None:
        self.commit: str | None = None
        self.head = head
        self._root = root.resolve()
        self._texts = texts

    def prefetch(self, paths: Iterable[str]) -> None:
        """Does nothing: reading one file is fast."""

    def read(self, path: str) -> SourceText | None:
        """Returns a file, None if there is none; raises Unreadable."""
        if unsafe_path(path):
            return None
        file = self._root / path
        try:
            real = file.resolve(strict=True)
        except FileNotFoundError:
            return None
        except (OSError, RuntimeError):
            raise Unreadable("its path cannot be followed") from None
        if not real.is_relative_to(self._root):
            raise Unreadable("it is a link that leads out of the checkout")
        if not real.is_file():
            return None
        try:
            with real.open("rb") as stream:
                data = stream.read(LIMIT_BYTES + 1)
        except OSError as error:
            raise Unreadable(f"it cannot be read: {(error.strerror or str(error)).lower()}") from None
        return self._texts.make(path, data)

    def containing(self, text: str, suffix: str) -> list[str]:
        """Returns the files with an ending that hold a text within one line; links are passed over."""
        wanted = text.encode("utf-8", "surrogateescape")
        found = []
        for path in self.files(suffix):
            file = self._root / path
            if file.stat().st_size <= LIMIT_BYTES and wanted in file.read_bytes():
                found.append(path)
        return found

    def files(self, suffix: str) -> Iterator[str]:
        """Yields the paths of the files with an ending, without following links, in a fixed order."""
        count = 0
        for folder, folders, names in os.walk(self._root):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(names):
                file = Path(folder) / name
                if name.endswith(suffix) and file.is_file() and not file.is_symlink():
                    count += 1
                    if count > _MOST_FILES:
                        return
                    yield file.relative_to(self._root).as_posix()

    def renamed_from(self, old: Tree, path: str) -> str | None:
        """Returns a file's new name if the checked-out commit knows it and the file lies there."""
        new = self.head.renamed_from(old, path) if self.head else None
        return new if new and (self._root / new).is_file() else None
