"""Runs one function of a file that somebody else wrote, many times, and tells what it returned. Run as a program.

It stands alone: Python's standard library is all that it can import. The file sees a few modules of computation; every
other import, relative ones and torch too, yields a stand-in whose functions return None. Memory, processor time and
files are limited, and files, processes and the network are refused. That keeps accidents away, not a determined
attacker: whoever runs this has decided to run the file.
"""

from __future__ import annotations

import ast
import builtins
import json
import os
import sys
import types
from typing import Any

ALLOWED = (
    "__future__", "abc", "collections", "copy", "dataclasses", "enum", "fractions", "functools", "itertools", "math",
    "numbers", "operator", "statistics", "typing",
)  # fmt: skip
FILE = "<replayed>"
REFUSED = ("open", "os.", "socket.", "subprocess.", "shutil.", "ctypes.", "pty.", "signal.", "import", "tempfile.")
WITHHELD = ("breakpoint", "compile", "eval", "exec", "input", "open")


class _Nothing(types.ModuleType):
    """Stands for a module that is not to be had: each of its functions returns None."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *args, **keywords: None


class _Silence:
    """Takes what is printed and forgets it."""

    def write(self, text: str) -> int:
        return len(text)

    def flush(self) -> None:
        """Does nothing."""


def _import(name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0) -> Any:
    if level == 0 and name.split(".")[0] in ALLOWED:
        return builtins.__import__(name, globals, locals, fromlist, level)
    return _Nothing(name or ".")


class _Branches(ast.NodeTransformer):
    """Wraps each condition in a call that counts how often it held and how often it did not."""

    def __init__(self) -> None:
        self.places: list[tuple[int, str]] = []
        self.counts: list[list[int]] = []

    def visit_If(self, node: ast.If) -> ast.AST:
        return self._wrapped(node, "if")

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        return self._wrapped(node, "if else")

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._wrapped(node, "while")

    def _wrapped(self, node: ast.If | ast.IfExp | ast.While, kind: str) -> ast.AST:
        number = len(self.places)
        self.places.append((node.test.lineno, kind))
        self.counts.append([0, 0])
        self.generic_visit(node)
        name = ast.Name("__count__", ast.Load())
        node.test = ast.copy_location(ast.Call(name, [ast.Constant(number), node.test], []), node.test)
        ast.fix_missing_locations(node)
        return node

    def count(self, number: int, value: Any) -> Any:
        self.counts[number][0 if value else 1] += 1
        return value


class _Watcher:
    """Notes the numbers that functions of the file return and hold when they return."""

    def __init__(self) -> None:
        self.seen: dict[str, dict[str, Any]] = {}

    def __call__(self, frame: Any, event: str, value: Any) -> None:
        code = frame.f_code
        if event != "return" or code.co_filename != FILE or "<" in code.co_name:
            return
        name = getattr(code, "co_qualname", code.co_name).replace(".<locals>.", ".")
        found = self.seen.setdefault(name, {})
        found.update({key: one for key, one in frame.f_locals.items() if _is_number(one)})
        if _is_number(value):
            times = sum(key.startswith("returned") for key in found)
            found["returned" if not times else f"returned[{times}]"] = value


def _is_number(value: Any) -> bool:
    return type(value) in (int, float, bool)


def _limit(task: dict[str, Any]) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    limits = {
        resource.RLIMIT_CPU: task["seconds"], resource.RLIMIT_AS: task["bytes"], resource.RLIMIT_FSIZE: 0,
        resource.RLIMIT_NOFILE: 16, resource.RLIMIT_CORE: 0,
    }  # fmt: skip
    if hasattr(resource, "RLIMIT_NPROC"):
        limits[resource.RLIMIT_NPROC] = 0
    for kind, most in limits.items():
        hard = resource.getrlimit(kind)[1]
        resource.setrlimit(kind, (most, most) if hard == resource.RLIM_INFINITY else (min(most, hard), min(most, hard)))


def _refuse(event: str, arguments: Any) -> None:
    if event.startswith(REFUSED) and not (event == "import" and arguments[0].split(".")[0] in ALLOWED):
        raise PermissionError(f"refused: {event}")


def _loaded(task: dict[str, Any], branches: _Branches) -> Any:
    tree = branches.visit(ast.parse(task["source"], FILE))
    names = {key: value for key, value in vars(builtins).items() if key not in WITHHELD}
    names |= {"__import__": _import, "__count__": branches.count}
    module: dict[str, Any] = {"__builtins__": names, "__name__": "replayed.file", "__package__": "replayed"}
    exec(compile(tree, FILE, "exec"), module)
    if task["function"] not in module:
        raise LookupError(f"the file has no function `{task['function']}`")
    return module[task["function"]]


def _run(function: Any, case: dict[str, Any]) -> dict[str, Any]:
    watcher = _Watcher()
    try:
        sys.setprofile(watcher)
        try:
            returned = function(types.SimpleNamespace(**case["arguments"]), **case["keywords"])
        finally:
            sys.setprofile(None)
    except Exception as error:
        return {"error": f"{type(error).__name__}: {error}"[:300], "seen": watcher.seen}
    values = list(returned) if isinstance(returned, tuple | list) else [returned]
    return {"returned": [value if _is_number(value) else None for value in values], "seen": watcher.seen}


def main() -> None:
    """Reads a task from standard input and writes what came of it to standard output, both as JSON."""
    task = json.loads(sys.stdin.buffer.read())
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for name in ALLOWED:
        __import__(name)
    _limit(task)
    sys.stdout = sys.stderr = _Silence()
    sys.addaudithook(_refuse)
    branches = _Branches()
    try:
        function = _loaded(task, branches)
        cases = [_run(function, case) for case in task["cases"]]
        told = {
            "cases": cases,
            "branches": [[*place, *count] for place, count in zip(branches.places, branches.counts, strict=True)],
        }
    except LookupError as error:
        told = {"failed": str(error)[:300]}
    except BaseException as error:
        told = {"failed": f"{type(error).__name__}: {error}"[:300]}
    channel.write(json.dumps(told))
    channel.flush()


if __name__ == "__main__":
    main()
