"""Finds the launch command in a shell script, and its flags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from engine.diagnostics import Diagnostic, EngineError, Findings, Source
from engine.importing.environment import from_environment
from engine.importing.given import Found, Given
from engine.importing.launcher import LAUNCHER_FLAGS, scheduled_variables, world_size
from engine.importing.megatron_flags import Vocabulary, spelled
from engine.importing.shell_found import Command, Run
from engine.importing.shell_parts import ShellError
from engine.importing.shell_run import follow
from engine.importing.shell_scope import Value
from engine.importing.words import Word, after, place, plain, span, split, unknown

_FLAG = re.compile(r"--[A-Za-z]")
_SEVERAL = re.compile(r"ARG|OPT|PARAM|FLAG|EXTRA", re.IGNORECASE)
_SILENT = frozenset(("echo", "printf", "cat", "export", "log", "print"))


def read_script(
    source: Source, vocabulary: Vocabulary, variables: Mapping[str, str], arguments: Sequence[str]
) -> Found:
    """Reads the flags of the command that starts the training.

    Args:
        source: the script.
        vocabulary: the flags that are known.
        variables: what the environment of the script sets, besides what a scheduler sets for options in the script; the
            environment of this process is not read.
        arguments: what the script is called with.

    Raises:
        EngineError: the script cannot be read (E511), or starts no training (E510).
    """
    findings = Findings()
    try:
        run = follow(source.text, {**scheduled_variables(source), **variables}, arguments)
    except ShellError as error:
        findings.add("E511", error.message, source.span(error.start, error.end), help=error.help)
        raise EngineError(findings.sorted()) from None
    command = _chosen(run, vocabulary)
    if command is None:
        return _without_command(source, run, vocabulary)
    entry = _entry(command.words)
    words = command.words[entry:]
    flags, remarks = flags_of(words, source, vocabulary)
    if not entry:
        flags = [given for given in flags if spelled(given.name)[2:] not in LAUNCHER_FLAGS]
    launchers = [command.words[: entry or len(command.words)], *reversed(command.inside)]
    size = world_size(launchers, command.environment, source)
    around = [*from_environment(command.environment, source), *([size] if size else [])]
    flags = [*(given for given in around if spelled(given.name) in vocabulary), *flags]
    line = source.position(command.start)[0]
    name = plain(command.words[entry - 1 if entry else 0]).rpartition("/")[2]
    headline = f"the launch command in line {line} (`{name}`), with {_counted(len(words_with_flags(words)))}"
    if size is not None and not size.unknown:
        headline += f", on {size.value} {'rank' if size.value == 1 else 'ranks'}"
    remarks += [*_remarks(run, source, vocabulary), *_others(run, command, source, vocabulary)]
    return Found(flags, headline, source.path, remarks)


def words_with_flags(words: Iterable[Word]) -> list[Word]:
    """Returns the words that are flags."""
    return [word for word in words if _is_flag(word)]


def flags_of(words: Iterable[Word], source: Source, vocabulary: Vocabulary) -> tuple[list[Given], list[Diagnostic]]:
    """Returns the flags among the words of a command; what follows one belongs to it, up to the next.

    Returns:
        The flags, and remarks on words that are not known and may hold further flags.
    """
    found: list[Given] = []
    remarks = Findings()
    name: Word | None = None
    values: list[Word] = []
    for word in words:
        if plain(word).isspace():
            continue  # of a `\\` with a blank behind it
        if _is_flag(word) and not word[0].unknown:
            if name is not None:
                found.append(_given(name, values, source))
            name, values = word, []
        elif _may_be_several(word) and (name is None or values or _holds_flags(name, word, vocabulary)):
            message = f"what {plain(word)} holds is not known, so it is not counted: {unknown(word)}"
            remarks.add("W501", message, span(word, source))
        else:
            values.append(word)
    if name is not None:
        found.append(_given(name, values, source))
    return found, remarks.diagnostics


def _may_be_several(word: Word) -> bool:
    """Whether a word is nothing but a variable that is not known and may become any number of words."""
    return len(word) == 1 and bool(word[0].unknown) and not word[0].quoted


def _holds_flags(name: Word, word: Word, vocabulary: Vocabulary) -> bool:
    """Whether a variable that is not known is no value of the flag before it."""
    meaning = vocabulary.meanings.get(spelled(plain(name)))
    is_switch = meaning is not None and (meaning.is_switch or meaning.item.kind == "flag")
    return is_switch or _SEVERAL.search(plain(word)) is not None


def _given(name: Word, values: list[Word], source: Source) -> Given:
    text, equals, _ = plain(name).partition("=")
    where = span(name, source)
    if equals:
        values = [after(name, len(text) + 1), *values]
    reason = next((why for why in map(unknown, values) if why), "")
    value = True if not values else plain(values[0]) if len(values) == 1 else [plain(word) for word in values]
    return Given(text, value, where, span(values[0], source) if values else None, reason)


def _chosen(run: Run, vocabulary: Vocabulary) -> Command | None:
    """Returns the command with the most flags about memory, one that is not doubtful before one that is."""
    scored = [(_score(command, vocabulary), not command.doubtful, command) for command in run.commands]
    scored = [item for item in scored if item[0][0] and not _is_flag(item[2].words[0])]
    return max(scored, key=lambda item: item[:2], default=(0, 0, None))[2]


def _is_flag(word: Word) -> bool:
    return _FLAG.match(plain(word)) is not None


def _score(command: Command, vocabulary: Vocabulary) -> tuple[int, int]:
    if plain(command.words[0]) in _SILENT:
        return 0, 0
    flags = [spelled(plain(word).partition("=")[0]) for word in words_with_flags(command.words)]
    return sum(map(vocabulary.matters, flags)), sum(flag in vocabulary for flag in flags)


def _entry(words: Sequence[Word]) -> int:
    """Returns the position after the training script; 0 if it cannot be told."""
    return next((position + 1 for position, word in enumerate(words) if _is_script(plain(word))), 0)


def _is_script(text: str) -> bool:
    return text.endswith(".py") and not text.startswith("-")


def _without_command(source: Source, run: Run, vocabulary: Vocabulary) -> Found:
    """Reads the flags that variables hold, where a script sets them and leaves the launch to another."""
    words = [word for command in run.commands if _is_flag(command.words[0]) for word in command.words]
    names: list[str] = []
    for name, value in run.scope.variables.items():
        held = _words_of(value)
        spellings = [spelled(plain(word).partition("=")[0]) for word in words_with_flags(held)]
        if any(map(vocabulary.matters, spellings)) and not _is_part(held, words):
            words.extend(held)
            names.append(name)
    if not words:
        findings = Findings()
        help = "name the script that starts the training, or give its flags after `--`"
        findings.add("E510", "this script has no command with launch flags", source.whole(), help=help)
        findings.diagnostics.extend(_remarks(run, source, vocabulary))
        raise EngineError(findings.diagnostics)
    held_by = f"the flags in {', '.join(names)}" if names else "the flags"
    headline = f"{held_by}; there is no launch command"
    flags, remarks = flags_of(words, source, vocabulary)
    return Found(flags, headline, source.path, [*remarks, *_remarks(run, source, vocabulary)])


def _words_of(value: Value) -> list[Word]:
    return [part for word in (value if isinstance(value, list) else [value]) for part in split(word)]


def _is_part(held: Sequence[Word], words: Sequence[Word]) -> bool:
    """Whether all flags of a variable are among those that were found, since another is made of it."""
    places = {place(word) for word in words}
    return all(place(word) in places for word in words_with_flags(held))


def _remarks(run: Run, source: Source, vocabulary: Vocabulary) -> list[Diagnostic]:
    findings = Findings()
    for start, end, name in run.sourced:
        findings.add("W504", f"{name or 'another script'} is not read; what it sets counts as not set",
                     source.span(start, end))  # fmt: skip
    for start, end in run.left_out:
        text = source.text[start:end].split()
        if any(vocabulary.matters(spelled(word)) for word in text):
            message = "these flags depend on a condition that is not known; they are not counted"
            findings.add("W505", message, source.span(start, end))
    for name, (start, end) in run.taken_as_empty.items():
        findings.add("N502", f"{name} is set nowhere; it is taken as empty here", source.span(start, end))
    if run.stopped:
        findings.add("W504", run.stopped, source.whole())
    return findings.diagnostics


def _others(run: Run, chosen: Command, source: Source, vocabulary: Vocabulary) -> list[Diagnostic]:
    """Remarks on commands beside the one that is read: other launches, and flags that stand by themselves."""
    findings = Findings()
    seen: set[int] = set()
    for command in run.commands:
        if (
            command is chosen
            or command.start in seen
            or not _score(command, vocabulary)[0]
            or command.inside != chosen.inside
        ):
            continue
        seen.add(command.start)
        where = span(command.words[0], source)
        if command.start == chosen.start:
            if [plain(word) for word in command.words] != [plain(word) for word in chosen.words]:
                findings.add("W507", "this command runs several times; it is read as it is first run", where)
        elif _is_flag(command.words[0]):
            message = f"{plain(command.words[0])} is not part of the command before it, which ends above"
            help = "a line is continued only by a `\\` with nothing behind it, and a comment ends a command"
            findings.add("W506", message, where, help=help)
        else:
            line = source.position(chosen.start)[0]
            findings.add("W507", f"this command is not read, but the one in line {line}", where)
    return findings.diagnostics


def _counted(count: int) -> str:
    return "1 flag" if count == 1 else f"{count} flags"
