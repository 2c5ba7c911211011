"""Reads the arguments that a trainer prints at the head of its log."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Any

from engine.diagnostics import EngineError, Findings, Source, Span
from engine.importing.given import Found, Given
from engine.importing.megatron_flags import Vocabulary, spelled
from engine.importing.sniff import LOG_HEAD, LOG_LINE
from engine.inputs.kept_names import KEPT_AS

_TAIL = re.compile(r"-{4,} end of arguments -{4,}")
_LONG = re.compile(r"(?:^|\s)(?P<name>[A-Za-z_]\w{46,}) (?P<dots>\.?) (?P<value>.*?)\s*$")
_WORLD = re.compile(r"using world size: (\d+)")
_SIZE = re.compile(r"(data|context|(?<!encoder-)tensor-model|(?<!encoder-)pipeline-model)-parallel[- ]size: (\d+)")
_SIZES = {
    "data": "data_parallel_size", "context": "context_parallel_size",
    "tensor-model": "tensor_model_parallel_size", "pipeline-model": "pipeline_model_parallel_size",
}  # fmt: skip
_PADDED = re.compile(r"padded vocab \(size: (\d+)\).*\(new size: (\d+)\)")
_DTYPES = {
    "torch.float32": "fp32", "torch.float": "fp32", "torch.bfloat16": "bf16", "torch.float16": "fp16",
    "torch.half": "fp16", "torch.uint8": "fp8", "torch.float8_e4m3fn": "fp8",
}  # fmt: skip
_ENUM = re.compile(r"<?[A-Z]\w*\.(\w+)(?:: [^>]*>)?\Z")


def read_log(source: Source, vocabulary: Vocabulary) -> Found:
    """Reads the last list of arguments in a log, and the sizes that later lines tell.

    Raises:
        EngineError: the log holds no arguments (E510).
    """
    start, end = _extent(source.text)
    flags = [given for line in _lines(source, start, end) for given in _given(line, vocabulary)]
    if not flags:
        findings = Findings()
        help = "the list begins with a line such as `------------------------ arguments ------------------------`"
        findings.add("E510", "this log holds no arguments", source.whole(), help=help)
        raise EngineError(findings.sorted())
    first = flags[0].place
    flags = _consistent([*_sizes(source, start), *flags, *_vocabulary(source, end)])
    ranks = next((given.value for given in flags if spelled(given.name) == "--world-size"), None)
    headline = (
        f"the arguments in a training log, from line {first.line if first else 1} on, with the launcher's defaults"
    )
    headline += f", on {ranks} {'rank' if ranks == 1 else 'ranks'}" if ranks else ""
    return Found([given for given in flags if spelled(given.name) in vocabulary], headline, source.path, resolved=True)


def _extent(text: str) -> tuple[int, int]:
    """Returns where the last list of arguments begins and ends; the whole text where none is marked."""
    heads = list(LOG_HEAD.finditer(text))
    if not heads:
        return 0, len(text)
    tail = _TAIL.search(text, heads[-1].end())
    return heads[-1].end(), tail.start() if tail else len(text)


def _lines(source: Source, start: int, end: int) -> Iterator[tuple[str, str, Span, Span]]:
    """Yields names and values with their places."""
    at = start
    for line in source.text[start:end].splitlines(keepends=True):
        match = LOG_LINE.search(line) or _LONG.search(line)
        if match:
            name, value = (source.span(at + match.start(group), at + match.end(group)) for group in ("name", "value"))
            yield match["name"], match["value"], name, value
        at += len(line)


def _given(line: tuple[str, str, Span, Span], vocabulary: Vocabulary) -> Iterator[Given]:
    name, text, place, value_place = line
    name = KEPT_AS.get(name, name)
    value = _value(text)
    if value is False and spelled(name) not in vocabulary:
        # what a switch such as --no-bias-dropout-fusion turns off is kept under the name of what is on
        off = next((flag for flag in (f"no-{name}", f"disable-{name}") if spelled(flag) in vocabulary), None)
        if off is not None:
            yield Given(off, True, place, value_place)
            return
    if value is not None:
        yield Given(name, value, place, value_place)


def _value(text: str) -> Any:
    if text in ("None", "True", "False"):
        return {"None": None, "True": True, "False": False}[text]
    if text in _DTYPES:
        return _DTYPES[text]
    if match := _ENUM.match(text):
        return match[1]
    if text.startswith("[") and len(text) < 20_000:
        inner = re.sub(r"<[A-Z]\w*\.(\w+)(?:: [^>]*)?>", r"'\1'", text)
        try:
            found = ast.literal_eval(inner)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return text
        return found[0] if len(found) == 1 and not isinstance(found[0], str) else found
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            pass
    return text


def _sizes(source: Source, before: int) -> Iterator[Given]:
    """Yields the sizes of groups that a line ahead of the arguments tells."""
    matches = list(_WORLD.finditer(source.text, 0, before or len(source.text)))
    if not matches:
        return
    match = matches[-1]
    stop = source.text.find("\n", match.end())
    stop = len(source.text) if stop < 0 else stop
    span = source.span(*match.span(1))
    yield Given("world_size", int(match[1]), span, span)
    for size in _SIZE.finditer(source.text, match.end(), stop):
        span = source.span(*size.span(2))
        yield Given(_SIZES[size[1]], int(size[2]), span, span)


def _vocabulary(source: Source, after: int) -> Iterator[Given]:
    match = _PADDED.search(source.text, after if after < len(source.text) else 0)
    if match:
        for name, group in (("vocab_size", 1), ("padded_vocab_size", 2)):
            span = source.span(*match.span(group))
            yield Given(name, int(match[group]), span, span)


def _consistent(flags: list[Given]) -> list[Given]:
    """Leaves out what a trainer lists of flags that have no effect, and what it says twice."""
    last = {given.name: given for given in flags}
    dropped = {"bf16", "fp16"} if "params_dtype" in last else set()
    granularity = last.get("recompute_granularity")
    if granularity is None or granularity.value != "full":  # older releases list a default of 1
        dropped |= {"recompute_num_layers", "recompute_method"}
    return [given for name, given in last.items() if name not in dropped]
