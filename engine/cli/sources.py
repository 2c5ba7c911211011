"""Options that commands share: `--overlay DIR`, `--source ALIAS=CHECKOUT` and `--at REV`."""

from __future__ import annotations

from collections.abc import Iterable

import click

overlay_option = click.option(
    "--overlay", "overlays", metavar="DIR", multiple=True,
    help="Lay a folder over the rules: it replaces or adds by id; repeatable.",
)  # fmt: skip
source_option = click.option(
    "--source", "sources", metavar="ALIAS=CHECKOUT", multiple=True,
    help="Folder of a checkout of a source of sources.yaml; repeatable.",
)  # fmt: skip


def checkouts(sources: Iterable[str]) -> dict[str, str]:
    """Reads `--source` options.

    Raises:
        UsageError: one is not of the form ALIAS=CHECKOUT, or an alias is given twice.
    """
    found: dict[str, str] = {}
    for text in sources:
        alias, equals, path = text.partition("=")
        if not equals or not alias or not path:
            raise click.UsageError(f"--source {text}: write --source ALIAS=CHECKOUT, for example megatron=Megatron-LM")
        if alias in found:
            raise click.UsageError(f"--source {alias} is given twice")
        found[alias] = path
    return found


def revisions(at: Iterable[str], aliases: Iterable[str]) -> str | dict[str, str] | None:
    """Reads `--at` options: one revision for all sources, or ALIAS=REV for each.

    Raises:
        UsageError: both forms are mixed, or a revision is given twice.
    """
    known = set(aliases)
    pairs = [text.partition("=") for text in at]
    named = {alias: revision for alias, equals, revision in pairs if equals and alias in known}
    if not pairs or len(named) == len(pairs):
        return named or None
    if named or len(pairs) > 1:
        raise click.UsageError("give --at REV once, or --at ALIAS=REV for each source")
    return next(iter(at))
