"""Whether a robot stands: the verdict on a posture or a motion."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Stance(Enum):
    """How a robot is on its feet."""

    STANDING = "standing"  # the point judged stays inside the support polygon
    TIPPING = "tipping"  # it reached an edge, the robot could still come back
    FALLEN = "fallen"  # its centre of mass left the polygon: nothing brings it back


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The worst stance of a motion and where it began.

    Args:
        stance: the worst.
        time: when it began; zero for a posture; nan while standing. [s]
        edge: name of the edge reached first ("toe", "heel", "left", "right", or "edge 3").
        margin: least signed distance from the judged point to the polygon's edges, positive
            inside. [m]
    """

    stance: Stance
    time: float
    edge: str
    margin: float
