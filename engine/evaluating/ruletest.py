"""Runs the tests that stand in the rules themselves."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engine.diagnostics import Span
from engine.evaluating.checks import show
from engine.evaluating.program import Scope
from engine.evaluating.resolve import start_scope
from engine.inputs.accept import InputError, accept
from engine.rules import Check, Computed, Test
from engine.ruleset import RuleSet
from engine.trouble import Trouble, Unavailable

EXACT = 1e-12
"""Relative tolerance of a test that states none; whole numbers must agree exactly."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one test of one rule came to: `problem` is None if it passed; `branch` is the case that it took."""

    rule: str
    position: int
    span: Span
    problem: str | None
    branch: Any = None


def run(rules: RuleSet, ids: Iterator[str] | None = None) -> Iterator[Outcome]:
    """Runs the tests of rules and checks, all or those of the given ids."""
    for id in ids if ids is not None else rules.computed:
        rule = rules.computed[id]
        for position, test in enumerate(rule.tests):
            yield _run(rules, rule, position, test)


def _run(rules: RuleSet, rule: Computed, position: int, test: Test) -> Outcome:
    try:
        scope = scope_for(rules, test.given)
    except InputError as error:
        return Outcome(rule.id, position, test.span, error.message)
    try:
        found: Any = scope[rule.id]
    except Unavailable as error:
        found = "unknown" if isinstance(rule, Check) else error
    except Trouble as error:
        found = error
    if isinstance(rule, Check) and isinstance(found, bool):
        found = "pass" if found else "fail"
    branch = scope.branches.get(rule.id)
    if isinstance(found, Trouble):
        return Outcome(rule.id, position, test.span, f"no value: {found}", branch)
    problem = (
        None
        if agrees(found, test.expect, test.rel)
        else f"expected {show_value(test.expect)}, found {show_value(found)}"
    )
    return Outcome(rule.id, position, test.span, problem, branch)


def scope_for(rules: RuleSet, given: Mapping[str, Any]) -> Scope:
    """Returns an environment in which the given names have the given values; a rule among them is replaced.

    Raises:
        InputError: a value does not fit its input.
    """
    inputs = {
        name: accept(rules.inputs[name], value)
        for name, value in given.items()
        if name in rules.inputs and value is not None and not _vector(rules, name, value)
    }
    scope = start_scope(rules, inputs)
    for name, value in given.items():
        if name not in inputs and value is not None:
            scope[name] = converted(value)
    return scope


def _vector(rules: RuleSet, name: str, value: Any) -> bool:
    return rules.inputs[name].kind == "layer_vector" and isinstance(value, list)


def converted(value: Any) -> Any:
    """Turns a value of a test into what evaluation works with: numbers become floats."""
    if isinstance(value, list):
        return [converted(entry) for entry in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value


def agrees(found: Any, expect: Any, rel: float | None) -> bool:
    """Whether a value is what a test expects: texts, flags and whole numbers exactly, others within a tolerance."""
    if isinstance(expect, list) or isinstance(found, list):
        return (
            isinstance(found, list)
            and isinstance(expect, list)
            and len(found) == len(expect)
            and all(agrees(a, b, rel) for a, b in zip(found, expect, strict=True))
        )
    if isinstance(expect, bool) or isinstance(found, bool) or isinstance(expect, str) or isinstance(found, str):
        return type(found) is type(expect) and bool(found == expect)
    if rel is None and isinstance(expect, int):
        return bool(found == expect)
    return math.isclose(found, expect, rel_tol=EXACT if rel is None else rel, abs_tol=0.0)


def show_value(value: Any) -> str:
    """Shows a value with all its digits."""
    if isinstance(value, list):
        return "[" + ", ".join(show_value(entry) for entry in value) + "]"
    return (
        repr(value)
        if isinstance(value, float) and not value.is_integer()
        else show(float(value) if isinstance(value, int) and not isinstance(value, bool) else value)
    )
