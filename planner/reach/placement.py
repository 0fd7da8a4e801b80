"""Placement: probe points in the robot's base frame, with their clearance points.

Contact is where the ball's centre stands when the ball touches. A probing line runs from the
clearance point to contact and, searching, to the deepest place that the ball may reach beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.job import Approach, Job
from planner.plan import PlacedPoints
from planner.touch.cycle import cycle_distances
from robots.core.arrays import Array, Mask
from robots.core.pose import transform_directions, transform_points


def place(job: Job) -> PlacedPoints:
    """Put a job's points before the robot.

    Points and normals of frame "part" turn and move with the part. The ball stands off the surface
    by its radius along the normal, whatever the approach direction.

    Source: [LAMMARI12] §VI.4, §VI.6. Tables VI.7 and VI.8 shift along z where the text says along
        the normal, and turn by -30° where it says +30°: sources.md decision 2; both are jobs of
        the library.
    """
    T = job.part.T_base_part if job.frame == "part" else np.eye(4)
    given, normals = transform_points(T, job.points.positions), job.points.normals
    if job.frame == "part":
        normals = transform_directions(T, normals)
    radius = job.probe.ball_radius * normals
    contacts, surfaces = (
        (given + radius, given) if job.probe.compensated else (given, given - radius)
    )
    ways = _ways(job, T, normals)
    cycle = cycle_distances(job.touch, job.points.features, ways.distances)
    return PlacedPoints(
        names=job.points.names,
        surfaces=surfaces,
        normals=normals,
        contacts=contacts,
        clearances=contacts + ways.distances[:, None] * ways.directions,
        directions=ways.directions,
        axes=ways.axes,
        distances=ways.distances,
        search_before=cycle.search_before,
        search_after=cycle.search_after,
        depths=cycle.depths,
        back_off=cycle.back_off,
        touch_speeds=cycle.speeds,
        along_normal=ways.along_normal,
        fixed_axis=ways.fixed_axis,
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Ways:
    """How points are approached; as in ``PlacedPoints``."""

    directions: Array
    axes: Array
    distances: Array
    along_normal: Mask
    fixed_axis: Mask


def _ways(job: Job, T: Array, normals: Array) -> _Ways:
    """How points are approached: each along and against its normal, unless the job says otherwise.

    Args:
        job: for its approach, and that of single features.
        T: from the points' frame to the base. # (4, 4)
        normals: base frame. # (k, 3)
    """
    k, approach = len(normals), job.approach
    ways = _Ways(
        directions=normals.copy(),
        axes=-normals,
        distances=np.full(k, approach.distance),
        along_normal=np.ones(k, dtype=bool),
        fixed_axis=np.zeros(k, dtype=bool),
    )
    features = np.array(job.points.features, dtype=object)
    own = np.zeros(k, dtype=bool)
    for one in approach.features:
        rows = features == one.name
        own |= rows
        _set(ways, rows, approach.of(one.name), T)
    _set(ways, ~own, approach, T)
    return ways


def _set(ways: _Ways, rows: Mask, approach: Approach, T: Array) -> None:
    """Write how some of the points are approached."""
    ways.distances[rows] = approach.distance
    if approach.direction is not None:
        ways.directions[rows], ways.along_normal[rows] = approach.direction, False
    if approach.axis is not None:
        ways.axes[rows] = transform_directions(T, approach.axis[None])
        ways.fixed_axis[rows] = True
