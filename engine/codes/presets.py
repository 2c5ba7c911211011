"""E5xx: presets and values given on the command line."""

from engine.codes.info import CodeInfo, Severity

CODES: dict[str, CodeInfo] = {
    "E501": CodeInfo(
        slug="unknown-input",
        title="there is no such input",
        why="Inputs carry Megatron's own argument names, with underscores. A misspelt one would leave the real one "
        "at its default.",
        mend="Take the nearest valid name that the message suggests; `engine schema` lets an editor complete names.",
        example="tensor_parallel_size: 8        # did you mean `tensor_model_parallel_size`?",
    ),
    "E502": CodeInfo(
        slug="input-type",
        title="an input has a value of the wrong type",
        why='Nothing is converted in silence: `"8"` is text, 8.0 is not a whole number, `yes` is text.',
        mend="Write a value of the type that the message names.",
        example='hidden_size: "4096"        # text\nhidden_size: 4096          # mended',
    ),
    "E503": CodeInfo(
        slug="out-of-range",
        title="an input is outside its range",
        why="The range is declared with the input; outside it the formulas mean nothing.",
        mend="Choose a value inside the range that the message names.",
        example="tensor_model_parallel_size: 0        # at least 1",
    ),
    "E504": CodeInfo(
        slug="input-not-a-member",
        title="the value is not one of those that this input can take",
        why="An enumeration lists all its members; another word selects no branch.",
        mend="Take one of the members that the message lists.",
        example="recompute_granularity: ful        # did you mean `full`?",
    ),
    "E505": CodeInfo(
        slug="malformed-layers",
        title="a layer pattern or pipeline layout cannot be read",
        why="These inputs follow Megatron's own small notations, and their length must agree with the number of "
        "layers or stages.",
        mend="Compare with the notation that the message shows.",
        example='moe_layer_freq: "([0]*3+[1]*58"        # the bracket is not closed',
    ),
    "E506": CodeInfo(
        slug="bad-set",
        title="an argument of --set is not `name=value`",
        why="`--set` takes one input's name, `=`, and a value written as in a preset.",
        mend="Write for example `--set tensor_model_parallel_size=8`; put quotes around the whole if the value "
        "holds spaces.",
        example="engine eval rules/ presets/document-7b.yaml --set tensor_model_parallel_size:8",
    ),
    "E507": CodeInfo(
        slug="not-finite",
        title="a number is not finite",
        why="Infinity and not-a-number spread through all sums without a trace of where they came from.",
        mend="Write a finite number, or `null` where the input has a value that stands for its absence.",
        example="device_bytes: .inf",
    ),
    "E508": CodeInfo(
        slug="columns-differ",
        title="the columns of a sweep differ in length",
        why="Each row is one configuration, so every column has one value for it.",
        mend="Give each column as many values as the others; None stands for no value.",
        example='sweep_rows(rules, preset, {"seq_length": [2048, 4096], "micro_batch_size": [1]}, want=[...])',
    ),
    "N501": CodeInfo(
        slug="flag-read-as",
        title="a flag was read as a member of an enumeration",
        why="Some flags (`bf16`, `fp16`) are cell addresses in a spreadsheet, so an enumerated input stands for them.",
        mend="Nothing needs mending; write the enumerated input to be rid of the note.",
        example="bf16: true                 # is read as\nparams_dtype: bf16",
        severity=Severity.NOTE,
    ),
}
