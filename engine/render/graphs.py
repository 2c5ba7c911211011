"""The dependency graph, or a part of it, in forms that other programs draw: DOT, Mermaid, JSON.

An edge runs from what is read to what reads it, the way values flow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from engine.rules import Check, Computed
from engine.ruleset import RuleSet

SCHEMA = "rank-ledger/graph/1"

_DOT_SHAPES = {"input": "box", "rule": "ellipse", "check": "octagon"}
_MERMAID_SHAPES = {"input": ("[", "]"), "rule": ("(", ")"), "check": ("{{", "}}")}


def graph(rules: RuleSet, ids: Collection[str]) -> dict[str, Any]:
    """Returns the part of the graph between some ids, as a versioned, JSON-ready dictionary.

    Args:
        rules: a loaded rule set.
        ids: names of rules, checks and inputs; of a set or layout input the names that it provides.

    Returns:
        `nodes` in the order of evaluation and `edges` as pairs (read, reader).
    """
    kept = [id for id in rules.graph.order if id in set(ids)]
    edges = [[read, id] for id in kept for read in rules.graph.reads[id] if read in set(kept)]
    return {"schema": SCHEMA, "rules_digest": rules.digest, "nodes": [_node(rules, id) for id in kept], "edges": edges}


def _node(rules: RuleSet, id: str) -> dict[str, str]:
    item = rules.computed.get(id) or rules.slots[id]
    type = rules.symbols.types[id]
    unit = str(type.unit) if type.kind == "number" else {"flag": "flag", "text": "enum"}[type.kind]
    kind = ("check" if isinstance(item, Check) else "rule") if isinstance(item, Computed) else "input"
    over = {"over": type.over} if type.over else {}
    return {
        "id": id,
        "kind": kind,
        "unit": unit,
        "title": item.title,
    } | over


def dot(content: Mapping[str, Any]) -> str:
    """Returns a graph in Graphviz's language."""
    lines = ["digraph rules {", '  rankdir="LR";', '  node [fontname="sans-serif", fontsize=10];']
    for node in content["nodes"]:
        label = f"{node['id']}\n{_unit(node)}" if _unit(node) else node["id"]
        shape = _DOT_SHAPES[node["kind"]]
        tooltip = _quoted(node["title"])
        lines.append(f"  {_quoted(node['id'])} [label={_quoted(label)}, shape={shape}, tooltip={tooltip}];")
    lines += [f"  {_quoted(read)} -> {_quoted(reader)};" for read, reader in content["edges"]]
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(content: Mapping[str, Any]) -> str:
    """Returns a graph as a Mermaid flowchart; nodes have numbers, since an id such as `end` would be a keyword."""
    numbers = {node["id"]: f"n{position}" for position, node in enumerate(content["nodes"])}
    lines = ["flowchart LR"]
    for node in content["nodes"]:
        left, right = _MERMAID_SHAPES[node["kind"]]
        label = f"{node['id']}<br/>{_unit(node)}" if _unit(node) else node["id"]
        lines.append(f'  {numbers[node["id"]]}{left}"{label}"{right}')
    lines += [f"  {numbers[read]} --> {numbers[reader]}" for read, reader in content["edges"]]
    return "\n".join(lines) + "\n"


def _unit(node: Mapping[str, str]) -> str:
    unit = "" if node["unit"] == "1" else node["unit"]
    return " ".join(part for part in (unit, f"per {node['over']}" if "over" in node else "") if part)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
