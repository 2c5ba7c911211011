"""E3xx: expressions in formulas, conditions and defaults."""

from engine.codes.info import CodeInfo

CODES: dict[str, CodeInfo] = {
    "E301": CodeInfo(
        slug="expression-syntax",
        title="the expression cannot be read",
        why="A formula follows the syntax of Python expressions. The mark stands where reading stopped.",
        mend="Look for an unclosed bracket, an operator without a right-hand side, or two names side by side.",
        example="formula: 2 * (hidden_size + 1        # the bracket is not closed",
    ),
    "E302": CodeInfo(
        slug="construct-not-allowed",
        title="this construct is not part of the rule language",
        why="Each formula is also printed as numpy, as Excel and as LaTeX, and each branch needs its own citation. "
        "Conditionals inside a formula, subscripts, attributes, lambdas and comprehensions have no place in "
        "that.",
        mend="Write branches as `cases`. Reach one element of a vector with `at(rule, index)`, a table with "
        "`lookup(table, key, column)`.",
        example="formula: a if flag else b                # refused\n"
        "cases:                                   # mended\n"
        "  - {when: flag, formula: a, cite: [...]}\n"
        "  - {otherwise: b, cite: [...]}",
    ),
    "E303": CodeInfo(
        slug="unknown-name",
        title="the expression uses a name that nothing declares",
        why="A name is an input, a rule, or the index of the rule's domain.",
        mend="Take the nearest valid name that the message suggests, or declare the input or rule. Text is written "
        "in quotes.",
        example="formula: seqq * micro_batch_size        # did you mean `seq_length`?",
    ),
    "E304": CodeInfo(
        slug="unknown-function",
        title="there is no such function",
        why="Only registered functions can be called: each has a unit rule and four printings proven to agree.",
        mend="Take the nearest valid name that the message suggests. For what no function offers, compose rules.",
        example="formula: ceildiv(a, b)        # did you mean `ceil_div`?",
    ),
    "E305": CodeInfo(
        slug="wrong-arguments",
        title="a function has the wrong arguments",
        why="A function takes the number and kind of arguments that its entry in the registry says.",
        mend="Compare with the signature in the message.",
        example="formula: ceil_div(num_layers)        # ceil_div(a, b) takes 2 arguments",
    ),
    "E306": CodeInfo(
        slug="units-disagree",
        title="units disagree",
        why="Adding bytes to elements gives a number that means nothing. Units catch a factor of 2 that was left out.",
        mend="Multiply by the quantity that converts (a number of bytes per element has unit B/elem), or cast a "
        "bare number with B(x), elem(x) or flop(x). The rule's `unit` must be that of its formula.",
        example="formula: weight_elements + B(4)                          # elem + B\n"
        "formula: weight_elements * bytes_per_element + B(4)      # mended",
    ),
    "E307": CodeInfo(
        slug="types-disagree",
        title="types disagree",
        why="Numbers, flags and text do not mix: a flag is not 1, and a text is only compared with members of its "
        "own enumeration.",
        mend="Turn a flag into a number with `cases`; compare a number to get a flag.",
        example="formula: 2 * swiglu        # a flag is not a number",
    ),
    "E308": CodeInfo(
        slug="domain-misuse",
        title="a vector is used where a single value is needed, or the other way round",
        why="A rule `over: stage` has one value a stage. A rule without a domain must say which one it means, or "
        "how to combine them.",
        mend="Aggregate with max_over, sum_over, first, last or at(rule, index), or give this rule the same `over`.",
        example="formula: stage_bytes                   # which stage?\n"
        "formula: max_over(stage_bytes)         # mended",
    ),
    "E309": CodeInfo(
        slug="expression-too-large",
        title="the expression is too long, too deep or holds a number that is too large",
        why="Expressions come from files that other people write; length, depth and exponents are capped. A long "
        "formula is also hard to read.",
        mend="Give parts of it names: split it into several rules.",
        example="formula: hidden_size ** 1000",
    ),
    "E310": CodeInfo(
        slug="mixed-and-or",
        title="`and` and `or` are mixed without parentheses",
        why="People read `a or b and c` in two ways.",
        mend="Add the parentheses that say which one is meant.",
        example="when: a or b and c\nwhen: a or (b and c)        # mended",
    ),
    "E311": CodeInfo(
        slug="not-a-member",
        title="the text is not a member of the enumeration that it is compared with",
        why="Such a comparison is never true, so a misspelt word would switch a branch off in silence.",
        mend="Take one of the members that the message lists.",
        example='when: recompute_granularity == "ful"        # did you mean "full"?',
    ),
    "E312": CodeInfo(
        slug="unknown-unit",
        title="the unit is not known",
        why="A unit is a product of powers of B, elem, flop and s, or 1 for sizes and counts. `flag` marks a rule "
        "that is true or false.",
        mend='Write it with these, for example B, elem, B/elem, B/s, and "1" in quotes.',
        example="unit: bytes        # B",
    ),
}
