"""Leg forces by Newton and Euler: every body cut free, every joint's reaction an unknown.

A second road to the inverse dynamics, as slow as it is plain: six numbers per joint, six equations
per body and one per revolute joint (it hands on no moment about its axis) make a system of 216.
Accelerations come from the recursive matrix relations, so nothing is shared with the recorded
programmes but the description of the chains. It gives the bearing loads too.

Source: [STAICU09] §3 and conclusion 2: the method that virtual work spares us
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.pose import skew
from robots.stewart.errors import PlatformError
from robots.stewart.inverse import checked_poses
from robots.stewart.leg_chain import STROKE, leg_chain
from robots.stewart.matrix_relations import LegMatrices, leg_matrices, recursive_motion
from robots.stewart.platform import LEGS, Platform

JOINTS = 6
UNKNOWNS = LEGS * JOINTS * 6

# Of the whole system in SI units; sound poses stay below 1e6.
WORST_CONDITION = 1e12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reactions:
    """What every joint hands on from the base's side to the platform's side, base axes.

    Forces act at A in the first two joints of a leg, at B in the others.
    """

    force: Array  # (6 legs, 6 joints, 3) [N]
    moment: Array  # (6 legs, 6 joints, 3) [N m]
    drive: Array  # leg forces, friction of the strokes included. # (6,) [N]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Part:
    """A body in motion: where its mass is, and the wrench that its motion needs there."""

    center: Array  # (3,) [m]
    force: Array  # m(a - g) (3,) [N]
    moment: Array  # about the centre (3,) [N m]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Leg:
    """Joint origins and axes in base axes, and the parts that the joints carry."""

    origins: Array  # (6, 3) [m]
    axes: Array  # (6, 3)
    parts: tuple[_Part, ...]  # (6,)
    speed: float  # of the stroke [m/s]


def reactions(
    platform: Platform, T: ArrayLike, V: ArrayLike, A: ArrayLike, wrench: ArrayLike | None = None
) -> Reactions:
    """Joint reactions and leg forces of one state.

    Args:
        platform: with its masses.
        T: T_base_platform. # (4, 4)
        V: platform velocity. # (6,) [m/s, rad/s]
        A: platform acceleration. # (6,) [m/s², rad/s²]
        wrench: exerted by the environment on the platform at its origin. # (6,) [N, N m]

    Raises:
        PlatformError: T is no pose, or the legs cannot hold the platform there.
    """
    pose = checked_poses(platform, T)
    legs = [_leg(platform, k, pose, V, A) for k in range(LEGS)]
    plate = _plate(platform, pose, np.asarray(V), np.asarray(A))
    load = np.zeros(6) if wrench is None else np.asarray(wrench, dtype=np.float64)
    matrix, right = _system(legs, plate, pose[:3, 3], load)
    found = _solution(platform, matrix, right)
    force, moment = (np.array(found.reshape(LEGS, JOINTS, 2, 3)[:, :, k]) for k in range(2))
    drive = [
        force[k, STROKE] @ leg.axes[STROKE]
        + given.coulomb * np.sign(leg.speed)
        + given.viscous * leg.speed
        for k, (leg, given) in enumerate(zip(legs, platform.legs, strict=True))
    ]
    return Reactions(force=force, moment=moment, drive=np.array(drive))


def _solution(platform: Platform, matrix: Array, right: Array) -> Array:
    """All reactions; rounding may hide a singular system, so its condition is asked."""
    try:
        inverse = np.linalg.inv(matrix)
    except np.linalg.LinAlgError:
        inverse = np.full_like(matrix, np.inf)
    condition = float(np.linalg.norm(matrix, 1) * np.linalg.norm(inverse, 1))
    if not condition < WORST_CONDITION:
        raise PlatformError(
            f"Platform {platform.name!r}: no joint reactions hold it in this pose (condition "
            f"{condition:.3g}); its legs are dependent there, or a leg's joint is locked; move the "
            "pose.",
            condition=condition,
        )
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


def _leg(platform: Platform, index: int, pose: Array, V: ArrayLike, A: ArrayLike) -> _Leg:
    chain = leg_chain(platform, index)
    matrices = leg_matrices(platform, index, pose)
    motion = recursive_motion(matrices, V, A)
    origins = _origins(matrices)
    parts = tuple(
        _part(
            chain.joints[k].body,
            (matrices.to_base[k], origins[k]),
            _based(matrices, k, motion.w[k], motion.wd[k], motion.vd[k]),
            chain.gravity,
        )
        for k in range(JOINTS)
    )
    return _Leg(
        origins=origins,
        axes=np.array([R[:, 2] for R in matrices.to_base]),
        parts=parts,
        speed=float(motion.relative_speed[STROKE]),
    )


def _origins(leg: LegMatrices) -> Array:
    place, found, back = np.zeros(3), [], np.eye(3)
    for R, r in zip(leg.to_base, leg.offsets, strict=True):
        place = place + back @ r
        back = R
        found.append(place)
    return np.array(found)


def _based(leg: LegMatrices, k: int, *vectors: Array) -> list[Array]:
    return [leg.to_base[k] @ vector for vector in vectors]


def _part(body: Body, frame: tuple[Array, Array], motion: Sequence[Array], gravity: Array) -> _Part:
    """Newton and Euler at the centre of mass; ``motion`` is w, wd, vd of the frame's origin."""
    R, origin = frame
    w, wd, vd = motion
    arm = R @ body.com
    center_acceleration = vd + np.cross(wd, arm) + np.cross(w, np.cross(w, arm))
    tensor = R @ body.inertia_at_com @ R.T
    return _Part(
        center=origin + arm,
        force=body.mass * (center_acceleration - gravity),
        moment=tensor @ wd + np.cross(w, tensor @ w),
    )


def _plate(platform: Platform, pose: Array, V: Array, A: Array) -> _Part:
    frame = (pose[:3, :3], pose[:3, 3])
    return _part(platform.body, frame, (V[3:], A[3:], A[:3]), platform.gravity)


def _system(legs: Sequence[_Leg], plate: _Part, origin: Array, load: Array) -> tuple[Array, Array]:
    """Equations of all bodies and revolute joints; the last part of a leg moves as the platform."""
    matrix, right = np.zeros((UNKNOWNS, UNKNOWNS)), np.zeros(UNKNOWNS)
    row = 0
    for index, leg in enumerate(legs):
        for k in range(JOINTS - 1):
            part = leg.parts[k]
            _enter(matrix[row : row + 6], index, k, leg.origins[k] - part.center, 1.0)
            _enter(matrix[row : row + 6], index, k + 1, leg.origins[k + 1] - part.center, -1.0)
            right[row : row + 6] = [*part.force, *part.moment]
            row += 6
        for k in range(JOINTS):
            if k != STROKE:
                place = _place(index, k) + 3
                matrix[row, place : place + 3] = leg.axes[k]
                row += 1
    for index, leg in enumerate(legs):
        _enter(matrix[row:], index, JOINTS - 1, leg.origins[-1] - origin, 1.0)
    for part in (plate, *(leg.parts[-1] for leg in legs)):
        moment = part.moment + np.cross(part.center - origin, part.force)
        right[row:] += [*part.force, *moment]
    right[row:] -= load
    return matrix, right


def _enter(rows: Array, leg: int, joint: int, lever: Array, sign: float) -> None:
    """Put a joint's force and moment into a body's six equations, ``lever`` from its centre."""
    place = _place(leg, joint)
    rows[:3, place : place + 3] = sign * np.eye(3)
    rows[3:, place : place + 3] = sign * skew(lever)
    rows[3:, place + 3 : place + 6] = sign * np.eye(3)


def _place(leg: int, joint: int) -> int:
    return (leg * JOINTS + joint) * 6
