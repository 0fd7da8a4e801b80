"""Outcome: what came of one case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from planner.findings.finding import Aspect

FORMAT = 1


class CaseStatus(Enum):
    """How a case ended."""

    FEASIBLE = "feasible"
    INFEASIBLE = "infeasible"
    REFUSED = "refused"  # bad input: the job, or a file it names
    NOT_VALIDATED = "not validated"  # the plan failed its own check: a fault of Palpeur's
    TIME_CAP = "time cap"
    MEMORY_CAP = "memory cap"
    CRASHED = "crashed"  # its worker died, each time it was tried

    @property
    def failed(self) -> bool:
        """Whether a reader has to look at it."""
        return self is not CaseStatus.FEASIBLE

    @property
    def final(self) -> bool:
        """Whether the same inputs must come to the same end, so that nothing tries again."""
        return self not in {CaseStatus.TIME_CAP, CaseStatus.MEMORY_CAP, CaseStatus.CRASHED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Result of one case, independent of when, where and how fast it was computed.

    Args:
        status: how it ended.
        code: reason: code of the first error among the findings, or kind of failure.
        where: point, file or key that the reason concerns.
        message: one sentence; empty for a feasible job.
        figures: numbers of the plan by name with unit, as "duration_s", "joint_margin_deg".
        findings: number of findings by code.
        unchecked: what the plan did not check; nothing where there is no plan.
        inputs: hashes of further files that were read, which the key does not know.
        cap: that ended it, in seconds or bytes; zero where none did.
    """

    status: CaseStatus
    code: str = ""
    where: str = ""
    message: str = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    findings: Mapping[str, int] = field(default_factory=dict)
    unchecked: tuple[Aspect, ...] = ()
    inputs: Mapping[str, str] = field(default_factory=dict)
    cap: float = 0.0

    def document(self) -> dict[str, object]:
        """As it stands in a result file."""
        return {
            "status": self.status.value,
            "code": self.code,
            "where": self.where,
            "message": self.message,
            "figures": dict(sorted(self.figures.items())),
            "findings": dict(sorted(self.findings.items())),
            "unchecked": [aspect.value for aspect in self.unchecked],
            "inputs": dict(sorted(self.inputs.items())),
            "cap": self.cap,
        }


def outcome_of(document: Mapping[str, object]) -> Outcome:
    """An outcome read back.

    Raises:
        KeyError, TypeError, ValueError: this is not what ``Outcome.document`` gives.
    """
    return Outcome(
        status=CaseStatus(document["status"]),
        code=_text(document["code"]),
        where=_text(document["where"]),
        message=_text(document["message"]),
        figures={name: float(str(value)) for name, value in _table(document["figures"]).items()},
        findings={name: int(str(value)) for name, value in _table(document["findings"]).items()},
        # summaries of earlier versions do not say
        unchecked=tuple(Aspect(name) for name in _list(document["unchecked"])),
        inputs={name: _text(value) for name, value in _table(document["inputs"]).items()},
        cap=float(str(document["cap"])),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{value!r} is no text")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value


def _table(value: object) -> dict[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"{value!r} is no table")
    return value
