"""Reads a shell script as commands, conditions and loops."""

from __future__ import annotations

from engine.importing.shell_lexer import Lexer, Token, assignment_of, declares
from engine.importing.shell_nodes import (
    Assignment,
    Block,
    Calculation,
    Case,
    Chain,
    Conditional,
    Function,
    Group,
    Heredoc,
    Literal,
    Loop,
    Parts,
    Pipeline,
    Simple,
    Statement,
    Test,
)
from engine.importing.shell_parts import ShellError
from engine.importing.words import Script

_REDIRECTIONS = frozenset(("<", ">", ">>", "<&", ">&", "&>", "&>>", "<>", ">|", "<<<"))
_CLOSING = frozenset(("then", "elif", "else", "fi", "do", "done", "esac", "}"))
_SEPARATORS = frozenset((";", "&", "\n"))
_DEPTH = 60


def parse(script: Script) -> Block:
    """Reads a whole script.

    Raises:
        ShellError: a quote or a block is not closed.
    """
    parser = _Parser(script)
    found: list[Statement] = []
    while True:
        found.extend(parser.block(frozenset()))
        if parser.token.kind == "end":
            return tuple(found)
        parser.advance()  # a closing word without its opening one; a shell would stop, a reader goes on


class _Parser:
    def __init__(self, script: Script) -> None:
        self.script = script
        self.lexer = Lexer(script)
        self.depth = 0
        self.token = self.lexer.next()

    def advance(self) -> Token:
        token = self.token
        self.token = self.lexer.next()
        return token

    def block(self, closing: frozenset[str]) -> Block:
        """Reads statements up to one of the closing words or operators, which stays."""
        found: list[Statement] = []
        while True:
            while self.token.text in _SEPARATORS and self.token.kind != "word":
                self.advance()
            token = self.token
            if token.kind == "end" or token.text in closing or (token.kind == "word" and token.text in _CLOSING):
                return tuple(found)
            if token.kind == "operator" and token.text in (")", ";;", ";&", ";;&"):
                return tuple(found)
            found.append(self._chain())

    def _chain(self) -> Statement:
        items: list[tuple[str, Statement]] = []
        negated: set[int] = set()
        connector = ""
        while True:
            while self.token.kind == "newline":
                self.advance()
            while self.token.text == "!" and self.token.kind == "word":
                negated ^= {len(items)}
                self.advance()
            items.append((connector, self._pipeline()))
            if self.token.text not in ("&&", "||"):
                break
            connector = self.advance().text
        return Chain(tuple(items), frozenset(negated)) if len(items) > 1 or negated else items[0][1]

    def _pipeline(self) -> Statement:
        items = [self._command()]
        while self.token.text in ("|", "|&") and self.token.kind == "operator":
            self.advance()
            while self.token.kind == "newline":
                self.advance()
            items.append(self._command())
        return items[0] if len(items) == 1 else Pipeline(tuple(items))

    def _command(self) -> Statement:
        self.depth += 1
        if self.depth > _DEPTH:
            raise self.lexer.error("blocks are nested too deeply to be read", self.token.start, self.token.end)
        statement = self._compound() or self._simple()
        self.depth -= 1
        return statement

    def _compound(self) -> Statement | None:
        token = self.token
        start = self.script.place(token.start, token.end)[0]
        if token.kind == "operator":
            if token.text == "(":
                return self._parenthesis(token, start)
            return None
        if token.kind != "word":
            return None
        match token.text:
            case "if":
                return self._if(start)
            case "case":
                return self._case(start)
            case "for" | "select" | "while" | "until":
                return self._loop(start)
            case "function":
                self.advance()
                return self._function(self.advance())
            case "{":
                self.advance()
                body = self.block(frozenset(("}",)))
                self._close("}", token)
                self._redirections(None)
                return Group(body)
            case "[[":
                return self._test(token)
        return None

    def _parenthesis(self, token: Token, start: int) -> Statement:
        if self.lexer.text.startswith("(", token.end):
            self.lexer.at = token.end + 1
            text = self.lexer.until("))", token.end + 1)
            self.advance()
            return Calculation(text, *self.script.place(token.start, self.token.start))
        self.advance()
        body = self.block(frozenset((")",)))
        self._close(")", token)
        self._redirections(None)
        return Group(body, own=True)

    def _close(self, word: str, opening: Token) -> None:
        if self.token.text != word:
            shown = opening.text
            raise self.lexer.error(f"`{shown}` is not closed", opening.start, opening.end, f"`{word}` is missing")
        self.advance()

    def _if(self, start: int) -> Statement:
        opening = self.token
        branches: list[tuple[Block, Block]] = []
        while self.token.text in ("if", "elif"):
            self.advance()
            condition = self.block(frozenset(("then",)))
            self._close("then", opening)
            branches.append((condition, self.block(frozenset(("elif", "else", "fi")))))
        otherwise: Block = ()
        if self.token.text == "else":
            self.advance()
            otherwise = self.block(frozenset(("fi",)))
        self._close("fi", opening)
        self._redirections(None)
        return Conditional(tuple(branches), otherwise, start)

    def _case(self, start: int) -> Statement:
        opening = self.advance()
        word = self.advance().parts
        self._newlines()
        self._close("in", opening)
        items: list[tuple[tuple[Parts, ...], Block]] = []
        self._newlines()
        while self.token.text != "esac":
            if self.token.kind == "end":
                self._close("esac", opening)
            patterns: list[Parts] = []
            if self.token.text == "(":
                self.advance()
            while self.token.text != ")":
                if self.token.kind == "end":
                    self._close("esac", opening)
                if self.token.kind == "word":
                    patterns.append(self.token.parts)
                self.advance()
            self.advance()
            items.append((tuple(patterns), self.block(frozenset(("esac",)))))
            while self.token.text in (";;", ";&", ";;&", "\n"):
                self.advance()
            if self.token.text == ")":  # of nothing that was opened
                self.advance()
        self._close("esac", opening)
        self._redirections(None)
        return Case(word, tuple(items), start)

    def _newlines(self) -> None:
        while self.token.text in _SEPARATORS and self.token.kind != "word":
            self.advance()

    def _loop(self, start: int) -> Statement:
        opening = self.advance()
        name = ""
        words: list[Parts] | None = None
        condition: Block = ()
        if opening.text in ("while", "until"):
            condition = self.block(frozenset(("do",)))
        elif self.token.text == "(":
            self._parenthesis(self.token, start)
        else:
            name = self.advance().text
            self._newlines()
            if self.token.text == "in" and self.token.kind == "word":
                self.advance()
                words = []
                while self.token.kind == "word":
                    words.append(self.advance().parts)
        self._newlines()
        self._close("do", opening)
        body = self.block(frozenset(("done",)))
        self._close("done", opening)
        self._redirections(None)
        return Loop(opening.text, name, None if words is None else tuple(words), condition, body, start)

    def _function(self, name: Token) -> Statement:
        while self.token.text in ("(", ")", "\n") and self.token.kind != "word":
            self.advance()
        body = self._command()
        return Function(name.text, (body,))

    def _test(self, opening: Token) -> Statement:
        self.advance()
        words: list[Parts] = []
        while not (self.token.kind == "word" and self.token.text == "]]"):
            if self.token.kind == "end":
                self._close("]]", opening)
            if self.token.kind == "word":
                words.append(self.token.parts)
            elif self.token.kind == "operator":
                place = self.script.place(self.token.start, self.token.end)
                words.append((Literal(self.token.text, *place, quoted=False),))
            self.advance()
        end = self.token.end
        self.advance()
        self._redirections(None)
        return Test(tuple(words), *self.script.place(opening.start, end))

    def _simple(self) -> Statement:
        first = self.token
        assignments: list[Assignment] = []
        words: list[Parts] = []
        heredocs: list[Heredoc] = []
        end = first.end
        while True:
            self._redirections(heredocs)
            token = self.token
            if token.kind != "word":
                break
            assignment = None if words and not declares(words) else assignment_of(token)
            if assignment is not None:
                assignments.append(assignment)
            else:
                words.append(token.parts)
            end = token.end
            self.advance()
            if len(words) == 1 and not assignments and self.token.text == "(" and self.token.kind == "operator":
                return self._function(token)
        if not words and not assignments and not heredocs and self.token is first:
            self.advance()  # an operator where a command should stand
        return Simple(tuple(assignments), tuple(words), heredocs, *self.script.place(first.start, end))

    def _redirections(self, heredocs: list[Heredoc] | None) -> None:
        """Passes what says where a command reads and writes; texts that it is given are kept."""
        while self.token.kind == "operator" and self.token.text in (*_REDIRECTIONS, "<<", "<<-"):
            operator = self.token.text
            if operator in ("<<", "<<-"):
                self.lexer.skip_blanks()
                self.advance_to_delimiter(operator == "<<-", [] if heredocs is None else heredocs)
                continue
            self.advance()
            if self.token.kind == "word":
                if operator == "<<<" and heredocs is not None:
                    heredocs.append(Heredoc(self.token.parts))
                self.advance()

    def advance_to_delimiter(self, strip: bool, target: list[Heredoc]) -> None:
        """Reads the word that ends a text, and has the text read when its lines come."""
        word = self.lexer.next()
        if word.kind == "word":
            self.lexer.expect_heredoc(word, strip, target)
            self.token = self.lexer.next()
        else:
            self.token = word


__all__ = ["ShellError", "parse"]
