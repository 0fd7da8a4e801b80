"""One point in many variations: rows of placed points that differ in one thing."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np

from planner.job import Job
from planner.plan_types import PlacedPoints
from robots.core.arrays import Array


def repeated(one: PlacedPoints, count: int) -> PlacedPoints:
    """One point, so many times."""
    arrays = {f.name: np.repeat(getattr(one, f.name), count, axis=0) for f in fields(one)[1:]}
    return replace(one, names=one.names * count, **arrays)


def with_distances(one: PlacedPoints, distances: Array) -> PlacedPoints:
    """The point with other distances of its clearance point. # (m,) [m]."""
    rows = repeated(one, distances.size)
    clearances = rows.contacts + distances[:, None] * rows.directions
    return replace(rows, clearances=clearances, distances=distances)


def with_normals(one: PlacedPoints, job: Job, normals: Array) -> PlacedPoints:
    """The point as it stands when its normal is written differently. # (m, 3) unit."""
    rows, radius = repeated(one, len(normals)), job.probe.ball_radius
    contacts, surfaces = rows.contacts, rows.surfaces
    if job.probe.compensated:
        contacts = surfaces + radius * normals
    else:
        surfaces = contacts - radius * normals
    directions = np.where(rows.along_normal[:, None], normals, rows.directions)
    return replace(
        rows,
        surfaces=surfaces,
        normals=normals,
        contacts=contacts,
        directions=directions,
        clearances=contacts + rows.distances[:, None] * directions,
        search_ends=contacts - job.approach.overtravel * directions,
        axes=np.where(rows.fixed_axis[:, None], rows.axes, -normals),
    )


def with_backs(one: PlacedPoints, job: Job, backs: Array) -> PlacedPoints:
    """The point with its stylus standing up along other directions, from ball to wrist.

    Where the stylus stands along the normal, the normal is written differently.

    Args:
        one: the point.
        job: for its probe and its approach.
        backs: # (m, 3) unit
    """
    if not one.fixed_axis[0]:
        return with_normals(one, job, backs)
    return replace(repeated(one, len(backs)), axes=-backs)


def drawn_back(one: PlacedPoints, lengths: Array) -> PlacedPoints:
    """The point moved away along the normal: what a longer stylus is to the joints. # (m,) [m].

    Contacts are then no longer where the ball is, so only reach and limits can be judged.
    """
    rows = repeated(one, lengths.size)
    back = lengths[:, None] * rows.axes
    return replace(
        rows,
        contacts=rows.contacts - back,
        clearances=rows.clearances - back,
        search_ends=rows.search_ends - back,
    )
