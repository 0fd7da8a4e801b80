"""Other layouts of points on a feature of a job, each with the posture that touches it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import PartError
from parts.evaluation.association import NominalFeature, nominal_feature
from parts.features.band import FULL_TURN, angles_about, band_span, swept
from parts.features.feature import Feature
from parts.features.patch import Patch, Rectangle, SurfaceCircle
from parts.fits.curves import SpaceCircle
from parts.geometry.surfaces import Cone, Cylinder, Plane, Sphere, Surface, Torus, across
from parts.points import ProbePoints
from parts.sampling.layouts import STRATEGIES
from parts.sampling.sample import sample
from planner.errors import JobError
from planner.evaluation.task import nominal_points
from planner.job import Job
from planner.plan import Plan
from planner.reach.placement import place
from planner.uncertainty.measuring import Measuring, measuring_of
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.schema_problems import nearest

REPEAT = "repeat"  # the job's own points, touched again and again
LAYOUTS: tuple[str, ...] = (*STRATEGIES, REPEAT)
_OPEN = 1.7  # of the mean gap between neighbours about an axis: a wider one is an opening
_THIN = 1e-6  # of the span: what is narrower is no patch
_ROUNDS = 40
_LONGEST = 0.3  # of one step of one joint [rad or m]
_THERE = 1e-12  # [m] and [rad]
_RANK = 1e-9  # of the largest singular value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _About(Measuring):
    """Points of which more are laid out: the part still turns about where it did.

    Args:
        pivot: middle of the job's own points. # (3,) [m]
    """

    pivot: Array

    @property
    def middle(self) -> Array:
        """That of the job's own points. # (3,) [m]."""
        return self.pivot


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LaidOut:
    """A job of which one feature has other points.

    Args:
        points: all points, on the surface, in the part frame.
        measuring: the same points with their postures.
    """

    points: ProbePoints
    measuring: Measuring


class Layouts:
    """Layouts of any count on one feature.

    Args:
        plan: of the job, which has an [uncertainty].
        feature: by the name that its points carry.
        strategy: one of ``LAYOUTS``; features without a surface of their own take "repeat".

    Raises:
        JobError: no such feature, a point that is not reached, an unknown strategy.
    """

    def __init__(self, plan: Plan, feature: str, strategy: str) -> None:
        _check(plan, feature, strategy)
        self._plan, self._feature = plan, feature
        self._own = measuring_of(plan)
        self._points = nominal_points(plan.job)
        features = np.array(self._points.features, dtype=object)
        self._rows = np.flatnonzero(features == feature)
        self._others = np.flatnonzero(features != feature)
        self._model = Model(plan.job.mechanism)
        nominal = self._nominal()
        patch = None if strategy == REPEAT else patch_around(nominal, self._points, self._rows)
        self._patch: Patch | None = patch
        self.strategy = REPEAT if patch is None else strategy
        self.kind = nominal.kind

    def of(self, count: int) -> LaidOut:
        """The job with so many points on the feature.

        Raises:
            JobError: a point of the layout that the arm cannot reach from the job's own postures.
            SamplingError: a layout that cannot be.
        """
        points = _joined(self._points, self._others, self._laid_out(count))
        job = replace(self._plan.job, points=_as_given(self._plan, points), surface=None)
        placed = place(job)
        q = self._own.q[self._others]
        fresh = np.arange(len(self._others), len(points))
        nearest = self._nearest(placed.contacts[fresh])
        found = follow(
            self._model, self._own.q[nearest], placed.contacts[fresh], placed.axes[fresh]
        )
        self._refuse_unreached(found.there, points, fresh)
        measuring = _About(
            mechanism=self._own.mechanism,
            settings=self._own.settings,
            names=points.names,
            q=np.concatenate([q, found.q]),
            surfaces=placed.surfaces,
            normals=placed.normals,
            velocities=-placed.touch_speeds[:, None] * placed.directions,
            pivot=self._own.middle,
        )
        return LaidOut(points=points, measuring=measuring)

    def _laid_out(self, count: int) -> ProbePoints:
        if self._patch is None:
            return self._repeated(count)
        feature = Feature(name=self._feature, patch=self._patch)
        try:
            return sample(feature, self.strategy, count, prefix=f"{self._feature} #").points
        except PartError as error:
            raise JobError(error.message, **error.facts) from error

    def _repeated(self, count: int) -> ProbePoints:
        rows = self._rows[np.arange(count) % len(self._rows)]
        return ProbePoints(
            names=tuple(f"{self._feature} #{k}" for k in range(1, count + 1)),
            positions=self._points.positions[rows],
            normals=self._points.normals[rows],
            features=(self._feature,) * count,
        )

    def _nominal(self) -> NominalFeature:
        rows = self._rows
        return nominal_feature(self._points.positions[rows], self._points.normals[rows])

    def _nearest(self, contacts: Array) -> Indices:
        """Rows of the job's own points on the feature that are nearest to others."""
        own = self._plan.placed.contacts[self._rows]
        gaps = np.linalg.norm(contacts[:, None] - own, axis=2)
        return np.asarray(self._rows[np.argmin(gaps, axis=1)])

    def _refuse_unreached(self, there: Mask, points: ProbePoints, fresh: Indices) -> None:
        lost = fresh[~there]
        if not lost.size:
            return
        at = ", ".join(f"{1e3 * x:.1f}" for x in points.positions[lost[0]])
        raise JobError(
            f"{lost.size} of {fresh.size} points laid out on {self._feature!r} are not reached "
            f"from the postures of its own points, the first at ({at}) mm of the part. Move the "
            f"part, or take --strategy {REPEAT}, which touches the job's own points again.",
            feature=self._feature,
            found=int(lost.size),
        )


def _as_given(plan: Plan, points: ProbePoints) -> ProbePoints:
    """Surface points of the part frame as the job's own file would give them."""
    job = plan.job
    positions, normals = points.positions, points.normals
    if job.frame == "base":
        T = job.part.T_base_part
        positions, normals = positions @ T[:3, :3].T + T[:3, 3], normals @ T[:3, :3].T
    if not job.probe.compensated:
        positions = positions + job.probe.ball_radius * normals
    return replace(points, positions=positions, normals=normals, warnings=())


def _joined(points: ProbePoints, kept: Indices, more: ProbePoints) -> ProbePoints:
    some = kept.tolist()
    return ProbePoints(
        names=(*(points.names[k] for k in some), *more.names),
        positions=np.concatenate([points.positions[kept], more.positions]),
        normals=np.concatenate([points.normals[kept], more.normals]),
        features=(*(points.features[k] for k in some), *more.features),
    )


def check_layout(job: Job, feature: str, strategy: str) -> None:
    """What can be told before a job is planned.

    Raises:
        JobError: no such feature, an unknown strategy.
    """
    if strategy not in LAYOUTS:
        raise JobError(
            f"There is no strategy {strategy!r}; choose one of {', '.join(LAYOUTS)}.",
            found=strategy,
        )
    known = tuple(dict.fromkeys(filter(None, job.points.features)))
    if feature not in known:
        told = nearest(feature, known) if known else "the column feature of its points is empty."
        raise JobError(
            f"The job {job.name!r} has no feature {feature!r}; {told}",
            found=feature,
            expected=known,
        )


def _check(plan: Plan, feature: str, strategy: str) -> None:
    job = plan.job
    check_layout(job, feature, strategy)
    lost = [point.name for point in plan.planned_points if not point.reachable]
    if lost:
        raise JobError(
            f"The job {job.name!r}: {len(lost)} points are not reached, the first {lost[0]!r}; "
            "what all points give together cannot be told without them. `palpeur plan` says why.",
            found=len(lost),
        )


def patch_around(nominal: NominalFeature, points: ProbePoints, rows: Indices) -> Patch | None:
    """The piece that some points of a feature span; None where they span none.

    Args:
        nominal: the feature.
        points: of the part, on the surface.
        rows: of those of the feature.
    """
    positions, normals = points.positions[rows], points.normals[rows]
    shape = nominal.shape
    if isinstance(shape, SpaceCircle):
        return _circle(shape, positions)
    if isinstance(shape, Plane):
        return _rectangle(shape, positions)
    if isinstance(shape, Cylinder | Cone | Sphere | Torus):
        return _band(shape, positions, normals)
    return None


def _rectangle(plane: Plane, positions: Array) -> Patch | None:
    """Along the directions in which the points spread most and least."""
    centre = positions.mean(axis=0)
    _, _, Vt = np.linalg.svd(positions - centre, full_matrices=False)
    x_axis = Vt[0] - (Vt[0] @ plane.axis) * plane.axis
    x_axis /= np.linalg.norm(x_axis)
    y_axis = np.cross(plane.axis, x_axis)
    flat = np.column_stack([(positions - centre) @ x_axis, (positions - centre) @ y_axis])
    low, high = flat.min(axis=0), flat.max(axis=0)
    size = (float(high[0] - low[0]), float(high[1] - low[1]))
    if size[1] <= _THIN * size[0]:
        return None
    x, y = 0.5 * (low + high)
    middle = plane.project((centre + x * x_axis + y * y_axis)[None])[0]
    return Rectangle(surface=plane, centre=middle, x_axis=x_axis, size=size)


def _circle(shape: SpaceCircle, positions: Array) -> Patch:
    first, sweep = _swept(angles_about(shape.axis, positions - shape.centre))
    return SurfaceCircle(
        centre=shape.centre,
        axis=shape.axis,
        x_axis=across(shape.axis),
        radius=shape.radius,
        inner=shape.reversed,
        first_angle=first,
        sweep=sweep,
    )


def _band(surface: Surface, positions: Array, normals: Array) -> Patch | None:
    seen = band_span(surface, positions, _mean(-normals if surface.reversed else normals))
    start, end = seen.ends(opening=0.0)
    if end - start <= _THIN * seen.size:
        return None
    first, sweep = _swept(seen.angles)
    return replace(seen.band, start=start, end=end, first_angle=first, sweep=sweep)


def _mean(normals: Array) -> Array:
    total = normals.sum(axis=0)
    length = float(np.linalg.norm(total))
    return total / length if length > 1e-6 * len(normals) else np.array([0.0, 0.0, 1.0])


def _swept(angles: Array) -> tuple[float, float]:
    """First angle and sweep that hold all points; a full turn where they go all round. [rad]."""
    places = np.unique(np.round(angles, 9))
    return swept(places, _OPEN * FULL_TURN / places.size if places.size > 2 else 0.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TargetPostures:
    """Postures at their targets.

    Args:
        q: # (k, n) [rad or m]
        there: whether ball and axis are at their targets, and the joints within limits. # (k,)
    """

    q: Array
    there: Mask


def follow(model: Model, starts: Array, places: Array, axes: Array) -> TargetPostures:
    """From each start by steps of least length to the same branch's posture at its target.

    Args:
        model: of the arm, its tool frame at the ball, z the probe axis.
        starts: # (k, n) [rad or m]
        places: of the ball, base frame. # (k, 3) [m]
        axes: of the probe, from wrist to ball. # (k, 3) unit
    """
    q = np.array(starts, dtype=np.float64)
    open_ = np.arange(len(q))
    for _ in range(_ROUNDS):
        gaps = ball_gaps(model.forward(q[open_]), places[open_], axes[open_])
        left = np.abs(gaps).max(axis=1, initial=0.0) > _THERE
        open_, gaps = open_[left], gaps[left]
        if not open_.size:
            break
        step = (inverse_rates(model, q[open_]) @ gaps[..., None])[..., 0]
        longest = np.abs(step).max(axis=1, keepdims=True)
        q[open_] += step * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300))
    return TargetPostures(q=q, there=_there(model, q, places, axes))


def ball_gaps(T: Array, places: Array, axes: Array) -> Array:
    """What ball and axis lack to their targets: a shift and a turn, base axes. # (..., 6)."""
    turn = np.cross(T[..., :3, 2], axes)
    return np.concatenate([places - T[..., :3, 3], turn], axis=-1)


def inverse_rates(model: Model, q: Array) -> Array:
    """Joint steps of least length per shift and turn of the probe; its spin is free.

    Args:
        model: of the arm.
        q: # (k, n) [rad or m]

    Returns:
        # (k, n, 6)
    """
    z = model.forward(q)[:, :3, 2]
    J = model.jacobian(q)
    across = np.eye(3) - z[:, :, None] * z[:, None, :]
    rows = np.concatenate([J[:, :3], across @ J[:, 3:]], axis=1)
    return np.asarray(np.linalg.pinv(rows, rcond=_RANK))


def _there(model: Model, q: Array, places: Array, axes: Array) -> Mask:
    T = model.forward(q)
    close = np.abs(ball_gaps(T, places, axes)).max(axis=1, initial=0.0) <= 100.0 * _THERE
    ahead = np.einsum("ki,ki->k", T[:, :3, 2], axes) > 0.0
    limits = model.mechanism
    inside = np.all((q >= limits.q_min) & (q <= limits.q_max), axis=1)
    return np.asarray(close & ahead & inside)
