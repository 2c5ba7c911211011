"""Published cases and layouts: verdicts, failing checks, heaviest stages, and figures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine import RuleSet
from engine.validate import Report, validate
from engine.validate.data import read

DATA = Path(__file__).parent.parent / "data" / "cases_checks.yaml.xz"


@pytest.fixture(scope="module")
def content() -> dict[str, Any]:
    ((_, found),) = read(DATA)
    return dict(found)


@pytest.fixture(scope="module")
def report() -> Report:
    return validate(RuleSet.load(), [DATA])


def test_all_cases_agree(report: Report) -> None:
    assert not report.failed
    assert not report.skipped


def test_nothing_that_a_case_says_is_dropped(report: Report, content: dict[str, Any]) -> None:
    cases, layouts = content["records"], content["published_layouts"]
    assert (len(cases), len(layouts)) == (35, 16)
    assert sum(len(case["expect"]["checks"]) for case in cases) == 230
    assert sum(len(layout["expect"]["checks"]) for layout in layouts) == 49
    everything = [*cases, *layouts]
    expected = Counter(check["id"] for case in everything for check in case["expect"]["checks"])
    expected["failing_checks"] += len(everything)
    expected["verdict"] += sum(case["expect"]["verdict"] is not None for case in everything)
    for key, quantity in (("heaviest_stage", "peak_stage"), ("dominant", "dominant_component")):
        expected[quantity] += sum(case["expect"].get(key) is not None for case in everything)
    assert Counter(row.quantity for row in report.rows) == expected
