"""Which corners of the soles touch the ground, and the support polygon that they span."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from robots.biped.biped import Biped
from robots.biped.errors import PostureError
from robots.biped.posture.ground import Ground
from robots.biped.posture.support_polygon import SupportPolygon
from robots.core.arrays import Array

TOUCHING = 1e-3  # [m] a corner nearer to the ground than this bears load


def support_of(
    biped: Biped,
    T_world_feet: Mapping[str, Array],
    ground: Ground,
    *,
    touching: float = TOUCHING,
) -> SupportPolygon:
    """The hull of the corners in contact, projected along gravity.

    Args:
        biped: whose soles.
        T_world_feet: pose of each foot's link by the foot's name. # each (4, 4)
        ground: what they stand on.
        touching: clearance up to which a corner is in contact. [m]

    Raises:
        PostureError: no three corners touch, or a corner is below the ground.
        BipedError: a foot that the biped does not have.
    """
    soles = [sole_in_world(biped, name, T) for name, T in T_world_feet.items()]
    corners = np.concatenate(soles)
    clearance = ground.clearance(corners)
    _check_above(biped, float(np.min(clearance)), touching)
    bearing = corners[clearance <= touching]
    if len(bearing) < 3:
        raise PostureError(
            f"{len(bearing)} corners of the soles of {biped.name} touch the ground, the nearest is "
            f"{1e3 * float(np.min(clearance)):.4g} mm above it; three that span an area are needed "
            "to stand.",
            value=float(np.min(clearance)),
            limit=touching,
            unit="m",
        )
    return SupportPolygon.of(bearing, ground.rotation[:2, 0])


def sole_in_world(biped: Biped, foot: str, T_world_foot: Array) -> Array:
    """Corners of a sole. # (..., 4, 4) -> (..., k, 3) [m]."""
    R, p = T_world_foot[..., :3, :3], T_world_foot[..., None, :3, 3]
    return np.asarray(biped.foot(foot).sole @ np.swapaxes(R, -1, -2) + p)


def _check_above(biped: Biped, lowest: float, touching: float) -> None:
    if lowest < -touching:
        raise PostureError(
            f"A corner of the soles of {biped.name} is {-1e3 * lowest:.4g} mm below the ground; "
            "lift that foot, or let the robot stand on it.",
            value=lowest,
            limit=-touching,
            unit="m",
        )
