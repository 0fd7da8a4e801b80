"""Other layouts of points on a feature of a job, each with the posture that touches it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from parts.errors import PartError
from parts.evaluation import NominalFeature, nominal_feature
from parts.features import Feature, Patch
from parts.points import ProbePoints
from parts.sampling import STRATEGIES, sample
from planner.errors import JobError
from planner.evaluation import nominal_points
from planner.job import Job
from planner.plan_types import Plan
from planner.reach.placement import place
from planner.uncertainty import Measuring, measuring_of
from planner.virtual_measuring.patches import patch_around
from planner.virtual_measuring.postures import follow
from robots.core.arrays import Array, Indices, Mask
from robots.core.model import Model
from robots.core.schema_problems import nearest

REPEAT = "repeat"  # the job's own points, touched again and again
LAYOUTS: tuple[str, ...] = (*STRATEGIES, REPEAT)


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
