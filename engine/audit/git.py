"""Reads a git repository that somebody else made, so that nothing of it can run.

Objects are read through an empty repository of our own that only borrows the other one's object store: its
configuration, hooks, attributes, replacements and remotes are never seen. The other repository itself is asked for one
thing, what a revision's name stands for, by a command that runs nothing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from engine.audit.places import Lines
from engine.audit.source_text import LIMIT_BYTES

TIMEOUT_S = 60
_LARGEST_OUTPUT = 64_000_000
_COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_GUARDS = (
    "--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.quotepath=off", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", f"core.attributesFile={os.devnull}", "-c", f"core.excludesFile={os.devnull}", "-c", "core.pager=cat",
    "-c", "diff.external=", "-c", "log.showSignature=false", "-c", "protocol.allow=never", "-c", "gc.auto=0",
)  # fmt: skip


class GitError(Exception):
    """Git cannot do what it is needed for; the text says why."""


class Repository:
    """The objects of a git repository, for reading. Close it, or use it in a `with` statement.

    Raises:
        GitError: git is not installed.
    """

    def __init__(self, git_dir: Path, common_dir: Path) -> None:
        program = shutil.which("git")
        if program is None:
            raise GitError("git is not installed, or not on the PATH")
        self._program = str(Path(program).resolve())
        self._git_dir = git_dir
        self._own = tempfile.TemporaryDirectory(prefix="audit-")
        self._objects = common_dir / "objects"
        own = Path(self._own.name)
        (own / "refs").mkdir()
        (own / "objects").mkdir()
        (own / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
        (own / "config").write_text("[core]\n\tbare = true\n", encoding="ascii")
        shallow = common_dir / "shallow"
        self.shallow = shallow.is_file() and not shallow.is_symlink() and shallow.stat().st_size < LIMIT_BYTES
        if self.shallow:
            shutil.copyfile(shallow, own / "shallow")

    def __enter__(self) -> Repository:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Removes what was made for reading."""
        self._own.cleanup()

    def resolve(self, revision: str) -> str:
        """Returns the commit that a revision stands for.

        Raises:
            GitError: the revision looks like an option, or there is no such commit.
        """
        if revision.startswith("-") or not revision.strip() or re.search(r"[\x00-\x1f\x7f]", revision):
            raise GitError(f"`{revision}` is not the name of a revision")
        arguments = ["rev-parse", "--quiet", "--verify", "--end-of-options", f"{revision}^{{commit}}"]
        found = self._run(arguments, theirs=True, check=False).decode("ascii", "replace").strip()
        if not _COMMIT.match(found) or not self.has_commit(found):
            hint = "; the clone is shallow" if self.shallow else ""
            raise GitError(f"there is no commit `{revision}` in the checkout{hint}")
        return found

    def has_commit(self, commit: str) -> bool:
        """Whether a commit, given in full, is there with its files."""
        return bool(_COMMIT.match(commit)) and self._types([f"{commit}^{{tree}}"])[0][0] == "tree"

    def read(self, commit: str, paths: Sequence[str]) -> dict[str, bytes | None]:
        """Returns the content of files at a commit: None for what is not there or is not a file.

        A file that is too large comes back with one byte more than the limit, which makes it unreadable.
        """
        found: dict[str, bytes | None] = dict.fromkeys(paths)
        types = self._types([f"{commit}:{path}" for path in paths])
        wanted = []
        for path, (kind, name, size) in zip(paths, types, strict=True):
            if kind == "blob" and size > LIMIT_BYTES:
                found[path] = bytes(LIMIT_BYTES + 1)
            elif kind == "blob":
                wanted.append((path, name))
        output = self._run(["cat-file", "--batch"], "".join(f"{name}\n" for _, name in wanted)) if wanted else b""
        position = 0
        for path, _ in wanted:
            end = output.index(b"\n", position)
            size = int(output[position:end].split()[2])
            found[path] = output[end + 1 : end + 1 + size]
            position = end + 1 + size + 1
        return found

    def _types(self, names: Sequence[str]) -> list[tuple[str, str, int]]:
        """Returns type, id and size of objects; an empty type for one that is not there."""
        if not names:
            return []
        output = self._run(["cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)"], "\n".join(names))
        result = []
        for line in output.decode("utf-8", "surrogateescape").split("\n")[: len(names)]:
            kind, _, rest = line.partition(" ")
            name, _, size = rest.partition(" ")
            known = kind in ("blob", "tree", "commit") and bool(_COMMIT.match(name)) and size.isdigit()
            result.append((kind, name, int(size)) if known else ("", "", 0))
        return result

    def files(self, commit: str, folder: str = "", suffix: str = "") -> list[str]:
        """Returns the paths of all files at a commit, below a folder, with an ending."""
        arguments = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, *([f"{folder}/"] if folder else [])]
        paths = self._run(arguments).decode("utf-8", "surrogateescape").split("\0")
        return [path for path in paths if path.endswith(suffix) and path]

    def grep(self, commit: str, text: str, suffix: str) -> list[str]:
        """Returns the files with an ending whose text has a line with this in it."""
        arguments = ["grep", "-z", "-l", "-F", "--no-textconv", "--no-color", "-e", text, commit, "--"]
        output = self._run([*arguments, f":(glob)**/*{suffix}"], literal=False, check=False)
        names = output.decode("utf-8", "surrogateescape").split("\0")
        return [name.removeprefix(f"{commit}:") for name in names if name]

    def renamed(self, old: str, new: str, folder: str) -> dict[str, str]:
        """Returns files that were renamed between two commits, old path to new, within a folder."""
        arguments = ["diff-tree", "-r", "-z", "-M", "-l0", "--diff-filter=R", "--name-status", "--no-ext-diff"]
        arguments += ["--no-textconv", "--no-color", old, new, "--", *([folder] if folder else [])]
        fields = self._run(arguments).decode("utf-8", "surrogateescape").split("\0")
        return {fields[at + 1]: fields[at + 2] for at in range(0, len(fields) - 2, 3)}

    def blame(self, old: str, new: str, path: str, stretches: Sequence[Lines]) -> dict[int, tuple[int, str]]:
        """Returns for lines of a file at `new` the time (seconds since 1970) and the commit that brought them.

        Lines that stood in the file at `old` are left out, and so is everything where the history is not there to tell.
        """
        arguments = [
            "blame",
            "--incremental",
            "--first-parent",
            "--no-progress",
            *(f"-L{one.first},{one.last}" for one in stretches),
        ]
        output = self._run([*arguments, f"{old}..{new}", "--", path], check=False).decode("utf-8", "replace")
        times: dict[str, int] = {}
        found: dict[int, tuple[int, str]] = {}
        groups: list[tuple[str, int, int]] = []
        boundary = {old}
        commit = ""
        for line in output.split("\n"):
            words = line.split(" ")
            if len(words) == 4 and _COMMIT.match(words[0]):
                commit = words[0]
                groups.append((commit, int(words[2]), int(words[3])))
            elif words[0] == "committer-time":
                times[commit] = int(words[1])
            elif words[0] == "boundary":
                boundary.add(commit)
        for commit, first, count in groups:
            if commit not in boundary:
                found |= dict.fromkeys(range(first, first + count), (times.get(commit, 0), commit))
        return found

    def last_change(self, old: str, new: str, path: str, lines: Lines | None) -> tuple[str, str] | None:
        """Returns commit and date of the last change between two commits, of some lines of `new` or of a whole file.

        Only first parents are followed; None where the history is not there to tell.
        """
        arguments = ["log", "-s", "-1", "--first-parent", "--no-mailmap", "--no-show-signature", "--no-ext-diff"]
        arguments += ["--no-textconv", "--no-color", "--format=%H %cs"]
        if lines:
            arguments += [f"-L{lines.first},{lines.last}:{path}", f"{old}..{new}"]
        else:
            arguments += [f"{old}..{new}", "--", path]
        output = self._run(arguments, check=False).decode("ascii", "replace").split()
        return (output[0], output[1]) if len(output) >= 2 and _COMMIT.match(output[0]) else None

    def _run(
        self,
        arguments: Iterable[str],
        given: str = "",
        *,
        theirs: bool = False,
        check: bool = True,
        literal: bool = True,
    ) -> bytes:
        guards = [guard for guard in _GUARDS if literal or guard != "--literal-pathspecs"]
        command = [self._program, *guards, *arguments]
        environment = _environment() | {"GIT_DIR": str(self._git_dir if theirs else self._own.name)}
        if not theirs:
            environment["GIT_OBJECT_DIRECTORY"] = str(self._objects)
        try:
            done = subprocess.run(
                command, input=given.encode("utf-8", "surrogateescape"), capture_output=True, check=False,
                timeout=TIMEOUT_S, cwd=self._own.name, env=environment,
            )  # fmt: skip
        except subprocess.TimeoutExpired:
            raise GitError(f"git took longer than {TIMEOUT_S} s") from None
        except OSError as error:
            raise GitError(f"git cannot be run: {(error.strerror or str(error)).lower()}") from None
        if check and done.returncode:
            said = done.stderr.decode("utf-8", "replace").strip().splitlines()
            raise GitError(f"git failed: {said[0] if said else f'exit code {done.returncode}'}")
        if len(done.stdout) > _LARGEST_OUTPUT:
            raise GitError("git answered with more than can be read")
        return done.stdout


def _environment() -> dict[str, str]:
    """Returns an environment in which git reads no configuration but the repository's, and speaks to nobody."""
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TMPDIR", "TEMP", "TMP") if name in os.environ}
    return kept | {
        "LC_ALL": "C", "LANGUAGE": "C", "HOME": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_ATTR_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none", "GIT_CEILING_DIRECTORIES": os.sep,
    }  # fmt: skip


def find_repository(checkout: Path) -> Repository | None:
    """Opens the repository of a checkout, or a bare repository; None where there is neither.

    Raises:
        GitError: git is not installed, or the checkout names a repository elsewhere that does not know it.
    """
    own = checkout / ".git"
    if own.is_dir() and not own.is_symlink():
        return Repository(own, own)
    if own.is_file() and not own.is_symlink():
        return _worktree(checkout, own)
    if (checkout / "objects").is_dir() and (checkout / "HEAD").is_file() and (checkout / "refs").is_dir():
        return Repository(checkout, checkout)
    return None


def _worktree(checkout: Path, pointer: Path) -> Repository:
    """Opens the repository of a linked work tree, if that repository says that the work tree is its own."""
    git_dir = _pointed(pointer, "gitdir: ")
    back = git_dir / "gitdir" if git_dir else None
    if git_dir is None or back is None or not back.is_file():
        raise GitError(f"{pointer} does not lead to a repository that knows this checkout")
    if Path(back.read_text("utf-8", "replace").strip()).resolve() != pointer.resolve():
        raise GitError(f"{pointer} leads to a repository that has another checkout in its place")
    common = _pointed(git_dir / "commondir", "") or git_dir
    return Repository(git_dir, common)


def _pointed(file: Path, before: str) -> Path | None:
    if not file.is_file() or file.stat().st_size > 10_000:
        return None
    text = file.read_text("utf-8", "replace").strip()
    return (file.parent / text.removeprefix(before)).resolve() if text.startswith(before) else None
