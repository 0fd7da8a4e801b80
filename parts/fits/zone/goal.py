"""The minimax problem of a zone or an envelope: the largest signed distance, made least."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.least_squares import triangle_of
from parts.fits.model import Model, Rows
from robots.core.arrays import Array, Indices

_LEAST_RADIUS = 1e-13  # of the points' size; steps below it are rounding


class Touching(NamedTuple):
    """Points, each with the side on which it touches and its multiplier."""

    points: Indices  # (n,)
    sides: Array  # +1 where the distance is largest, -1 where it is least, (n,)
    multipliers: Array  # not negative, of sum 1, (n,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Goal:
    """Minimise over the feature x the largest of σ d_i(x) over points i and sides σ.

    With both sides this is the minimum zone, as every feature can shift its surface along its
    normal; with one side and the sizes at zero, d is the distance from the centre or the axis, and
    the goal is the least circumscribed (σ = 1) or largest inscribed (σ = -1) feature.

    Args:
        model: feature.
        points: centred, of size 1. # (3, k)
        sides: σ.
        sized: the sizes are free; else they rest.
    """

    model: Model
    points: Array
    sides: tuple[float, ...]
    sized: bool

    @property
    def count(self) -> int:
        """Of unknowns."""
        return self.model.count if self.sized else len(self.model.freedoms)

    def distances(self, state: State) -> Array:
        """Of all points. # (k,)."""
        return self.model.level(state.local(self.points), state.sizes).distance

    def peak(self, distances: Array) -> float:
        """What is to be made least."""
        return max(float((side * distances).max()) for side in self.sides)

    def lost(self, peak: float) -> bool:
        """Whether an inscribed feature has left the points, where it grows without end.

        One that is held has its centre amid its contacts, and is then no larger than the ball
        about the centroid that holds all points.
        """
        inscribed = not self.sized and self.sides[0] < 0.0
        return inscribed and -peak > self.extent * (1.0 + 1e-9)

    @property
    def extent(self) -> float:
        """Largest distance of a point from the centroid."""
        return float(np.sqrt(np.sum(self.points**2, axis=0).max()))

    def rows(self, state: State, chosen: Indices | None = None) -> Rows:
        """One distance per point, and its derivatives with the unknowns. # (k,), (p, k)."""
        points = self.points if chosen is None else self.points[:, chosen]
        rows = Model.local_rows(self.model, state.local(points), state.sizes)
        return Rows(rows.residuals, rows.jacobian[: self.count])

    def moved(self, state: State, step: Array) -> State:
        """A step in the unknowns. # (p,)."""
        full = np.zeros(self.model.count)
        full[: self.count] = step
        return state.moved(self.model.freedoms, full)

    def centred(self, state: State) -> State:
        """With both sides: shifted along the normal until both are equally far."""
        if len(self.sides) < 2:
            return state
        rows = self.rows(state)
        column = int(np.argmin(np.abs(rows.jacobian + 1.0).max(axis=1)))
        step = np.zeros(self.count)
        step[column] = 0.5 * (rows.residuals.max() + rows.residuals.min())
        return self.moved(state, step)

    def only(self, chosen: Indices) -> Goal:
        """The same for some of the points."""
        points = np.ascontiguousarray(self.points[:, chosen])
        return Goal(model=self.model, points=points, sides=self.sides, sized=self.sized)

    def extremes(self, distances: Array, count: int) -> tuple[Indices, Array]:
        """The points farthest to each side, and the sides. # (≤ count · sides,) each."""
        count = min(count, len(distances))
        found = [
            np.argpartition(-side * distances, count - 1)[:count].astype(np.intp)
            for side in self.sides
        ]
        return np.concatenate(found), np.repeat(np.array(self.sides), count)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scale:
    """Unknowns in which a unit step changes the distances by a unit, as a root mean square.

    Short arcs and other loose features then need no long walk.

    Args:
        W: the unknowns are W y. # (p, p)
        reach: how far the distances are apart at the start: the first length of a step.
    """

    W: Array
    reach: float


def scale_of(goal: Goal, state: State) -> Scale:
    """From the triangle of the Jacobian at the start; directions it does not see stay small."""
    rows = goal.rows(state)
    R = triangle_of(rows).R
    values = np.linalg.svd(R, compute_uv=False)
    inverse = np.linalg.pinv(R, rcond=1e-12) if values[-1] < 1e-12 * values[0] else None
    W = np.sqrt(len(rows.residuals)) * (np.linalg.inv(R) if inverse is None else inverse)
    return Scale(W=W, reach=max(float(np.ptp(rows.residuals)), _LEAST_RADIUS))
