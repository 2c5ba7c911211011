"""What commands share: colour, findings on standard error, results on standard output or in a file."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

if TYPE_CHECKING:
    from engine.diagnostics import Diagnostic

WIDTH = 100
"""Columns of the output where there is no terminal, and the most that is used of one."""


class CannotRun(click.ClickException):
    """The command cannot do its work, for a reason that is no finding about a file."""

    exit_code = 2

    def show(self, file: TextIO | None = None) -> None:  # type: ignore[override]
        """Prints the message in the form of the findings."""
        click.echo(f"error: {self.message}", err=True, file=file)


def colored(stream: TextIO | None) -> bool:
    """Whether to colour what goes to a stream: a terminal, neither NO_COLOR nor a dumb one; not a closed one."""
    return bool(stream and stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb")


def width() -> int:
    """Returns the columns to fill."""
    if not (sys.stdout and sys.stdout.isatty()):
        return WIDTH
    return max(60, min(WIDTH, shutil.get_terminal_size((WIDTH, 24)).columns))


def painter(*, painted: bool) -> Callable[[str, str], str]:
    """Returns what puts a style (`engine.render.text.Paint`) on a text, or leaves it as it is."""
    return _paint if painted else lambda text, style: text


def _paint(text: str, style: str) -> str:
    words = style.split()
    if not words or not text.strip():
        return text
    color = next((word for word in words if word not in ("bold", "dim")), None)
    return click.style(text, fg=color, bold="bold" in words or None, dim="dim" in words or None)


def print_findings(diagnostics: Iterable[Diagnostic]) -> None:
    """Prints findings to standard error."""
    from engine.diagnostics import render

    click.echo(render(diagnostics, color=colored(sys.stderr)), err=True, nl=False, color=colored(sys.stderr))


def emit(text: str, output: str | None = None) -> None:
    """Prints a result to standard output, or writes it to a file, whole or not at all.

    Raises:
        CannotRun: the file cannot be written.
    """
    if output in (None, "-"):
        if not text:
            return
        click.echo(text, nl=not text.endswith("\n"), color=True)
        return
    from engine.files.whole import replacing

    path, content = Path(str(output)), (text if text.endswith("\n") else text + "\n").encode()
    try:
        if path.exists() and not path.is_file():  # a device or a pipe
            path.write_bytes(content)
        else:
            with replacing(path) as temporary:
                temporary.write_bytes(content)
    except OSError as error:
        raise CannotRun(f"cannot write {output}: {(error.strerror or str(error)).lower()}") from error
