"""A source as the user has it: a git checkout, a bare repository, or a plain folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from engine.audit.git import GitError, Repository, find_repository
from engine.audit.trees import CommitTree, FolderTree, Texts, Tree
from engine.diagnostics import Findings, nearest


@dataclass(frozen=True)
class Checkout:
    """A source at hand.

    Attributes:
        alias: its name in sources.yaml.
        path: the folder.
        pinned: its files at the pinned commit; None where that commit is not there.
        target: its files at the audited moment.
        label: the audited moment for people: a revision, or `work tree`.
        absent: why there is no pinned commit, empty if there is one.
        repository: the repository; None for a plain folder.
        texts: files read so far.
    """

    alias: str
    path: Path
    pinned: CommitTree | None
    target: Tree
    label: str
    absent: str
    repository: Repository | None
    texts: Texts

    def at(self, commit: str) -> CommitTree | None:
        """Returns the files at another commit, None where it is not there."""
        if self.repository is None or not self.repository.has_commit(commit):
            return None
        return CommitTree(self.repository, commit, self.texts)


def require_known(aliases: Iterable[str], declared: Mapping[str, object]) -> None:
    """Refuses aliases that sources.yaml does not declare (E810)."""
    findings = Findings()
    for alias in aliases:
        if alias not in declared:
            near = nearest(alias, declared)
            help = f"did you mean `{near}`?" if near else "sources: " + " ".join(declared)
            findings.add("E810", f"there is no source `{alias}` in sources.yaml", help=help)
    findings.raise_if_errors()


def open_checkout(alias: str, path: Path, commit: str, at: str | None, closing: ExitStack) -> Checkout:
    """Opens a checkout of a source.

    Args:
        alias: the source.
        path: folder of the checkout.
        commit: the pinned commit.
        at: the revision to audit; None for the files as they lie there, or HEAD in a bare repository.
        closing: closes the repository.

    Raises:
        EngineError: there is no such folder (E810), git cannot be used and is needed (E811), or there is no such
            revision (E812).
    """
    findings = Findings()
    if not path.is_dir():
        help = "give the folder of a checkout, for example --source megatron=Megatron-LM"
        findings.add("E810", f"there is no folder `{path}` for source `{alias}`", help=help)
        findings.raise_if_errors()
    texts = Texts()
    repository: Repository | None = None
    absent = "the checkout is not a git repository"
    try:
        repository = find_repository(path.resolve())
        if repository is not None:
            closing.enter_context(repository)
    except GitError as error:
        absent = str(error)
    if repository is None and at is not None:
        findings.add("E811", f"revision `{at}` of source `{alias}` cannot be read: {absent}")
        findings.raise_if_errors()
    try:
        return _opened(alias, path, commit, at, repository, texts, absent)
    except GitError as error:
        code = "E812" if "revision" in str(error) or "no commit" in str(error) else "E811"
        findings.add(code, f"source `{alias}`: {error}")
        findings.raise_if_errors()
        raise


def _opened(
    alias: str, path: Path, commit: str, at: str | None, repository: Repository | None, texts: Texts, absent: str
) -> Checkout:
    if repository is None:
        return Checkout(alias, path, None, FolderTree(path, texts), "work tree", absent, None, texts)
    pinned = CommitTree(repository, commit, texts) if repository.has_commit(commit) else None
    absent = f"commit {commit[:8]} is not in the checkout" + ("; the clone is shallow" if repository.shallow else "")
    bare = not (path / ".git").exists()
    target: Tree
    if at is None and not bare:
        target, label = FolderTree(path, texts, _head(repository, texts)), "work tree"
    else:
        target, label = (
            CommitTree(repository, repository.resolve("HEAD" if at is None else at), texts),
            "HEAD" if at is None else at,
        )
    return Checkout(alias, path, pinned, target, label, "" if pinned else absent, repository, texts)


def _head(repository: Repository, texts: Texts) -> CommitTree | None:
    """Returns the files of the commit that is checked out; a repository without commits has none."""
    try:
        return CommitTree(repository, repository.resolve("HEAD"), texts)
    except GitError:
        return None
