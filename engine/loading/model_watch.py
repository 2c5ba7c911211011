"""Shapes of the bodies in `watch.yaml`: code that the rules must follow, and cited functions that can be run."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from engine.loading.model import Formula, Given, Id, Number
from engine.loading.model_cite import Body, CodeCite

Names = Annotated[list[str], Field(min_length=1)]


class WaiverBody(CodeCite):
    """Lines that need no citation, with the reason."""

    reason: Annotated[str, Field(min_length=1)]


class WatchBody(Body):
    """A file, or symbols of it, whose statements the rules must cite."""

    title: Annotated[str, Field(min_length=1)]
    source: str = Field(description="alias in sources.yaml")
    path: str
    symbols: Names = Field(description="functions and classes, * for any; <module> for what is outside of them")
    calls: list[str] = Field(default_factory=list, description="text of calls whose appearance is to be told")
    min_coverage: Annotated[Number, Field(ge=0, le=100)] = Field(
        0, description="least share of statements cited or waived, in percent; raise it as coverage grows"
    )
    waive: list[WaiverBody] = Field(default_factory=list)
    note: str | None = None


class KeywordBody(Body):
    """A keyword argument of a cited function, and the rule that stands for it."""

    rule: Id | None = None
    omit_when: Formula | None = Field(None, description="where this holds, leaving it out must make no difference")
    values: list[bool | int | str] = Field(default_factory=list, description="values that must make no difference")


class ReplayBody(Body):
    """A cited function that can be run beside the rules, and what is compared."""

    title: Annotated[str, Field(min_length=1)]
    source: str
    path: str
    function: str
    arguments: str = Field(description="the parameter that takes the inputs as attributes")
    keywords: dict[str, KeywordBody] = Field(default_factory=dict)
    returns: Annotated[list[Id], Field(min_length=1)] = Field(description="rules for what it returns, in order")
    variables: dict[str, dict[str, Id]] = Field(
        default_factory=dict, description="function, local variable (or `returned`), and the rule that stands for it"
    )
    spelling: dict[str, str] = Field(default_factory=dict, description="members as the function writes them")
    as_none: dict[Id, Number | str] = Field(
        default_factory=dict, description="values for which the function takes None, besides `absent` ones"
    )
    draw: dict[Id, Annotated[list[Given], Field(min_length=1)]] = Field(
        description="values that inputs are drawn from; `drawn_pattern` draws one entry a layer"
    )
    require: Formula | None = Field(None, description="condition on the drawn inputs")
    note: str | None = None
