"""Parsers of structured input values: patterns of MoE layers and pipeline layouts. Nothing is evaluated as code."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Mapping
from typing import Any

from engine.inputs.slots import LAYOUT_PARTS

MAX_ENTRIES = 4096
_LAYOUT_LETTERS = {"t": "decoder", "E": "embedding", "m": "mtp", "L": "loss"}
MAX_LENGTH = 20_000
_TOKEN = re.compile(r"\s*([A-Za-z|()*]|[0-9]{1,9}(?![0-9]))")
_INTEGER = re.compile(r"[0-9]{1,9}\Z")

LayerPattern = int | tuple[float, ...]
Layout = tuple[Mapping[str, int], ...]


class PatternError(ValueError):
    """A pattern or layout that cannot be read; `position` is the offending character, if known."""

    def __init__(self, message: str, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


def megatron_moe_layer_freq(value: Any) -> LayerPattern:
    """Reads `--moe-layer-freq`.

    Args:
        value: an integer N (layer i has experts where i % N == 0), a list of 0 and 1, or a pattern such as
            `([0]*3+[1]*58)`.

    Returns:
        The integer, or one number a layer.

    Raises:
        PatternError: the value has another form.

    Source: Megatron-LM `megatron/training/arguments.py`, `moe_freq_type` and `_eval_pattern`.
    """
    if isinstance(value, str):
        text = _short(value).strip()
        if _INTEGER.match(text):
            value = int(text)
        else:
            try:
                with warnings.catch_warnings():  # of Python about its own literals
                    warnings.simplefilter("ignore")
                    tree = ast.parse(text, mode="eval").body
            except (SyntaxError, ValueError, MemoryError, RecursionError):
                raise PatternError("this is not a pattern such as ([0]*3+[1]*58)") from None
            value = _pattern(tree, 0)
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MAX_ENTRIES:
            raise PatternError(f"an expert layer every {value} layers; the interval must be from 1 to {MAX_ENTRIES}")
        return value
    if isinstance(value, list | tuple):
        if not 1 <= len(value) <= MAX_ENTRIES:
            raise PatternError(f"a pattern has from 1 to {MAX_ENTRIES} entries, not {len(value)}")
        for position, entry in enumerate(value):
            if isinstance(entry, bool) or entry not in (0, 1):
                raise PatternError(
                    f"entry {position + 1} is {entry!r}; 1 stands for a layer with experts, 0 for a dense one"
                )
        return tuple(float(entry) for entry in value)
    raise PatternError("an integer, a list of 0 and 1, or a pattern such as ([0]*3+[1]*58) is expected")


def _pattern(node: ast.expr, depth: int) -> list[Any]:
    match node:
        case ast.List(elts=items) if all(isinstance(item, ast.Constant) and type(item.value) is int for item in items):
            return [item.value for item in items if isinstance(item, ast.Constant)]
        case ast.BinOp(op=ast.Add()) if depth < 50:
            entries = [entry for term in _terms(node) for entry in _pattern(term, depth + 1)]
            return _repeated(entries, 1, node.col_offset)
        case ast.BinOp(left=inner, op=ast.Mult(), right=ast.Constant(value=int(count))) if (
            depth < 50 and type(count) is int and 0 <= count <= MAX_ENTRIES
        ):
            return _repeated(_pattern(inner, depth + 1), count, node.col_offset)
    raise PatternError("a pattern consists of lists of 0 and 1, `+` and `* count`", node.col_offset)


def _terms(node: ast.expr) -> list[ast.expr]:
    """Returns the terms of a sum, which may be far more than the depth that a pattern may have."""
    terms = []
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        terms.append(node.right)
        node = node.left
    return [node, *reversed(terms)]


def _repeated(entries: list[Any], count: int, position: int) -> list[Any]:
    if len(entries) * count > MAX_ENTRIES:
        raise PatternError(f"there are more than {MAX_ENTRIES} entries", position)
    return entries * count


def _short(text: str) -> str:
    if len(text) > MAX_LENGTH:
        raise PatternError(f"the text has {len(text)} characters, the limit is {MAX_LENGTH}")
    return text


def expand_layers(pattern: LayerPattern, num_layers: int) -> tuple[float, ...]:
    """Returns one number a layer.

    Raises:
        PatternError: a list's length is not the number of layers.
    """
    if isinstance(pattern, int):
        return tuple(1.0 if layer % pattern == 0 else 0.0 for layer in range(num_layers))
    if len(pattern) != num_layers:
        raise PatternError(f"the pattern has {len(pattern)} entries for {num_layers} layers")
    return pattern


def megatron_pipeline_layout(value: Any) -> Layout:
    """Reads `--pipeline-model-parallel-layout`, for example `Et*3|(tt|)*29,m|L`.

    Args:
        value: the layout string: `E` embedding, `t` decoder layer, `m` MTP layer, `L` loss, `|` between stages, `*n`
            repeats the letter or group before it, commas mean nothing; or a list with one such string a virtual stage.

    Returns:
        For each virtual stage, in order, how many of each kind it holds. An empty stage is legal.

    Raises:
        PatternError: the value has another form.

    Source: Megatron-LM `megatron/core/transformer/pipeline_parallel_layer_layout.py`, `PipelineParallelLayerLayout`.
    """
    if isinstance(value, list | tuple) and all(isinstance(stage, str) for stage in value):
        value = "|".join(value)
    if not isinstance(value, str) or not value.strip():
        raise PatternError("a layout such as Et*3|(tt|)*29,m|L is expected")
    letters = _unrolled(_short(value).replace(",", " "))
    stages = [dict.fromkeys(LAYOUT_PARTS, 0)]
    for letter in letters:
        if letter == "|":
            stages.append(dict.fromkeys(LAYOUT_PARTS, 0))
        else:
            stages[-1][_LAYOUT_LETTERS[letter]] += 1
    return tuple(stages)


def _unrolled(text: str) -> list[str]:
    stack: list[list[str]] = [[]]
    last: list[str] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        token = match[1] if match else ""
        at = match.start(1) if match else position
        if token == "(":
            stack.append([])
            last = []
        elif token == ")" and len(stack) > 1:
            last = stack.pop()
            stack[-1].extend(last)
        elif token in ("|", *_LAYOUT_LETTERS):
            last = [token]
            stack[-1].append(token)
        elif token == "*" and last:
            count = _TOKEN.match(text, match.end() if match else position)
            if not count or not count[1].isdigit() or int(count[1]) > MAX_ENTRIES:
                raise PatternError(f"`*` needs a count up to {MAX_ENTRIES}", at)
            stack[-1][-len(last) :] = _repeated(last, int(count[1]), at)
            match, last = count, []
        else:
            raise PatternError(f"unexpected `{token or text[position]}` in the layout", at)
        if len(stack) > 50 or len(stack[-1]) > MAX_ENTRIES:
            raise PatternError("the layout is too large", at)
        assert match is not None
        position = match.end()
    if len(stack) > 1:
        raise PatternError("a parenthesis is not closed", len(text) - 1)
    return stack[0]


PARSERS = {"megatron_moe_layer_freq": megatron_moe_layer_freq, "megatron_pipeline_layout": megatron_pipeline_layout}
"""Parsers by the name that an input declares, with the kind of input each serves."""

PARSER_KINDS = {"megatron_moe_layer_freq": "layer_vector", "megatron_pipeline_layout": "layout"}
