"""E2xx: structure of rule files."""

from engine.codes.info import CodeInfo

CODES: dict[str, CodeInfo] = {
    "E201": CodeInfo(
        slug="unknown-key",
        title="a key is not known here",
        why="An unknown key is a misspelt one. Were it ignored, the value under it would be lost without a word.",
        mend="Take the nearest valid key that the message names, or remove the key. `engine schema` lets an editor "
        "complete the keys.",
        example="rules:\n  log_activation_bytes:\n    titel: Activations        # did you mean `title`?",
    ),
    "E202": CodeInfo(
        slug="missing-key",
        title="a key that is needed is missing",
        why="Each rule has a title, a unit, a formula with its source, and a test, so that whoever meets the number "
        "can find out what it is.",
        mend="Add the key that the message names.",
        example="rules:\n  log_activation_bytes:\n    unit: B                   # `title` is missing",
    ),
    "E203": CodeInfo(
        slug="wrong-type",
        title="a value has the wrong type",
        why="Nothing is converted in silence: text that looks like a number stays text, and `yes` is text, not a flag.",
        mend="Write a value of the type that the message names. Remove quotes around a number; write flags as "
        "`true` or `false`.",
        example='min: "1"        # text\nmin: 1          # mended',
    ),
    "E204": CodeInfo(
        slug="section-not-here",
        title="this section does not belong in this file",
        why="Sources live in `sources.yaml` and views in `views.yaml`, so that there is one place to look for each.",
        mend="Move the section to the file that the message names.",
        example="# rules/states/bytes.yaml\nsources: {...}        # belongs in rules/sources.yaml",
    ),
    "E205": CodeInfo(
        slug="bad-id",
        title="this cannot be the id of a rule or input",
        why="An id is used as it stands in formulas, in Python and as the name of a cell in Excel. It therefore is "
        "snake_case, is not a reserved word, and does not look like a cell address (`bf16` is one: column BF, "
        "row 16).",
        mend="Choose another id in lower-case letters, digits and underscores, beginning with a letter. Two words "
        "are nearly always safe.",
        example="rules:\n  bf16: {...}              # the cell BF16\n  bf16_bytes: {...}        # mended",
    ),
    "E206": CodeInfo(
        slug="duplicate-id",
        title="an id is declared twice",
        why="Rules and inputs share one flat namespace across all files, so that a name means one thing everywhere.",
        mend="Rename or remove one of the two. To replace a rule on purpose, put it into an overlay.",
        example="# rules/a.yaml and rules/b.yaml both declare\nrules:\n  weight_bytes: {...}",
    ),
    "E207": CodeInfo(
        slug="case-collision",
        title="two names differ only in upper and lower case",
        why="Excel does not tell them apart.",
        mend="Rename one of them.",
        example="values: [Full, full]",
    ),
    "E208": CodeInfo(
        slug="unknown-section",
        title="there is no such section",
        why="A file maps section names to entries. An unknown section is a misspelt one, and everything under it "
        "would be lost.",
        mend="Take the nearest valid section that the message names.",
        example="rule:                 # did you mean `rules`?\n  weight_bytes: {...}",
    ),
}
