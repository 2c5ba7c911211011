"""Keeps loaded rule sets on disk, so that a command need not read and check every rule file each time.

What is kept is found again only for the same file contents, the same engine and the same Python; anything else, and
anything that goes wrong here, means that the rules are read again. `ENGINE_CACHE` names another folder, or `off`.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from engine.diagnostics import Findings
from engine.files.rule_files import rule_files
from engine.files.text_file import LIMIT_BYTES

_ENGINE = Path(__file__).resolve().parent.parent
_KEEP = 16


def key(root: Path, overlays: Sequence[Path] = ()) -> str | None:
    """Returns the key of a rule set with what is laid over it, None where nothing is kept or files cannot be read."""
    if _folder() is None:
        return None
    try:
        state = f"{sys.version}\n{_engine_state()}\n"
        digest = hashlib.sha256(state.encode())
        for layer in (root, *overlays):
            digest.update(f"layer {layer}\n".encode(errors="surrogateescape"))
            for path in rule_files(layer, Findings()):
                if path.stat().st_size > LIMIT_BYTES:
                    return None
                content = path.read_bytes()
                digest.update(f"{path}\n{len(content)}\n".encode(errors="surrogateescape"))
                digest.update(content)
    except OSError:
        return None
    return digest.hexdigest()


def _engine_state() -> str:
    """A text that changes when the engine's own code does."""
    stats = [(entry.name, entry.stat()) for folder in (_ENGINE, _ENGINE / "expr") for entry in os.scandir(folder)]
    return repr(sorted((name, stat.st_mtime_ns, stat.st_size) for name, stat in stats if name.endswith(".py")))


def read(name: str | None) -> Any:
    """Returns what was kept under a key, None if nothing usable was."""
    folder = _folder()
    if folder is None or name is None:
        return None
    path = folder / f"{name}.pickle"
    try:
        with path.open("rb") as file:
            if hasattr(os, "getuid") and os.fstat(file.fileno()).st_uid != os.getuid():
                return None  # only what this user has written is trusted
            found = pickle.load(file)
        os.utime(path)
    except Exception:
        return None
    return found


def write(name: str | None, value: Any) -> None:
    """Keeps a value under a key; where that is not possible, nothing happens."""
    folder = _folder()
    if folder is None or name is None:
        return
    with suppress(OSError, pickle.PicklingError, RecursionError):
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, temporary = tempfile.mkstemp(dir=folder, suffix=".tmp")
        with os.fdopen(descriptor, "wb") as file:
            pickle.dump(value, file, protocol=pickle.HIGHEST_PROTOCOL)
        Path(temporary).replace(folder / f"{name}.pickle")
        for stale in sorted(folder.glob("*.pickle"), key=lambda path: path.stat().st_mtime)[:-_KEEP]:
            stale.unlink(missing_ok=True)


def _folder() -> Path | None:
    setting = os.environ.get("ENGINE_CACHE", "")
    if setting == "off":
        return None
    if setting:
        return Path(setting)
    base = os.environ.get("XDG_CACHE_HOME") or os.environ.get("LOCALAPPDATA")
    try:
        return (Path(base) if base else Path.home() / ".cache") / "rank-ledger"
    except RuntimeError:  # no home folder
        return None
