"""The commands under test; until the command line exists, stand-ins that call the library the way it will."""

from __future__ import annotations

import sys

import click

try:
    from engine.cli.main import cli
except ModuleNotFoundError:
    from engine import EngineError, Preset, RuleSet, evaluate
    from engine.preset import parse_setting

    @click.group()
    def cli() -> None:
        pass

    @cli.command()
    @click.argument("rules")
    def lint(rules: str) -> None:
        _guarded(lambda: RuleSet.load(rules))

    @cli.command("eval")
    @click.argument("rules")
    @click.argument("preset")
    @click.option("--set", "settings", multiple=True)
    @click.option("--only")
    def evaluate_(rules: str, preset: str, settings: tuple[str, ...], only: str | None) -> None:
        def work() -> None:
            loaded = RuleSet.load(rules)
            changes = dict(parse_setting(text) for text in settings)
            result = evaluate(loaded, Preset.load(preset), set=changes)
            if only:
                _ = result[only].value

        _guarded(work)

    def _guarded(work) -> None:  # type: ignore[no-untyped-def]
        try:
            work()
        except EngineError as error:
            click.echo(str(error), err=True)
            sys.exit(2)


__all__ = ["cli"]
