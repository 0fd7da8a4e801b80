"""The job with its platform in a pose, or with some of its points."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from parts.points import ProbePoints
from planner.job import Job
from planner.job.elements import Presenter
from planner.job.solids import Cell, Solid, SolidKind
from planner.job.surface import examined
from planner.part_pose.moved import moved
from planner.presenting.coverage import presenter_of
from robots.core.arrays import Array, Indices
from robots.core.pose import transform_points
from robots.stewart.platform import Leg

PLATE = "hexapod platform"
_THINNEST = 1e-3  # of what has no radius [m]
_SIDES = 8  # of the prism about a leg


def posed(job: Job, T_hexapod_platform: Array) -> Job:
    """The job with the platform in a pose: an ordinary job, the hexapod among its obstacles.

    Args:
        job: with a presenter.
        T_hexapod_platform: the pose. # (4, 4)
    """
    presenter = presenter_of(job)
    there = moved(job, presenter.T_base_part(T_hexapod_platform))
    solids = (*there.cell.solids, *hexapod_solids(presenter, T_hexapod_platform))
    return replace(there, cell=Cell(solids=solids), presenter=None, point_source=None)


def only(job: Job, points: Indices) -> Job:
    """The job with some of its points; lists that are visited in one order keep it.

    Args:
        job: whose points are in the part's frame.
        points: indices, rising. # (k,)
    """
    given = job.points
    some = ProbePoints(
        names=tuple(given.names[k] for k in points),
        positions=given.positions[points],
        normals=given.normals[points],
        features=tuple(given.features[k] for k in points),
    )
    lists = (tuple(n for n in names if n in some.names) for names in job.travel.locked)
    locked = tuple(names for names in lists if len(names) > 1)
    return replace(
        job,
        points=some,
        travel=replace(job.travel, locked=locked),
        surface=examined(job.geometry, some, job.part, job.frame),
    )


def hexapod_solids(presenter: Presenter, T_hexapod_platform: Array) -> tuple[Solid, ...]:
    """Legs and plate of the platform as obstacles, base frame of the robot.

    The plate is the hull of the platform's joints, as thick as a leg, below them; a leg is a prism
    about its capsule, without the rounded ends.
    """
    platform, T_base = presenter.platform, presenter.T_base_hexapod
    thick = 2.0 * max(*(leg.radius for leg in platform.legs), _THINNEST)
    points = platform.platform_points
    plate = np.concatenate([points, points - [0.0, 0.0, thick]])
    solids = [_solid(PLATE, transform_points(T_base @ T_hexapod_platform, plate))]
    for leg in platform.legs:
        end = transform_points(T_hexapod_platform, leg.platform[None])[0]
        ring = np.concatenate(list(_rings(leg, end)))
        solids.append(_solid(f"hexapod leg {leg.name}", transform_points(T_base, ring)))
    return tuple(solids)


def _rings(leg: Leg, end: Array) -> Iterator[Array]:
    """Corners about both ends of a leg; the prism holds the cylinder. # (sides, 3) [m]."""
    along = (end - leg.base) / np.linalg.norm(end - leg.base)
    side = np.cross(along, np.eye(3)[np.argmin(np.abs(along))])
    side /= np.linalg.norm(side)
    angles = 2.0 * np.pi * np.arange(_SIDES) / _SIDES
    radius = max(leg.radius, _THINNEST) / np.cos(np.pi / _SIDES)
    round_ = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * np.cross(along, side)
    yield leg.base + radius * round_
    yield end + radius * round_


def _solid(name: str, points: Array) -> Solid:
    """The convex hull of points as an obstacle."""
    from scipy.spatial import ConvexHull

    from parts.geometry import TriangleMesh

    hull = ConvexHull(points)
    faces = np.array(hull.simplices, dtype=np.int64)
    corners = points[faces]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    inward = np.sum(normals * hull.equations[:, :3], axis=1) < 0.0
    faces[inward] = faces[inward][:, ::-1]
    used, compact = np.unique(faces, return_inverse=True)
    mesh = TriangleMesh(vertices=points[used], faces=compact.reshape(faces.shape))
    return Solid(name=name, kind=SolidKind.OBSTACLE, mesh=mesh, closed=True)


def carried_points(job: Job) -> Array:
    """Vertices of the part's skin on the platform; its points where there is no geometry.

    Returns:
        Platform frame. # (v, 3) [m]
    """
    T = presenter_of(job).T_platform_part
    given = job.points.positions if job.geometry is None else job.geometry.mesh.vertices
    return transform_points(T, given)
