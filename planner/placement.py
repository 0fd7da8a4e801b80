"""Placement: probe points in the robot's base frame, with their clearance points.

Contact is where the ball's centre stands when the ball touches. A probing line runs from the
clearance point to contact and, searching, to at most the search end beyond it.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from planner.job import Job
from robots.core.pose import transform_directions, transform_points

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PlacedPoints:
    """Points of a job in the base frame.

    Args:
        names: of the points.
        surfaces: points of the surface that are touched. # (k, 3) [m]
        normals: out of the material. # (k, 3) unit
        contacts: ball centres at contact. # (k, 3) [m]
        directions: from contact to the clearance point. # (k, 3) unit
        clearances: ball centres at the clearance points. # (k, 3) [m]
        search_ends: ball centres where a search gives up. # (k, 3) [m]
        axes: probe axes, wrist to ball; opposite to the normals unless the job fixes them.
            # (k, 3) unit
    """

    names: tuple[str, ...]
    surfaces: Array
    normals: Array
    contacts: Array
    directions: Array
    clearances: Array
    search_ends: Array
    axes: Array

    def __post_init__(self) -> None:
        for field in fields(self)[1:]:
            array = np.array(getattr(self, field.name), dtype=np.float64)
            array.flags.writeable = False
            object.__setattr__(self, field.name, array)

    def __len__(self) -> int:
        """Number of points k."""
        return len(self.names)

    @property
    def approach_cosines(self) -> Array:
        """Cosine between approach direction and normal; not above zero: from inside. # (k,)."""
        return np.asarray(np.sum(self.directions * self.normals, axis=1))


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
    approach = job.approach
    directions = (
        normals if approach.direction is None else np.tile(approach.direction, (len(given), 1))
    )
    return PlacedPoints(
        names=job.points.names,
        surfaces=surfaces,
        normals=normals,
        contacts=contacts,
        directions=directions,
        clearances=contacts + approach.distance * directions,
        search_ends=contacts - approach.overtravel * directions,
        axes=_axes(job, T, normals),
    )


def _axes(job: Job, T: Array, normals: Array) -> Array:
    """Where the stylus points: against each normal, or along a direction that moves with them."""
    if job.approach.axis is None:
        return -normals
    return np.tile(transform_directions(T, job.approach.axis[None]), (len(normals), 1))
