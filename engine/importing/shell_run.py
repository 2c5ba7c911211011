"""Follows a shell script through its assignments, conditions and loops to its commands. No command is run."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import replace

from engine.importing.arithmetic import NotKnown, calculate
from engine.importing.shell_conditions import Truth, decide, matches, negated
from engine.importing.shell_found import Command, Run
from engine.importing.shell_merge import merge, texts_to_run
from engine.importing.shell_nodes import (
    Block,
    Calculation,
    Case,
    Chain,
    Conditional,
    Function,
    Group,
    Loop,
    Parts,
    Pipeline,
    Simple,
    Statement,
    Test,
)
from engine.importing.shell_parser import parse
from engine.importing.shell_parts import ShellError
from engine.importing.shell_scope import Scope, TooMuch
from engine.importing.words import Piece, Script, Word, plain

_STEPS = 20_000
_DEPTH = 30
_TURNS = 1_000


def follow(text: str, variables: dict[str, str], arguments: Iterable[str]) -> Run:
    """Follows a script.

    Args:
        text: the script.
        variables: what the environment sets.
        arguments: what the script is called with.

    Raises:
        ShellError: the script cannot be read.
    """
    given = {name: (Piece(value, -1, -1),) for name, value in variables.items()}
    scope = Scope(dict(given), [(Piece(value, -1, -1, quoted=True),) for value in arguments])
    runner = _Runner(Run(scope))
    try:
        runner.block(parse(Script(text)))
    except TooMuch:
        runner.run.stopped = "the script was not followed to its end: it does more than any launch needs"
    return runner.run


class _Runner:
    def __init__(self, run: Run) -> None:
        self.run = run
        self.scope = run.scope
        self.functions: dict[str, Block] = {}
        self.steps = 0
        self.depth = 0
        self.doubt = 0
        self.inside: tuple[tuple[Word, ...], ...] = ()
        self.unknown: dict[str, Piece] = {}

    def block(self, block: Block) -> Truth:
        """Follows statements; returns whether the last succeeds."""
        found: Truth = True
        for statement in block:
            found = self.statement(statement)
        return found

    def statement(self, statement: Statement) -> Truth:
        self.steps += 1
        if self.steps > _STEPS:
            raise TooMuch
        match statement:
            case Simple():
                return self._simple(statement)
            case Test():
                return self._decide(statement.words, patterns=True)
            case Calculation():
                return self._calculation(statement)
            case Chain():
                return self._chain(statement)
            case Pipeline():
                for item in statement.items:
                    self.statement(item)
                return None
            case Conditional():
                return self._conditional(statement)
            case Case():
                return self._case(statement)
            case Loop():
                return self._loop(statement)
            case Function():
                self.functions[statement.name] = statement.body
                return True
            case Group():
                return self._group(statement)

    def _decide(self, words: Iterable[Parts], *, patterns: bool) -> Truth:
        found = [self.scope.word(parts) for parts in words]
        for word in found:
            self._note_empty(word)
        return decide(found, patterns=patterns)

    def _note_empty(self, word: Word) -> None:
        for piece in word:
            if piece.unset:
                self.run.taken_as_empty.setdefault(piece.text, (piece.start, piece.end))

    def _group(self, group: Group) -> Truth:
        if not group.own:
            return self.block(group.body)
        outer, self.scope = self.scope, self.scope.copy()
        found = self.block(group.body)
        self.scope = outer
        return found

    def _chain(self, chain: Chain) -> Truth:
        found: Truth = True
        for position, (connector, item) in enumerate(chain.items):
            if (connector == "&&" and found is False) or (connector == "||" and found is True):
                continue
            if connector and found is None and _decides(chain.items[position - 1][1]):
                found = self._either([lambda item=item: self.statement(item), lambda: None])  # type: ignore[misc]
            elif connector == "||" and found is None:
                continue  # a command is taken to succeed
            else:
                found = self.statement(item)
            if position in chain.negated:
                found = negated(found)
        return found

    def _conditional(self, statement: Conditional) -> Truth:
        return self._branches([*statement.branches], statement.otherwise)

    def _branches(self, branches: list[tuple[Block, Block]], otherwise: Block) -> Truth:
        if not branches:
            return self.block(otherwise)
        (condition, body), *rest = branches
        found = self.block(condition)
        if found is None:
            return self._either([lambda: self.block(body), lambda: self._branches(rest, otherwise)])
        return self.block(body) if found else self._branches(rest, otherwise)

    def _case(self, statement: Case) -> Truth:
        word = self.scope.word(statement.word)
        self._note_empty(word)
        possible: list[Block] = []
        for patterns, body in statement.items:
            found = [matches(word, self.scope.word(pattern)) for pattern in patterns]
            if True in found:
                possible.append(body)
                break
            if None in found:
                possible.append(body)
        else:
            possible.append(())
        if len(possible) == 1:
            return self.block(possible[0])
        return self._either([lambda body=body: self.block(body) for body in possible])  # type: ignore[misc]

    def _either(self, branches: list[Callable[[], Truth]]) -> Truth:
        """Follows branches of which it is not known which is taken, each from here, and keeps what they agree on."""
        before = self.scope
        after: list[Scope] = []
        self.doubt += 1
        for branch in branches:
            self.scope = before.copy()
            branch()
            after.append(self.scope)
        self.doubt -= 1
        self.scope = before
        merged, left_out = merge(before.variables, [scope.variables for scope in after])
        before.variables.update(merged)
        self.run.left_out.extend(left_out)
        return None

    def _loop(self, loop: Loop) -> Truth:
        if loop.kind in ("while", "until"):
            for _ in range(_TURNS):
                found = self.block(loop.condition)
                if loop.kind == "until":
                    found = negated(found)
                if found is None:
                    return self._either([lambda: self.block(loop.body), lambda: None])
                if not found:
                    return True
                self.block(loop.body)
                if _is_endless(loop):
                    break
            return None
        words = self.scope.arguments if loop.words is None else [w for p in loop.words for w in self.scope.words(p)]
        if not loop.name:
            return self._either([lambda: self.block(loop.body), lambda: None])
        for word in words:
            self.scope.variables[loop.name] = word
            self.block(loop.body)
        return True

    def _calculation(self, statement: Calculation) -> Truth:
        text = statement.text.strip()
        match = re.fullmatch(r"(\w+)\s*([-+*/%]?)=(?!=)(.*)", text, re.DOTALL) or re.fullmatch(r"(\w+)([-+])\2()", text)
        body = text
        if match:
            body = f"{match[1]} {match[2]} ({match[3] or 1})" if match[2] else match[3]
        piece = self.scope.calculation(body, statement.start, statement.end)
        if match:
            self.scope.variables[match[1]] = (piece,)
            return True
        try:
            return None if piece.unknown else bool(calculate(piece.text, lambda name: 0))
        except NotKnown:
            return None

    def _simple(self, statement: Simple) -> Truth:
        words = [word for parts in statement.words for word in self.scope.words(parts)]
        name = plain(words[0]) if words else ""
        if not words or name in ("export", "declare", "local", "readonly", "typeset"):
            for item in statement.assignments:
                self.scope.assign(item.name, item.value, append=item.append, index=item.index)
            return True
        own = self.scope.copy()
        for item in statement.assignments:
            own.assign(item.name, item.value, append=item.append, index=item.index)
        environment = own.variables
        if any(plain(word).startswith("--") or " --" in plain(word) for word in words):
            self.run.commands.append(
                Command(tuple(words), statement.start, statement.end, self.doubt > 0, environment, self.inside)
            )
        return self._builtin(name, words, statement)

    def _builtin(self, name: str, words: list[Word], statement: Simple) -> Truth:
        match name:
            case "true" | ":":
                return True
            case "false":
                return False
            case "[" | "test":
                return self._decide(statement.words[1:-1] if name == "[" else statement.words[1:], patterns=False)
            case "shift":
                count = int(plain(words[1])) if len(words) > 1 and plain(words[1]).isdigit() else 1
                del self.scope.arguments[: max(count, 1)]
                return True
            case "set" if len(words) > 1 and plain(words[1]) == "--":
                self.scope.arguments[:] = words[2:]
                return True
            case "unset":
                for word in words[1:]:
                    self.scope.variables.pop(plain(word), None)
                return True
            case "source" | ".":
                shown = plain(words[1]) if len(words) > 1 else ""
                self.run.sourced.append((statement.start, statement.end, shown))
                return True
            case "read" | "mapfile" | "readarray":
                reason = "what a command reads is not known"
                for word in words[1:]:
                    if (shown := plain(word)).isidentifier():
                        self.scope.variables[shown] = (replace(word[0], text=f"${shown}", unknown=reason),)
                return None
        if name in self.functions:
            return self._call(self.functions[name], words)
        heredocs = [self.scope.word(heredoc.parts) for heredoc in statement.heredocs]
        for text in texts_to_run(words, heredocs):
            self._nested(text, words)
        return None

    def _call(self, body: Block, words: list[Word]) -> Truth:
        if self.depth >= _DEPTH:
            return None
        self.depth += 1
        outer, self.scope.arguments = self.scope.arguments, list(words[1:])
        found = self.block(body)
        self.scope.arguments = outer
        self.depth -= 1
        return found

    def _nested(self, text: Word, words: list[Word]) -> None:
        if self.depth >= _DEPTH:
            return
        script = Script.of(text, self.unknown)
        self.scope.budget.spend(len(script.text) + 100)
        try:
            block = parse(script)
        except ShellError:
            return
        self.depth += 1
        outer, self.inside = self.inside, (*self.inside, tuple(words))
        inner = self.scope
        self.scope = inner.copy()
        self.scope.variables.update((name, (piece,)) for name, piece in self.unknown.items())
        self.scope.arguments.clear()
        self.block(block)
        self.scope, self.inside = inner, outer
        self.depth -= 1


def _is_endless(loop: Loop) -> bool:
    """Whether only a command of its body, which is not run, can end a loop."""
    return all(isinstance(item, Simple) and len(item.words) == 1 for item in loop.condition)


def _decides(statement: Statement) -> bool:
    """Whether a statement is a condition rather than a command that is taken to succeed."""
    if isinstance(statement, Simple):
        first = statement.words[0] if statement.words else ()
        return len(first) == 1 and getattr(first[0], "text", "") in ("[", "test")
    return not isinstance(statement, Pipeline | Group)
