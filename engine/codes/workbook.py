"""E9xx: workbooks that cannot be built, read or verified."""

from engine.codes.info import CodeInfo, Severity

CODES: dict[str, CodeInfo] = {
    "E901": CodeInfo(
        slug="not-a-workbook",
        title="the file is not a workbook in the .xlsx format",
        why="Only the open .xlsx format is read. A file of the older .xls format, a CSV file or a damaged archive does "
        "not become one by its name.",
        mend="Open the file in the spreadsheet application and save it as Excel workbook (.xlsx).",
        example="engine eval rules/ plan.xls",
    ),
    "E902": CodeInfo(
        slug="workbook-too-large",
        title="the workbook is larger than any that is built here",
        why="A small file can unpack to gigabytes, so sizes are looked at before anything is unpacked.",
        mend="Check that this is the file that was meant. A sheet that was pasted into the workbook is better kept "
        "elsewhere.",
        example="engine workbook read download.xlsx -o preset.yaml",
    ),
    "E903": CodeInfo(
        slug="active-content",
        title="the workbook holds macros, links to other files or the like",
        why="A plan needs none of them, and they make a file act or reach out when it is opened.",
        mend="Save the workbook as .xlsx without macros, and break its links to other workbooks.",
        example="plan.xlsx with xl/vbaProject.bin or xl/externalLinks/",
    ),
    "E904": CodeInfo(
        slug="input-not-found",
        title="the workbook lacks an input of these rules",
        why="Inputs are found by the names of their cells. A name that is missing was deleted, or these rules have an "
        "input that the workbook was built without.",
        mend="Build the workbook anew with these rules; `engine workbook read` brings over what was typed.",
        example="the name hidden_size was deleted in the name manager",
    ),
    "E905": CodeInfo(
        slug="other-rules",
        title="the workbook was built from other rules",
        why="Its formulas and those of the rules would give different numbers for the same inputs.",
        mend="Take its inputs over with `engine workbook read --other-rules`, and build it anew with these rules.",
        example="engine eval rules/ last-years-plan.xlsx",
    ),
    "E906": CodeInfo(
        slug="cell-without-value",
        title="a cell that is typed into holds no value",
        why="A formula counts by the value that the application stored with it, so one without a stored value, or with "
        "an error, says nothing.",
        mend="Type the number itself, or open and save the workbook in a spreadsheet application.",
        example="=8*1024 written by a program that does not calculate",
    ),
    "E907": CodeInfo(
        slug="no-room",
        title="the workbook has no room for the configuration",
        why="The sheets of layers and stages have a fixed number of columns, which formulas rely on.",
        mend="Leave the option out, or give it a larger number; build a workbook anew for a larger configuration.",
        example="engine workbook build rules/ presets/deepseek-v3.yaml -o plan.xlsx --layers 32",
    ),
    "E908": CodeInfo(
        slug="verify-program-missing",
        title="the spreadsheet engine for the recalculation is not installed",
        why="A workbook is verified by recalculation in an engine of foreign make, which is an optional extra.",
        mend="Install what the message names, or choose another engine with `--with`.",
        example="pip install ironcalc",
    ),
    "E909": CodeInfo(
        slug="formula-changed",
        title="a cell does not carry the formula that the rules have for it",
        why="The workbook is the model only as long as each cell carries its rule's formula.",
        mend="Undo the change, or build the workbook anew. A different formula belongs into the rules.",
        example="Ledger!E40: expected =micro_batch_size*data_parallel_size",
    ),
    "E910": CodeInfo(
        slug="value-differs",
        title="a recalculated cell differs from the engine's result",
        why="Workbook and engine must give the same number for the same inputs; beyond 1e-12 of it is no rounding.",
        mend="If the formula is changed as well, undo that. Otherwise it is a fault worth reporting, with the "
        "workbook.",
        example="Ledger!E40: 4096 recalculated, 8192 from the engine",
    ),
    "E911": CodeInfo(
        slug="presentation-changed",
        title="a cell that only presents was changed",
        why="No rule reads such a cell, so every computed value is as it was; but what it shows, such as a size in GB, "
        "may no longer be what the rules say.",
        mend="Undo the change, or build the workbook anew. One's own sums belong on a sheet of one's own.",
        example="Plan!B7: 'fits' in place of =IF(…",
    ),
    "N901": CodeInfo(
        slug="typed-formula",
        title="a typed formula counts by its value",
        why="An input cell may hold a formula of one's own; the preset holds numbers.",
        mend="Nothing needs mending; type the number to be rid of the note.",
        example="=8*1024 in the cell of seq_length counts as 8192",
        severity=Severity.NOTE,
    ),
    "N902": CodeInfo(
        slug="input-changed",
        title="an input is not what it was when the workbook was built",
        why="A workbook is there to be typed into; whoever is handed one wants to know what was.",
        mend="Nothing needs mending. `engine workbook read` writes what is typed as a preset.",
        example="hidden_size: 4096 when built, 8192 now",
        severity=Severity.NOTE,
    ),
}
