"""Joint rates found again from what forward models say of the tool.

Five joints follow from the ball and the stylus's direction. A robot of more joints shows the whole
motion of its tool; what moves its joints but not the tool cannot be seen there, so of their rates
only the part that the tool's motion determines is found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.arm.inverse import task_bias, task_jacobian
from robots.core.arrays import Array, Indices
from robots.core.model import Model

Motion = tuple[Array, Array, Array]

_TASK = 5
_LOST = 1e-10  # of the largest singular value: a direction that the tool cannot move in


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Recovered:
    """Joint rates from the tool's, beside the part of the motion's own that the tool shows.

    Instants where the task Jacobian has no inverse at all are left out.

    Args:
        first: J⁻¹ or J⁺ times the tool's velocity, less that part of q̇. # (m, n)
        second: likewise of the acceleration, less that part of q̈. # (m, n)
        qd: # (m, n)
        qdd: # (m, n)
        condition: number of the task Jacobian. # (m,)
        rows: which of the instants asked these are. # (m,)
    """

    first: Array
    second: Array
    qd: Array
    qdd: Array
    condition: Array
    rows: Indices


def recovered_rates(model: Model, motion: Motion) -> Recovered:
    """Joint speeds and accelerations from the tool's motion, instant by instant."""
    return _from_ball_and_axis(model, motion) if model.dof == _TASK else _from_tool(model, motion)


def _from_ball_and_axis(model: Model, motion: Motion) -> Recovered:
    q, qd, qdd = motion
    J = task_jacobian(model, q)
    with np.errstate(invalid="ignore"):  # what is not a number stays, and fails the checks
        usable = np.linalg.det(J) != 0.0
    q, qd, qdd, J = q[usable], qd[usable], qdd[usable], J[usable]
    inverse = np.linalg.inv(J)
    rate, acceleration = _task_rates(model, (q, qd, qdd))
    return Recovered(
        first=_times(inverse, rate) - qd,
        second=_times(inverse, acceleration - task_bias(model, q, qd)) - qdd,
        qd=qd,
        qdd=qdd,
        condition=np.linalg.norm(J, axis=(1, 2)) * np.linalg.norm(inverse, axis=(1, 2)),
        rows=np.flatnonzero(usable),
    )


def _from_tool(model: Model, motion: Motion) -> Recovered:
    q, qd, qdd = motion
    J = model.jacobian(q)
    known = np.all(np.isfinite(J), axis=(1, 2))
    U, s, Vt = np.linalg.svd(np.where(known[:, None, None], J, 0.0), full_matrices=False)
    s[~known] = np.nan  # stays, and fails the checks
    largest = np.max(s, axis=1, keepdims=True, initial=0.0)
    seen = ~(s <= _LOST * largest)
    gain = np.where(seen, 1.0 / np.where(seen, s, 1.0), 0.0)
    V = np.swapaxes(Vt, 1, 2)
    inverse = V @ (gain[..., None] * np.swapaxes(U, 1, 2))
    shown = V @ (seen[..., None] * Vt)
    push = model.acceleration(q, qd, qdd) - model.bias_acceleration(q, qd)
    return Recovered(
        first=_times(inverse, model.velocity(q, qd)) - _times(shown, qd),
        second=_times(inverse, push) - _times(shown, qdd),
        qd=qd,
        qdd=qdd,
        condition=largest[:, 0] * np.max(gain, axis=1, initial=0.0),
        rows=np.arange(len(q)),
    )


def _times(matrices: Array, vectors: Array) -> Array:
    return np.asarray(np.einsum("pij,pj->pi", matrices, vectors))


def _task_rates(model: Model, motion: Motion) -> tuple[Array, Array]:
    """Velocity and acceleration of the ball, and of the stylus's direction across itself.

    The direction d obeys ḋ = ω × d and d̈ = ω̇ × d + ω × (ω × d); its components along the tool's x
    and y are the turnings about y and, with the other sign, about x.
    """
    q, qd, qdd = motion
    twist, push = model.velocity(q, qd), model.acceleration(q, qd, qdd)
    x, y, d = (model.forward(q)[:, :3, k] for k in range(3))
    w, wd = twist[:, 3:], push[:, 3:]
    swing = np.cross(w, d)
    bend = np.cross(wd, d) + np.cross(w, swing)

    def task(linear: Array, direction: Array) -> Array:
        about_x = -np.sum(direction * y, axis=1, keepdims=True)
        about_y = np.sum(direction * x, axis=1, keepdims=True)
        return np.concatenate([linear, about_x, about_y], axis=1)

    return task(twist[:, :3], swing), task(push[:, :3], bend)
