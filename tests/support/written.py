"""Small rule sets for tests, written where they are used."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from engine import RuleSet


def number(unit: str = "1", rest: str = "required: true") -> str:
    """Returns the body of a numeric input."""
    return f"{{title: t, type: number, unit: '{unit}', group: g, {rest}}}"


def flag(rest: str = "required: true") -> str:
    """Returns the body of a flag input."""
    return f"{{title: t, type: flag, group: g, {rest}}}"


def rule(formula: str, rest: str = "unit: '1'") -> str:
    """Returns the body of a rule with one formula."""
    return f"{{title: t, {rest}, formula: '{formula}', assumption: a}}"


def cases(*branches: tuple[str, str], otherwise: str, rest: str = "unit: '1'") -> str:
    """Returns the body of a rule with cases: pairs of condition and formula."""
    written = [f"{{when: '{when}', formula: '{formula}', assumption: a}}" for when, formula in branches]
    written.append(f"{{otherwise: '{otherwise}', assumption: a}}")
    return f"{{title: t, {rest}, cases: [{', '.join(written)}]}}"


def ruleset(folder: Path, inputs: Mapping[str, str], rules: Mapping[str, str], more: str = "") -> RuleSet:
    """Writes and loads a rule set: bodies of inputs and rules by id, and further sections as text."""
    text = "inputs:\n" + "".join(f"  {id}: {body}\n" for id, body in inputs.items())
    text += "rules:\n" + "".join(f"  {id}: {body}\n" for id, body in rules.items())
    (folder / "rules.yaml").write_text(text + more, encoding="utf-8")
    return RuleSet.load(folder)
