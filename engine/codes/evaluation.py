"""E6xx: what goes wrong while rules are evaluated."""

from engine.codes.info import CodeInfo

CODES: dict[str, CodeInfo] = {
    "E601": CodeInfo(
        slug="division-by-zero",
        title="a rule divides by zero",
        why="The rule has no value, nor has any rule that needs it; all else is still computed. The message names "
        "the operands.",
        mend="Change the input that makes the divisor zero. In a rule, guard the case with `cases`.",
        example="formula: total_bytes / num_experts        # num_experts = 0 for a dense model",
    ),
    "E602": CodeInfo(
        slug="unavailable",
        title="a value that was asked for needs inputs that are missing",
        why="Nothing is defaulted in silence: the branch that applies reads an input which was not given and has no "
        "default.",
        mend="Give the inputs that the message names, in the preset or with `--set name=value`.",
        example="engine eval rules/ presets/document-7b.yaml --only mla_latent_params        # needs `kv_lora_rank`",
    ),
    "E603": CodeInfo(
        slug="outside-function-domain",
        title="a function is called outside its domain",
        why="A logarithm of 0, a root of a negative number or an index beyond the last element has no value.",
        mend="Change the input that leads there. In a rule, guard the case with `cases`.",
        example="formula: log2(num_microbatches - 1)        # num_microbatches = 1",
    ),
    "E604": CodeInfo(
        slug="unknown-output",
        title="there is no such rule or input",
        why="The name that was asked for is neither a rule nor an input of these rules.",
        mend="Take the nearest valid name that the message suggests.",
        example="engine show log_total_bytes        # did you mean `log_total_mib`?",
    ),
}
