"""The job, or only its points, with the part somewhere else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from planner.errors import JobError
from planner.job import Job
from planner.job.solids import Cell, Solid, SolidKind
from planner.plan import PlacedPoints, Plan, SegmentKind
from robots.core.arrays import Array, Indices
from robots.core.pose import inverse_pose, transform_points


def check_movable(job: Job) -> None:
    """Return whether the points of a job go with its part.

    Raises:
        JobError: they are given in the base frame.
    """
    if job.frame != "part":
        raise JobError(
            f"The points of {job.name!r} are given in the robot's base frame, so moving the part "
            'does not move them; give them in part axes with frame = "part" in [points].',
            key="points.frame",
            found=job.frame,
        )


def moved(job: Job, T_base_part: Array) -> Job:
    """The job with its part in another pose; obstacles stay where they are.

    Args:
        job: with points in the part's frame.
        T_base_part: the new pose. # (4, 4)

    Raises:
        JobError: the points are given in the base frame.
    """
    check_movable(job)
    shift = T_base_part @ inverse_pose(job.part.T_base_part)
    solids = tuple(_shifted(solid, shift) for solid in job.cell.solids)
    part = replace(job.part, T_base_part=T_base_part, posed=True)
    return replace(job, part=part, cell=Cell(solids=solids))


def in_order(job: Job, order: Indices) -> Job:
    """The job with its points visited in one order, where it leaves the order open.

    Args:
        job: whose order may be free.
        order: every point once. # (points,)
    """
    if job.travel.order == "as-given":
        return job
    names = tuple(job.points.names[k] for k in order)
    return replace(job, travel=replace(job.travel, locked=(names,), group="none"))


def visiting_order(plan: Plan) -> Indices:
    """All points of a plan, those that are visited first and as they are visited. # (points,)."""
    kind = SegmentKind.PROBE
    visited = [segment.point_index for segment in plan.timeline if segment.kind is kind]
    rest = sorted(set(range(len(plan.planned_points))) - set(visited))
    return np.array([*visited, *rest], dtype=np.int64)


def moved_points(placed: PlacedPoints, shifts: Array) -> PlacedPoints:
    """Placed points under many rigid motions, one motion after another.

    A direction in base axes does not turn with the part.

    Args:
        placed: points of the job. # k of them
        shifts: motions of the part in the base frame. # (p, 4, 4)

    Returns:
        p times k points; point j under motion i has index i·k + j.
    """
    R, t = shifts[:, :3, :3], shifts[:, :3, 3]

    def turned(vectors: Array) -> Array:
        return np.asarray(np.einsum("pij,kj->pki", R, vectors))

    contacts, normals = turned(placed.contacts) + t[:, None], turned(placed.normals)
    along = placed.along_normal[:, None]
    directions = np.where(along, turned(placed.directions), placed.directions)
    clearances = contacts + placed.distances[:, None] * directions
    return PlacedPoints(
        names=placed.names * len(shifts),
        surfaces=_flat(turned(placed.surfaces) + t[:, None]),
        normals=_flat(normals),
        contacts=_flat(contacts),
        directions=_flat(directions),
        clearances=_flat(clearances),
        axes=_flat(turned(placed.axes)),
        distances=np.tile(placed.distances, len(shifts)),
        search_before=np.tile(placed.search_before, len(shifts)),
        search_after=np.tile(placed.search_after, len(shifts)),
        depths=np.tile(placed.depths, len(shifts)),
        back_off=np.tile(placed.back_off, len(shifts)),
        touch_speeds=np.tile(placed.touch_speeds, len(shifts)),
        along_normal=np.tile(placed.along_normal, len(shifts)),
        fixed_axis=np.tile(placed.fixed_axis, len(shifts)),
    )


def _flat(vectors: Array) -> Array:
    return vectors.reshape(-1, 3)


def _shifted(solid: Solid, shift: Array) -> Solid:
    if solid.kind is not SolidKind.PART:
        return solid
    from parts.geometry import TriangleMesh

    mesh = solid.mesh
    vertices = transform_points(shift, mesh.vertices)
    return replace(solid, mesh=TriangleMesh(vertices=vertices, faces=mesh.faces))
