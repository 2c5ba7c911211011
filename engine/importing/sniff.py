"""Tells from a text what kind of configuration it is, and reads it as a preset."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from engine.diagnostics import EngineError, Findings, Source
from engine.files.text_file import LIMIT_BYTES, read_stream, read_text

if TYPE_CHECKING:
    from engine.preset import Preset
    from engine.ruleset import RuleSet

Kind = Literal["preset", "script", "arguments", "log", "model"]

LOG_HEAD = re.compile(r"-{4,} arguments -{4,}")
"""The line above the arguments that a trainer prints."""

LOG_LINE = re.compile(r"(?:^|\s)(?P<name>[A-Za-z_]\w*) (?P<dots>\.{2,}) (?P<value>.*?)\s*$")
"""One of these arguments."""

_LEAST_LINES = 5
_SCRIPT_NAMES = (".sh", ".bash", ".slurm", ".sbatch", ".zsh")
_YAML_NAMES = (".yaml", ".yml")
_SHEBANG = re.compile(r"#!.*\b(?:ba|z|k|da)?sh\b")
_SCRIPT = re.compile(
    r"^[ \t]*(?:export[ \t]+)?[A-Za-z_]\w*\+?=|^[ \t]*(?:torchrun|srun|mpirun|python3?|deepspeed)\b[^:\n]*(?:\\|--)"
    r"|^[ \t]*--[A-Za-z][\w-]*(?:[ \t=\\]|$)(?![^\n]*:[ \t])",
    re.MULTILINE,
)
_KEY = re.compile(r"^[A-Za-z_]\w*:(?:[ \t]|$)", re.MULTILINE)
_ARGUMENTS = re.compile(r"^(?:MODEL_ARGS|language_model|model_parallel):|^--[\w-]+:", re.MULTILINE)
_MODEL_FIELDS = frozenset(("model_type", "architectures", "num_hidden_layers", "text_config", "n_layer"))


def kind_of(source: Source) -> Kind:
    """Returns what kind of configuration a text is; `preset` where nothing speaks for another."""
    text = source.text
    name = source.path.casefold()
    if text.lstrip()[:1] == "{" and _is_model(text):
        return "model"
    if _SHEBANG.match(text) or name.endswith(_SCRIPT_NAMES):
        return "script"
    if LOG_HEAD.search(text) or (not name.endswith(_YAML_NAMES) and _lists_arguments(text)):
        return "log"
    if _ARGUMENTS.search(text):
        return "arguments"
    if not name.endswith((*_YAML_NAMES, ".json")) and _SCRIPT.search(text) and not _KEY.search(text):
        return "script"
    return "preset"


def read_source(path: str | Path) -> Source:
    """Reads a file, or standard input for `-`; of a long training log only the beginning.

    Raises:
        EngineError: the file cannot be read.
    """
    if str(path) == "-":
        return read_stream(sys.stdin.buffer, "<stdin>")
    path = Path(path)
    try:
        if path.stat().st_size > LIMIT_BYTES:
            with path.open("rb") as stream:
                text = stream.read(LIMIT_BYTES).decode(errors="replace")
            if LOG_HEAD.search(text):
                return Source(str(path), text)
    except OSError:
        pass  # reading says it better
    return read_text(path)


def read_preset(
    source: Source,
    rules: RuleSet | None = None,
    *,
    kind: Kind | None = None,
    variables: Mapping[str, str] | None = None,
    arguments: Sequence[str] = (),
    flags_only: bool = False,
) -> Preset:
    """Reads a text of any kind as a preset.

    Args:
        source: the text.
        rules: the rule set whose inputs launch flags are read for; None for the one that is shipped.
        kind: what it is; None to find out.
        variables: for a script, what its environment sets.
        arguments: for a script, what it is called with.
        flags_only: whether YAML is a file of launch flags, whatever their names.

    Raises:
        EngineError: the text cannot be read as what it is.
    """
    from engine.preset import Preset

    kind = kind or kind_of(source)
    if flags_only and kind == "preset":
        kind = "arguments"
    if kind == "preset":
        return Preset.from_yaml(source)
    if kind == "model":
        return _model(source)
    from engine.importing.given import preset_of
    from engine.importing.megatron_flags import Vocabulary, shipped_vocabulary

    vocabulary = Vocabulary.of(rules) if rules is not None else shipped_vocabulary()
    if kind == "script":
        from engine.importing.launch_script import read_script

        return preset_of(read_script(source, vocabulary, variables or {}, arguments), rules)
    if kind == "log":
        from engine.importing.training_log import read_log

        return preset_of(read_log(source, vocabulary), rules)
    from engine.importing.argument_file import read_arguments

    return preset_of(read_arguments(source), rules)


def flags_preset(words: Sequence[str], rules: RuleSet | None = None) -> Preset:
    """Makes a preset of launch flags as they stand on a command line.

    Raises:
        EngineError: with every flag that is wrong.
    """
    from engine.importing.given import Found, preset_of
    from engine.importing.launch_script import flags_of
    from engine.importing.megatron_flags import Vocabulary, shipped_vocabulary
    from engine.importing.words import Piece

    source = Source("command line", " ".join(words))
    pieces, at = [], 0
    for word in words:
        pieces.append((Piece(word, at, at + len(word), quoted=True),))
        at += len(word) + 1
    vocabulary = Vocabulary.of(rules) if rules is not None else shipped_vocabulary()
    flags, remarks = flags_of(pieces, source, vocabulary)
    return preset_of(Found(flags, f"{len(flags)} flags", source.path, remarks), rules)


def _lists_arguments(text: str) -> bool:
    """Whether a text without a heading holds the arguments that a trainer prints."""
    lines = (line for line in text[:200_000].splitlines() if " .." in line and LOG_LINE.search(line))
    return len(list(islice(lines, _LEAST_LINES))) == _LEAST_LINES


def _is_model(text: str) -> bool:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return False
    return isinstance(found, dict) and not _MODEL_FIELDS.isdisjoint(found)


def _model(source: Source) -> Preset:
    from dataclasses import replace

    from engine.preset import Preset

    findings = Findings()
    try:
        fields: Any = json.loads(source.text)
    except (ValueError, RecursionError) as error:
        at = getattr(error, "pos", 0)
        findings.add("E104", f"this is not JSON: {getattr(error, 'msg', error)}", source.span(at, at + 1))
        raise EngineError(findings.sorted()) from None
    if not isinstance(fields, dict):
        findings.add("E203", "the configuration of a model is a mapping of fields to values", source.whole())
        raise EngineError(findings.sorted())
    preset = Preset.from_hf_config(fields)
    assert preset.flags is not None
    kind = fields.get("model_type", "no type")
    headline = f"the configuration of a model ({kind}), with {len(fields)} fields and no layout"
    return replace(preset, path=source.path, flags=replace(preset.flags, headline=headline))
