"""The room that a stylus sweeps while it keeps its direction, against the part.

The stylus only shifts: its ball sweeps a capsule, and a shank that is drawn along its own axis
another one, so that each is one exact query of the whole motion. A shank that shifts across its
axis is followed by branch and bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.clearance.advance import Advance, IntervalCheck, IntervalVerdict
from planner.clearance.checker import Checker
from planner.clearance.goals import Tolerance, floors
from planner.clearance.patch import Patches
from planner.job.stylus import BALL, SHANK
from robots.core.arrays import Array, Indices
from robots.core.mechanism import Mechanism

_ACROSS = 1e-9  # [m] a shift across the axis below this is rounding


@dataclass(frozen=True, slots=True, kw_only=True)
class Stylus:
    """Ball and shank; the shank lies on the probe axis and ends at the ball's centre.

    Args:
        ball: radius. [m]
        shank: radius. [m]
        length: of the shank, 0 for none. [m]
    """

    ball: float
    shank: float
    length: float

    @classmethod
    def of(cls, mechanism: Mechanism) -> Stylus | None:
        """The stylus among a mechanism's capsules; None where there is none."""
        capsules = {capsule.name: capsule for capsule in mechanism.capsules}
        if BALL not in capsules:
            return None
        shank = capsules.get(SHANK)
        return cls(
            ball=capsules[BALL].radius,
            shank=0.0 if shank is None else shank.radius,
            length=0.0 if shank is None else float(np.linalg.norm(shank.end - shank.start)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StylusPiece:
    """A length of the stylus.

    Args:
        name: of the capsule that it belongs to.
        radius: [m]
        begin: where it begins behind the ball's centre. [m]
        end: where it ends; equal to ``begin`` for a ball. [m]
    """

    name: str
    radius: float
    begin: float
    end: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Sweeps:
    """Straight shifts of a stylus that keeps its direction.

    Args:
        starts: ball centres at the start. # (m, 3) [m]
        shifts: to the end. # (m, 3) [m]
        axes: unit, from the wrist to the ball. # (m, 3)
        excluded: triangles of the part that do not count, one group per row.
    """

    starts: Array
    shifts: Array
    axes: Array
    excluded: Patches

    def take(self, rows: Indices) -> Sweeps:
        """Some of the rows, in any order."""
        return Sweeps(
            starts=self.starts[rows],
            shifts=self.shifts[rows],
            axes=self.axes[rows],
            excluded=self.excluded.take(rows),
        )

    def at(self, lam: Array) -> Sweeps:
        """At rest at λ. # (m,)."""
        starts = self.starts + lam[:, None] * self.shifts
        return Sweeps(
            starts=starts,
            shifts=np.zeros_like(starts),
            axes=self.axes,
            excluded=self.excluded,
        )


def swept(checker: Checker, piece: StylusPiece, sweeps: Sweeps, required: float) -> Array:
    """Least clearance of a piece of the stylus from the part over whole motions.

    It is exact along the axis and for a ball. Across it is certified, to the default tolerance, or
    of a motion that comes nearer than required a clearance that it does not keep.

    Args:
        checker: of the cell.
        piece: of the stylus.
        sweeps: motions.
        required: clearance asked for. [m]

    Returns:
        # (m,) [m]
    """
    along = np.einsum("ij,ij->i", sweeps.shifts, sweeps.axes)
    across = np.linalg.norm(sweeps.shifts - along[:, None] * sweeps.axes, axis=1)
    ends = sweeps.starts + sweeps.shifts
    if piece.begin == piece.end:
        back = piece.begin * sweeps.axes
        return _distances(checker, sweeps.starts - back, ends - back, sweeps) - piece.radius
    near = sweeps.starts + (np.maximum(along, 0.0) - piece.begin)[:, None] * sweeps.axes
    far = sweeps.starts + (np.minimum(along, 0.0) - piece.end)[:, None] * sweeps.axes
    result = np.empty(len(near))
    straight = np.nonzero(across <= _ACROSS)[0]
    distances = _distances(checker, near[straight], far[straight], sweeps.take(straight))
    result[straight] = distances - piece.radius
    other = np.nonzero(across > _ACROSS)[0]
    if other.size:
        search = Advance(
            _shifted(checker, piece, sweeps.take(other)), floors(required, Tolerance()), ends=True
        )
        course = search.run(other.size)
        result[other] = np.where(course.seen < required, course.seen, course.certified)
    return result


def _distances(checker: Checker, near: Array, far: Array, sweeps: Sweeps) -> Array:
    excluded = (sweeps.excluded.offsets, sweeps.excluded.triangles)
    return checker.segments(near, far, excluded)


def _shifted(checker: Checker, piece: StylusPiece, sweeps: Sweeps) -> IntervalCheck:
    """Judge of shanks that shift across their axes: they move as far as their ball."""
    lengths = np.linalg.norm(sweeps.shifts, axis=1)

    def judge(index: Indices, low: Array, high: Array, floor: Array) -> IntervalVerdict:
        del floor
        still = sweeps.take(index).at(0.5 * (low + high))
        near, far = still.starts - piece.begin * still.axes, still.starts - piece.end * still.axes
        here = _distances(checker, near, far, still) - piece.radius
        return IntervalVerdict(lower=here - 0.5 * (high - low) * lengths[index], here=here)

    return judge
