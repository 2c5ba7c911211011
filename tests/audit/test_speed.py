"""400 citations are audited in less than 3 s of processor time, in a repository made for the purpose."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from random import Random

from engine.audit.source_text import SourceText
from tests.support.clock import processor_seconds
from tests.support.miniature import ALIAS, Miniature, write_rules
from tests.support.mutations import random_places, random_source

FILES, EACH = 20, 20
LIMIT = 3.0


def test_400_citations(tmp_path: Path) -> None:
    random = Random(400)
    texts = {f"pkg/part{number}.py": _source(random) for number in range(FILES)}
    cited = {}
    for path, text in texts.items():
        places = random_places(random, SourceText(path, text.encode()), EACH)
        cited |= {f"rule_{len(cited) + n}": (f"{path}#{place.lines}", place.symbol) for n, place in enumerate(places)}
    mini = Miniature(tmp_path / "mini")
    rules = write_rules(tmp_path / "rules", mini.commit(texts), cited)
    for _ in range(10):  # a history, and edits in every file
        texts = {path: f"import sys\n{_edited(random, text)}" for path, text in texts.items()}
        mini.commit(texts)
    command = [sys.executable, "-m", "engine", "audit", str(rules), f"--source={ALIAS}={mini.folder}", "--at", "main"]
    environment = os.environ | {"ENGINE_CACHE": str(tmp_path / "cache")}
    taken = []
    for _ in range(3):  # the first one fills the cache of rule sets
        before = processor_seconds()
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        taken.append(processor_seconds() - before)
        assert done.returncode == 1
        assert "400 citations of code against mini" in done.stdout
    assert min(taken) < LIMIT, taken


def _source(random: Random) -> str:
    """Returns a file of some 1,500 lines, each function with a name of its own."""
    return "".join(random_source(random).replace("def f", f"def part{number}_f") for number in range(12))


def _edited(random: Random, text: str) -> str:
    """Changes a name in three lines."""
    lines = text.split("\n")
    for _ in range(3):
        at = random.randrange(len(lines))
        lines[at] = lines[at].replace("hidden", "other")
    return "\n".join(lines)
