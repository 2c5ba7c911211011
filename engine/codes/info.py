"""What a diagnostic code's page holds."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Severity(StrEnum):
    """How bad a finding is: an error stops the command, a warning and a note do not."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeInfo:
    """The page of one diagnostic code.

    Attributes:
        slug: short name in kebab case, stable like the code itself.
        title: one line that says what was found.
        why: why it is refused or warned about.
        mend: what to do about it.
        example: a small input that shows the finding, and usually its mended form.
        severity: severity of a finding with this code.
    """

    slug: str
    title: str
    why: str
    mend: str
    example: str
    severity: Severity = Severity.ERROR
