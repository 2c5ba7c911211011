"""The registry of diagnostic codes: one page a code, one module a family.

A code never changes its meaning and is never used again after it has been withdrawn.
"""

from __future__ import annotations

from engine.codes import audit, evaluation, expressions, files, importing, lint, presets, rules, structure, workbook
from engine.codes.info import CodeInfo, Severity

__all__ = ["FAMILIES", "REGISTRY", "CodeInfo", "Severity", "page"]

FAMILIES: dict[str, str] = {
    "E1": "files and YAML",
    "E2": "structure of rule files",
    "E3": "expressions",
    "E4": "rules",
    "E5": "presets and inputs",
    "E6": "evaluation",
    "E8": "the audit of citations",
    "E9": "workbooks",
    "N5": "what was understood",
    "W5": "how launch flags were read",
    "W7": "lint warnings",
    "W8": "the audit of citations",
    "N8": "the audit of citations",
    "N9": "workbooks",
}

REGISTRY: dict[str, CodeInfo] = {
    **files.CODES,
    **structure.CODES,
    **expressions.CODES,
    **rules.CODES,
    **presets.CODES,
    **importing.CODES,
    **evaluation.CODES,
    **lint.CODES,
    **audit.CODES,
    **workbook.CODES,
}


def page(code: str) -> str:
    """Returns the page of a code as Markdown.

    Raises:
        KeyError: there is no such code.
    """
    info = REGISTRY[code]
    indented = "\n".join(f"    {line}".rstrip() for line in info.example.strip("\n").splitlines())
    return (
        f"# {code} {info.slug}: {info.title}\n\n"
        f"Family: {FAMILIES[code[:2]]}. Severity: {info.severity}.\n\n"
        f"## Why\n\n{info.why}\n\n## How to mend it\n\n{info.mend}\n\n## Example\n\n{indented}\n"
    )
