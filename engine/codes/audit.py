"""E8xx, W8xx, N8xx: what the audit of citations finds, and what keeps it from working."""

from engine.codes.info import CodeInfo, Severity

_AUDIT = "engine audit rules --source megatron=Megatron-LM"

CODES: dict[str, CodeInfo] = {
    "E801": CodeInfo(
        slug="citation-broken",
        title="a citation is not true at its own commit",
        why="At the pinned commit the lines are not there, are in another function than `in` says, hold only comments, "
        "or do not say what `citations.lock` accepted. Nothing that happened upstream since can cause this.",
        mend="Correct the lines or the symbol. `engine show ID --source ALIAS=CHECKOUT` prints the cited lines beside "
        "the rule. If the lines are right and other ones were accepted before: `engine accept ID --reason …`.",
        example='cite: [{at: "megatron:megatron/training/arguments.py#L1-L5", in: validate_args}]   # module level',
    ),
    "E802": CodeInfo(
        slug="citation-changed",
        title="the cited code has changed",
        why="The place was found, but its code differs from what the rule was made from. The rule may still be right; "
        "nobody has looked.",
        mend="Read the new lines. Mend the rule and move the pin with `engine bump`, or accept the change with a "
        "reason: `engine accept ID --reason …`.",
        example=f"{_AUDIT} --at main\n-        total += 3\n+        total += 4",
    ),
    "E803": CodeInfo(
        slug="citation-missing",
        title="the cited code is gone",
        why="Neither the lines, nor anything like them, nor their function in another file was found.",
        mend="Find out what took its place (the message names the commit where it is known), then cite that or "
        "remove the rule.",
        example=f"{_AUDIT} --at main        # the function was removed",
    ),
    "E804": CodeInfo(
        slug="citation-ambiguous",
        title="the cited code could be in several places",
        why="The same lines came in more than one place, and nothing tells which of them is the cited one.",
        mend="Cite more lines, so that the place is unique, or cite the right place at a newer commit.",
        example=f"{_AUDIT} --at main        # the function was copied to two others",
    ),
    "N805": CodeInfo(
        slug="citation-moved",
        title="the cited code stands elsewhere",
        why="The same code is now on other lines, in a renamed function or in another file. The rule is still true.",
        mend="Nothing has to be done. `engine bump ALIAS REV` moves the pin and rewrites the line numbers.",
        example=f"{_AUDIT} --at main        # an import was added above",
        severity=Severity.NOTE,
    ),
    "N806": CodeInfo(
        slug="citation-cosmetic",
        title="only comments, docstrings or layout of the cited code differ",
        why="The code says the same; its tokens are equal.",
        mend="Look at the new comment, it may say something about the rule; then accept it with `engine accept ID`.",
        example="-        * config.hidden  # all matrices\n+        * config.hidden  # four matrices",
        severity=Severity.NOTE,
    ),
    "W807": CodeInfo(
        slug="citation-unverified",
        title="a citation could not be checked",
        why="No checkout of its source was given, or the checkout lacks the pinned commit and the lock does not hold "
        "the citation.",
        mend="Give a checkout with history: `--source ALIAS=CHECKOUT`; in a shallow clone `git fetch --unshallow`.",
        example="engine audit rules        # without --source",
        severity=Severity.WARNING,
    ),
    "E810": CodeInfo(
        slug="no-checkout",
        title="a source cannot be audited: no such alias or folder",
        why="`--source` names a source of `sources.yaml` and the folder of a checkout of it.",
        mend="Correct the alias or the folder.",
        example="engine audit rules --source megatorn=Megatron-LM        # did you mean `megatron`?",
    ),
    "E811": CodeInfo(
        slug="git-cannot-be-used",
        title="git cannot be used",
        why="A revision, the pinned commit and the history are read with git. It is not installed, the folder is not "
        "a repository, or it took too long.",
        mend="Install git, or give a git checkout. Without a revision a plain folder will do.",
        example="engine audit rules --source megatron=unpacked-archive --at v0.9",
    ),
    "E812": CodeInfo(
        slug="no-such-revision",
        title="there is no such revision",
        why="The checkout has no commit of that name. Names that look like an option are refused.",
        mend="Fetch it, or correct the name; `git log` in the checkout shows what there is.",
        example=f"{_AUDIT} --at man        # main",
    ),
    "E814": CodeInfo(
        slug="lock-malformed",
        title="a line of citations.lock cannot be used",
        why="The lock is written by `engine accept` and `engine bump`, one JSON object a line. An edit or a merge has "
        "damaged it.",
        mend="Take the line from version control, or delete it and accept the citation again.",
        example='{"rule": "log_layer_bytes", "branch": 0,        # the rest is missing',
    ),
    "E815": CodeInfo(
        slug="not-accepted",
        title="a citation is not accepted",
        why="The lock says which lines somebody has read. Lines that say something else than before are accepted only "
        "with a reason; broken citations never are.",
        mend="Read the lines, then give the reason: `engine accept ID --reason …`. Mend broken citations first.",
        example="engine accept log_layer_bytes --source megatron=Megatron-LM        # the code has changed",
    ),
    "E821": CodeInfo(
        slug="coverage-fell",
        title="too little of a watched file is cited",
        why="`watch.yaml` names code that the rules must follow and the least share of its statements that rules cite. "
        "A statement that nobody cites may hold a term that the rules lack.",
        mend="Cite the statements that the audit lists. What the rules need not know is waived with a reason, under "
        "`waive`.",
        example="engine audit rules --source megatron=Megatron-LM --coverage --min-coverage 80",
    ),
    "E822": CodeInfo(
        slug="watch-finds-nothing",
        title="a watched file or symbol is not there",
        why="A name in `watch.yaml` that matches nothing at the pinned commit watches nothing.",
        mend="Correct the path or the pattern; `<module>` stands for what is outside of functions and classes.",
        example="symbols: [compute_activation_memroy]        # did you mean `compute_activation_memory`?",
    ),
    "E830": CodeInfo(
        slug="replay-cannot-run",
        title="a cited function cannot be run",
        why="`engine audit --replay` runs functions of the checkout that `watch.yaml` names, in a process of their own "
        "with limits. This one is not there, cannot be loaded, or took too long.",
        mend="Correct the path or the name in `watch.yaml`, or audit a revision that has the function.",
        example="engine audit rules --replay --source megatron=Megatron-LM --at v0.1",
    ),
    "E831": CodeInfo(
        slug="replay-differs",
        title="a cited function computes something else than the rules",
        why="For the same configuration the function of the checkout and the rules lead to different numbers. The rule "
        "that is named reads nothing that is known to differ; what reads it differs because of it.",
        mend="Compare the rule's formula with the cited lines: a coefficient, a divisor or a branch is not the same.",
        example="engine audit rules --replay --source megatron=Megatron-LM --at main",
    ),
    "W823": CodeInfo(
        slug="new-in-watched-code",
        title="watched code has something new",
        why="A function, an attribute of a class or a call that `watch.yaml` looks for came since the pinned commit: "
        "the source may have gained a feature that the rules do not know.",
        mend="Read it. If the rules must know it, add a rule; moving the pin with `engine bump` makes it known.",
        example="engine audit rules --source megatron=Megatron-LM --at main --coverage",
        severity=Severity.WARNING,
    ),
    "W824": CodeInfo(
        slug="waiver-not-needed",
        title="a waiver is not needed",
        why="Rules cite the waived statements, or there are none in these lines.",
        mend="Remove the waiver, or correct its lines.",
        example='waive: [{at: "megatron:a.py#L1-L3", in: f, reason: prints}]        # rules cite L1-L3',
        severity=Severity.WARNING,
    ),
    "E816": CodeInfo(
        slug="not-rewritten",
        title="a rule file cannot be rewritten",
        why="Line numbers and commits are replaced by exact edits of the text. The place was not found as it was "
        "read, so the file may have been edited meanwhile. No file was changed.",
        mend="Run the command again.",
        example="engine bump megatron main --source megatron=Megatron-LM",
    ),
}
