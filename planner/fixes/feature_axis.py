"""One direction of the stylus for a whole feature, where each point's own normal serves none.

A stylus that stands along every normal has to reach around a cone and into a bore from all sides;
upright, it may touch them all. Axes are tried that a person would write: those of the frames, the
feature's own, what lies between; the distance of the clearance point is shortened where the
feature leaves no room for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from planner.fixes.bench import PointCheck
from planner.fixes.kinds import repeated
from planner.job import Job
from planner.part_pose.pose_space import even_directions
from planner.plan import PlacedPoints
from planner.reach.placement import place
from planner.reach.reach import some_points
from robots.core.arrays import Array, Indices, Mask

MOST_POINTS = 24  # of a feature that are judged for every axis: an even choice
SHORTER = (1.0, 0.5, 0.25, 0.1)  # parts of the clearance distance
LEAST_DISTANCE = 1e-3  # [m]
_BETWEEN = 58  # axes beside those that a person would write
_FOLLOWED = 6  # axes that are judged for the whole feature, at every distance
_SAME = 1e-3  # of unit vectors
_BESIDE = 1e-6  # sine of an angle below the surface that is rounding


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FeatureAxis:
    """An axis of a feature's stylus, and what it serves.

    Args:
        axis: from wrist to ball, base axes, unit. # (3,)
        distance: of the clearance points. [m]
        served: points of the feature that are served so.
        judged: points of the feature that were judged.
    """

    axis: Array
    distance: float
    served: int
    judged: int


class FeatureAxes:
    """The search for one point's feature.

    Args:
        bench: of the job.
        job: as it stands.
        row: of the point, which the axis has to serve in any case.
    """

    def __init__(self, bench: PointCheck, job: Job, row: int) -> None:
        self._bench, self._job, self._row = bench, job, row

    @property
    def feature(self) -> str:
        """Name of the feature; empty where the point is of none."""
        return self._job.points.features[self._row]

    def found(self) -> Iterator[FeatureAxis]:
        """Axes that serve the point, those that serve most of its feature first."""
        candidates = [
            one
            for part in SHORTER
            if (distance := part * self._distance) >= LEAST_DISTANCE
            for one in self._at(distance)
        ]
        # the first of equals: the job's own distance, then what a person would write
        yield from sorted(candidates, key=lambda one: -one.served)

    @cached_property
    def _placed(self) -> PlacedPoints:
        return place(self._job)

    @cached_property
    def _distance(self) -> float:
        return float(self._placed.distances[self._row])

    @cached_property
    def _rows(self) -> Indices:
        """Points of the feature that are judged, the point itself first."""
        own = np.flatnonzero(np.array(self._job.points.features, dtype=object) == self.feature)
        others = own[own != self._row]
        chosen = np.linspace(0, others.size - 1, min(others.size, MOST_POINTS - 1))
        return np.concatenate([[self._row], others[chosen.round().astype(np.int64)]])

    @cached_property
    def _axes(self) -> Array:
        """Axes that are tried, base axes; the likelier first, none twice. # (m, 3) unit."""
        R = self._job.part.T_base_part[:3, :3] if self._job.frame == "part" else np.eye(3)
        normals = self._placed.normals[self._rows]
        own = np.linalg.svd(normals)[2]  # a cone's axis, a bore's, and what is across
        written = [-R.T[2], *R.T, *-R.T[:2], [0.0, 0.0, -1.0], *np.eye(3), *-np.eye(3)[:2]]
        axes = np.vstack([written, own, -own, even_directions(self._bench.many(_BETWEEN))])
        kept: list[int] = []
        for k, axis in enumerate(axes):
            if not kept or np.max(axes[kept] @ axis) < 1.0 - _SAME:
                kept.append(k)
        return np.asarray(axes[kept])

    def _at(self, distance: float) -> Iterator[FeatureAxis]:
        """Axes at one distance of the clearance points."""
        own = self._variations(self._row, self._axes, distance)
        possible = np.flatnonzero(self._bench.possible(own) & _outside(own))
        for k in possible[:_FOLLOWED].tolist():
            rows = self._along(self._axes[k], distance)
            served = self._bench.serves(rows) & _outside(rows)
            if served[0]:
                yield FeatureAxis(
                    axis=self._axes[k],
                    distance=distance,
                    served=int(served.sum()),
                    judged=len(rows),
                )
                if served.all():
                    return

    def _variations(self, row: int, axes: Array, distance: float) -> PlacedPoints:
        one = repeated(some_points(self._placed, np.array([row])), len(axes))
        return _changed(one, axes, distance)

    def _along(self, axis: Array, distance: float) -> PlacedPoints:
        rows = some_points(self._placed, self._rows)
        return _changed(rows, np.tile(axis, (len(rows), 1)), distance)


def _outside(rows: PlacedPoints) -> Mask:
    """Whether the stylus stands on the surface's own side, or beside it as in a bore. # (k,)."""
    return np.asarray(np.sum(rows.axes * rows.normals, axis=1) <= _BESIDE)


def _changed(rows: PlacedPoints, axes: Array, distance: float) -> PlacedPoints:
    return replace(
        rows,
        axes=axes,
        fixed_axis=np.ones(len(rows), dtype=bool),
        distances=np.full(len(rows), distance),
        clearances=rows.contacts + distance * rows.directions,
    )
