"""W7xx: warnings of `engine lint`."""

from engine.codes.info import CodeInfo, Severity

CODES: dict[str, CodeInfo] = {
    "W701": CodeInfo(
        slug="may-lose-integers",
        title="a count may pass 2^53",
        why="All values are float64, in Python, numpy and Excel alike; beyond 2^53 (9.007e15) they skip integers. "
        "The warning takes the upper ends of the declared input ranges.",
        mend="Lower the `max` of an input to what can occur, or state the quantity per layer or per rank.",
        example="formula: elem(seq_length * seq_length * num_layers)        # with seq_length up to 1e8",
        severity=Severity.WARNING,
    ),
    "W702": CodeInfo(
        slug="many-cases",
        title="a rule has more than 8 cases",
        why="Nobody can hold them in mind, and Excel prints them as nested IFs.",
        mend="Split the rule: name the part that varies, or use a table with `lookup`.",
        example="cases: [nine of them]",
        severity=Severity.WARNING,
    ),
    "W703": CodeInfo(
        slug="unused",
        title="nothing uses this rule or input",
        why="It is neither read by a rule or check nor shown by a view. It is left over, or its user misspells it.",
        mend="Show it in a view, use it, or remove it.",
        example="inputs:\n  old_flag: {...}        # no rule reads it",
        severity=Severity.WARNING,
    ),
    "W704": CodeInfo(
        slug="uncited-number",
        title="a number other than 0, 1 and 2 has no source",
        why="A number in the default of an input or in a table decides results like one in a formula; nobody can tell "
        "where it comes from.",
        mend="Add `cite:` with the source, or `assumption:` with a sentence that says why this is a fair guess.",
        example="inputs:\n  bucket_size: {type: int, default: 40000000, ...}        # who says so?",
        severity=Severity.WARNING,
    ),
}
