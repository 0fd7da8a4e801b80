"""A fix: one change of a job that serves a point, and what else it does."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from planner.job import Job


class FixKind(Enum):
    """What is changed, in the order in which changes are preferred: no hardware first."""

    BRANCH = "branch"  # a joint limit that leaves a good branch alone
    APPROACH = "approach"  # where a point is approached from
    DISTANCE = "distance"  # from the clearance point to contact
    TILT = "tilt"  # of the probe axis of one point
    AXIS = "axis"  # of the stylus, for a feature as a whole
    SHIFT = "shift"  # of the part
    STYLUS = "stylus"  # its length


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Others:
    """What a fix does to the other points.

    Args:
        looked_at: how many were judged; of a large job an even choice.
        lost: names of points that are served now and would not be.
        gained: names of points that fail now and would be served.
    """

    looked_at: int = 0
    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Fix:
    """One change that serves a point.

    Args:
        kind: what is changed.
        amount: by how much; 0 where nothing is measured. [m or rad]
        unit: of the amount for a reader: "mm" or "deg".
        sentence: what to do.
        place: table of the job file, or file, where the line stands.
        line: as it is to be written there.
        job: the job with the change.
        verified: whether that job was judged for the point and serves it.
        allowed: whether the job allows such a change; a tilt needs a cone.
        alone: whether the change concerns this point alone.
        others: what becomes of the other points; None where they were not looked at, or where the
            change concerns this point alone.
    """

    kind: FixKind
    amount: float
    unit: str
    sentence: str
    place: str
    line: str
    job: Job = field(repr=False)
    verified: bool = False
    allowed: bool = True
    alone: bool = False
    others: Others | None = None

    @property
    def shown_amount(self) -> float:
        """The amount in its unit."""
        return float(np.degrees(self.amount)) if self.unit == "deg" else 1e3 * self.amount

    @property
    def rank(self) -> tuple[bool, int, int, float]:
        """Preferred first: allowed, no point lost, by kind, the smallest."""
        lost = 0 if self.others is None else len(self.others.lost)
        return not self.allowed, lost, tuple(FixKind).index(self.kind), self.amount

    @property
    def hint(self) -> str:
        """One sentence for a finding."""
        return f"{self.sentence}{consequences(self.others)}"

    def document(self) -> dict[str, object]:
        """The fix as it stands in JSON."""
        others = self.others
        return {
            "kind": self.kind.value,
            "amount": self.shown_amount,
            "unit": self.unit,
            "sentence": self.sentence,
            "where": self.place,
            "line": self.line,
            "verified": self.verified,
            "allowed": self.allowed,
            "other_points": None
            if others is None
            else {
                "looked_at": others.looked_at,
                "lost": list(others.lost),
                "gained": list(others.gained),
            },
        }


def consequences(others: Others | None) -> str:
    """What a change does to other points, to follow its sentence; empty for nothing."""
    if others is None:
        return ""
    parts = []
    if others.lost:
        parts.append(f"{_points(others.lost)} measurable now would fail")
    if others.gained:
        parts.append(f"{_points(others.gained)} failing now would be measurable")
    return f" ({'; '.join(parts)})" if parts else ""


def _points(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3]) + (", …" if len(names) > 3 else "")
    return f"{len(names)} other point{'s' if len(names) > 1 else ''} ({shown})"
