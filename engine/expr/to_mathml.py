"""Prints LaTeX as MathML: the part of LaTeX that `to_latex` prints and that symbols of rules are written in.

One printer of formulas is enough; what a browser shows is the same text in other marks. A command that is not known is
shown by its name instead of failing, since symbols are free text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape

_TOKEN = re.compile(r"\\[A-Za-z]+|\\.|[0-9]+(?:\.[0-9]+)?|\s+|.", re.DOTALL)
_WORDS = re.compile(r"[A-Za-z]{2,}|" + _TOKEN.pattern, re.DOTALL)
_GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "zeta": "ζ", "eta": "η", "theta": "θ",
    "iota": "ι", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "xi": "ξ", "pi": "π", "rho": "ρ", "sigma": "σ",
    "tau": "τ", "phi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ", "Theta": "Θ",
    "Lambda": "Λ", "Xi": "Ξ", "Pi": "Π", "Sigma": "Σ", "Phi": "Φ", "Psi": "Ψ", "Omega": "Ω",
    "ell": "ℓ", "partial": "∂", "infty": "∞",
}  # fmt: skip
_SIGNS = {
    "cdot": "·", "times": "×", "leq": "≤", "geq": "≥", "neq": "≠", "in": "∈", "notin": "∉", "land": "∧", "lor": "∨",
    "lnot": "¬", "approx": "≈", "to": "→", "pm": "±", "ldots": "…", "mid": "|",
}  # fmt: skip
_BRACKETS = {"lfloor": "⌊", "rfloor": "⌋", "lceil": "⌈", "rceil": "⌉", "{": "{", "}": "}", "langle": "⟨", "rangle": "⟩"}
_FUNCTIONS = ("min", "max", "log", "gcd", "lcm", "bmod", "arg", "exp", "ln", "sup")
_LARGE = {"sum": "∑", "prod": "∏", "bigwedge": "⋀", "forall": "∀"}
_SPACES = frozenset({",", ";", "!", " ", ":", "quad", "qquad"})
_OPERATORS = frozenset("+-=<>*/,|:;()[]'")


def mathml(latex: str, *, block: bool = False) -> str:
    """Prints LaTeX for math mode as a MathML element.

    Args:
        latex: text without delimiters.
        block: whether the formula stands alone instead of in a line.

    Returns:
        A `math` element; its text is escaped, whatever the LaTeX holds.
    """
    display = ' display="block"' if block else ""
    try:
        content = _Reader(latex).rest()
    except RecursionError:  # nested far deeper than anybody reads
        content = f"<mtext>{escape(latex)}</mtext>"
    return f'<math xmlns="http://www.w3.org/1998/Math/MathML"{display}>{content}</math>'


class _Reader:
    """Reads LaTeX; in subscripts and superscripts (`words`) letters that stand together are one word."""

    def __init__(self, latex: str, *, words: bool = False) -> None:
        self._tokens: list[str] = (_WORDS if words else _TOKEN).findall(latex)
        self._at = 0

    def rest(self, *ends: str) -> str:
        """Returns everything up to one of some tokens, which is read too, or to the end."""
        parts: list[str] = []
        while self._at < len(self._tokens):
            if self._tokens[self._at] in ends:
                self._at += 1
                break
            if self._tokens[self._at].isspace():
                self._at += 1
            else:
                parts += self._scripted()
        return parts[0] if len(parts) == 1 else f"<mrow>{''.join(parts)}</mrow>"

    def _scripted(self) -> Iterator[str]:
        """Yields the next atom, with what stands below and above it."""
        base = self._atom()
        if base is None:
            return
        marks: dict[str, str] = {}
        primes = 0
        while self._at < len(self._tokens) and self._tokens[self._at] in ("_", "^", "'"):
            mark = self._tokens[self._at]
            self._at += 1
            if mark == "'":
                primes += 1
            elif mark not in marks:
                grouped = self._at < len(self._tokens) and self._tokens[self._at] == "{"
                found = _Reader(self._braced(), words=True).rest() if grouped else self._atom()
                marks[mark] = found or "<mrow></mrow>"
        if primes:
            marks["^"] = f"<mrow><mo>{'′' * primes}</mo>{marks.get('^', '')}</mrow>"
        yield _with_marks(base, marks)

    def _next(self) -> str:
        token = self._tokens[self._at]
        self._at += 1
        return token

    def _atom(self) -> str | None:
        while self._at < len(self._tokens):
            token = self._next()
            if token.isspace():
                continue
            if token == "{":
                return self.rest("}")
            if token.startswith("\\"):
                return self._command(token[1:])
            if token[0].isdigit():
                return f"<mn>{token}</mn>"
            if token.isalpha():
                return f"<mi>{escape(token)}</mi>"
            if token in ("}", "&"):
                continue
            return f"<mo>{'−' if token == '-' else escape(token)}</mo>"
        return None

    def _command(self, name: str) -> str | None:
        if name in _GREEK:
            return f"<mi>{_GREEK[name]}</mi>"
        if name in _SIGNS:
            return f"<mo>{_SIGNS[name]}</mo>"
        if name in _LARGE:
            return f'<mo largeop="true" movablelimits="false">{_LARGE[name]}</mo>'
        if name in _FUNCTIONS:
            return f"<mi>{'mod' if name == 'bmod' else name}</mi>"
        if name in _BRACKETS:
            return f'<mo stretchy="false">{_BRACKETS[name]}</mo>'
        if name in _SPACES:
            return '<mspace width="0.2em"/>'
        match name:
            case "frac":
                return f"<mfrac>{self._atom() or '<mrow></mrow>'}{self._atom() or '<mrow></mrow>'}</mfrac>"
            case "sqrt":
                return f"<msqrt>{self._atom() or ''}</msqrt>"
            case "left":
                return self._fenced()
            case "right":
                return self._bracket(stretchy=True)
            case "text" | "mathrm" | "operatorname" | "mathit" | "mathbf" | "mathsf":
                return self._upright(name)
            case "begin":
                return self._environment()
        return f"<mtext>{escape(name)}</mtext>"  # an escaped sign such as \_, or a command that is not known

    def _fenced(self) -> str:
        opening = self._bracket(stretchy=True)
        inside = self.rest("\\right")
        return f"<mrow>{opening}{inside}{self._bracket(stretchy=True)}</mrow>"

    def _bracket(self, *, stretchy: bool) -> str:
        token = self._next() if self._at < len(self._tokens) else "."
        sign = _BRACKETS.get(token.lstrip("\\"), token) if token.startswith("\\") else token
        return "" if sign == "." else f'<mo stretchy="{str(stretchy).lower()}">{escape(sign)}</mo>'

    def _upright(self, name: str) -> str:
        text = self._braced()
        kept = re.sub(r"\\(?:textbackslash\{\}|([^A-Za-z]))", lambda match: match[1] or "\\", text)
        if name == "text":
            return f"<mtext>{escape(kept).replace(' ', '&#160;')}</mtext>"
        return f'<mi mathvariant="normal">{escape(kept)}</mi>'

    def _braced(self) -> str:
        """Returns the text of the next group, unread."""
        while self._at < len(self._tokens) and self._tokens[self._at].isspace():
            self._at += 1
        if self._at >= len(self._tokens) or self._tokens[self._at] != "{":
            return self._next() if self._at < len(self._tokens) else ""
        depth, start = 0, self._at
        while self._at < len(self._tokens):
            token = self._next()
            depth += (token == "{") - (token == "}")
            if depth == 0:
                return "".join(self._tokens[start + 1 : self._at - 1])
        return "".join(self._tokens[start + 1 :])

    def _environment(self) -> str:
        """Reads a `cases` environment; any other is read the same way, without its brace."""
        name = self._braced()
        depth, start = 1, self._at
        while self._at < len(self._tokens) and depth:
            token = self._next()
            depth += (token == "\\begin") - (token == "\\end")
        body = "".join(self._tokens[start : self._at - 1 if not depth else self._at])
        self._braced()
        rows = [[_Reader(cell).rest() for cell in _split(row, "&")] for row in _split(body, "\\\\")]
        table = "".join("<mtr>" + "".join(f"<mtd>{cell}</mtd>" for cell in row) + "</mtr>" for row in rows)
        brace = '<mo stretchy="true">{</mo>' if name == "cases" else ""
        return f'<mrow>{brace}<mtable columnalign="left left" class="{escape(name)}">{table}</mtable></mrow>'


def _split(text: str, separator: str) -> list[str]:
    """Splits at a token that stands outside of groups and of inner environments."""
    parts, depth = [""], 0
    for token in _TOKEN.findall(text):
        depth += (token in ("{", "\\begin")) - (token in ("}", "\\end"))
        if token == separator and depth == 0:
            parts.append("")
        else:
            parts[-1] += token
    return parts


def _with_marks(base: str, marks: Mapping[str, str]) -> str:
    below, above = marks.get("_"), marks.get("^")
    large = 'largeop="true"' in base or base in ("<mi>min</mi>", "<mi>max</mi>", "<mi>arg</mi>")
    if below and above:
        return f"<{'munderover' if large else 'msubsup'}>{base}{below}{above}</{'munderover' if large else 'msubsup'}>"
    if below:
        return f"<{'munder' if large else 'msub'}>{base}{below}</{'munder' if large else 'msub'}>"
    return f"<{'mover' if large else 'msup'}>{base}{above}</{'mover' if large else 'msup'}>" if above else base
