"""`engine graph`: the dependency graph, whole or in part."""

from __future__ import annotations

import click

from engine.cli.terminal import emit


@click.command()
@click.argument("rules_path", metavar="[RULES]", required=False)
@click.option("--select", "selector", metavar="SELECTOR", help="Only these: ids, log_*, +ID, ID+, view:NAME.")
@click.option("--as", "form", type=click.Choice(["dot", "mermaid", "json"]), default="dot", show_default=True)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(rules_path: str | None, selector: str | None, form: str, output: str | None) -> None:
    """Print who reads whom, for a program that draws it.

    RULES is a folder of rule files; without it, the shipped rules. Edges run from what is read to what reads it. For a
    picture: engine graph --select +log_total_mib | dot -Tsvg.
    """
    from engine.render import graphs
    from engine.ruleset import RuleSet

    rules = RuleSet.load(rules_path)
    if selector is None:
        ids = rules.graph.order
    else:
        from engine.explaining.select import select

        ids = select(rules, selector).ids
    content = graphs.graph(rules, ids)
    if form == "json":
        import json

        emit(json.dumps(content, indent=2, ensure_ascii=False), output)
    else:
        emit(graphs.dot(content) if form == "dot" else graphs.mermaid(content), output)
