"""Plans a workbook: which cell holds what. Pure: no file, no spreadsheet library."""

from __future__ import annotations

from importlib.metadata import version

from engine import collector
from engine.expr.nodes import Call, Lookup, Name, Node, walk
from engine.expr.printing import DOMAIN_SIZES
from engine.expr.registry import FUNCTIONS
from engine.ruleset import RuleSet
from workbook.cells import Plan
from workbook.context import Context
from workbook.frame import Frame
from workbook.places import Places
from workbook.sheets.checks import CheckSheet
from workbook.sheets.input_formulas import InputFormulas, active_name, all_typed_names
from workbook.sheets.inputs import InputSheet
from workbook.sheets.ledger import Ledger
from workbook.sheets.plan import PlanSheet
from workbook.sheets.plan_data import PlanData
from workbook.sheets.scenarios import ScenarioSheet
from workbook.sheets.slicing import SlicingSheet
from workbook.sheets.texts import provenance, read_me, tables
from workbook.sheets.vectors import vector_sheets
from workbook.sheets.views import ViewSheet
from workbook.state import State, variants

CONTROLS = (
    "scenario_id", "scenario_choice", "byte_unit", "unit_choice", "what_if_titles", "input_headers",
    "built_header", "unmodelled_flags",
    "built_by", "workbook_format", "built_preset", "rule_set_digest", "room_layer", "room_stage", "room_virtual_stage",
)  # fmt: skip
"""Names of cells that are no input and no rule."""


@collector.paused()
def plan(rules: RuleSet, state: State, frame: Frame | None = None) -> Plan:
    """Plans the workbook of a rule set.

    Args:
        rules: a loaded rule set.
        state: what is typed in it.
        frame: room for layers and stages.

    Raises:
        EngineError: what was entered when the workbook was built does not fit.
    """
    frame = frame or Frame()
    result = Plan()
    columns = variants(rules, state)
    built = Context(rules, State(state.preset, state.built, vectors=state.built_vectors, unmodelled=state.unmodelled))
    summary = rules.views["summary"].body if "summary" in rules.views else None

    table_sheet, choices = tables(rules, result)
    vectors = vector_sheets(rules, frame, result)
    typed_rows = {name: sheet.typed_address(name) for sheet in vectors.values() for name in sheet.typed_rows}
    formulas = InputFormulas(rules, lambda item: choices[item.id], typed_rows.__getitem__)
    inputs = InputSheet(rules, columns, result, formulas)
    ledger = Ledger(rules, result)
    places = Places(rules, inputs, ledger, vectors, result, formulas, all_typed_names(rules))
    checks = CheckSheet(rules)
    data = PlanData(columns, frame, result)
    front = PlanSheet(result)
    scenarios = ScenarioSheet(places, columns, data, checks)
    slicing = SlicingSheet(places)
    views = ViewSheet(places, data)

    inputs.fill(state)
    ledger.fill()
    for sheet in vectors.values():
        sheet.fill(state, inputs)
    checks.fill(places)
    data.fill(state, places, checks, summary)
    front.fill(state, places, checks, data, summary)
    scenarios.fill(state, built)
    slicing.fill()
    views.fill()
    domains = [vectors[domain].sheet for domain in ("stage", "virtual_stage", "layer") if domain in vectors]
    result.sheets = [
        front.sheet, inputs.sheet, scenarios.sheet, checks.sheet, views.sheet, ledger.sheet, *domains, slicing.sheet,
        table_sheet, provenance(rules), data.sheet, read_me(rules, state, frame, result, version("rank-ledger")),
    ]  # fmt: skip
    result.charts = {front.sheet.title: front.chart} if front.chart else {}
    result.names = {name: result.names[name] for name in sorted(_used(rules, result))}
    return result


def _used(rules: RuleSet, result: Plan) -> set[str]:
    """Returns the names that formulas read, and those of inputs, by which readers find them.

    Spreadsheets look names up one after the other, so a name that nothing reads only costs time.
    """
    found = {name for name in CONTROLS if name in result.names}
    found |= {active_name(item, name) for name, item in all_typed_names(rules).items()}
    found |= {f"{item.id}_given" for item in rules.inputs.values() if item.kind == "layout"}
    found |= {name for name in result.names if name.endswith(("_typed", "_built"))}
    nodes: list[tuple[Node, str | None]] = [(size, None) for size in DOMAIN_SIZES.values()]
    for rule in rules.computed.values():
        for case in rule.branches:
            nodes += [(each.node, rule.type.over) for each in (case.when, case.formula) if each is not None]
    for item in rules.inputs.values():
        nodes += [(each.node, None) for each in (item.default_formula, item.derived) if each is not None]
    nodes += [(item.degree.node, None) for item in rules.slices.values()]
    for node, over in nodes:
        found.update(_names(node, over))
    return found & result.names.keys()


def _names(node: Node, over: str | None) -> set[str]:
    found = set()
    for part in walk(node):
        if isinstance(part, Name) and (part.type.over is None or part.type.over != over):
            found.add(part.id)
        elif isinstance(part, Lookup):
            found |= {f"{part.table}_key", f"{part.table}_{part.column}"}
        elif isinstance(part, Call):
            wholes = (
                each
                for place, each in enumerate(part.arguments)
                if FUNCTIONS[part.function].parameter(place) != "number"
            )
            found |= {each.id for each in wholes if isinstance(each, Name)}
    return found
