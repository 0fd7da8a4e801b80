"""A finding: a code, how grave it is, where, what, and the nearest fix."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from planner.findings.subjects import Subject, where_text


class Severity(Enum):
    """How grave a finding is; only an error makes a result infeasible."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a finding.

    Args:
        name: what it is, such as "clearance".
        value: in ``unit``.
        unit: as in the message: "mm", "deg"; "1" for a ratio.
    """

    name: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing a reader should know.

    Args:
        code: stable; ``palpeur explain CODE`` prints its page.
        severity: error, warning or note.
        subject: point, travel, joint, feature … that it is about.
        message: one sentence with values and units.
        hint: the nearest fix.
        quantities: the numbers of the message, for programs.
        left_out: whether it concerns a point that no motion of the plan touches, so that it says
            nothing against the motions.
    """

    code: str
    severity: Severity
    subject: Subject
    message: str
    hint: str = ""
    quantities: tuple[Quantity, ...] = ()
    left_out: bool = field(default=False, compare=False)

    @property
    def where(self) -> str:
        """The subject for a reader; programs compare ``subject``."""
        return where_text(self.subject)

    def value(self, name: str) -> float | None:
        """A number of the finding, by its name; None where it has none of this name."""
        return next((item.value for item in self.quantities if item.name == name), None)

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
