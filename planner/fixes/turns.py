"""How far a posture may turn about the probe, and what stops it: a joint's limit, or a fold."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.job import Job
from planner.plan import PlacedPoints
from planner.reach.margins import required_margins
from robots.core.arrays import Array
from robots.core.chain_inverse.rolls import FeasibleRolls, RollEnd, RollInterval
from robots.core.errors import InverseError
from robots.core.inverse.task import Target
from robots.core.model import Model

SIX = 6  # joints: the turn about the probe is the one motion to spare


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTurn:
    """Turns about the probe that a posture's branch allows.

    Args:
        back: against the probe's axis. [rad]
        on: about it. [rad]
        ends: what stops it, back and on.
    """

    back: float
    on: float
    ends: tuple[RollEnd, RollEnd]

    @property
    def sentence(self) -> str:
        """All of it for a reader."""
        first, last = (_stop(end) for end in self.ends)
        back, on = np.degrees(self.back), np.degrees(self.on)
        return f"turns about the probe by -{back:.1f} deg to {first}, +{on:.1f} deg to {last}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeTurns:
    """Turns about the probe at a clearance point, of all branches.

    Args:
        model: of the robot.
        T: pose of the tool at turn zero. # (4, 4)
        intervals: within the limits less the job's margin; none where no branch is, at any turn.
    """

    model: Model
    T: Array
    intervals: tuple[RollInterval, ...]

    @classmethod
    def of(cls, job: Job, one: PlacedPoints) -> ProbeTurns | None:
        """Those of a point; None of a robot whose turns are not known exactly."""
        mechanism = job.mechanism
        if mechanism.dof != SIX:
            return None
        margins = iter(required_margins(mechanism, job.checks.joint_margin).tolist())
        joints = [
            replace(joint, q_min=joint.q_min + margin, q_max=joint.q_max - margin)
            if joint.movable and (margin := next(margins)) > 0.0
            else joint
            for joint in mechanism.joints
        ]
        try:
            rolls = FeasibleRolls(replace(mechanism, joints=tuple(joints)), "numpy")
        except InverseError:
            return None
        T = Target.position_and_axis(one.clearances[0], one.axes[0]).T
        return cls(model=Model(mechanism, "numpy"), T=T, intervals=rolls.intervals(T))

    def of_posture(self, inverse_branch: str, q: Array) -> ProbeTurn | None:
        """Of a posture at the point; None outside all intervals, or where it may go round."""
        R = self.T[:3, :3].T @ self.model.forward(q)[:3, :3]
        roll = float(np.arctan2(R[1, 0], R[0, 0]))
        for one in self.intervals:
            sides = one.to_ends(roll) if one.branch == inverse_branch else None
            if sides is not None and one.ends is not None:
                return ProbeTurn(back=sides[0], on=sides[1], ends=one.ends)
        return None


def _stop(end: RollEnd) -> str:
    return "a fold, where the branch ends" if end.fold else f"the limit of {end.joint}"
