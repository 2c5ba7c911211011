"""Reads launch flags from YAML: an argument file of the trainer, or a file with a section of flags."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engine.diagnostics import Diagnostic, EngineError, Findings, Source
from engine.files.yaml_source import Entry, MappingNode, Node, describe, parse, to_plain
from engine.importing.given import Found, Given
from engine.inputs.kept_names import KEPT_AS

SECTION = "MODEL_ARGS"
SECTIONS = ("language_model", "model_parallel")
_VARIABLE = re.compile(r"\$(?:\{\w+\}|[A-Za-z_]\w*)")
_LIST = re.compile(r"\[([^\[\]]*)\]\Z")
_ALLOCATOR = "PYTORCH_CUDA_ALLOC_CONF"
_RENAMED = {"num_moe_experts": "num_experts"}
_ACTIVATIONS = {"swiglu": "swiglu", "squaredrelu": "squared_relu"}


def is_argument_file(tree: Node) -> bool:
    """Whether a mapping holds launch flags rather than inputs: by its sections, or by names that begin with dashes."""
    if not isinstance(tree, MappingNode):
        return False
    names = tree.entries
    return SECTION in names or any(name in names for name in SECTIONS) or any(name.startswith("--") for name in names)


def read_arguments(source: Source) -> Found:
    """Reads the flags of an argument file.

    Raises:
        EngineError: the text is no YAML, or holds no flags (E510).
    """
    findings = Findings()
    repeated: list[tuple[Entry, Entry]] = []
    tree = parse(source, findings, repeated=repeated)
    if tree is not None and not isinstance(tree, MappingNode):
        findings.add("E510", f"launch flags are a mapping of names to values, but this is {describe(tree)}", tree.span)
    findings.raise_if_errors()
    assert isinstance(tree, MappingNode)
    section = tree.entries.get(SECTION)
    if section is None:
        flags = [*_earlier(tree, repeated), *_flat(tree)]
        return Found(flags, f"an argument file with {len(flags)} arguments", source.path, findings.diagnostics)
    if not isinstance(section.value, MappingNode):
        help = "its entries are flags, for example `--num-layers: 32`"
        findings.add("E510", f"{SECTION} is {describe(section.value)}, not a mapping of flags", section.value.span,
                     help=help)  # fmt: skip
        raise EngineError(findings.sorted())
    flags = [*_environment(tree), *_earlier(section.value, repeated), *_flags(section.value)]
    line = section.key_span.line
    headline = f"{SECTION} in line {line}, with {len(section.value.entries)} flags"
    return Found(flags, headline, source.path, [*findings.diagnostics, *_others(tree)])


def _earlier(section: MappingNode, repeated: list[tuple[Entry, Entry]]) -> Iterator[Given]:
    """Yields flags that are given again further on."""
    for first, last in repeated:
        name = str(last.key.value)
        if section.entries.get(name) is last:
            yield _given(name, first)


def _flat(tree: MappingNode) -> Iterator[Given]:
    for name, entry in tree.entries.items():
        if name in SECTIONS and isinstance(entry.value, MappingNode):
            yield from _flat(entry.value)
        elif name == "activation_func":
            value = str(to_plain(entry.value))
            yield Given(_ACTIVATIONS.get(value, value), True, entry.key_span, entry.value.span)
        else:
            yield _given(_RENAMED.get(name) or KEPT_AS.get(name, name), entry)


def _flags(section: MappingNode) -> Iterator[Given]:
    for name, entry in section.entries.items():
        yield _given(name, entry)


def _given(name: str, entry: Entry) -> Given:
    value = to_plain(entry.value)
    unknown = ""
    if isinstance(value, str):
        if match := _VARIABLE.search(value):
            unknown = f"`{match[0]}` comes from the environment"
        elif listed := _LIST.match(value):
            value = listed[1].replace(",", " ").split()
    return Given(name, value, entry.key_span, entry.value.span, unknown)


def _environment(tree: MappingNode) -> Iterator[Given]:
    section = tree.entries.get("ENV_VARS")
    if section is None or not isinstance(section.value, MappingNode):
        return
    entry = section.value.entries.get(_ALLOCATOR)
    text = str(to_plain(entry.value)).casefold() if entry else ""
    if entry and "expandable_segments" in text:
        value = "expandable_segments:true" in text
        yield Given("expandable-segments", value, entry.key_span, entry.value.span)


def _others(tree: MappingNode) -> list[Diagnostic]:
    findings = Findings()
    for name, entry in tree.entries.items():
        if name.startswith(f"{SECTION}_") and isinstance(entry.value, MappingNode):
            findings.add("W507", f"these flags are not read, but those in {SECTION}", entry.key_span)
    return findings.diagnostics
