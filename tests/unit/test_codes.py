"""The registry of codes: each has a page worth reading."""

import re

import pytest

from engine.codes import FAMILIES, REGISTRY, Severity, page


@pytest.mark.parametrize("code", REGISTRY)
def test_page_is_complete(code: str) -> None:
    info = REGISTRY[code]
    assert re.fullmatch(r"[ENW][1-9]\d\d", code)
    assert code[:2] in FAMILIES
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", info.slug)
    assert not info.title.endswith(".")
    assert info.why.endswith(".")
    assert info.mend.endswith(".")
    assert info.example.strip()
    assert info.severity is {"E": Severity.ERROR, "W": Severity.WARNING, "N": Severity.NOTE}[code[0]]
    text = page(code)
    assert text.startswith(f"# {code} {info.slug}: {info.title}\n")
    assert max(len(line) for line in info.example.splitlines()) <= 120


def test_slugs_differ() -> None:
    assert len({info.slug for info in REGISTRY.values()}) == len(REGISTRY)


def test_modules_hold_their_own_family() -> None:
    families = [code[1] for code in REGISTRY]
    assert families == sorted(families)
