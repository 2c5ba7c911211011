"""E1xx: files that cannot be read, and YAML that is refused."""

from engine.codes.info import CodeInfo

CODES: dict[str, CodeInfo] = {
    "E101": CodeInfo(
        slug="unreadable",
        title="the file cannot be read",
        why="Nothing can be computed from a file that is missing, is a directory, or may not be opened by this user.",
        mend="Check the spelling of the path and the directory that the command runs in, then the file's permissions.",
        example="engine eval rules/ presets/no-such-file.yaml",
    ),
    "E102": CodeInfo(
        slug="not-utf8",
        title="the file is not UTF-8",
        why="Rule files and presets are UTF-8 text, so that a rule reads the same on every machine. The position is "
        "that of the first byte which is not UTF-8; `byte` counts from 0.",
        mend="Save the file as UTF-8 in the editor, or convert it: `iconv -f LATIN1 -t UTF-8 old.yaml > new.yaml`.",
        example="title: caf\\xe9      # the single byte E9 is Latin-1; UTF-8 writes this letter as C3 A9",
    ),
    "E103": CodeInfo(
        slug="too-large",
        title="the file is larger or more deeply nested than any rule file or preset",
        why="Files come from other people. Size, number of values and depth are capped, so that reading a file can "
        "exhaust neither memory nor time. A file beyond the size cap is refused by its size, without being read.",
        mend="Check that this is the file that was meant. Split a rule file by topic (at most about 200 lines each "
        "is the habit here).",
        example="engine eval rules/ /var/log/training.log      # 100 MB of log instead of a preset",
    ),
    "E104": CodeInfo(
        slug="yaml-syntax",
        title="the text is not valid YAML",
        why="The file cannot be understood from this place on. YAML reports the first such place only; other "
        "findings of the same file appear once it is mended.",
        mend="Look at the marked place and at the line before it. Usual reasons: a missing space after `:`, "
        "indentation that does not line up, a tab, an unclosed quote or bracket, a value with `: ` or ` #` "
        "inside that needs quotes.",
        example="title: Attention: parameters of one layer        # refused: the value holds `: `\n"
        'title: "Attention: parameters of one layer"      # mended',
    ),
    "E105": CodeInfo(
        slug="duplicate-key",
        title="a key is given twice in one mapping",
        why="Most YAML readers silently keep the last one. A rule that is silently replaced is worse than a rule "
        "that is missing.",
        mend="Remove or rename one of the two. The note shows where the first one is.",
        example="log_rule:\n  unit: B\n  title: Bytes\n  unit: elem        # E105, the first is two lines above",
    ),
    "E106": CodeInfo(
        slug="no-anchors-or-tags",
        title="anchors, aliases, merge keys, tags and directives are not used here",
        why="A rule must be readable where it stands, and a short file of nested aliases can stand for billions of "
        "values. Tags would let a file choose what its values become.",
        mend="Write the value out at each place. To share a quantity, make it a rule and name the rule.",
        example="cite: &theory [{at: ...}]\ncite: *theory            # refused: write the citation out again",
    ),
    "E107": CodeInfo(
        slug="empty-file",
        title="the file holds nothing",
        why="A file with no content, or with comments only, is more likely a mistake than a wish.",
        mend="Fill the file in or delete it. The presets that ship with the project show what one looks like.",
        example="# to do: write the preset",
    ),
    "E108": CodeInfo(
        slug="binary-file",
        title="the file is binary, not text",
        why="A rule file or preset is text. The position is that of the first byte that no text file holds; it "
        "counts from 0.",
        mend="Pass the YAML file itself, not an archive, an image or a checkpoint.",
        example="engine eval rules/ model.safetensors",
    ),
    "E109": CodeInfo(
        slug="key-not-text",
        title="a key is not text",
        why="All keys are names. A number, `true`, `null`, a list or a mapping as a key is usually a slip: a colon "
        "too much, or braces that were meant as something else.",
        mend='Put the key in quotes if it is meant, for example `"8": ...`; otherwise remove the colon or the braces.',
        example="rows:\n  8: {bytes: 1}        # refused\n  int8: {bytes: 1}     # mended",
    ),
    "E110": CodeInfo(
        slug="one-document",
        title="the file holds more than one YAML document",
        why="One file is one document. What follows a second `---` would otherwise be dropped in silence.",
        mend="Remove the `---` line, or move the second part to a file of its own.",
        example="rules: {...}\n---\nrules: {...}",
    ),
    "E111": CodeInfo(
        slug="control-character",
        title="the text holds a character that cannot be seen",
        why="Control characters, exotic line separators and characters that reverse the reading direction make a "
        "file look different from what it says.",
        mend="Delete the character. It usually came in by copying from a terminal, a PDF or a chat window.",
        example="unit: B\\u202e        # an invisible character that reverses what follows it",
    ),
    "E112": CodeInfo(
        slug="too-many-findings",
        title="there are more findings than are shown",
        why="Beyond 500 findings nobody reads on, and a hostile file could hold millions.",
        mend="Mend the first ones and run again; many findings often have one cause, such as a renamed input or the "
        "wrong file.",
        example="engine lint some/other/project/",
    ),
    "E113": CodeInfo(
        slug="unknown-records",
        title="the file holds no records of a known format",
        why="Which format recorded data have is seen from their content: the keys of the first record.",
        mend="Pass measured runs, parameters or saved tensors of recorded models, runs of the training log's estimate, "
        "or published cases.",
        example="engine validate presets/llama3-8b.yaml",
    ),
}
