"""Codes without a fixture here."""

# Not reachable by a command yet. This set only ever shrinks, to empty.
PENDING: set[str] = set()

# Codes whose fixture would not be readable, and the test that holds them instead.
TESTED_ELSEWHERE = {
    "E112": "tests/unit/test_yaml_source.py: shown after 500 other findings",
    "E508": "tests/unit/test_sweep_columns.py: only a Python program can cause it",
}
