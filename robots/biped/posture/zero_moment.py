"""Zero-moment point, and the ground wrench of a robot that moves over a foot at rest.

The ground's push is the wrench that it exerts on the robot. On a plane with unit normal n through
p0 the point is p = p0 + n × m(p0) / (n·f), for a force f and a moment m(p0) about p0: about p the
moment is along n only, so the contact neither rolls nor pitches.

Two roads give it: the wrench from the full dynamics of the bodies, and the motion of the centre of
mass with the rate of the angular momentum about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.ground import Ground
from robots.biped.posture.standing import Standing
from robots.core.arrays import Array, Indices
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.rerooted import reroot

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


def zero_moment_path(axes: ArrayLike, force: ArrayLike, moment: ArrayLike) -> Array:
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


# ----------------------------------------------------------------------------------- Ground wrench
# The wrench comes from the full dynamics of the bodies, seen from the standing foot. The motion of
# the centre of mass and the momentum about it come from the momentum of the bodies and its rate in
# time: another road to the same zero-moment point.

# [s] Of the time derivative, which is of fourth order: its error and rounding are about 1e-12 each
# at rates of 1 rad/s and 1 rad/s², and 1e-8 at 400 rad/s².
_STEP = 1e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroundWrench:
    """Force and moment of the ground on the robot, world axes.

    Args:
        force: # (k, 3) [N]
        moment: about the world's origin. # (k, 3) [N m]
    """

    force: Array
    moment: Array


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Foothold:
    """The robot seen from the foot it stands on, in some of the states.

    Args:
        model: with the foot's link as its base.
        R: axes of the link in the world; p its origin. # (k, 3, 3), (k, 3) [m]
        p: see R.
        q: in the model's order; qd and qdd alike. # (k, n)
        qd: see q.
        qdd: see q.
    """

    model: Model
    R: Array
    p: Array
    q: Array
    qd: Array
    qdd: Array


def ground_wrench(standing: Standing, qd: ArrayLike, qdd: ArrayLike) -> GroundWrench:
    """The wrench from the full dynamics.

    The standing foot rests in the world; the ground under it may be tilted but does not turn.

    Args:
        standing: postures.
        qd: joint speeds; qdd accelerations. # (k, n)
        qdd: see qd.

    Raises:
        BipedError: rates of another shape than the postures, or not finite.
    """
    found = _by_foot(standing, (qd, qdd), _wrench)
    return GroundWrench(force=found[:, :3], moment=found[:, 3:])


def centroidal_state(standing: Standing, qd: ArrayLike, qdd: ArrayLike) -> CentroidalState:
    """The motion of the centre of mass and the rate of the momentum about it.

    Raises:
        BipedError: as for ``ground_wrench``.
    """
    mass = standing.biped.mechanism.total_mass
    rates = _by_foot(standing, (qd, qdd), _momentum_rate)
    return CentroidalState(
        mass=mass, com=standing.com, acceleration=rates[:, :3] / mass, momentum_rate=rates[:, 3:]
    )


def zero_moment_points(standing: Standing, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """Zero-moment points from the full dynamics. # (k, 3) [m].

    Raises:
        BipedError: rates that do not fit; a ground that pulls.
    """
    wrench = ground_wrench(standing, qd, qdd)
    return zero_moment_point(wrench.force, wrench.moment, standing.ground)


def centroidal_zero_moment_points(standing: Standing, qd: ArrayLike, qdd: ArrayLike) -> Array:
    """The same points from the momentum and its rate. # (k, 3) [m].

    Raises:
        BipedError: as for ``zero_moment_points``.
    """
    state = centroidal_state(standing, qd, qdd)
    return centroidal_zero_moment_point(state, standing.ground, _down(standing.biped.mechanism))


def _by_foot(
    standing: Standing, rates: tuple[ArrayLike, ArrayLike], ask: Callable[[_Foothold], Array]
) -> Array:
    """Six numbers for every state, each asked of the foot that it stands on. # (k, 6)."""
    qd, qdd = (_rates(standing, values) for values in rates)
    found = np.empty((len(standing.q), 6))
    feet = np.array(standing.foot)
    for name in dict.fromkeys(standing.foot):
        rows = feet == name
        mechanism, order = _seen_from(standing, name)
        T = standing.T_world_feet[name][rows]
        found[rows] = ask(
            _Foothold(
                model=Model(mechanism, "single-use"),
                R=T[:, :3, :3],
                p=T[:, :3, 3],
                q=standing.q[rows][:, order],
                qd=qd[rows][:, order],
                qdd=qdd[rows][:, order],
            )
        )
    return found


def _seen_from(standing: Standing, foot: str) -> tuple[Mechanism, Indices]:
    """The mechanism with a foot's link as its base, and its variables in the robot's order."""
    biped = standing.biped
    link = biped.foot(foot).link
    if not link:
        return biped.mechanism, np.arange(biped.mechanism.dof, dtype=np.intp)
    found = reroot(biped.mechanism, link)
    return found.mechanism, np.asarray(found.order, dtype=np.intp)


def _down(mechanism: Mechanism) -> Array:
    """Gravity in the world. # (3,) [m/s²]."""
    return np.array([0.0, 0.0, -float(np.linalg.norm(mechanism.gravity))])


def _rates(standing: Standing, values: ArrayLike) -> Array:
    rates = np.array(values, dtype=np.float64, ndmin=2)
    if rates.shape != standing.q.shape or not np.all(np.isfinite(rates)):
        raise BipedError(
            f"Joint speeds or accelerations have shape {rates.shape}, the postures "
            f"{standing.q.shape}; give one finite number for each joint of each posture.",
            shape=rates.shape,
        )
    return rates


def _wrench(foothold: _Foothold) -> Array:
    """Force, and moment about the world's origin, world axes. # (k, 6)."""
    model, R = foothold.model, foothold.R
    local = model.base_wrench(foothold.q, foothold.qd, foothold.qdd)
    # The model's gravity is that of a foot on level ground: exchange it for the true one.
    true = _down(model.mechanism) @ R
    weight = model.mechanism.total_mass * (model.mechanism.gravity - true)
    force = local[:, :3] + weight
    moment = local[:, 3:] + np.cross(model.center_of_mass(foothold.q), weight)
    turned = np.einsum("kij,kj->ki", R, force)
    about = np.einsum("kij,kj->ki", R, moment) + np.cross(foothold.p, turned)
    return np.hstack([turned, about])


def _momentum_rate(foothold: _Foothold) -> Array:
    """Rates of linear momentum, and of the angular one about the centre; world axes. # (k, 6)."""

    def momentum(t: float) -> Array:
        q = foothold.q + t * foothold.qd + 0.5 * t * t * foothold.qdd
        return foothold.model.centroidal_momentum(q, foothold.qd + t * foothold.qdd)

    near, far = (momentum(t) - momentum(-t) for t in (_STEP, 2.0 * _STEP))
    rate = (8.0 * near - far) / (12.0 * _STEP)
    turned = np.einsum("kij,klj->kli", foothold.R, rate.reshape(-1, 2, 3))
    return np.asarray(turned).reshape(-1, 6)
