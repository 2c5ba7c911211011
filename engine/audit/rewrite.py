"""Exact edits of rule files: only the characters that change are replaced, and either all files change or none."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from engine.audit.collect import Cited
from engine.audit.places import Place
from engine.diagnostics import EngineError, Findings, Source, Span
from engine.files.yaml_source import MappingNode, Node, ScalarNode, SequenceNode, parse, read_text
from engine.ruleset import RuleSet

_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Edit:
    """Characters of a file to replace: offsets in its text."""

    path: Path
    start: int
    end: int
    text: str


class Rewriter:
    """Collects edits of rule files, and makes them all at once."""

    def __init__(self) -> None:
        self._edits: list[Edit] = []
        self._trees: dict[Path, Node | None] = {}
        self._sources: dict[Path, Source] = {}
        self._whole: dict[Path, bytes] = {}

    def cite(self, cited: Cited, place: Place) -> None:
        """Changes a citation's lines, path and symbol.

        Raises:
            EngineError: the citation does not stand where it was read (E816).
        """
        span = cited.citation.span
        if span is None:
            raise _gone(None, cited.label)
        path = Path(span.source.path)
        node = next((node for node in _mappings(self._tree(path)) if _begins(node, span)), None)
        at = node.entries.get("at") if node else None
        inside = node.entries.get("in") if node else None
        if at is None or inside is None:
            raise _gone(span, cited.label)
        self._scalar(path, at.value, f"{cited.citation.source}:{place.path}#{place.lines}", cited.label)
        self._scalar(path, inside.value, place.symbol, cited.label)

    def commit(self, rules: RuleSet, alias: str, commit: str) -> None:
        """Changes the pinned commit of a source, where it is declared last.

        Raises:
            EngineError: the declaration is not found (E816).
        """
        for root in (*reversed(rules.overlays), rules.path):
            folder = root if root.is_dir() else root.parent
            for path in sorted(folder.rglob("sources.yaml")):
                node = self._tree(path)
                for key in ("sources", alias, "commit"):
                    entry = node.entries.get(key) if isinstance(node, MappingNode) else None
                    node = entry.value if entry else None
                if node is not None:
                    self._scalar(path, node, commit, alias)
                    return
        raise _gone(None, alias)

    def whole(self, path: Path, text: str) -> None:
        """Writes a whole file, such as a lock."""
        self._whole[path] = text.encode("utf-8")

    def write(self) -> list[Path]:
        """Makes all edits; returns the files that changed.

        Raises:
            EngineError: a file was edited meanwhile, or cannot be written (E816). No file is changed then.
        """
        contents = dict(self._whole)
        for path in dict.fromkeys(edit.path for edit in self._edits):
            text = self._sources[path].text
            for edit in sorted({edit for edit in self._edits if edit.path == path}, key=lambda edit: -edit.start):
                text = text[: edit.start] + edit.text + text[edit.end :]
            before = path.read_bytes()
            mark = _MARK if before.startswith(_MARK) else b""
            if before.removeprefix(_MARK).decode("utf-8", "replace") != self._sources[path].text:
                raise _gone(None, str(path))
            contents[path] = mark + text.encode("utf-8")
        changed = {path: content for path, content in contents.items() if _content(path) != content}
        replace_all(changed)
        return list(changed)

    def _scalar(self, path: Path, node: Node, text: str, label: str) -> None:
        assert isinstance(node, ScalarNode)
        start, end = node.start, node.end
        if node.style in ("'", '"'):
            start, end = start + 1, end - 1
        elif not text:
            text = '""'
        if self._sources[path].text[start:end] != node.raw and node.raw:
            raise _gone(node.span, label)
        if self._sources[path].text[start:end] != text:
            self._edits.append(Edit(path, start, end, text))

    def _tree(self, path: Path) -> Node | None:
        if path not in self._trees:
            findings = Findings()
            self._sources[path] = read_text(path)
            self._trees[path] = parse(self._sources[path], findings)
            findings.raise_if_errors()
        return self._trees[path]


def replace_all(contents: Mapping[Path, bytes]) -> None:
    """Replaces files, all of them or none.

    Raises:
        EngineError: a file cannot be written (E816); those that were replaced before have their old content again.
    """
    old = {path: _content(path) for path in contents}
    done: list[Path] = []
    waiting: dict[Path, Path] = {}
    try:
        for path, content in contents.items():
            waiting[path] = _beside(path, content)
        for path in contents:
            waiting[path].replace(path)
            del waiting[path]
            done.append(path)
    except OSError as error:
        for path in done:
            before = old[path]
            if before is None:
                path.unlink(missing_ok=True)
            else:
                _beside(path, before).replace(path)
        raise _unwritten(error) from None
    finally:
        for left in waiting.values():
            left.unlink(missing_ok=True)


def _beside(path: Path, content: bytes) -> Path:
    """Writes a content to a new file in the folder of a file, with that file's permissions."""
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
        Path(name).chmod(path.stat().st_mode & 0o777 if path.exists() else 0o644)
    except OSError:
        Path(name).unlink(missing_ok=True)
        raise
    return Path(name)


def _content(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


def _begins(node: MappingNode, span: Span) -> bool:
    return "at" in node.entries and (node.span.line, node.span.column) == (span.line, span.column)


def _mappings(root: Node | None) -> Iterator[MappingNode]:
    pending: list[Node] = [root] if root is not None else []
    while pending:
        node = pending.pop()
        children: Sequence[Node] = ()
        if isinstance(node, MappingNode):
            yield node
            children = [entry.value for entry in node.entries.values()]
        elif isinstance(node, SequenceNode):
            children = node.items
        pending.extend(children)


def _gone(span: Span | None, what: str) -> EngineError:
    findings = Findings()
    findings.add("E816", f"`{what}` does not stand as it was read", span, help="run the command again")
    return EngineError(findings.diagnostics)


def _unwritten(error: OSError) -> EngineError:
    findings = Findings()
    reason = (error.strerror or str(error)).lower()
    findings.add("E816", f"{error.filename or 'a file'} cannot be written: {reason}", help="no file was changed")
    return EngineError(findings.diagnostics)
