"""Shows variants of a configuration in one of the formats."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.cli.terminal import CannotRun, colored, emit, painter

if TYPE_CHECKING:
    from engine.explaining.comparison import Variant
    from engine.result import Result
    from engine.ruleset import RuleSet


def show(
    rules: RuleSet, view: str, variants: Sequence[Variant], given: Result | None, form: str, output: str | None
) -> None:
    """Prints variants as the accounts of a view, or writes them to a file.

    Raises:
        CannotRun: there are no variants, or no such view.
    """
    from engine.render import comparison

    if not variants:
        raise CannotRun(f"these rules declare no {view}")
    if view not in rules.views or not rules.views[view].body.accounts:
        raise CannotRun(f"these rules declare no view `{view}` of kind comparison")
    content = comparison.compare(variants, view, given)
    if form == "text":
        to_terminal = output is None and sys.stdout.isatty()
        width = shutil.get_terminal_size().columns if to_terminal else None
        emit(comparison.text(content, width, painter(painted=output is None and colored(sys.stdout))), output)
    else:
        writers = {"json": comparison.json_text, "md": comparison.markdown, "csv": comparison.csv_text}
        emit(writers[form](content), output)
