"""The outcome of an evaluation: values with units, branches and citations, findings of the checks, and the verdict."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from engine.diagnostics import Diagnostic, EngineError, Findings, nearest
from engine.rules import Branch, Citation, Computed
from engine.trouble import Failed, Unavailable

if TYPE_CHECKING:
    from engine.evaluating.resolve import Resolved
    from engine.preset import Preset
    from engine.ruleset import RuleSet

SCHEMA = "rank-ledger/result/1"


@dataclass(frozen=True, slots=True)
class Value:
    """What one rule, check or input came to.

    Attributes:
        id: its id.
        unit: unit as text; `flag` for true or false, `enum` for a text.
        status: `ok`, `unavailable` (an input is missing) or `failed` (division by zero or the like).
        raw: float, bool, str, or a list of them for a vector; None without a value.
        branch: position of the case that was taken; a list for a vector; None for an input or without a value.
        missing: inputs that are missing, for status `unavailable`.
        reason: what happened, for status `failed`; `origin` is the rule in which it did, `code` the diagnostic's.
    """

    id: str
    unit: str
    status: str
    raw: Any
    branch: Any
    citations: tuple[Citation, ...]
    missing: tuple[str, ...] = ()
    reason: str = ""
    origin: str = ""
    code: str = ""

    @property
    def value(self) -> Any:
        """The value.

        Raises:
            EngineError: there is none; the message names the missing inputs (E602) or what failed (E505, E601, E603).
        """
        if self.status == "ok":
            return self.raw
        findings = Findings()
        if self.status == "unavailable":
            findings.add(
                "E602",
                f"`{self.id}` has no value because inputs are missing: {', '.join(self.missing)}",
                help="give them in the preset or with --set",
            )
        else:
            findings.add(self.code, f"`{self.id}` has no value: in `{self.origin}` {self.reason}")
        raise EngineError(findings.sorted())


@dataclass(frozen=True)
class CheckOutcome:
    """What a check came to.

    Attributes:
        id: its id.
        level: `error`, `warning` or `note`.
        status: `pass`, `fail`, or `unknown` where it cannot be evaluated.
        message: the check's sentence with values filled in, or why it is unknown; empty if it passes.
        hint: how to mend it, if it fails.
        fields: inputs to blame.
        search: finds the values in `nearest`.
    """

    id: str
    title: str
    level: str
    status: str
    message: str
    hint: str | None
    fields: tuple[str, ...]
    search: Callable[[], Mapping[str, tuple[Any, ...]]] = field(default=dict, repr=False, compare=False)

    @cached_property
    def nearest(self) -> Mapping[str, tuple[Any, ...]]:
        """For a failed check of level error or warning: the nearest values of single inputs with which it would hold.

        They are searched for when they are first asked for; see `engine.evaluating.nearest_valid`.
        """
        return self.search()


@dataclass(frozen=True, repr=False)
class Result:
    """A frozen evaluation. `result["log_total_mib"].value` reads one value."""

    rules: RuleSet
    preset: Preset
    resolved: Resolved

    def __getitem__(self, id: str) -> Value:
        """Returns what a rule, check or input came to.

        Raises:
            EngineError: there is no such id (E604).
        """
        if id not in self.rules.symbols.types:
            findings = Findings()
            near = nearest(id, self.rules.symbols.types)
            findings.add(
                "E604", f"there is no rule, check or input `{id}`", help=f"did you mean `{near}`?" if near else None
            )
            findings.raise_if_errors()
        return self._value(id)

    def __repr__(self) -> str:
        return f"<Result of {self.preset.path}>"

    def __contains__(self, id: str) -> bool:
        return id in self.rules.symbols.types

    def __iter__(self) -> Iterator[str]:
        return iter((*self.rules.slots, *self.rules.computed))

    def get(self, id: str) -> Any:
        """Returns the value of an id, None where it has none."""
        return self[id].raw

    @cached_property
    def _cache(self) -> dict[str, Value]:
        return {}

    def _value(self, id: str) -> Value:
        found = self._cache.get(id)
        if found is None:
            found = self._cache[id] = self._compute(id)
        return found

    def _compute(self, id: str) -> Value:
        scope = self.resolved.scope
        rule = self.rules.computed.get(id)
        unit = self.rules.unit(id)
        try:
            raw = scope[id]
        except Unavailable:
            return Value(id, unit, "unavailable", None, None, self._citations(id, rule), missing=self._missing(id))
        except Failed as error:
            citations = self._citations(id, rule)
            return Value(id, unit, "failed", None, None, citations, (), error.reason, error.origin, error.code)
        branch = scope.branches.get(id) if rule else None
        return Value(id, unit, "ok", raw, branch, self._citations(id, rule, branch))

    def _citations(self, id: str, rule: Computed | None, branch: Any = None) -> tuple[Citation, ...]:
        if rule is None:
            return self.rules.slots[id].citations
        return tuple(dict.fromkeys(citation for taken in self.taken(rule, branch) for citation in taken.citations))

    def taken(self, rule: Computed, branch: Any = None) -> tuple[Branch, ...]:
        """Returns the branches of a rule that were taken; all of them where it has no value."""
        if branch is None:
            branch = self.resolved.scope.branches.get(rule.id)
        if branch is None:
            return rule.branches
        positions = sorted(set(branch)) if isinstance(branch, list) else [branch]
        return tuple(rule.branches[position] for position in positions)

    def _missing(self, id: str) -> tuple[str, ...]:
        from engine.evaluating.missing import missing_inputs

        return missing_inputs(self.rules, self.resolved.scope, id)

    @cached_property
    def checks(self) -> tuple[CheckOutcome, ...]:
        """What each check came to, in the order of the rule files."""
        from engine.evaluating.checks import outcome

        return tuple(outcome(self, check) for check in self.rules.checks.values())

    @property
    def failed_checks(self) -> tuple[CheckOutcome, ...]:
        """Checks that do not hold."""
        return tuple(check for check in self.checks if check.status == "fail")

    @cached_property
    def verdict(self) -> str:
        """`fits`, `tight`, `does_not_fit`, `invalid`, `incomplete` or `unknown`.

        `invalid`: an error-level check failed. `incomplete`: a launch flag moves memory that no rule accounts for.
        """
        if any(check.level == "error" for check in self.failed_checks):
            return "invalid"
        if self.preset.flags is not None and self.preset.flags.unmodelled:
            return "incomplete"
        summary = self.rules.views.get("summary")
        id = summary.body.verdict if summary else None
        return (self.get(id) if id else None) or "unknown"

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """What was understood in another way than it was written in the preset."""
        return self.resolved.notes

    @cached_property
    def inputs(self) -> Mapping[str, tuple[Any, str]]:
        """Value of each input and where it came from: given, derived, default, absent or missing."""
        from engine.evaluating.resolve import origin

        return {name: (self._input_value(name), origin(self.rules, self.resolved, name)) for name in self.rules.inputs}

    def _input_value(self, name: str) -> Any:
        item = self.rules.inputs[name]
        if item.kind in ("set", "layout", "layer_vector", "text"):
            written = self.preset.values.get(name)
            return item.default if written is None else written
        return self.get(name)

    def to_dict(self, ids: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns the versioned artifact that reports, workbooks and comparisons read; see `to_json`."""
        from engine.evaluating.artifact import artifact

        return artifact(self, ids)

    def to_json(self, ids: Iterable[str] | None = None) -> str:
        """Returns the versioned artifact as JSON, keys sorted.

        Args:
            ids: rules to include; None for all.
        """
        import json

        return json.dumps(self.to_dict(ids), indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
