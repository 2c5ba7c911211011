"""A miniature source repository with rules that cite it, made by a script."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

from engine import RuleSet
from engine.audit import Audit, Verdict, audit

ALIAS = "mini"
FORMULAS = "pkg/formulas.py"

SOURCE = '''"""Formulas of a small model."""

import math

BYTES = 1024 * 1024


class Config:
    """Sizes."""

    hidden: int = 64
    heads: int = 4
    """Heads of the attention."""

    def width(self):
        # the width of one head
        return self.hidden // self.heads


def attention(config, tensor_parallel):
    ratio = config.width() / config.hidden
    if tensor_parallel > 1:
        ratio = ratio / tensor_parallel
    weights = (
        4
        * config.hidden  # all matrices
        * config.hidden
    )

    def shared(value):
        return value * 2

    return shared(weights) * ratio


def mlp(config, tensor_parallel):
    ratio = config.width() / config.hidden
    if tensor_parallel > 1:
        ratio = ratio / tensor_parallel
    total = 0
    for layer in range(config.heads):
        total += layer * 8
        total += 3
    return total * ratio


def report(config):
    total = attention(config, 2)
    total = total + mlp(config, 2)
    total = total + mlp(config, 4)
    print(f"total {total / BYTES:.2f}")
    return math.ceil(total)
'''
"""`ratio` of attention and mlp are twins of three lines; `total += 3` and the like occur once."""

CITED = {
    "bytes_constant": (5, 5, ""),
    "head_width": (17, 17, "Config.width"),
    "attention_ratio": (21, 23, "attention"),
    "attention_weights": (24, 28, "attention"),
    "shared_factor": (31, 31, "attention.shared"),
    "mlp_ratio": (37, 39, "mlp"),
    "mlp_sum": (41, 43, "mlp"),
    "mlp_step": (43, 43, "mlp"),
    "report_sum": (48, 50, "report"),
}
"""Rule: first line, last line and symbol that it cites in `SOURCE`."""


def line_of(text: str, part: str, source: str = SOURCE) -> int:
    """Returns the number of the only line that holds a text."""
    (number,) = [number for number, line in enumerate(source.split("\n"), 1) if text + part in line]
    return number


class Miniature:
    """A git repository in a folder; every command is given a fixed author and date."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self._clock = 1_700_000_000

    def git(self, *arguments: str) -> str:
        """Runs git in the repository and returns what it prints."""
        environment = {key: value for key, value in os.environ.items() if not key.startswith("GIT_")}
        stamp = f"{getattr(self, '_clock', 1_700_000_000)} +0000"
        environment |= {
            "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@b", "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@b", "GIT_COMMITTER_DATE": stamp,
        }  # fmt: skip
        command = ["git", "-c", "core.autocrlf=false", "-c", "protocol.file.allow=always", *arguments]
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, check=True)
        return done.stdout.decode()

    def write(self, path: str, content: str | bytes) -> None:
        """Writes a file."""
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())

    def commit(self, files: Mapping[str, str | bytes | None] | None = None) -> str:
        """Writes files (None deletes one), commits everything and returns the commit."""
        for path, content in (files or {}).items():
            if content is None:
                (self.folder / path).unlink()
            else:
                self.write(path, content)
        self.git("add", "-A")
        self._clock += 86_400
        self.git("commit", "-q", "--allow-empty", "-m", "change")
        return self.git("rev-parse", "HEAD").strip()


def write_rules(folder: Path, commit: str, cited: Mapping[str, tuple[str, str]]) -> Path:
    """Writes rules that cite; `cited` maps the rule's id to `path#L1-L2` and symbol."""
    folder.mkdir(parents=True, exist_ok=True)
    source = f"sources:\n  {ALIAS}: {{repo: example/mini, commit: {commit}, licence: MIT}}\n"
    (folder / "sources.yaml").write_text(source, encoding="utf-8")
    text = "rules:\n"
    for rule, (where, symbol) in cited.items():
        text += f"  {rule}:\n    title: A rule\n    unit: elem\n    formula: elem(1)\n"
        text += f'    cite: [{{at: "{ALIAS}:{where}", in: "{symbol}"}}]   # kept as it is\n'
    (folder / "rules.yaml").write_text(text, encoding="utf-8")
    return folder


def load_rules(folder: Path, commit: str, cited: Mapping[str, tuple[str, str]] | None = None) -> RuleSet:
    """Loads rules that cite; without `cited` those of `CITED`."""
    return RuleSet.load(write_rules(folder, commit, cited or standard()))


def standard() -> dict[str, tuple[str, str]]:
    """Returns `CITED` as `write_rules` takes it."""
    return {
        rule: (f"{FORMULAS}#L{first}" + (f"-L{last}" if last != first else ""), symbol)
        for rule, (first, last, symbol) in CITED.items()
    }


def verdicts(result: Audit) -> dict[str, Verdict]:
    """Returns the verdict by rule."""
    return {one.cited.rule: one.verdict for one in result.code_citations}


def states(result: Audit) -> dict[str, str]:
    """Returns the state by rule."""
    return {rule: str(verdict.state) for rule, verdict in verdicts(result).items()}


def audited(rules: RuleSet, folder: Path, at: str | None = None) -> Audit:
    """Audits rules against a folder."""
    return audit(rules, {ALIAS: folder}, at=at)
