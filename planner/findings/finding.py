"""A finding: a code, how grave it is, where, what, and the nearest fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum


class Severity(Enum):
    """How grave a finding is; only an error makes a result infeasible."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a reader should know.

    Args:
        code: stable; ``palpeur explain CODE`` prints its page.
        severity: error, warning or note.
        where: joint, state or point that it concerns.
        message: one sentence with values and units.
        hint: the nearest fix.
        left_out: whether it concerns a point that no motion of the plan touches, so that it says
            nothing against the motions.
    """

    code: str
    severity: Severity
    where: str
    message: str
    hint: str = ""
    left_out: bool = field(default=False, compare=False)

    def document(self) -> dict[str, str]:
        """The finding as it stands in JSON."""
        return {
            "code": self.code,
            "severity": self.severity.value,
            "where": self.where,
            "message": self.message,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        """One line for a reader, the hint on a second one."""
        line = f"{self.code} {self.severity.value}: {self.where}: {self.message}"
        return f"{line}\n    {self.hint}" if self.hint else line
