"""How many ranks a launch command starts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence

from engine.diagnostics import Source
from engine.importing.given import Given
from engine.importing.shell_scope import Value
from engine.importing.words import Piece, Word, after, plain, span, unknown

_TORCH = ("torchrun", "torch.distributed.run", "torch.distributed.launch", "ft_launcher", "deepspeed")
_TASKS = ("srun", "sbatch", "salloc")
_MPI = ("mpirun", "mpiexec", "mpiexec.hydra", "orterun")
_SHORT = {"-N": "nodes", "-n": "ntasks", "-np": "np", "--np": "np"}
_SBATCH = re.compile(r"^#SBATCH[ \t]+(.*)$", re.MULTILINE)

LAUNCHER_FLAGS = frozenset(
    {
        "nproc-per-node",
        "nnodes",
        "node-rank",
        "master-addr",
        "master-port",
        "rdzv-id",
        "rdzv-backend",
        "rdzv-endpoint",
        "rdzv-conf",
        "max-restarts",
        "monitor-interval",
        "log-dir",
        "redirects",
        "tee",
        "standalone",
        "no-python",
        "local-addr",
        "role",
        "run-path",
        "start-method",
        "module",
        "hostfile",
        "num-gpus",
        "num-nodes",
        "use-env",
        "local-ranks-filter",
    }
)
"""Options of launchers, for commands whose training script cannot be told apart."""


def world_size(launchers: Sequence[Sequence[Word]], environment: Mapping[str, Value], source: Source) -> Given | None:
    """Returns the number of ranks as a flag; None if the command does not state it.

    Args:
        launchers: the words before the training script, of the command and of those that run it, the innermost first.
        environment: the variables that the command sees.
        source: the file, whose lines may give options to the scheduler.
    """
    for words in launchers:
        names = {plain(word).rpartition("/")[2] for word in words}
        if not names.isdisjoint(_TORCH):
            options = _options(words)
            per_node = options.get("nproc-per-node") or options.get("num-gpus")
            nodes = options.get("nnodes") or options.get("num-nodes")
            return _product(per_node, nodes, source)
    scheduled = _scheduled(source)
    for words in launchers:
        names = {plain(word).rpartition("/")[2] for word in words}
        if not names.isdisjoint(_MPI):
            options = _options(words)
            count = options.get("np") or options.get("ntasks")
            return _product(count, None, source) if count else None
        if not names.isdisjoint(_TASKS):
            options = {**scheduled, **_options(words)}
            if "ntasks" in options and "ntasks-per-node" not in _options(words):
                return _product(options["ntasks"], None, source)
            if "ntasks-per-node" in options:
                return _product(options["ntasks-per-node"], options.get("nodes"), source)
    value = environment.get("WORLD_SIZE")
    return _product(value, None, source) if isinstance(value, tuple) and value and not unknown(value) else None


def _options(words: Iterable[Word]) -> dict[str, Word]:
    """Returns the options of a launcher by name, with dashes."""
    found: dict[str, Word] = {}
    waiting = ""
    for word in words:
        text = plain(word)
        if text.startswith("-") and len(text) > 1 and not text[1].isdigit():
            name, equals, _ = text.partition("=")
            name = _SHORT.get(name, name.lstrip("-").replace("_", "-"))
            waiting = "" if equals else name
            if equals:
                found[name] = after(word, len(text) - len(text.partition("=")[2]))
        elif waiting:
            found[waiting] = word
            waiting = ""
    return found


def _scheduled(source: Source) -> dict[str, Word]:
    """Returns the options that comments give to the scheduler."""
    words: list[Word] = []
    for match in _SBATCH.finditer(source.text):
        try:
            texts = shlex.split(match[1], comments=True)
        except ValueError:
            continue
        at = match.start(1)
        for text in texts:
            start = source.text.find(text, at, match.end())
            at = max(at, start)
            words.append((Piece(text, at, at + len(text)),))
    return _options(words)


def scheduled_variables(source: Source) -> dict[str, str]:
    """Returns the variables that Slurm sets in a job for the options that comments of its script give."""
    options = {name: plain(word) for name, word in _scheduled(source).items()}
    counts = {name: text for name, text in options.items() if re.fullmatch(r"[1-9][0-9]{0,6}", text)}
    if "ntasks" not in options and "nodes" in counts and "ntasks-per-node" in counts:
        counts["ntasks"] = str(int(counts["nodes"]) * int(counts["ntasks-per-node"]))
    for name in ("gpus-per-node", "gres"):  # 8, gpu:8 or gpu:h100:8
        if found := re.fullmatch(r"(?:gpu:)?(?:[a-z][\w.-]*:)?([1-9][0-9]{0,2})", options.get(name, "")):
            counts.setdefault("gpus", found[1])
    return {variable: counts[name] for variable, name in _VARIABLES.items() if name in counts}


_VARIABLES = {
    "SLURM_NNODES": "nodes",
    "SLURM_JOB_NUM_NODES": "nodes",
    "SLURM_NTASKS": "ntasks",
    "SLURM_NPROCS": "ntasks",
    "SLURM_NTASKS_PER_NODE": "ntasks-per-node",
    "SLURM_GPUS_ON_NODE": "gpus",
}


def _product(count: Word | None, nodes: Word | None, source: Source) -> Given:
    """Returns ranks of a node times nodes, one where a launcher is not told."""
    given = [word for word in (count, nodes) if word]
    where = span(given[0], source) if given else None
    total = 1
    for word in given:
        reason = unknown(word)
        text = plain(word)
        if reason or not text.isdigit() or not 0 < int(text[:12]) <= 10**7:
            reason = reason or f"`{text}` is no number of processes"
            return Given("world-size", None, span(word, source), None, reason)
        total *= int(text)
    return Given("world-size", total, where, where)
