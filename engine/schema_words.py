"""What each key of a rule file means, for the tooltips of an editor."""

from __future__ import annotations

from collections.abc import Mapping

WORDS: Mapping[str, str] = {
    "title": "What it is, in one line without a full stop.",
    "note": "A remark for the reader.",
    "cite": "Where it comes from: lines of code, a place in a paper, or a section of a document.",
    "assumption": "Why it is so, where no source says it. Stands in for `cite` and is marked in the output.",
    "symbol": "LaTeX symbol for the page of the rule, such as P_{attn}.",
    "unit": "1 for sizes and counts, B, elem, flop, s, or a quotient such as B/elem.",
    "tests": "Values of the names that it reads, and what it then yields. At least one a branch.",
    "evidence": "Keys of recorded data, under `datasets` in sources.yaml, that it was checked against.",
    "formula": "An expression over inputs, rules and functions; its unit must be the declared one.",
    "when": "A condition. The first case whose condition holds is taken.",
    "rows": "Ids, in the order in which they are shown.",
    "url": "Where it can be read.",
    "given": "Values by name. A rule among them is replaced by its value.",
    "expect": "What it yields: a number, a flag, a text, a list for a vector.",
    # rules
    "RuleBody.unit": "1 for sizes and counts, B, elem, flop, s, a quotient such as B/elem, or flag for true and false.",
    "RuleBody.values": "Members of the enumeration that it yields, in lower case; instead of `unit`.",
    "RuleBody.over": "Makes it a vector: one value for each pipeline stage, layer or virtual stage.",
    "RuleBody.cases": "Branches: `when` and `formula`, the last one `otherwise`, each with a `cite` or `assumption`.",
    "RuleBody.at_most": "A bound, as an expression, that holds wherever no check fails; `engine lint` counts on it.",
    "CaseBody.otherwise": "The formula where no condition before it holds. Stands last.",
    "RuleTest.rel": "Relative tolerance. Without it whole numbers agree exactly, others within 1e-12.",
    # checks
    "CheckBody.level": "How bad it is if it fails: an error makes the configuration invalid.",
    "CheckBody.require": "The condition that must hold.",
    "CheckBody.message": "What is wrong, in one sentence; {name} becomes the value of an input or rule.",
    "CheckBody.hint": "What to do about it; {name} becomes a value.",
    "CheckBody.fields": "Inputs to blame, the likeliest first.",
    # inputs
    "InputBody.type": "What values it takes.",
    "InputBody.group": "Where it is listed: model, parallelism, batch, precision, recompute, device.",
    "InputBody.min": "Smallest value that is allowed.",
    "InputBody.max": "Largest value that is allowed.",
    "InputBody.values": "Members of the enumeration, in lower case.",
    "InputBody.members": "What the set may contain, in lower case.",
    "InputBody.parser": "How the text of a layer vector or layout is read.",
    "InputBody.flag": "The launch flag that this input stands for, such as --seq-length.",
    "InputBody.other_flags": "Other spellings of the launch flag.",
    "InputBody.off_flags": "Launch switches that set this flag to false, such as --disable-bias-linear.",
    "InputBody.from_flags": "Boolean launch flags of other names, and the member that each stands for.",
    "InputBody.required": "Without it, what reads it has no value.",
    "InputBody.default": "Value where nothing is given.",
    "InputBody.default_formula": "Formula over other inputs where nothing is given.",
    "InputBody.absent": "Value that null or nothing stands for, such as none or 0.",
    "InputBody.either": "Name of a group of inputs of which one is given; the others follow from `derived`.",
    "InputBody.derived": "This input from the others of its group.",
    # tables
    "TableBody.columns": "Columns by name.",
    "TableBody.rows": "Rows by key: a cell a column, null where there is no value.",
    # slices, scenarios, advice
    "GroupBody.components": "Which kinds of memory the tensors of the group take.",
    "SliceBody.degree": "How many ranks the dimension has.",
    "SliceBody.divides": "By group and component, what the tensors are divided by; `same` repeats the weights' entry.",
    "SliceBody.multiplies": "By group and component, what multiplies the tensors.",
    "SliceBody.communication": "What the dimension sends.",
    "SliceTest.expect": "Cells, named group_component (in a group's own tests only component), and their values.",
    "CommunicationBody.per": "How often it is sent.",
    "CommunicationBody.link": "Between which ranks: of one node, or of several.",
    "ScenarioBody.set": "Inputs and their values in the scenario; null sets the absent value.",
    "ActionBody.set": "Inputs and the values to try.",
    "ActionBody.set_formula": "Inputs and formulas, over the present values, for the values to try.",
    "ActionBody.cost": "What it costs, in one sentence.",
    "AdviceBody.actions": "What to try, in order.",
    "AdviceBody.leave_alone": "What not to change, and why.",
    "LeaveBody.field": "The input to leave alone.",
    "LeaveBody.why": "Why changing it does not help.",
    # citations and sources
    "CodeCite.at": "alias:path#L10-L20 or alias:path#L10, at the commit that sources.yaml pins.",
    "CodeCite.in": "Qualified name of the enclosing function or class; empty at module level.",
    "CodeCite.note": "Why these lines.",
    "PaperCite.paper": "Key under `papers` in sources.yaml.",
    "PaperCite.where": "The equation, table or section.",
    "DocumentCite.document": "Key under `documents` in sources.yaml.",
    "DocumentCite.section": "The section, in quotes: \"2.2\".",
    "SourceBody.repo": "The repository on GitHub, as owner/name.",
    "SourceBody.commit": "The commit that is cited, all 40 digits.",
    "SourceBody.licence": "Licence of the cited repository.",
    "PaperBody.arxiv": "Number on arXiv, in quotes: \"2205.05198\".",
    "PaperBody.year": "Year of publication.",
    "DocumentBody.language": "Language that it is written in.",
    "DatasetBody.records": "How many records there are.",
    # views
    "ViewBody.kind": "How it is laid out: a list, all stages side by side, the summary of an evaluation, or accounts side by side.",
    "ViewBody.configuration": "Inputs that describe the configuration in one line.",
    "ViewBody.ledger": "What the fullest stage holds, and the total.",
    "ViewBody.stages": "The table of all stages.",
    "ViewBody.accounts": "Accounts that are set side by side, configuration by configuration.",
    "ViewBody.capacity": "Id of what a rank can hold.",
    "ViewBody.peak_stage": "Id of the number of the fullest stage.",
    "ViewBody.verdict": "Id of the rule that says whether it fits.",
    "LedgerBody.rows": "Vectors over stage that add up to the total.",
    "AccountBody.rows": "Ids of the parts.",
    "AccountBody.total": "Id of the total, whose difference to the configuration as given is shown.",
    "AccountBody.verdict": "Id of the rule that says whether it fits.",
    "LedgerBody.total": "Vector over stage that they add up to.",
}  # fmt: skip
"""By key, or by body and key where a key means something of its own there."""


def meaning(body: str, key: str) -> str | None:
    """Returns what a key of a body means."""
    return WORDS.get(f"{body}.{key}") or WORDS.get(key)
