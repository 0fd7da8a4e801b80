"""Inverse models of first and second order give the direct ones back.

Source: [LAMMARI12] figures 9-14 and 33-38, where the same comparison leaves 0.03 to 0.1 %
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from reports.validation.check import Check, check, scales
from reports.validation.evidence import Evidence
from robots.arm.task import task_bias, task_jacobian
from robots.core.model import Model

Array = NDArray[np.float64]

LIMIT = 1e-9
_CHOSEN = np.array([1, 8, 15, 22])  # of the 24 instants of a piece
_PER_CONDITION = 1e-14  # rounding of J that a condition number magnifies
_QUIET = 1e-4  # a plateau has no acceleration: residuals there are parts of the motion's largest
_SINGULAR = 1e10  # beyond this condition number no joint rates follow from the task


def inverse_model_checks(evidence: Evidence) -> list[Check]:
    """Joint speeds and accelerations recovered from what forward models say of the tool."""
    motion, model = evidence.motion, evidence.model
    n = model.dof
    q, qd, qdd = (a[:, _CHOSEN].reshape(-1, n) for a in (motion.q, motion.qd, motion.qdd))
    J = task_jacobian(model, q)
    with np.errstate(invalid="ignore"):  # what is not a number stays, and fails the checks
        usable = np.linalg.det(J) != 0.0
    q, qd, qdd, J = q[usable], qd[usable], qdd[usable], J[usable]
    inverse = np.linalg.inv(J)
    condition = np.linalg.norm(J, axis=(1, 2)) * np.linalg.norm(inverse, axis=(1, 2))
    rate, acceleration = _task_rates(model, (q, qd, qdd))
    first = np.einsum("pij,pj->pi", inverse, rate)
    second = np.einsum("pij,pj->pi", inverse, acceleration - task_bias(model, q, qd))
    used = ~(condition >= _SINGULAR)
    lenience = np.maximum(1.0, condition * _PER_CONDITION / LIMIT)[used, None]
    left_out = len(usable) - int(np.count_nonzero(used))
    where = (
        f"at 4 instants of every smooth piece; where the condition number of the task Jacobian "
        f"passes {LIMIT / _PER_CONDITION:.0e} the residual is divided in proportion; {left_out} "
        f"singular instants left out"
    )
    return [
        check(
            "inverse model, first order",
            _relative(first - qd, qd)[used] / lenience,
            LIMIT,
            "1",
            f"joint speeds from the ball's velocity and the stylus's turning, against q̇, {where}",
        ),
        check(
            "inverse model, second order",
            _relative(second - qdd, np.maximum(np.abs(qdd), qd * qd))[used] / lenience,
            LIMIT,
            "1",
            f"joint accelerations from those of ball and stylus, against q̈, relative to q̈ or q̇² "
            f"whichever is larger, {where}",
        ),
    ]


def _relative(residual: Array, terms: Array) -> Array:
    """Residuals over the largest of the terms that make them up, instant by instant."""
    size = scales(np.max(np.abs(terms), axis=1, initial=0.0), _QUIET)
    return np.asarray(residual / size[:, None])


def _task_rates(model: Model, motion: tuple[Array, Array, Array]) -> tuple[Array, Array]:
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
