"""The recursive matrix relations: a second road to the motion of every body of a leg.

Every joint turns about, or slides along, its own u3, as in the source; a_{k,k-1} takes components
from frame k-1 to frame k. NumPy throughout and the source's own order of thought, so nothing is
shared with the recorded programmes but the description of the chain.

Corrected against the print (sources.md): the right side of (15) is the platform's angular velocity
α̇1 a1ᵀu1 + α̇2 a1ᵀa2ᵀu2 + α̇3 a1ᵀa2ᵀa3ᵀu3; (17) has the term 2 ω10 ω43 a10ᵀ ũ3 a41ᵀ ũ3 a64ᵀ r6
too, the factor a65ᵀ in the term of ω21 ω54, and v32 where ω32 is printed.

Source: [STAICU09] §2 eqs. (12)-(15), (17), (18)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array
from robots.core.mechanism import Mechanism
from robots.core.pose import rotation_z, skew
from robots.stewart.legs import STROKE, joint_values, leg_chain
from robots.stewart.platform import Platform

U3 = np.array([0.0, 0.0, 1.0])
U3_TILDE = skew(U3)
JOINTS = 6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LegMatrices:
    """A leg at a batch of poses.

    Args:
        steps: a_{k,k-1}. # (6, ..., 3, 3)
        to_base: a_{k0}ᵀ. # (6, ..., 3, 3)
        offsets: r_{k,k-1}, in frame k-1. # (6, ..., 3) [m]
        levers: from A_k to the platform's origin, in frame k. # (6, ..., 3) [m]
    """

    steps: list[Array]
    to_base: list[Array]
    offsets: list[Array]
    levers: list[Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RecursiveMotion:
    """Motion of the six frames of a leg, each in its own axes."""

    relative_speed: Array  # (..., 6) [rad/s or m/s]
    relative_acceleration: Array  # (..., 6) [rad/s² or m/s²]
    w: list[Array]  # ω_k0 # (6, ..., 3) [rad/s]
    v: list[Array]  # v_k0 of A_k [m/s]
    wd: list[Array]  # ε_k0 [rad/s²]
    vd: list[Array]  # γ_k0 [m/s²]
    U: list[Array]  # ω̃ω̃ + ε̃ # (6, ..., 3, 3) [rad/s²]


def leg_matrices(platform: Platform, index: int, T: ArrayLike) -> LegMatrices:
    """Matrices and vectors of one leg. # T: (..., 4, 4).

    Source: [STAICU09] eqs. (3), (4), (11), with the axes of ``leg_chain``
    """
    chain = leg_chain(platform, index)
    q = joint_values(platform, index, T)
    steps, to_base, offsets = [], [], []
    before = np.eye(3)
    for k in range(JOINTS):
        place = chain.joints[k].placement
        angle = np.zeros_like(q[..., k]) if k == STROKE else q[..., k]
        slide = q[..., k] if k == STROKE else np.zeros_like(q[..., k])
        turned = place[:3, :3] @ rotation_z(angle)
        steps.append(_transposed(turned))
        offsets.append(place[:3, 3] + slide[..., None] * place[:3, 2])
        before = before @ turned
        to_base.append(before)
    return LegMatrices(
        steps=steps, to_base=to_base, offsets=offsets, levers=_levers(chain, steps, offsets)
    )


def recursive_motion(leg: LegMatrices, V: ArrayLike, A: ArrayLike) -> RecursiveMotion:
    """Relative and absolute motion of a leg's frames.

    Args:
        leg: at the poses.
        V: platform velocity, base axes. # (..., 6) [m/s, rad/s]
        A: platform acceleration. # (..., 6) [m/s², rad/s²]
    """
    velocity, acceleration = np.asarray(V, dtype=np.float64), np.asarray(A, dtype=np.float64)
    matrix = _connectivity(leg)
    speed = _solved(matrix, velocity)
    gain = _solved(matrix, acceleration - _products_of_speeds(leg, speed))
    return _absolute(leg, speed, gain)


def _levers(chain: Mechanism, steps: list[Array], offsets: list[Array]) -> list[Array]:
    """The braces of eqs. (15) and (17), from the platform back."""
    levers = [np.broadcast_to(chain.tool[:3, 3], offsets[-1].shape)]
    for k in range(JOINTS - 1, 0, -1):
        levers.append(offsets[k] + _applied(_transposed(steps[k]), levers[-1]))
    return levers[::-1]


def _connectivity(leg: LegMatrices) -> Array:
    """Matrix of eq. (15): linear rows first, one column per joint. # (..., 6, 6)."""
    columns = []
    for k in range(JOINTS):
        axis = _applied(leg.to_base[k], U3)
        if k == STROKE:
            columns.append(np.concatenate([axis, np.zeros_like(axis)], axis=-1))
        else:
            arm = _applied(leg.to_base[k], _applied(U3_TILDE, leg.levers[k]))
            columns.append(np.concatenate([arm, axis], axis=-1))
    return np.stack(columns, axis=-1)


def _products_of_speeds(leg: LegMatrices, speed: Array) -> Array:
    """Terms of eq. (17) in products of two speeds. # (..., 6)."""
    linear, angular = np.zeros((*speed.shape[:-1], 3)), np.zeros((*speed.shape[:-1], 3))
    for j in range(JOINTS):
        if j == STROKE:
            continue
        spin = leg.to_base[j] @ U3_TILDE
        square = speed[..., j, None] ** 2
        linear = linear + square * _applied(spin @ U3_TILDE, leg.levers[j])
        for k in range(j + 1, JOINTS):
            back = _transposed(leg.to_base[j]) @ leg.to_base[k]  # a_kjᵀ
            both = speed[..., j, None] * speed[..., k, None]
            if k == STROKE:
                linear = linear + 2 * both * _applied(spin @ back, U3)
                continue
            linear = linear + 2 * both * _applied(spin @ back @ U3_TILDE, leg.levers[k])
            angular = angular + both * _applied(spin @ back, U3)
    return np.concatenate([linear, angular], axis=-1)


def _absolute(leg: LegMatrices, speed: Array, gain: Array) -> RecursiveMotion:
    """Recursions (13), (14) and (18), from the base on."""
    still = np.zeros((*speed.shape[:-1], 3))
    w, v, wd, vd = [still], [still], [still], [still]
    U = [np.zeros((*speed.shape[:-1], 3, 3))]
    for k, (a, r) in enumerate(zip(leg.steps, leg.offsets, strict=True)):
        rate, rise = speed[..., k, None], gain[..., k, None]
        carried = _applied(a, w[-1])  # ω_{k-1,0} in frame k
        cross = _applied(skew(carried), U3)
        v.append(_applied(a, v[-1] + np.cross(w[-1], r)))
        vd.append(_applied(a, vd[-1] + _applied(U[-1], r)))
        U.append(a @ U[-1] @ _transposed(a))
        if k == STROKE:
            v[-1] = v[-1] + rate * U3
            vd[-1] = vd[-1] + rise * U3 + 2 * rate * cross
            w.append(carried)
            wd.append(_applied(a, wd[-1]))
            continue
        turning = rate[..., None] ** 2 * (U3_TILDE @ U3_TILDE) + rise[..., None] * U3_TILDE
        U[-1] = U[-1] + turning + 2 * rate[..., None] * (skew(carried) @ U3_TILDE)
        w.append(carried + rate * U3)
        wd.append(_applied(a, wd[-1]) + rise * U3 + rate * cross)
    return RecursiveMotion(
        relative_speed=speed,
        relative_acceleration=gain,
        w=w[1:],
        v=v[1:],
        wd=wd[1:],
        vd=vd[1:],
        U=U[1:],
    )


def _solved(matrix: Array, right: Array) -> Array:
    return np.asarray(np.linalg.solve(matrix, right[..., None])[..., 0])


def _applied(matrix: Array, vector: Array) -> Array:
    return np.asarray((matrix @ vector[..., None])[..., 0])


def _transposed(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)
