"""Codes without a fixture here."""

# Not reachable by a command yet. This set only ever shrinks, to empty.
PENDING: set[str] = set()

# Codes whose fixture would not be readable, and the test that holds them instead.
TESTED_ELSEWHERE = {
    "E902": "tests/workbook/test_hostile.py: needs a workbook",
    "E903": "tests/workbook/test_hostile.py: needs a workbook",
    "E905": "tests/workbook/test_read.py: needs a workbook",
    "E906": "tests/workbook/test_read.py: needs a workbook",
    "E908": "tests/workbook/test_verify.py: needs an installation without extras",
    "E909": "tests/workbook/test_verify.py: needs a workbook",
    "E910": "tests/workbook/test_verify.py: needs a workbook",
    "E911": "tests/workbook/test_audit.py: needs a workbook",
    "N901": "tests/workbook/test_read.py: needs a workbook",
    "N902": "tests/workbook/test_audit.py: needs a workbook",
    "N806": "tests/audit/test_situations.py: needs the history of a repository",
    "E812": "tests/audit/test_hostile.py: needs a repository",
    "W823": "tests/audit/test_coverage.py: needs the history of a repository",
    "E816": "tests/audit/test_lock.py: needs a file that is edited meanwhile",
    "E112": "tests/unit/test_yaml_source.py: shown after 500 other findings",
    "E508": "tests/unit/test_sweep_columns.py: only a Python program can cause it",
}
