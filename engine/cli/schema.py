"""`engine schema`: JSON Schema of rule files and presets, for editors."""

from __future__ import annotations

import click

from engine.cli.terminal import emit

_OF_RULES = ("rules", "sources", "views", "watch")


@click.command()
@click.argument("kind", metavar="rules|sources|views|watch|preset", type=click.Choice([*_OF_RULES, "preset"]))
@click.argument("rules_path", metavar="[RULES]", required=False)
@click.option("-o", "--output", metavar="FILE", type=click.Path(dir_okay=False), help="Write to a file.")
def command(kind: str, rules_path: str | None, output: str | None) -> None:
    """Print a JSON Schema, with which editors complete and check files.

    The schema is that of a rule file, of sources.yaml, views.yaml or watch.yaml, or of a preset. A preset's is
    that of the inputs which RULES declares (without it: the shipped rules). The others are the same for all rules;
    with RULES, the names that it declares are suggested where a name belongs.
    docs/editor.md tells how an editor uses them.
    """
    import json

    from engine.ruleset import RuleSet

    if kind == "preset":
        from engine.schemas.schema_preset import preset_schema

        schema = preset_schema(RuleSet.load(rules_path))
    else:
        from engine.schemas.schema import rules_schema

        schema = rules_schema(kind, RuleSet.load(rules_path) if rules_path else None)
    emit(json.dumps(schema, indent=2, ensure_ascii=False), output)
