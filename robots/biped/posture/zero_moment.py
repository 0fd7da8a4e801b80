"""Zero-moment point: where on the ground the contact's moment has no part along the plane.

The ground's push is the wrench that it exerts on the robot. On a plane with unit normal n through
p0 the point is p = p0 + n × m(p0) / (n·f), for a force f and a moment m(p0) about p0: about p the
moment is along n only, so the contact neither rolls nor pitches.

Two roads give it: the wrench from the full dynamics of the bodies, and the motion of the centre of
mass with the rate of the angular momentum about it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.core.arrays import Array

GRAVITY = (0.0, 0.0, -9.81)  # [m/s²], world axes

# A contact pushed together by less than this part of its force has its point far away, in rounding.
_SLIGHT = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CentroidalState:
    """Motion of a whole robot about its centre of mass; world axes.

    Args:
        mass: [kg]
        com: centre of mass. # (..., 3) [m]
        acceleration: of the centre of mass. # (..., 3) [m/s²]
        momentum_rate: of the angular momentum about the centre of mass. # (..., 3) [N m]
    """

    mass: float
    com: Array
    acceleration: Array
    momentum_rate: Array


def zero_moment_point(force: ArrayLike, moment: ArrayLike, ground: Ground) -> Array:
    """The point on the ground.

    Args:
        force: of the ground on the robot, world axes. # (..., 3) [N]
        moment: about the world's origin. # (..., 3) [N m]
        ground: the plane.

    Returns:
        Points of the plane. # (..., 3) [m]

    Raises:
        BipedError: values that are not finite; a ground that pulls, or does not push at all.
    """
    f, m = np.broadcast_arrays(_finite(force, "force"), _finite(moment, "moment"))
    n, p0 = ground.normal, ground.point
    push = f @ n
    _check_push(push, f)
    about = m - np.cross(p0, f)
    return np.asarray(p0 + np.cross(n, about) / push[..., None])


def zero_moment_points(axes: ArrayLike, force: ArrayLike, moment: ArrayLike) -> Array:
    """The points on grounds that tilt about the world's origin, one for each instant.

    Args:
        axes: of the grounds in the world, one for all or one each. # (3, 3) or (k, 3, 3)
        force: of the ground on the robot, world axes. # (k, 3) [N]
        moment: about the world's origin. # (k, 3) [N m]

    Returns:
        World axes. # (k, 3) [m]

    Raises:
        BipedError: as for ``zero_moment_point``.
    """
    R = np.asarray(axes, dtype=np.float64)
    f, m = (np.einsum("...ji,...j->...i", R, np.asarray(part)) for part in (force, moment))
    return np.asarray(np.einsum("...ij,...j->...i", R, zero_moment_point(f, m, Ground())))


def centroidal_zero_moment_point(
    state: CentroidalState, ground: Ground, gravity: ArrayLike = GRAVITY
) -> Array:
    """The point on the ground from the motion of the centre of mass. # (..., 3) [m].

    Raises:
        BipedError: as for ``zero_moment_point``.
    """
    com, acceleration = _finite(state.com, "com"), _finite(state.acceleration, "acceleration")
    force = state.mass * (acceleration - np.asarray(gravity, dtype=np.float64))
    rate = _finite(state.momentum_rate, "momentum rate")
    return zero_moment_point(force, rate + np.cross(com, force), ground)


def _finite(values: ArrayLike, what: str) -> Array:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim == 0 or array.shape[-1] != 3 or not np.all(np.isfinite(array)):
        raise BipedError(
            f"The {what} of a contact has shape {array.shape}; give three finite numbers for each.",
            what=what,
            shape=array.shape,
        )
    return array


def _check_push(push: Array, force: Array) -> None:
    size = np.linalg.norm(force, axis=-1)
    lifted = ~(push > _SLIGHT * size)
    if not np.any(lifted):
        return
    sample = int(np.argmax(np.ravel(lifted)))
    value = float(np.ravel(push)[sample])
    where = f"sample {sample + 1} of {lifted.size}: " if lifted.size > 1 else ""
    raise BipedError(
        f"{where}there is no zero-moment point: the ground would push with {value:.6g} N along its "
        "normal, and a contact can only push; the robot is in the air or pulls at the ground. "
        "Let it move more slowly.",
        sample=sample,
        value=value,
        limit=0.0,
        unit="N",
    )
