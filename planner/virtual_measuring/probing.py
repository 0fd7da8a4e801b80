"""Touching the true part: where the ball stops, and what the joints then read.

The controller moves the ball along the probing line of its own, nominal model. The true arm takes
it elsewhere; it stops when the true ball touches the true part, and the readings are those of that
instant. Nothing is linearised: readings are iterated until the touch is exact.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.errors import JobError
from planner.job import Job
from planner.plan_types import PlacedPoints
from planner.uncertainty import Measuring
from planner.virtual_measuring.injected import Injected
from planner.virtual_measuring.postures import ball_gaps, inverse_rates
from planner.virtual_measuring.true_part import TruePart
from robots.core.arrays import Array
from robots.core.geometric_errors import ErrorModel
from robots.core.model import Model
from robots.core.pose import inverse_pose, transform_points

_ROUNDS = 60
_TOUCHED = 2e-14  # of the distance from the base, or of one metre
_LOST = 1.0  # [m]: nothing is touched that far away
_GRAZING = 0.02  # least cosine between approach and normal: beyond it the ball slides along


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TouchReadings:
    """What came back from one run.

    Args:
        q: readings of the joints. # (k, n) [rad or m]
        centres: of the ball by the controller's nominal model, base frame. # (k, 3) [m]
        beyond: how far past the search end of its line each touch came; negative before. # (k,) [m]
    """

    q: Array
    centres: Array
    beyond: Array


class Prober:
    """The machine that touches the points of a plan.

    Args:
        job: with its probe and the part's nominal pose.
        measuring: the points that are reached, with their postures.
        placed: lines of the same points.
        part: as it truly is.

    Raises:
        JobError: a point that is approached along its surface.
    """

    def __init__(
        self, job: Job, measuring: Measuring, placed: PlacedPoints, part: TruePart
    ) -> None:
        self._job, self._measuring, self._placed, self._part = job, measuring, placed, part
        self._model = Model(measuring.mechanism)
        self._rates = inverse_rates(self._model, measuring.q)
        self._slopes = placed.approach_cosines
        self._to_part = inverse_pose(job.part.T_base_part)
        self._errors: dict[tuple[str, ...], ErrorModel] = {}
        size = float(np.abs(placed.contacts).max(initial=1.0))
        self._touched = _TOUCHED * max(size, 1.0)
        for k in np.flatnonzero(self._slopes < _GRAZING)[:1].tolist():
            raise JobError(
                f"Point {measuring.names[k]!r} is approached at {self._slopes[k]:.3f} of its "
                f"normal (cosine; expected {_GRAZING} or more): the ball would not meet the "
                "surface. Approach it from outside the material.",
                point=measuring.names[k],
                found=float(self._slopes[k]),
                limit=_GRAZING,
            )

    def run(self, errors: Injected) -> TouchReadings:
        """Touch every point once.

        Raises:
            JobError: a point that the ball cannot be brought to touch.
        """
        truth = self._truth(errors)
        q = np.array(self._measuring.q)
        for _ in range(_ROUNDS):
            gaps = self._gaps(q, errors, truth)
            farthest = float(np.abs(gaps[:, :3]).max(initial=0.0))
            if farthest <= self._touched:
                break
            if not farthest <= _LOST:
                self._refuse(gaps)
            q += np.einsum("kni,ki->kn", self._rates, gaps)
        else:
            self._refuse(gaps)
        centres = self._model.forward(q)[:, :3, 3]
        along = np.sum((self._placed.search_ends - centres) * self._placed.directions, axis=1)
        return TouchReadings(q=q, centres=centres, beyond=along)

    def _gaps(self, q: Array, errors: Injected, truth: ErrorModel) -> Array:
        """Back to the line across it, along it to the touch, and back to the axis. # (k, 6)."""
        placed = self._placed
        gaps = ball_gaps(self._model.forward(q), placed.contacts, placed.axes)
        d = placed.directions
        across = gaps[:, :3] - np.sum(gaps[:, :3] * d, axis=1)[:, None] * d
        height = self._heights(q, errors, truth)
        gaps[:, :3] = across - (height / self._slopes)[:, None] * d
        return gaps

    def _heights(self, q: Array, errors: Injected, truth: ErrorModel) -> Array:
        """Gap between the true ball and the true part. # (k,) [m]."""
        ball = truth.positions(q + errors.joints, errors.geometry) - errors.touches
        nominal = transform_points(self._to_part, errors.nominal_place(ball))
        radius = self._job.probe.ball_radius
        return np.asarray(self._part.distances(nominal) * (1.0 + errors.growth) - radius)

    def _truth(self, errors: Injected) -> ErrorModel:
        key = tuple(parameter.name for parameter in errors.parameters)
        if key not in self._errors:
            self._errors[key] = ErrorModel(self._measuring.mechanism, errors.parameters)
        return self._errors[key]

    def _refuse(self, gaps: Array) -> None:
        away = np.abs(gaps[:, :3]).max(axis=1)
        k = int(np.argmax(np.where(np.isfinite(away), away, np.inf)))
        raise JobError(
            f"Point {self._measuring.names[k]!r} cannot be touched with these errors: the ball "
            f"stays {1e3 * away[k]:.3g} mm from the surface. Correct [uncertainty] or the part's "
            "errors: are their units right?",
            point=self._measuring.names[k],
            found=float(away[k]),
        )
