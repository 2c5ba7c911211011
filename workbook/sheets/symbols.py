"""Mathematical symbols of rules as a cell shows them: letters in place of LaTeX's commands."""

from __future__ import annotations

import re

_COMMAND = re.compile(r"\\([A-Za-z]+) ?")
_LETTERS = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ",
    "pi": "π", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Delta": "Δ", "ell": "ℓ",
    "partial": "∂", "cdot": "·", "times": "×", "mathrm": "",
}  # fmt: skip
_BRACES = str.maketrans("", "", "{}")


def readable(symbol: str) -> str:
    r"""Returns a symbol such as `\beta_{1,fp32}` as text: `β_1,fp32`. A command that is not known stays as a word."""
    return _COMMAND.sub(lambda match: _LETTERS.get(match[1], match[1]), symbol).translate(_BRACES)
