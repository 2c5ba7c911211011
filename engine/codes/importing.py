"""E509 to E511, W5xx and N502: configurations that were written for something else."""

from engine.codes.info import CodeInfo, Severity

CODES: dict[str, CodeInfo] = {
    "E509": CodeInfo(
        slug="unknown-flag",
        title="there is no such launch flag, but one that is nearly it",
        why="A misspelt flag would leave the one that is meant at its default. The launcher refuses it too.",
        mend="Take the flag that the message suggests. A flag of an extension that is not near any other is only "
        "remarked on (W503).",
        example="--tensor-parallel-size 8        # did you mean --tensor-model-parallel-size?",
    ),
    "E510": CodeInfo(
        slug="no-launch-flags",
        title="there are no launch flags in this file",
        why="A script is followed to the command that starts the training, a log is searched for the list of arguments "
        "at its head, and an argument file is a mapping of names to values. Nothing of the kind was found.",
        mend="Name the file that holds the flags; if another program puts them together, give them after `--`.",
        example="engine import megatron -- --num-layers 32 --hidden-size 4096",
    ),
    "E511": CodeInfo(
        slug="script-syntax",
        title="the launch script cannot be read",
        why="A quote, a parenthesis or a block that is opened and never closed leaves it open what is part of it. A "
        "shell would refuse the script too.",
        mend="Close it where the message says what is missing.",
        example='ARGS="--num-layers 32        # the quote is not closed',
    ),
    "W501": CodeInfo(
        slug="value-not-known",
        title="the value of a launch flag is not known",
        why="Nothing of a script is run and the environment of this process is not read. A variable that the script "
        "does not set, or sets to the output of a command, has no value here; its flag counts as not given.",
        mend="Give the variable with `engine import megatron SCRIPT --env NAME=VALUE`, an argument of the script after "
        "its name, or the input with `--set`.",
        example="--tensor-model-parallel-size $TP        # $TP is set nowhere in the script",
        severity=Severity.WARNING,
    ),
    "W502": CodeInfo(
        slug="flag-given-twice",
        title="a launch flag is given twice with different values",
        why="The launcher takes the last, in silence.",
        mend="Remove the one that does not count.",
        example="--micro-batch-size 1 --micro-batch-size 2        # 2 counts",
        severity=Severity.WARNING,
    ),
    "W503": CodeInfo(
        slug="flag-not-known",
        title="a launch flag is not known",
        why="It may belong to an extension of the trainer, or to another release. What it does is not counted.",
        mend="If it moves memory, take the result with caution; an overlay of rules can declare it in `launch_flags`.",
        example="--my-extension 3",
        severity=Severity.WARNING,
    ),
    "W504": CodeInfo(
        slug="not-followed",
        title="a part of the script was not followed",
        why="A script that another one reads in may lie anywhere, and a script may run for ever.",
        mend="Give what it sets with `--env NAME=VALUE`.",
        example="source cluster.sh",
        severity=Severity.WARNING,
    ),
    "W505": CodeInfo(
        slug="condition-not-known",
        title="launch flags depend on a condition that is not known",
        why="Whether a file exists, or what a command prints, is known only when the script runs. What a script adds "
        "under such a condition is not counted.",
        mend="Give what matters with `--set`.",
        example='[ -d "$CKPT" ] && ARGS+=(--load "$CKPT" --recompute-activations)',
        severity=Severity.WARNING,
    ),
    "W506": CodeInfo(
        slug="flag-outside-command",
        title="a launch flag is not part of any command",
        why="A blank behind the `\\` at the end of a line, or a line with a comment, ends a command; a shell takes the "
        "next line for a command of its own.",
        mend="Remove the blank, or move the comment.",
        example="torchrun pretrain_gpt.py \\\n    # the model\n    --num-layers 32",
        severity=Severity.WARNING,
    ),
    "W507": CodeInfo(
        slug="other-flags",
        title="there are further launch flags that are not read",
        why="One configuration is read at a time: of several commands the one with the most flags about memory, of an "
        "argument file the section MODEL_ARGS.",
        mend="Move the command that is meant to a file of its own.",
        example="for TP in 2 4; do torchrun pretrain_gpt.py --tensor-model-parallel-size $TP; done",
        severity=Severity.WARNING,
    ),
    "N502": CodeInfo(
        slug="taken-as-empty",
        title="a condition of a script reads a variable that the script does not set",
        why="The environment of this process is not read, so the variable is taken as empty there.",
        mend="Give it with `--env NAME=VALUE` if it is meant to have another value.",
        example='if [ "$PRECISION" = fp8 ]; then …',
        severity=Severity.NOTE,
    ),
}
