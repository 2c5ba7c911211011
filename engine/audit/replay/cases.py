"""Turns presets into what a cited function takes, and draws presets at random."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from engine.audit.replay.process import ReplayError
from engine.audit.symbols import parse_python
from engine.diagnostics import EngineError
from engine.evaluation import evaluate
from engine.loading.build_watch import DRAWN_PATTERN
from engine.preset import Preset
from engine.result import Result
from engine.rules import Input
from engine.ruleset import RuleSet
from engine.trouble import Trouble
from engine.watch import Keyword, Replay

_MOST_DRAWS = 200


@dataclass(frozen=True, slots=True)
class Case:
    """A preset, what the rules make of it, and what the function is called with."""

    result: Result
    arguments: Mapping[str, Any]
    keywords: Mapping[str, Any]


def attributes(source: str, parameter: str) -> list[str]:
    """Returns the attributes that a file reads from a parameter, in their order.

    Raises:
        ReplayError: the file cannot be parsed.
    """
    tree = parse_python(source)
    if tree is None:
        raise ReplayError("this Python cannot parse the file")
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute) if name == parameter:
                found[attribute] = None
            case ast.Call(
                func=ast.Name(id="getattr"), args=[ast.Name(id=name), ast.Constant(value=str(attribute)), *_]
            ):
                if name == parameter:
                    found[attribute] = None
    return list(found)


def case(rules: RuleSet, replay: Replay, preset: Preset, names: Iterable[str], random: Random) -> Case:
    """Makes a case of a preset.

    Raises:
        EngineError: the preset does not fit the rules (E501 to E507).
    """
    result = evaluate(rules, preset)
    arguments = {name: _argument(result, replay, name) for name in names}
    keywords = {}
    for name, keyword in replay.keywords.items():
        if not (keyword.omit_when and random.random() < 0.5 and _holds(result, keyword)):
            keywords[name] = random.choice(keyword.values) if keyword.rule is None else _whole(result.get(keyword.rule))
    return Case(result, arguments, keywords)


def _holds(result: Result, keyword: Keyword) -> bool:
    assert keyword.omit_when is not None
    try:
        return bool(result.rules.program.evaluate(keyword.omit_when.node, result.resolved.scope))
    except Trouble:
        return False


def _argument(result: Result, replay: Replay, name: str) -> Any:
    """Returns an input as a launcher would have set it: None for what was not given, lists for patterns."""
    item = result.rules.inputs.get(name)
    if item is None:
        return _whole(result.get(name)) if name in result.rules.rules else None
    given = result.preset.values.get(name)
    if item.kind == "layer_vector":
        written = item.default if given is None else given
        whole = isinstance(written, int | float) and not isinstance(written, bool)
        return int(written) if whole else _whole(result.get(name))
    if item.kind in ("set", "layout", "text"):
        return given
    value = result.get(name)
    if value is None or value in (item.absent, replay.as_none.get(name)):
        return None
    return replay.spelling.get(value, value) if isinstance(value, str) else _whole(value)


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def drawn(rules: RuleSet, replay: Replay, count: int, random: Random) -> Iterator[Preset]:
    """Yields presets drawn at random, each input for itself, as far as the declared condition allows.

    Raises:
        ReplayError: the condition hardly ever holds.
    """
    for number in range(count):
        for _ in range(_MOST_DRAWS):
            values = {name: random.choice(choices) for name, choices in replay.draw.items()}
            preset = Preset(_patterns(rules.inputs, values, random), f"drawn preset {number + 1}")
            if _allowed(rules, replay, preset):
                yield preset
                break
        else:
            raise ReplayError("the drawn presets hardly ever meet `require`")


def _patterns(inputs: Mapping[str, Input], values: Mapping[str, Any], random: Random) -> dict[str, Any]:
    layers = int(values.get("num_layers") or 1)
    return {
        name: [random.randint(0, 1) for _ in range(layers)]
        if value == DRAWN_PATTERN and inputs[name].kind == "layer_vector"
        else value
        for name, value in values.items()
        if value is not None
    }


def _allowed(rules: RuleSet, replay: Replay, preset: Preset) -> bool:
    if replay.require is None:
        return True
    try:
        scope = evaluate(rules, preset).resolved.scope
        return bool(rules.program.evaluate(replay.require.node, scope))
    except (Trouble, EngineError):
        return False
