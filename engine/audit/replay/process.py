"""Runs `child.py` in a process of its own: without this one's environment, in an empty folder, for a limited time."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

SECONDS = 60
BYTES = 2_000_000_000
_LARGEST_ANSWER = 200_000_000
_CHILD = Path(__file__).with_name("child.py")


class ReplayError(Exception):
    """The function cannot be run; the text says why."""


def run_cases(source: str, function: str, cases: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Runs a function for each case.

    Args:
        source: text of the file.
        function: its function.
        cases: `arguments`, attributes of the first argument, and `keywords`, further arguments.

    Returns:
        `cases`, each with `returned` or `error` and the numbers `seen` by function; and `branches`: line, kind, and how
        often the condition held and did not.

    Raises:
        ReplayError: it cannot be run, takes too long, or answers with something else.
    """
    task = {"source": source, "function": function, "cases": list(cases), "seconds": SECONDS, "bytes": BYTES}
    with tempfile.TemporaryDirectory(prefix="replay-") as folder, tempfile.TemporaryFile() as given:
        given.write(json.dumps(task).encode())
        given.seek(0)
        answer = _answer(given, folder)
    try:
        told = json.loads(answer)
        if "failed" in told:
            raise ReplayError(str(told["failed"]))
        if len(told["cases"]) != len(cases):
            raise ValueError
    except (ValueError, TypeError, KeyError, RecursionError):
        raise ReplayError("the process ended without an answer, or answered with something else") from None
    return dict(told)


def _answer(given: Any, folder: str) -> bytes:
    # isolated, without site-packages: nothing but the standard library can be imported
    command = [sys.executable, "-I", "-S", "-B", str(_CHILD)]
    environment = {name: os.environ[name] for name in ("SYSTEMROOT",) if name in os.environ}
    process = subprocess.Popen(
        command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=environment,
        start_new_session=True,
    )  # fmt: skip
    timer = threading.Timer(2 * SECONDS, _end, [process])
    timer.start()
    try:
        assert process.stdout is not None
        answer = process.stdout.read(_LARGEST_ANSWER + 1)
    finally:
        late = not timer.is_alive()
        timer.cancel()
        _end(process)
        process.wait()
        if process.stdout is not None:
            process.stdout.close()
    if late:
        raise ReplayError(f"it took longer than {2 * SECONDS} s")
    if len(answer) > _LARGEST_ANSWER:
        raise ReplayError("it answered with more than can be read")
    return answer


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process and what it has started, if it still runs."""
    if process.poll() is None:
        try:
            if hasattr(os, "killpg"):
                os.killpg(process.pid, signal.SIGKILL)
            else:
                process.kill()
        except OSError:  # it has just ended
            process.kill()
