"""What the ground pushes with while a robot moves over a foot that rests.

The wrench comes from the full dynamics of the bodies, seen from the standing foot. The motion of
the centre of mass and the momentum about it come from the momentum of the bodies and its rate in
time: another road to the same zero-moment point.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.biped.errors import BipedError
from robots.biped.posture.standing import Standing
from robots.biped.posture.zero_moment import (
    CentroidalState,
    centroidal_zero_moment_point,
    zero_moment_point,
)
from robots.core.arrays import Array, Indices
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.rerooted import reroot

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
        mass=mass,
        com=standing.com,
        acceleration=rates[:, :3] / mass,
        momentum_rate=rates[:, 3:],
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
