"""`engine validate`: predictions against recorded values."""

from __future__ import annotations

from typing import Any

import click

from engine.cli.sources import overlay_option
from engine.cli.terminal import CannotRun, emit


@click.command(
    "validate",
    short_help="Set predictions against recorded values.",
    epilog="Example: engine validate tests/data/measured.yaml.xz",
)
@click.argument("data", type=click.Path(), nargs=-1, required=True)
@click.option("--rules", type=click.Path(), help="Rule files; the shipped rules if not given.")
@overlay_option
@click.option("--format", "form", type=click.Choice(["text", "json", "md"]), default="text", show_default=True)
@click.option("--notes", type=click.Path(), help="YAML file of sections (title, text) that a page is to have.")
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(
    data: tuple[str, ...],
    rules: str | None,
    overlays: tuple[str, ...],
    form: str,
    notes: str | None,
    output: str | None,
) -> int:
    """Predict every record in DATA, files or folders, and compare.

    Formats are told by their content: measured runs, parameters and saved tensors of recorded models, runs of the
    training log's estimate, published cases. Files may be compressed (.xz).

    Exit code 0, 1 where values that must agree do not.
    """
    from engine.render.validation import markdown, text
    from engine.ruleset import RuleSet
    from engine.validate import validate

    report = validate(RuleSet.load(rules, overlays), data)
    if form == "json":
        emit(report.to_json(), output)
    elif form == "md":
        emit(markdown(report, _notes(notes)), output)
    else:
        emit(text(report), output)
    return 1 if report.failed else 0


def _notes(path: str | None) -> list[dict[str, str]]:
    from engine.diagnostics import Findings
    from engine.files.yaml_source import parse, read_text, to_plain

    if path is None:
        return []
    findings = Findings()
    tree = parse(read_text(path), findings)
    findings.raise_if_errors()
    sections: Any = to_plain(tree) if tree is not None else []
    if not isinstance(sections, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("title"), str) and isinstance(entry.get("text"), str)
        for entry in sections
    ):
        raise CannotRun(f"{path} is not a list of sections with `title` and `text`")
    return sections
