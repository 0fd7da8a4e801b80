"""How a machine of three sliding axes reaches points: one posture each, in closed form.

Three prismatic joints, in directions that do not lie in a plane, carry the ball anywhere in their
box and never turn the stylus: ball = origin + D·q. The stylus points where the machine holds it,
so the job fixes that direction (``approach.axis``).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.candidates import Candidates
from planner.reach.margins import rough_margins
from planner.reach.reach import Shortfall, Wording, some_points
from robots.core.arrays import Array, Indices
from robots.core.mechanism import JointKind, Mechanism
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState

AXES = 3
_FLAT = 1e-6  # ratio of the singular values of D from which three axes count as lying in a plane
_SAME_AXIS = 1e-9  # [rad] between the stylus of the machine and that of a point
_WORDING = Wording(
    branch="posture", singular_hint="three sliding axes have no singularity: check the robot file"
)


def slides_only(mechanism: Mechanism) -> bool:
    """Whether a robot is a chain of three sliding axes."""
    kinds = [joint.kind for joint in mechanism.movable]
    return mechanism.is_chain and kinds == [JointKind.PRISMATIC] * AXES


class GantryReach:
    """Reach of three sliding axes.

    Args:
        mechanism: for which ``slides_only`` holds, its axes not in one plane.
    """

    complete = True
    wording = _WORDING

    def __init__(self, mechanism: Mechanism) -> None:
        self._model = Model(mechanism)
        T = self._model.forward(np.zeros((1, AXES)))[0]
        self._origin, self._axis = T[:3, 3], T[:3, 2]
        self._directions = self._model.jacobian(np.zeros((1, AXES)))[0, :3]
        values = np.linalg.svd(self._directions, compute_uv=False)
        self.regularity = float(values[-1] / values[0])
        self._rates = np.zeros((AXES, AXES))
        if self.spatial:
            self._rates = np.asarray(np.linalg.inv(self._directions), dtype=np.float64)

    @property
    def spatial(self) -> bool:
        """Whether the axes carry the ball in all three directions."""
        return self.regularity > _FLAT

    @property
    def model(self) -> Model:
        """Of the machine."""
        return self._model

    def candidates(self, placed: PlacedPoints, *, wide: bool = False) -> Candidates:
        """The one posture of each point whose stylus is that of the machine."""
        del wide  # there is one
        point = np.flatnonzero(self._turns(placed) <= _SAME_AXIS)
        lines = GantryLines(
            model=self._model,
            starts=placed.clearances[point],
            ends=placed.line_ends[point],
            axes=placed.axes[point],
            origin=self._origin,
            rates=self._rates,
            regularity=self.regularity,
        )
        return Candidates(lines=lines, point=point, margins=rough_margins(lines))

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """How far the stylus of the machine is from the one that each point asks for."""
        axis = ", ".join(f"{value + 0.0:.6g}" for value in self._axis.round(9).tolist())
        return [
            Shortfall(
                message=f"the stylus is asked {np.degrees(turn):.4g} deg from where this machine "
                f"holds it, and three sliding axes do not turn it",
                hint=f"set approach.axis so that the stylus points along [{axis}] in base axes",
            )
            for turn in self._turns(some_points(placed, points)).tolist()
        ]

    def _turns(self, placed: PlacedPoints) -> Array:
        """Angle between the machine's stylus and that of each point. # (k,) [rad]."""
        across = np.linalg.norm(np.cross(placed.axes, self._axis), axis=1)
        return np.asarray(np.arctan2(across, placed.axes @ self._axis))


@dataclass(frozen=True, kw_only=True, eq=False)
class GantryLines:
    """Straight lines of the ball, straight in the joints as well.

    Args:
        model: of the machine.
        starts: clearance points. # (k, 3) [m]
        ends: deepest places of the ball. # (k, 3) [m]
        axes: stylus directions. # (k, 3)
        origin: of the ball where all joints are zero. # (3,) [m]
        rates: joint values per ball position. # (3, 3)
        regularity: least singular value of the axes' directions over the greatest.
    """

    model: Model
    starts: Array
    ends: Array
    axes: Array
    origin: Array
    rates: Array
    regularity: float

    def __len__(self) -> int:
        """Number of lines."""
        return len(self.starts)

    def take(self, chosen: Indices) -> GantryLines:
        """Some of the lines, in the order given."""
        return GantryLines(
            model=self.model,
            starts=self.starts[chosen],
            ends=self.ends[chosen],
            axes=self.axes[chosen],
            origin=self.origin,
            rates=self.rates,
            regularity=self.regularity,
        )

    @property
    def q_starts(self) -> Array:
        """Joints at the clearance points. # (k, 3) [m]."""
        return np.asarray((self.starts - self.origin) @ self.rates.T)

    def joints(self, index: Indices, lam: Array) -> Array:
        """Joints at λ. # (m, 3) [m]."""
        ball = self.starts[index] + lam[:, None] * (self.ends - self.starts)[index]
        return np.asarray((ball - self.origin) @ self.rates.T)

    def path(self, index: Indices, lam: Array) -> PathState:
        """Joints and derivatives by λ. # (m, 3) each."""
        dq = (self.ends - self.starts)[index] @ self.rates.T
        return PathState(q=self.joints(index, lam), dq=dq, ddq=np.zeros_like(dq))

    def singularity_margins(self, q: Array) -> Array:
        """The same in every posture. # (m,)."""
        return np.full(len(q), self.regularity)

    def branch(self, row: int) -> str:
        """Name of the one posture: no joint turns, which could turn the other way."""
        del row
        return "only posture"

    def inverse_branch(self, row: int) -> str:
        """None: there is nothing to tell apart."""
        del row
        return ""
