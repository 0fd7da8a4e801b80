"""How far a posture may turn about the probe, and what stops it: a joint's limit, or a fold.

Six joints leave the turn about the probe. Seven leave one motion more: with the tool held where it
is, the last joint turns while the others follow.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from planner.job import Job
from planner.plan import PlacedPoints
from planner.reach.margins import required_margins
from robots.core.arrays import Array
from robots.core.chain_inverse.rolls import SIX, FeasibleRolls, RollEnd, RollInterval
from robots.core.errors import InverseError
from robots.core.inverse.task import Target
from robots.core.model import Model


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeTurn:
    """Turns that a posture's branch allows, about the probe or, of seven joints, of the last one.

    Args:
        joint: that turns while the tool is held; empty of turns about the probe.
        back: against the probe's axis, or the joint's. [rad]
        on: about it. [rad]
        ends: what stops it, back and on.
    """

    joint: str = ""
    back: float
    on: float
    ends: tuple[RollEnd, RollEnd]

    @property
    def sentence(self) -> str:
        """All of it for a reader."""
        first, last = (_stop(end) for end in self.ends)
        back, on = np.degrees(self.back), np.degrees(self.on)
        what = f"with the tool held, {self.joint} turns" if self.joint else "turns about the probe"
        return f"{what} by -{back:.1f} deg to {first}, +{on:.1f} deg to {last}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProbeTurns:
    """Turns at a clearance point, of all branches.

    Args:
        model: of the robot.
        rolls: of the robot with its limits less the job's margin.
        T: pose of the tool at turn zero; of seven joints each posture has its own. # (4, 4)
        intervals: of this pose; of seven joints none.
    """

    model: Model
    rolls: FeasibleRolls
    T: Array
    intervals: tuple[RollInterval, ...]

    @classmethod
    def of(cls, job: Job, one: PlacedPoints) -> ProbeTurns | None:
        """Those of a point; None of a robot whose turns are not known exactly."""
        mechanism = job.mechanism
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
        intervals = rolls.intervals(T) if mechanism.dof == SIX else ()
        return cls(model=Model(mechanism, "numpy"), rolls=rolls, T=T, intervals=intervals)

    def of_posture(self, q: Array) -> ProbeTurn | None:
        """Of a posture at the point; None outside all intervals, or where it may go round."""
        if self.model.dof == SIX:
            place = self.rolls.on(self.T, q, self.intervals)
        else:
            T = self.model.forward(q)
            place = self.rolls.on(T, q, self.rolls.intervals(T))
        if place is None or place.interval.ends is None:
            return None
        first, last = place.interval.ends
        if self.model.dof == SIX:
            return ProbeTurn(back=place.back, on=place.on, ends=(first, last))
        # The roll that the other six joints follow is the last one's, the other way round.
        name = self.model.mechanism.movable[-1].name
        return ProbeTurn(joint=name, back=place.on, on=place.back, ends=(last, first))


def _stop(end: RollEnd) -> str:
    return "a fold, where the branch ends" if end.fold else f"the limit of {end.joint}"
