"""The page of an id (`engine.explaining.describe`) for people: which blocks, in which order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engine.render import excerpts
from engine.render.blocks import NO_BREAK, Block, Cited, Code, Facts, Part, Prose, Rows, as_markdown, as_text


def text(page: Mapping[str, Any], width: int = 100) -> str:
    """Returns a page for a terminal of a number of columns."""
    if page["kind"] == "list":
        return as_text([], blocks(page), width)
    return as_text([f"{page['id']}  ({subtitle(page)})", page["title"], page["place"]], blocks(page), width)


def markdown(page: Mapping[str, Any]) -> str:
    """Returns a page as Markdown."""
    if page["kind"] == "list":
        return as_markdown([f"# {str(page['id']).capitalize()}"], blocks(page))
    return as_markdown([f"# `{page['id']}`", page["title"], f"{subtitle(page)}, {page['place']}"], blocks(page))


def subtitle(page: Mapping[str, Any]) -> str:
    """Says in a few words what an id is."""
    words = [page["kind"]]
    match page["kind"]:
        case "rule":
            words.append(f"unit {page['unit']}" if page["unit"] not in ("flag", "enum") else page["unit"])
        case "input":
            words += [page["type"], *([f"unit {page['unit']}"] if "unit" in page else []), f"group {page['group']}"]
        case "check":
            words.append(page["level"])
        case "view":
            words.append(page["layout"])
    return ", ".join(words) + (f", a vector over {page['over']}" if "over" in page else "")


def blocks(page: Mapping[str, Any]) -> Iterator[Block]:
    """Yields the blocks of a page in the order in which a reader wants them."""
    match page["kind"]:
        case "rule" | "check":
            yield from _computed(page)
        case "input":
            yield from _input(page)
        case "table":
            yield from _table(page)
        case "view":
            yield Block("Shows", [_briefs(page["entries"])])
        case "slice":
            yield from _slice(page)
        case "group":
            yield Block("Components", [Prose(", ".join(page["components"]))])
            cut = [[one["slice"], ", ".join(one["components"]), one["title"]] for one in page.get("cut_by", ())]
            yield Block("Cut by", [Rows(cut) if cut else Prose("no dimension")])
            yield Block("All dimensions together", [_briefs(page["divisors"])])
        case "scenario":
            changes = [(name, _plain(value)) for name, value in page.get("changes", {}).items()]
            yield Block("Changes", [Facts(changes) if changes else Prose("nothing"), *_sources(page)])
        case "advice":
            yield from _advice(page)
        case "list":
            yield from _list(page["entries"])
    if "cited_lines" in page:
        yield from excerpts.blocks(page["cited_lines"])
    if "note" in page:
        yield Block("Note", [Prose(page["note"])])
    if "reads" in page:
        yield Block("Reads", [_briefs(page["reads"])])
    if "read_by" in page:
        yield Block("Read by", [_briefs(page["read_by"])])
    if "see_also" in page:
        yield Block("Others of this name", [Prose(", ".join(f"engine show {other}" for other in page["see_also"]))])


def _computed(page: Mapping[str, Any]) -> Iterator[Block]:
    cases = page["cases"]
    for position, case in enumerate(cases, 1):
        heading = "Formula" if page["kind"] == "rule" else "Requires"
        if len(cases) > 1:
            heading = f"Case {position} of {len(cases)}: " + (f"when {case['when']}" if "when" in case else "otherwise")
        yield Block(heading, [Code(case["formula"]), *_sources(case)])
    if page["kind"] == "check":
        hint = [Prose(f"Hint: {page['hint']}")] if "hint" in page else []
        yield Block("Message", [Prose(page["message"]), *hint])
        yield Block("To blame", [_briefs(page["fields"])])
    if "values" in page:
        yield Block("Values", [Prose(", ".join(page["values"]))])
    yield Block("LaTeX", [Code(page["latex"], "latex")])
    if "excel" in page:
        yield Block("Excel" + (" (one column an index)" if "over" in page else ""), [Code(page["excel"], "excel")])
    else:
        yield Block("Excel", [Prose(f"cannot be printed: {page['excel_problem']}")])
    if "evidence" in page:
        yield Block("Checked against", [Facts([(entry["key"], _dataset(entry)) for entry in page["evidence"]])])
    if "tests" in page:
        yield Block("Tests", [Prose(_test(test)) for test in page["tests"]])


def _dataset(entry: Mapping[str, Any]) -> str:
    return f"{entry['title']}" + (f" ({entry['records']} records)" if "records" in entry else "")


def _test(test: Mapping[str, Any]) -> str:
    given = ", ".join(f"{name} = {_plain(value)}" for name, value in test["given"].items())
    within = f" (within {test['rel']:g})" if "rel" in test else ""
    return f"{given or 'nothing given'}  →{NO_BREAK}{_plain(test['expect'])}{within}"


def _input(page: Mapping[str, Any]) -> Iterator[Block]:
    facts = [("flag", page["flag"])] if "flag" in page else []
    facts += [("flag", f"--{name} means {member}") for name, member in page.get("from_flags", {}).items()]
    if "min" in page or "max" in page:
        low, high = (f"{page[key]:,}" if key in page else "" for key in ("min", "max"))
        facts.append(("range", f"{low} to {high}" if low and high else f"at least {low}" if low else f"at most {high}"))
    facts += [(key, ", ".join(page[key])) for key in ("values", "members", "names") if key in page]
    facts += [(key, page[key]) for key in ("parser", "symbol") if key in page]
    if facts:
        yield Block("Takes", [Facts(facts)])
    yield Block("Where nothing is given", [Facts(list(_stand_ins(page))), *_sources(page)])


def _stand_ins(page: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if "derived" in page:
        yield f"with {' or '.join(page['either_with'])}", f"= {page['derived']}"
    otherwise = "otherwise" if "derived" in page else ""
    if "default" in page:
        yield otherwise or "default", _plain(page["default"])
    elif "default_formula" in page:
        yield otherwise or "default", f"= {page['default_formula']}"
    elif "absent" in page:
        yield otherwise or "stands for", _plain(page["absent"])
    else:
        yield otherwise or "missing", "rules that need it have no value"


def _table(page: Mapping[str, Any]) -> Iterator[Block]:
    named = any(row["title"] != row["key"] for row in page["rows"])
    columns = [column if unit == "1" else f"{column} ({unit})" for column, unit in page["columns"].items()]
    head = ["key", *columns, *["title"] * named]
    rows = [
        [row["key"], *map(_figure, row["cells"].values()), *[row["title"]] * named] for row in page["rows"]
    ]  # fmt: skip
    yield Block("Rows", [Rows(rows, head, "<" + ">" * len(columns) + "<" * named)])
    sources = [source for row in page["rows"] for source in _sources(row)]
    if sources:
        yield Block("Sources", list(dict.fromkeys(sources)))


def _figure(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if abs(value) < 1e12 else f"{value:.6g}"


def _slice(page: Mapping[str, Any]) -> Iterator[Block]:
    yield Block("Ranks", [Code(page["degree"]), *_sources(page)])
    alike: dict[tuple[str, str, str], list[str]] = {}
    for cell in page["cells"]:
        key = (cell["group"], cell["divided_by"], cell.get("multiplied_by", ""))
        alike.setdefault(key, []).append(cell["component"])
    factors = any(factor for _, _, factor in alike)
    rows = [
        [group, ", ".join(components), divisor, *[factor] * factors]
        for (group, divisor, factor), components in alike.items()
    ]
    head = ["group", "component", "divided by", *["multiplied by"] * factors]
    yield Block("Cuts", [Rows(rows, head, "<" * len(head))])
    if "notes" in page:
        yield Block("Notes on groups", [Facts(list(page["notes"].items()))])
    if "sends" in page:
        from engine.render.slices import LINKS, PER

        sends = page["sends"]
        facts = [("rule", sends["rule"]), ("how often", PER[sends["per"]]), ("link", LINKS[sends["link"]])]
        yield Block("Sends", [Prose(sends["title"]), Facts(facts)])
    if "makes" in page:
        yield Block("Makes", [Rows([[entry["id"]] for entry in page["makes"]])])


def _advice(page: Mapping[str, Any]) -> Iterator[Block]:
    if "when" in page:
        yield Block("Shows when", [Code(page["when"])])
    for position, action in enumerate(page["actions"], 1):
        facts = [(name, _plain(value)) for name, value in action.get("changes", {}).items()]
        facts += [(name, f"= {formula}") for name, formula in action.get("formulas", {}).items()]
        facts += [("cost", action["cost"])] if "cost" in action else []
        yield Block(f"{position}. {action['title']}", [*([Facts(facts)] if facts else []), *_sources(action)])
    if "leave_alone" in page:
        yield Block("Leave alone", [Facts(list(page["leave_alone"].items()))])
    sources = list(_sources(page))
    if sources:
        yield Block("Sources", sources)


def _list(entries: Sequence[Mapping[str, str]]) -> Iterator[Block]:
    groups: dict[str, list[Sequence[str]]] = {}
    for entry in entries:
        groups.setdefault(entry["group"], []).append([entry["id"], entry["unit"], entry["title"]])
    for group, rows in groups.items():
        yield Block(group or f"{len(rows)} in all", [Rows(rows)])


def _sources(entry: Mapping[str, Any]) -> Iterator[Part]:
    for cited in entry.get("citations", ()):
        yield Cited(cited["text"], cited.get("url"), cited.get("note"))
    if "assumption" in entry:
        yield Prose(f"Assumption: {entry['assumption']}")
    if "note" in entry and "kind" not in entry:  # that of a whole page has a block of its own
        yield Prose(f"Note: {entry['note']}")


def _briefs(entries: Sequence[Mapping[str, str]]) -> Rows:
    return Rows([[entry["id"], entry["unit"], entry["title"]] for entry in entries])


def _plain(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return {None: "none", True: "true", False: "false"}[value]
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_plain(entry) for entry in value) + "]"
    return str(value)
