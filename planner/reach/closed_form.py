"""Robots whose branches are known in closed form: the measuring arm, and three sliding axes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import PlacedPoints
from planner.reach.lines import ArmLines
from planner.reach.margins import rough_margins
from planner.reach.reach import Candidates, Shortfall, Wording, some_points
from robots.arm.inverse import ArmInverse, ArmSolutions, alternatives, branch_name
from robots.core.arrays import Array, Indices, Mask
from robots.core.mechanism import JointKind, Mechanism
from robots.core.model import Model
from robots.core.motion.joint_motion import PathState

_ARM_WORDING = Wording(
    branch="family",
    singular_hint="shift the part or change the approach, so that the wrist stays bent and the "
    "wrist centre off the first axis",
)


class ArmReach:
    """Reach of a measuring arm.

    Args:
        inverse: of the arm.
    """

    complete = True
    wording = _ARM_WORDING

    def __init__(self, inverse: ArmInverse) -> None:
        self.inverse = inverse

    @property
    def model(self) -> Model:
        """Of the arm."""
        return self.inverse.model

    def candidates(self, placed: PlacedPoints, *, wide: bool = False) -> Candidates:
        """All families that hit both ends of each line, with the whole turns that limits allow."""
        del wide  # all that there are
        return candidates(self.inverse, placed, end_solutions(self.inverse, placed))

    def shortfalls(self, placed: PlacedPoints, points: Indices) -> list[Shortfall]:
        """How far each point is out of reach of the wrist, or what else is in the way."""
        ends = end_solutions(self.inverse, some_points(placed, points))
        return [_shortfall(ends, k) for k in range(len(points))]


def _shortfall(ends: EndSolutions, k: int) -> Shortfall:
    """Neither a limit nor a singularity: the arm is too short, or the point too near."""
    outside = max(
        (float(ends.start.shortfall[k]), "clearance point"),
        (float(ends.end.shortfall[k]), "contact"),
    )
    if outside[0] > 0.0:
        return Shortfall(
            message=f"the {outside[1]} is {outside[0] * 1e3:.3f} mm out of reach of the wrist",
            hint=f"move the part {outside[0] * 1e3:.1f} mm or more towards the robot's reach",
        )
    lost = ends.start.lost[k] | ends.end.lost[k]
    if not np.any(lost):
        return Shortfall(
            message="no branch of the arm carries the bent stylus along the whole line",
            hint="shift the part, turn the stylus, or use one whose ball lies on its axis",
        )
    names = ", ".join(branch_name(int(f)) for f in np.nonzero(lost)[0])
    return Shortfall(
        message=f"the triangle rule says it is within reach but no root was found for {names}",
        hint="this is a fault in Palpeur; please report the job",
    )


# --- both ends of every line ---------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EndSolutions:
    """Inverse solutions at both ends of every line."""

    start: ArmSolutions
    end: ArmSolutions

    @property
    def hit(self) -> Mask:
        """Families that reach both ends. # (k, 8)."""
        return np.asarray(self.start.solved & self.end.solved)


def end_solutions(inverse: ArmInverse, placed: PlacedPoints) -> EndSolutions:
    """Solve clearance points and line ends."""
    return EndSolutions(
        start=inverse.solve(placed.clearances, placed.axes),
        end=inverse.solve(placed.line_ends, placed.axes),
    )


def candidates(inverse: ArmInverse, placed: PlacedPoints, ends: EndSolutions) -> Candidates:
    """All families that hit both ends of each line, with the whole turns that limits allow.

    A bent stylus can reach both ends by different branches of one family; such a line is none.
    """
    point, family = np.nonzero(ends.hit)
    ways = alternatives(inverse.model.mechanism, ends.start.q[point, family])
    point, family = point[ways.row], family[ways.row]
    lines = ArmLines(
        inverse=inverse,
        starts=placed.clearances[point],
        ends=placed.line_ends[point],
        axes=placed.axes[point],
        families=family,
        q_starts=ways.q,
    )
    margins = rough_margins(lines)
    whole = np.nonzero(np.isfinite(margins.singularity))[0]
    return Candidates(lines=lines.take(whole), point=point[whole], margins=margins.take(whole))


# --- three sliding axes --------------------------------------------------------------------------

AXES = 3
_FLAT = 1e-6  # ratio of the singular values of D from which three axes count as lying in a plane
_SAME_AXIS = 1e-9  # [rad] between the stylus of the machine and that of a point
_GANTRY_WORDING = Wording(
    branch="posture", singular_hint="three sliding axes have no singularity: check the robot file"
)


def slides_only(mechanism: Mechanism) -> bool:
    """Whether a robot is a chain of three sliding axes."""
    kinds = [joint.kind for joint in mechanism.movable]
    return mechanism.is_chain and kinds == [JointKind.PRISMATIC] * AXES


class GantryReach:
    """Reach of three sliding axes: one posture for each point.

    Three prismatic joints, in directions that do not lie in a plane, carry the ball anywhere in
    their box and never turn the stylus: ball = origin + D·q. The stylus points where the machine
    holds it, so the job fixes that direction (``approach.axis``).

    Args:
        mechanism: for which ``slides_only`` holds, its axes not in one plane.
    """

    complete = True
    wording = _GANTRY_WORDING

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
