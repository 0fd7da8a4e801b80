"""Routes: postures to go through on the way from one clearance point to the next."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from planner.clearance.certify import keeps
from planner.clearance.checker import Checker
from planner.clearance.paths import StraightPaths
from planner.job.solids import Cell
from robots.core.arrays import Array, Mask
from robots.core.model import Model
from robots.core.motion.joint_limits import JointLimits


class DetourKind(Enum):
    """By which way a travel goes around."""

    PLANE = "over the clearance plane"
    CUBE = "around the clearance cube"
    LIFTED = "lifted over what is in the way"
    EARLIER = "along an earlier detour"
    SEARCHED = "along a searched way"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TravelSpace:
    """What travel may use: the robot, its limits and the clearance it must keep.

    Args:
        model: of the robot.
        cell: what stands around the robot.
        checker: of the robot in that cell.
        limits: of the joints' speeds and accelerations.
        lower: least joint values, the job's margin taken off. # (n,) [rad]
        upper: greatest joint values, likewise. # (n,) [rad]
        required: clearance. [m]
    """

    model: Model
    cell: Cell
    checker: Checker
    limits: JointLimits
    lower: Array
    upper: Array
    required: float

    def inside(self, q: Array) -> Mask:
        """Postures within the joint limits. # (..., n) -> (...)."""
        return np.asarray(np.all((q >= self.lower) & (q <= self.upper), axis=-1))

    def legs_keep(self, starts: Array, ends: Array) -> Mask:
        """Straight joint motions that are proven to keep the clearance. # (m, n) -> (m,)."""
        if len(starts) == 0:
            return np.zeros(0, dtype=bool)
        return keeps(self.checker, StraightPaths(starts, ends), self.required)

    def routes_keep(self, routes: Array) -> Mask:
        """Polylines of one size whose every leg keeps the clearance. # (k, w, n) -> (k,)."""
        k, w, n = routes.shape
        starts, ends = routes[:, :-1].reshape(-1, n), routes[:, 1:].reshape(-1, n)
        # Postures first: a single one that collides spares the proof of all legs.
        clear = ~self.checker.collides(routes.reshape(-1, n), self.required)
        kept = np.all(clear.reshape(k, w), axis=1)
        legs = np.repeat(kept, w - 1)
        legs[legs] = self.legs_keep(starts[legs], ends[legs])
        return np.asarray(np.all(legs.reshape(k, w - 1), axis=1))
