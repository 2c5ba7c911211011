"""Codes without a fixture here."""

# Not reachable by a command yet. This set only ever shrinks, to empty.
PENDING = {"E901", "E902", "E903", "E904", "E905", "E906", "E908", "E909", "E910", "N901"}

# Codes whose fixture would not be readable, and the test that holds them instead.
TESTED_ELSEWHERE = {
    "N806": "tests/audit/test_situations.py: needs the history of a repository",
    "E812": "tests/audit/test_hostile.py: needs a repository",
    "W823": "tests/audit/test_coverage.py: needs the history of a repository",
    "E816": "tests/audit/test_lock.py: needs a file that is edited meanwhile",
    "E112": "tests/unit/test_yaml_source.py: shown after 500 other findings",
    "E508": "tests/unit/test_sweep_columns.py: only a Python program can cause it",
}
