"""E4xx: rules, inputs, tables and views that do not hold together."""

from engine.codes.info import CodeInfo

CODES: dict[str, CodeInfo] = {
    "E401": CodeInfo(
        slug="missing-citation",
        title="a formula or branch has no source",
        why="Each number must be traceable to the lines of code, the equation or the section that it comes from, or "
        "be marked as an assumption.",
        mend="Add `cite:` with the source, or `assumption:` with a sentence that says why this is a fair guess.",
        example="formula: 2 * hidden_size\n"
        "cite:\n"
        '  - at: "megatron:megatron/training/theoretical_memory_usage.py#L26-L28"\n'
        "    in: compute_weight_and_optimizer_memory",
    ),
    "E402": CodeInfo(
        slug="bad-citation",
        title="the citation cannot be followed",
        why="A citation names an alias of `sources.yaml` with a path and lines, a paper with a place in it, or a "
        "document with a section. One that names none of them proves nothing.",
        mend='Write `at: "alias:path#L1-L9"` with `in:`, or `paper:` with `where:`, or `document:` with `section:`. '
        "A citation with ` #` must be in quotes.",
        example="cite: [{at: megatron:megatron/training/arguments.py}]        # which lines?",
    ),
    "E403": CodeInfo(
        slug="no-otherwise",
        title="the cases do not end with `otherwise`",
        why="Without it the rule has no value when no condition holds.",
        mend="Add a last case `otherwise:` with its own citation.",
        example="cases:\n"
        "  - {when: swiglu, formula: 3, cite: [...]}\n"
        "  - {otherwise: 2, cite: [...]}        # was missing",
    ),
    "E404": CodeInfo(
        slug="case-after-otherwise",
        title="a case comes after `otherwise`",
        why="The first case that matches wins, and `otherwise` always matches, so this case can never be chosen.",
        mend="Move `otherwise` to the end.",
        example="cases:\n"
        "  - {otherwise: 2, cite: [...]}\n"
        "  - {when: swiglu, formula: 3, cite: [...]}        # never reached",
    ),
    "E405": CodeInfo(
        slug="repeated-condition",
        title="a case repeats an earlier condition",
        why="The first case that matches wins, so the second one can never be chosen.",
        mend="Remove one of the two, or correct the condition that was meant.",
        example="cases:\n"
        "  - {when: swiglu, formula: 3, cite: [...]}\n"
        "  - {when: swiglu, formula: 2, cite: [...]}        # never reached",
    ),
    "E406": CodeInfo(
        slug="cycle",
        title="rules depend on each other in a circle",
        why="None of them can be computed first. The message shows the whole path.",
        mend="Break the circle: one of these rules uses a name that it should not.",
        example="rules:\n  a: {formula: b + 1, ...}\n  b: {formula: a - 1, ...}        # a -> b -> a",
    ),
    "E407": CodeInfo(
        slug="view-unknown-id",
        title="a view names a rule that does not exist",
        why="Views decide what the tables, the report and the workbook show; a missing row would go unnoticed.",
        mend="Take the nearest valid id that the message suggests, or remove the row.",
        example="views:\n  ledger: {rows: [wieght_bytes]}        # did you mean `weight_bytes`?",
    ),
    "E408": CodeInfo(
        slug="bad-rule-test",
        title="a test of a rule cannot be run",
        why="A test gives values to inputs or rules and says what is expected. A name that does not exist, or a "
        "value of the wrong type, would make it test nothing.",
        mend="Correct the name or value that the message points at.",
        example="tests:\n  - {given: {hidden: 4096}, expect: 1}        # did you mean `hidden_size`?",
    ),
    "E409": CodeInfo(
        slug="contradictory-input",
        title="the declaration of an input contradicts itself",
        why="An input is required, or has a default, or has a value that stands for its absence; its default lies "
        "in its range; only an enumeration has `values`.",
        mend="Remove one of the keys that the message names.",
        example="hidden_size: {type: int, required: true, default: 4096, ...}",
    ),
    "E410": CodeInfo(
        slug="malformed-table",
        title="a lookup table is malformed",
        why="Each row has exactly the declared columns, and each cell is a number or `null` for `no value`.",
        mend="Correct the row or column that the message points at.",
        example="tables:\n"
        "  dtypes:\n"
        "    columns: {bytes: {unit: B/elem, ...}}\n"
        "    rows: {bf16: {byte: 2}}        # did you mean `bytes`?",
    ),
    "E411": CodeInfo(
        slug="incomplete-slice",
        title="a slice does not say what it does to every group",
        why="A parallel dimension that says nothing about a group of tensors leaves open whether it cuts them; the "
        "product over all dimensions would be a guess.",
        mend="Give every group and each of its components a divisor: 1 where nothing is divided, `same` where it is "
        "as for the weights.",
        example="divides:\n  tp_matrix: {weights: tensor_model_parallel_size}   # no `gradients`, no `optimizer`",
    ),
    "E412": CodeInfo(
        slug="rule-test-fails",
        title="a rule does not yield what its test expects",
        why="The tests beside a rule are worked examples, from the cited source or by hand. Where one fails, the rule "
        "or the example is wrong, and nobody can tell which number to trust.",
        mend="Work the example out again; then correct the formula, or the test if its figure was wrong.",
        example="formula: 2 * hidden_size\ntests:\n  - {given: {hidden_size: 4}, expect: 16}        # found 8",
    ),
    "E413": CodeInfo(
        slug="untested-branch",
        title="no test takes this branch",
        why="Each branch has a formula and a citation of its own; one that no test takes could hold anything.",
        mend="Add a test whose `given` leads into the branch, with a value that was worked out by hand.",
        example="cases:\n  - {when: swiglu, formula: 3, cite: [...]}        # no test gives `swiglu: true`\n"
        "  - {otherwise: 2, cite: [...]}",
    ),
}
