"""Shapes of the YAML files, one strict pydantic model a body; meaning is checked in `engine.loading.load`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from engine.loading.model_cite import Body, Cites

Id = str
Number = Annotated[float, Field(allow_inf_nan=False)]
Formula = Annotated[str | int | float, Field(description="An expression of the rule language.")]
Flag = Annotated[str, Field(pattern=r"^--[a-zA-Z0-9]+(-[a-zA-Z0-9]+)*$")]
Scalar = bool | int | float | str
Given = Scalar | list[bool] | list[int | float] | list[str] | None


class RuleTest(Body):
    """Values of the names a rule reads, and what it then yields."""

    given: dict[Id, Given] = Field(default_factory=dict)
    expect: Given
    rel: Annotated[float, Field(gt=0, le=0.1)] | None = None
    note: str | None = None


class CaseBody(Body):
    """One branch: `when` with `formula`, or the last one's `otherwise`."""

    when: Formula | None = None
    formula: Formula | None = None
    otherwise: Formula | None = None
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class _Cited(Body):
    title: Annotated[str, Field(min_length=1)]
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None
    evidence: list[str] = Field(default_factory=list, description="recorded data that this was checked against")
    tests: list[RuleTest] = Field(default_factory=list)


class RuleBody(_Cited):
    """A formula, or cases of formulas."""

    symbol: str | None = None
    unit: str | None = Field(None, description="1, B, elem, flop, s, a quotient such as B/elem, or flag")
    values: Annotated[list[str], Field(min_length=1)] | None = None
    over: Literal["stage", "layer", "virtual_stage"] | None = None
    formula: Formula | None = None
    cases: Annotated[list[CaseBody], Field(min_length=1)] | None = None
    at_most: Formula | None = Field(
        None, description="a bound that holds wherever no check fails; engine lint counts on it"
    )


class CheckBody(_Cited):
    """A condition that a sound configuration meets."""

    level: Literal["error", "warning", "note"]
    require: Formula
    message: str = Field(description="one sentence; {name} is replaced by the value of an input or rule")
    hint: str | None = None
    fields: Annotated[list[Id], Field(min_length=1)]


class InputBody(Body):
    """A declared input."""

    title: Annotated[str, Field(min_length=1)]
    type: Literal["int", "number", "flag", "enum", "text", "set", "layer_vector", "layout"]
    group: str
    symbol: str | None = None
    unit: str = "1"
    min: Number | None = None
    max: Number | None = None
    values: Annotated[list[str], Field(min_length=1)] | None = None
    members: Annotated[list[str], Field(min_length=1)] | None = None
    parser: str | None = None
    flag: Flag | None = Field(None, description="the launch flag this stands for")
    other_flags: list[Flag] = Field(default_factory=list, description="other spellings of the launch flag")
    off_flags: list[Flag] = Field(default_factory=list, description="launch switches that set this flag to false")
    from_flags: dict[str, str] = Field(
        default_factory=dict, description="switches of other names, and the member each stands for"
    )
    required: Literal[True] | None = None
    default: Scalar | list[str] | None = None
    default_formula: Formula | None = None
    absent: Scalar | list[str] | None = None
    either: str | None = Field(
        None, description="name of a group of which one member is given and the others are derived"
    )
    derived: Formula | None = None
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class LaunchFlagsBody(Body):
    """Launch flags that no input stands for, and whether they move memory."""

    title: Annotated[str, Field(min_length=1)]
    moves_memory: bool
    names: Annotated[list[Flag], Field(min_length=1)]
    harmless: dict[Flag, Scalar] = Field(default_factory=dict, description="values of flags that change nothing")
    note: str | None = None


class ColumnBody(Body):
    """A column of a table."""

    title: str | None = None
    unit: str = "1"
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class RowBody(BaseModel):
    """A row of a table: cells by column, null where there is no value."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, Number | None]

    title: str | None = None
    note: str | None = None
    cite: Cites | None = None
    assumption: str | None = None


class TableBody(Body):
    """A lookup table."""

    title: str
    columns: Annotated[dict[str, ColumnBody], Field(min_length=1)]
    rows: Annotated[dict[str, RowBody], Field(min_length=1)]
    note: str | None = None


class SliceTest(Body):
    """Values of names, and what some cells then are: `<group>_<component>`, in the tests of a group its component."""

    given: dict[Id, Given] = Field(default_factory=dict)
    expect: Annotated[dict[str, Given], Field(min_length=1)]


class GroupBody(Body):
    """A group of tensors that parallel dimensions cut alike; its tests are about the product over all of them."""

    title: str
    symbol: str | None = None
    components: Annotated[list[Literal["weights", "gradients", "optimizer", "activations"]], Field(min_length=1)]
    note: str | None = None
    tests: list[SliceTest] = Field(default_factory=list)


class CellsBody(BaseModel):
    """What a dimension does to one group: a formula by component; `same` stands for the weights' formula."""

    model_config = ConfigDict(extra="allow", frozen=True, strict=True)
    __pydantic_extra__: dict[str, Formula]

    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class CommunicationBody(Body):
    """What a dimension sends."""

    title: str
    formula: Formula
    unit: Literal["B"] = "B"
    per: Literal["layer", "microbatch", "step"]
    link: Literal["intra_node", "inter_node"]
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None
    tests: list[RuleTest] = Field(default_factory=list)


class SliceBody(Body):
    """What one parallel dimension divides, or multiplies, group by group."""

    title: str
    degree: Formula
    divides: dict[str, CellsBody]
    multiplies: dict[str, CellsBody] = Field(default_factory=dict)
    communication: CommunicationBody | None = None
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None
    tests: Annotated[list[SliceTest], Field(min_length=1)]


class ScenarioBody(Body):
    """A named change of a preset."""

    title: str
    set: dict[Id, Given]
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class ActionBody(Body):
    """One thing to try: a change of inputs, as values or as formulas over the present ones."""

    title: str
    set: dict[Id, Given] = Field(default_factory=dict)
    set_formula: dict[Id, Formula] = Field(default_factory=dict)
    cost: str | None = None
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class LeaveBody(Body):
    """What not to change for a symptom, and why."""

    field: Id
    why: str


class AdviceBody(Body):
    """A symptom and what to do about it, in order."""

    title: str
    when: Formula | None = Field(None, description="condition under which the symptom can be seen from the results")
    actions: Annotated[list[ActionBody], Field(min_length=1)]
    leave_alone: list[LeaveBody] = Field(default_factory=list)
    cite: Cites | None = None
    assumption: str | None = None
    note: str | None = None


class SourceBody(Body):
    """A cited repository at a pinned commit."""

    repo: str = Field(pattern=r"^[A-Za-z0-9._-]+/[A-Za-z0-9._-]+$")
    commit: str = Field(pattern=r"^[0-9a-f]{40}$")
    licence: str
    title: str | None = None
    note: str | None = None


class PaperBody(Body):
    """A cited paper."""

    title: str
    arxiv: str | None = None
    year: int | None = None
    url: str | None = None
    note: str | None = None


class DocumentBody(Body):
    """A cited document."""

    title: str
    language: str | None = None
    url: str | None = None
    note: str | None = None


class DatasetBody(Body):
    """Recorded data that rules are checked against."""

    title: str
    records: int | None = None
    note: str | None = None


class LedgerBody(Body):
    """Vectors over stage that add up to a total."""

    rows: list[Id]
    total: Id


class StagesBody(Body):
    """Columns of the table of all stages."""

    rows: list[Id]


class AccountBody(Body):
    """One account of a configuration, to be set beside others and beside the same of other configurations."""

    title: str
    rows: list[Id]
    total: Id | None = None
    verdict: Id | None = None


class ViewBody(Body):
    """A table of results: which rules, in which order."""

    title: str
    kind: Literal["list", "stages", "summary", "comparison", "matrix"]
    rows: list[Id] = Field(default_factory=list)
    slices: list[Id] = Field(default_factory=list)
    configuration: list[Id] = Field(default_factory=list)
    ledger: LedgerBody | None = None
    stages: StagesBody | None = None
    accounts: list[AccountBody] = Field(default_factory=list)
    capacity: Id | None = None
    peak_stage: Id | None = None
    verdict: Id | None = None
    phase: Id | None = None
    low: Id | None = None
    high: Id | None = None
    note: str | None = None
