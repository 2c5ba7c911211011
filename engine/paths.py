"""Where the rules, presets and templates that ship with the project lie."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped_rules() -> Path:
    """Returns the directory of the shipped rules."""
    return _shipped("rules")


def shipped_presets() -> Path:
    """Returns the directory of the shipped presets."""
    return _shipped("presets")


def shipped_templates() -> Path:
    """Returns the directory of the shipped templates."""
    return _shipped("templates")


def _shipped(name: str) -> Path:
    """Returns a data directory: inside the package when installed from a wheel, beside it in a clone."""
    installed = _PACKAGE / "_data" / name
    return installed if installed.is_dir() else _PACKAGE.parent / name
