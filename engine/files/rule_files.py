"""Which files make up a rule set."""

from __future__ import annotations

from pathlib import Path

from engine.diagnostics import Findings


def rule_files(root: Path, findings: Findings) -> list[Path]:
    """Lists the rule files of a folder in a fixed order."""
    if root.is_file():
        return [root]
    if not root.is_dir():
        findings.add("E101", f"there is no folder or file `{root}`", help="give the folder that holds the rule files")
        return []
    files = sorted(path for path in root.rglob("*.yaml") if path.is_file())
    if not files:
        findings.add("E107", f"the folder `{root}` holds no rule files", help="rule files end in .yaml")
    return files
