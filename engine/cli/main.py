"""The `engine` command: imports a command when it is called, and turns every way of failing into an exit code.

0 clean, 1 findings, 2 could not run, 130 interrupted, 141 the reader of the output went away.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click

from engine.cli.terminal import CannotRun, print_findings

LAZY = {
    "eval": "engine.cli.eval",
    "scenarios": "engine.cli.scenarios",
    "slices": "engine.cli.slices",
    "import": "engine.cli.importing",
    "workbook": "engine.cli.workbook",
    "explain": "engine.cli.explain",
    "show": "engine.cli.show",
    "diff": "engine.cli.diff",
    "graph": "engine.cli.graph",
    "lint": "engine.cli.lint",
    "cites": "engine.cli.cites",
    "audit": "engine.cli.audit",
    "accept": "engine.cli.accept",
    "bump": "engine.cli.bump",
    "test": "engine.cli.test",
    "validate": "engine.cli.validate",
    "schema": "engine.cli.schema",
}
"""Module of each command; its attribute `command` is the click command."""

CANNOT_RUN, INTERRUPTED, READER_GONE = 2, 130, 141


def _remember_debug(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.find_root().meta["engine.debug"] = True


def _debug_option() -> click.Option:
    return click.Option(
        ["--debug"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_remember_debug,
        help="Show the traceback of an error.",
    )


class Engine(click.Group):
    """Group whose commands are imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Returns the commands in the order in which they are explained."""
        return list(LAZY)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Imports a command; each takes `--debug` too, since people add it at the end of the line."""
        if cmd_name not in LAZY:
            return None
        command: click.Command = import_module(LAZY[cmd_name]).command
        if not any("--debug" in parameter.opts for parameter in command.params):
            command.params.append(_debug_option())
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Finds a command; for an unknown one the nearest is suggested."""
        if args and args[0] not in LAZY and not args[0].startswith("-"):
            from engine.diagnostics import nearest

            near = nearest(args[0], LAZY)
            mend = f"did you mean `{near}`?" if near else "`engine --help` lists the commands"
            ctx.fail(f"there is no command `{args[0]}`; {mend}")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Runs a command. Its return value is the exit code; None means 0."""
        try:
            code = super().invoke(ctx)
            if sys.stdout:
                sys.stdout.flush()
        except BrokenPipeError:
            _let_go_of_output()
            code = READER_GONE
        except KeyboardInterrupt:
            _traceback_if_wanted(ctx)
            code = INTERRUPTED
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except Exception as error:
            _traceback_if_wanted(ctx)
            code = _failed(error)
        ctx.exit(code or 0)


def _traceback_if_wanted(ctx: click.Context) -> None:
    if ctx.find_root().meta.get("engine.debug"):
        import traceback

        click.echo(traceback.format_exc(), err=True, nl=False)


def _failed(error: Exception) -> int:
    """Tells an error without its traceback."""
    from engine.diagnostics import EngineError

    if isinstance(error, EngineError):
        print_findings(error.diagnostics)
        return CANNOT_RUN
    if isinstance(error, OSError) and error.filename:
        raise CannotRun(f"{error.filename}: {(error.strerror or str(error)).lower()}") from error
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EIO):
        _let_go_of_output()
        raise CannotRun(f"cannot write the output: {(error.strerror or str(error)).lower()}") from error
    message = f"internal error: {type(error).__name__}: {error}"
    raise CannotRun(f"{message}\nThis is a fault of the program; --debug shows where it happened.") from error


def _let_go_of_output() -> None:
    """Points standard output at nothing, so that flushing at exit does not fail a second time."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # standard output is not a file, as under a test runner
        sys.stdout = None


@click.group(
    cls=Engine,
    params=[_debug_option()],
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(package_name="rank-ledger", message="rank-ledger %(version)s")
def cli() -> None:
    """What each GPU rank of a large-model training run holds, and the source lines that say so.

    RULES is a folder of rule files, PRESET a YAML file of inputs under Megatron's argument names,
    or a launch script, an argument file, a training log, or the config.json of a model.

    Exit codes: 0 clean, 1 findings such as a layout that Megatron refuses, 2 could not run.
    """


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs the command line and exits with its code."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")  # a terminal that lacks a sign shows a question mark instead of failing
    cli.main(args=arguments, prog_name="engine")
