"""Replays the functions that `watch.yaml` declares, from checkouts, beside the rules."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random

from engine.audit.checkout import open_checkout, require_known
from engine.audit.replay.cases import attributes, case, drawn
from engine.audit.replay.compare import Comparer, Departure, Replayed, departures
from engine.audit.replay.process import ReplayError, run_cases
from engine.audit.source_text import Unreadable
from engine.diagnostics import Diagnostic, Findings
from engine.preset import Preset
from engine.ruleset import RuleSet
from engine.watch import Replay

_SHOWN = 3


def replay(
    rules: RuleSet,
    checkouts: Mapping[str, str | Path],
    *,
    at: str | Mapping[str, str] | None = None,
    presets: Iterable[Preset] = (),
    count: int = 100,
    seed: int = 0,
) -> list[Replayed]:
    """Runs cited functions of checkouts, in a process of their own, and compares them with the rules.

    This executes code of the checkout.

    Args:
        rules: a loaded rule set.
        checkouts: alias of a source to its checkout; replays of other sources are passed over.
        at: revision to run, one for all sources or by alias; without it the file as it lies there.
        presets: configurations to compare.
        count: how many more to draw at random.
        seed: of the random draws.

    Raises:
        EngineError: a checkout or revision that cannot be used (E810 to E812), or a preset that does not fit the rules.
    """
    require_known(checkouts, rules.sources["sources"])
    given = list(presets)
    found = []
    with ExitStack() as closing:
        for one in rules.replays.values():
            if one.source not in checkouts:
                continue
            revision = at if isinstance(at, str) else (at or {}).get(one.source)
            commit = rules.sources["sources"][one.source].commit
            checkout = open_checkout(one.source, Path(checkouts[one.source]), commit, revision, closing)
            try:
                text = checkout.target.read(one.path)
            except Unreadable as error:
                found.append(Replayed(one, checkout.label, problem=f"`{one.path}` cannot be read: {error}"))
                continue
            if text is None:
                found.append(Replayed(one, checkout.label, problem=f"there is no `{one.path}`"))
                continue
            source = text.data.decode("utf-8", "replace")
            found.append(_replayed(rules, one, checkout.label, source, given, count, Random(seed)))
    return found


def _replayed(
    rules: RuleSet, one: Replay, label: str, source: str, given: list[Preset], count: int, random: Random
) -> Replayed:
    try:
        names = attributes(source, one.arguments)
        chosen = [*given, *drawn(rules, one, count, random)]
        cases = [case(rules, one, preset, names, random) for preset in chosen]
        told = run_cases(source, one.function, [{"arguments": x.arguments, "keywords": x.keywords} for x in cases])
    except ReplayError as error:
        return Replayed(one, label, problem=str(error))
    comparer = Comparer(rules, one)
    different = departures(comparer, cases, told["cases"])
    unknown = tuple(name for name in names if name not in rules.inputs and name not in rules.rules)
    return Replayed(
        one, label, len(cases), comparer.compared, tuple(comparer.observed), tuple(different), comparer.skipped,
        unknown,
        tuple((int(line), str(kind), int(held), int(not_held)) for line, kind, held, not_held in told["branches"]),
    )  # fmt: skip


def replay_findings(rules: RuleSet, found: Iterable[Replayed]) -> list[Diagnostic]:
    """Returns a finding for each rule that departs first, and one for each function that could not be run."""
    findings = Findings()
    for one in found:
        if one.problem:
            message = f"replay `{one.replay.id}`: `{one.replay.function}` cannot be run: {one.problem}"
            findings.add("E830", message, one.replay.span)
        stopped = [departure for departure in one.departures if departure.error]
        if stopped:
            what = f"`{one.replay.function}` stops {_often(stopped, one)}: {stopped[0].error}"
            findings.add("E831", f"replay `{one.replay.id}`: {what}", one.replay.span, help=_configuration(stopped[0]))
        for rule, group in one.by_rule().items():
            departure, root = group[0]
            there = f"{_shown(root.expected)} in `{one.replay.function}`"
            message = f"`{rule}` departs first {_often(group, one)}: {_shown(root.found)} here, {there}"
            suspects = [f"`{id}`" for id in root.suspects[:_SHOWN]]
            help = f"or one of what it reads: {', '.join(suspects)}\n" if suspects else ""
            findings.add("E831", message, rules.rules[rule].span, help=help + _configuration(departure))
    return findings.sorted()


def _often(group: Sequence[object], one: Replayed) -> str:
    return f"in {len(group)} of {one.count} configurations"


def _shown(value: object) -> str:
    return f"{value:.17g}" if isinstance(value, float) else str(value)


def _configuration(one: Departure) -> str:
    values = {name: f"{value:.15g}" if isinstance(value, float) else value for name, value in one.values.items()}
    return f"{one.preset}: " + ", ".join(f"{name}={value}" for name, value in values.items())
