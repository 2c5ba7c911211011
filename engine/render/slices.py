"""The matrix of parallel dimensions and kinds of memory, as text, Markdown and data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from engine.cite import references
from engine.evaluating.artifact import number
from engine.evaluating.trace import digits, runs
from engine.explaining.slice_matrix import Cell, Row, degree, divisors, matrix, sent
from engine.render.markdown import escaped
from engine.render.markdown import table as markdown_table
from engine.render.numbers import ABSENT, gigabytes
from engine.render.table import aligned, fitted, wrapped
from engine.render.text import Paint, unpainted
from engine.rules import COMPONENTS

if TYPE_CHECKING:
    from engine.result import Result
    from engine.ruleset import RuleSet

SCHEMA = "rank-ledger/slices/1"

PER = {"layer": "a layer and micro-batch", "microbatch": "a micro-batch", "step": "a step"}
LINKS = {"intra_node": "within a node", "inter_node": "between nodes"}
_STATES = 48  # cells that the divisors of weights, gradients and optimizer states leave no room for others in
_LEGEND = "divided: all of it; partly: some groups of tensors; ×: something multiplies it"


@dataclass(frozen=True, slots=True)
class Page:
    """What is shown: the dimensions, and for a configuration the divisors and what is sent."""

    rules: RuleSet
    rows: tuple[Row, ...]
    result: Result | None


def page(rules: RuleSet, result: Result | None = None) -> Page:
    """Collects what is shown: the slices of the rule set's matrix view, or all; with a result also their values."""
    named = next((view.body.slices for view in rules.views.values() if view.kind == "matrix"), ())
    return Page(rules, matrix(rules, named), result)


def text(page: Page, width: int = 100, paint: Paint = unpainted) -> str:
    """Returns the matrix for a terminal of a number of columns."""
    blocks = [_table(_heads(page), _overview(page), paint), [paint(f"  {_LEGEND}", "dim")]]
    if page.result is None:
        blocks += [_details(page, row, width, paint) for row in page.rows]
    else:
        rows = ([*others, fitted(last, width - _STATES)] for *others, last in _products(page.result))
        blocks += [_table(["Divided by", *COMPONENTS], rows, paint)]
        blocks += [_table(["Sent by a rank", "GB", "", "", ""], _sent(page.result, page.rows, width), paint)]
    return "\n\n".join("\n".join(line.rstrip() for line in block) for block in blocks) + "\n"


def markdown(page: Page) -> str:
    """Returns the matrix as Markdown."""
    lines = ["# What parallel dimensions cut", "", *_markdown_table(_heads(page), _overview(page)), "", _LEGEND, ""]
    if page.result is None:
        for row in page.rows:
            lines += [f"## {escaped(row.slice.title)}", ""]
            lines += [f"- {escaped(what)}: {escaped(content)}" for what, content in _facts(page.rules, row)] + [""]
    else:
        lines += ["## Divided by", "", *_markdown_table(["group", *COMPONENTS], _products(page.result)), ""]
        heads = ["dimension", "GB", "how often", "link", "what"]
        lines += ["## Sent by a rank", "", *_markdown_table(heads, _sent(page.result, page.rows, None)), ""]
    return "\n".join(lines)


def to_dict(page: Page) -> dict[str, Any]:
    """Returns the matrix as a versioned, JSON-ready dictionary."""
    rules, result = page.rules, page.result
    content: dict[str, Any] = {"schema": SCHEMA, "rules_digest": rules.digest}
    if result is not None:
        content["preset"] = result.preset.path
    content["dimensions"] = [_dimension(page, row) for row in page.rows]
    content["divisors"] = {
        group: {component: _product_entry(rules, result, id) for component, id in components.items()}
        for group, components in divisors(rules)
    }
    return content


def _heads(page: Page) -> list[str]:
    return ["Dimension", *([] if page.result is None else ["ranks"]), *COMPONENTS]


def _overview(page: Page) -> Iterator[list[str]]:
    for row in page.rows:
        ranks = [] if page.result is None else [_shown(degree(page.result, row.slice))]
        yield [row.slice.title, *ranks, *(_state(row.cells[component]) for component in COMPONENTS)]


def _state(cell: Cell) -> str:
    return cell.state + (", ×" if cell.multiplied else "")


def _products(result: Result) -> Iterator[list[str]]:
    for group, components in divisors(result.rules):
        yield [group, *(_shown(result[components[one]].raw) if one in components else "" for one in COMPONENTS)]


def _sent(result: Result, rows: Sequence[Row], width: int | None) -> Iterator[list[str]]:
    for item in sent(result, rows):
        per, link = PER[item.slice.per or ""], LINKS[item.slice.link or ""]
        room = None if width is None else max(16, width - 75)
        what = item.title if room is None else fitted(item.title, room)
        yield [item.slice.id, gigabytes(item.value.raw), per, link, what]


def _shown(value: Any) -> str:
    if value is None:
        return ABSENT
    if isinstance(value, list):
        return runs([digits(entry) if entry == int(entry) else f"{entry:.4g}" for entry in value])
    return digits(value) if value == int(value) else f"{value:.4g}"


def _table(heads: list[str], rows: Iterator[list[str]], paint: Paint) -> list[str]:
    body = [[f"  {first}", *others] for first, *others in rows]
    align = "".join(">" if head in ("ranks", "GB") else "<" for head in heads)
    first, *lines = aligned([heads, *body], align)
    return [paint(first[0], "bold") + paint("  " + "  ".join(first[1:]), "dim"), *("  ".join(line) for line in lines)]


def _markdown_table(heads: list[str], rows: Iterator[list[str]]) -> list[str]:
    align = "".join(">" if head in ("ranks", "GB") else "<" for head in heads)
    return markdown_table(heads, align, [[escaped(cell) for cell in row] for row in rows])


def _details(page: Page, row: Row, width: int, paint: Paint) -> list[str]:
    lines = [paint(row.slice.id, "bold") + f"  {row.slice.title}"]
    facts = list(_facts(page.rules, row))
    margin = max(len(what) for what, _ in facts)
    for what, content in facts:
        first, *more = wrapped(content.split(), width - margin - 4, separator=" ")
        lines.append(f"  {paint(what.ljust(margin), 'dim')}  {first}")
        lines += [" " * (margin + 4) + line for line in more]
    return lines


def _facts(rules: RuleSet, row: Row) -> Iterator[tuple[str, str]]:
    """Yields what there is to say about a dimension: components that it treats alike share a line."""
    yield "ranks", row.slice.degree.text
    alike: dict[tuple[str, ...], list[str]] = {}
    for component in COMPONENTS:
        alike.setdefault(tuple(_effects(row.cells[component])), []).append(component)
    for effects, components in alike.items():
        for effect in effects:
            yield ", ".join(components), effect
    if row.slice.communication:
        rule = rules.rules[row.slice.communication]
        often = f"{PER[row.slice.per or '']}, {LINKS[row.slice.link or '']}"
        yield "sends", f"{rule.title}: {rule.branches[0].formula.text} B {often}"
    if row.slice.note:
        yield "note", row.slice.note
    if row.slice.citations:
        yield "source", "; ".join(reference.text for reference in references(row.slice.citations, rules.sources))


def _effects(cell: Cell) -> Iterator[str]:
    for sign, parts in (("÷", cell.divided), ("×", cell.multiplied)):
        for expression, groups in parts.items():
            yield f"{sign} {expression}: {', '.join(groups)}"


def _dimension(page: Page, row: Row) -> dict[str, Any]:
    item, result = row.slice, page.result
    entry: dict[str, Any] = {"id": item.id, "title": item.title, "ranks": {"formula": item.degree.text}}
    if result is not None:
        entry["ranks"]["value"] = number(degree(result, item))
    entry["cells"] = {component: _cell_entry(cell) for component, cell in row.cells.items()}
    if item.communication:
        rule = page.rules.rules[item.communication]
        entry["communication"] = {
            "id": rule.id, "title": rule.title, "formula": rule.branches[0].formula.text, "per": item.per,
            "link": item.link,
        }  # fmt: skip
        if result is not None:
            entry["communication"]["value"] = number(result[rule.id].raw)
    entry["note"] = item.note
    entry["citations"] = [reference.to_dict() for reference in references(item.citations, page.rules.sources)]
    return entry


def _cell_entry(cell: Cell) -> dict[str, Any]:
    def listed(parts: Mapping[str, Sequence[str]]) -> list[dict[str, Any]]:
        return [{"by": expression, "groups": list(groups)} for expression, groups in parts.items()]

    return {
        "state": cell.state, "divided": listed(cell.divided), "multiplied": listed(cell.multiplied),
        "whole": list(cell.whole),
    }  # fmt: skip


def _product_entry(rules: RuleSet, result: Result | None, id: str) -> dict[str, Any]:
    entry: dict[str, Any] = {"id": id, "formula": rules.rules[id].branches[0].formula.text}
    return entry if result is None else entry | {"value": number(result[id].raw)}
