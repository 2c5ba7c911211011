"""What `watch.yaml` declares: code that the rules must follow, and cited functions that can be run beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from engine.diagnostics import Span
from engine.rules import Citation, Expression


class Waiver(NamedTuple):
    """Lines that need no citation, with the reason; the lines are audited like a citation."""

    citation: Citation
    reason: str


class Watch(NamedTuple):
    """A file whose statements the rules must cite.

    Attributes:
        source: alias in sources.yaml.
        symbols: patterns of the functions and classes that count; `<module>` stands for what is outside of them.
        calls: text of calls whose appearance is told.
        min_coverage: least share of statements that is cited or waived, in percent.
    """

    id: str
    title: str
    source: str
    path: str
    symbols: tuple[str, ...]
    calls: tuple[str, ...]
    min_coverage: float
    waivers: tuple[Waiver, ...]
    note: str | None
    span: Span


class Keyword(NamedTuple):
    """A keyword argument of a function that is run.

    Attributes:
        rule: rule or input whose value is passed; None for one of `values`.
        omit_when: where this holds, the argument may be left out.
        values: values of which one is passed; it makes no difference which.
    """

    rule: str | None
    omit_when: Expression | None
    values: tuple[Any, ...]


class Replay(NamedTuple):
    """A cited function that can be run beside the rules.

    Attributes:
        function: name of the function.
        arguments: the parameter that takes the inputs as attributes.
        keywords: further arguments, by name.
        returns: rules for what it returns, in order.
        variables: for a function and a local variable of it (or `returned`) the rule that stands for it.
        spelling: members of enumerations as the function writes them.
        as_none: values for which the function takes None, besides the absent ones.
        draw: values that inputs are drawn from.
        require: condition on drawn inputs.
    """

    id: str
    title: str
    source: str
    path: str
    function: str
    arguments: str
    keywords: Mapping[str, Keyword]
    returns: tuple[str, ...]
    variables: Mapping[str, Mapping[str, str]]
    spelling: Mapping[str, str]
    as_none: Mapping[str, Any]
    draw: Mapping[str, tuple[Any, ...]]
    require: Expression | None
    note: str | None
    span: Span
