"""Random edits: one that touches cited lines is always reported, one that does not never is."""

from __future__ import annotations

from pathlib import Path
from random import Random

from engine.audit.places import Place
from engine.audit.trace import Tracer
from engine.audit.verdict import State
from tests.support.miniature import CITED, FORMULAS, SOURCE, Miniature, audited, load_rules, states
from tests.support.mutations import PATH, TextTree, mutate, random_places, random_source

COUNT = 500
TRUE = (State.OK, State.MOVED)


def shifted(random: Random, source: str) -> str:
    """Sometimes adds lines at the top and at the end, so that line numbers alone prove nothing."""
    return "import sys\n" * random.choice((0, 0, 1, 3)) + source + "\nEND = 1\n" * random.choice((0, 1))


def test_every_edit_of_cited_lines_is_reported() -> None:
    random = Random(20220510)
    missed, made, twins, single = [], 0, 0, 0
    while made < COUNT:
        source = random_source(random)
        old = TextTree(source)
        for place in random_places(random, old.text, 10):
            edited = mutate(random, source, place.lines.numbers())
            if edited is None:
                continue
            made += 1
            single += len(place.lines) == 1
            twins += len(old.text.find(old.text.said_text(place.lines))) > 1
            verdict = Tracer(old, TextTree(shifted(random, edited[0]))).trace(place)
            if verdict.state in TRUE:
                missed.append((place, edited[1], verdict))
    assert not missed
    assert single > COUNT / 4
    assert twins > COUNT / 10


def test_no_edit_of_other_lines_is_reported() -> None:
    random = Random(20220511)
    wrong, made = [], 0
    while made < COUNT:
        source = random_source(random)
        old = TextTree(source)
        places = random_places(random, old.text, 10)
        others = [n for n in range(1, len(old.text.lines) + 1) if not any(n in place.lines for place in places)]
        edited = mutate(random, source, [random.choice(others)])
        if edited is None:
            continue
        made += 1
        tracer = Tracer(old, TextTree(shifted(random, edited[0])))
        found = [(place, tracer.trace(place)) for place in places]
        wrong += [(edited[1], place, verdict) for place, verdict in found if verdict.state not in TRUE]
    assert not wrong


def test_several_edits_at_once_hide_nothing() -> None:
    random = Random(20220512)
    missed = []
    for _ in range(150):
        source = random_source(random)
        old = TextTree(source)
        place = random_places(random, old.text, 1)[0]
        edited = mutate(random, source, place.lines.numbers())
        if edited is None:
            continue
        text = edited[0]
        for _ in range(random.randint(1, 5)):
            others = [n for n in range(1, text.count("\n") + 1) if n not in place.lines]
            text = (mutate(random, text, [random.choice(others)]) or (text, 0))[0]
        verdict = Tracer(old, TextTree(shifted(random, text))).trace(place)
        if verdict.state in TRUE and not _really_there(place, old, verdict.now, text):
            missed.append((place, verdict))
    assert not missed


def _really_there(place: Place, old: TextTree, now: Place | None, text: str) -> bool:
    """Whether another edit happened to write the cited lines anew."""
    return now is not None and len(TextTree(text).text.find(old.text.said_text(place.lines))) > len(
        old.text.find(old.text.said_text(place.lines))
    )


def test_the_same_through_git_and_a_folder(mini: Miniature, tmp_path: Path) -> None:
    random = Random(20220513)
    rules = load_rules(tmp_path / "rules", mini.git("rev-parse", "HEAD").strip())
    cited = {number for first, last, _ in CITED.values() for number in range(first, last + 1)}
    for _ in range(12):
        line = random.choice(sorted(cited))
        edited = mutate(random, SOURCE, [line])
        if edited is None:
            continue
        mini.write(FORMULAS, edited[0])
        touched = {rule for rule, (first, last, _) in CITED.items() if first <= line <= last}
        found = states(audited(rules, mini.folder))
        assert {rule for rule, state in found.items() if state != "ok"} == touched


def test_random_sources_are_python() -> None:
    random = Random(3)
    for _ in range(20):
        compile(random_source(random), PATH, "exec")
