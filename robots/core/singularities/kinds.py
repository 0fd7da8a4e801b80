"""Boundary or interior: telling singularities of type 1 from those of type 2.

The course calls type 1 a singularity at the limit of the reachable volume (arm stretched or folded)
and type 2 one inside it (axes in line and the like). The criterion here is of second order. At a
singular posture let u be the lost direction of the task (uᵀJ = 0) and w any self-motion (J·w = 0).
Moving along w for a time t shifts the tool by ½·t²·uᵀ(J̇w) along u, and by nothing at first order.

- The form Q(w) = uᵀ(J̇w) has one strict sign for all self-motions: whatever the joints do, the tool
  stays on one side of a surface with normal u (splitting lemma). Boundary, type 1.
- Q takes both signs: the tool can leave to both sides. Interior, type 2.
- Q has a direction in which it vanishes (axes in line: turning one against the other moves
  nothing), or several directions are lost at once: second order does not decide. Then the tool is
  asked to go a little way to both sides, and the numerical inverse tells whether it can.

It is a statement about the branch of postures around q: another branch may reach beyond. Joint
limits bound the volume as well; they are not singularities and are not looked at here.
"""

from __future__ import annotations

from enum import Enum

import numpy as np

from robots.core.arrays import Array
from robots.core.inverse.scaling import column_scale, row_scale, scale_length
from robots.core.inverse.task import Task
from robots.core.model import Model
from robots.core.singularities.both_sides import reaches_both_sides

# Curvature, without units, below which a self-motion is said not to move the tool.
_FLAT = 1e-6


class Kind(Enum):
    """What a posture is to the task."""

    REGULAR = "regular"
    BOUNDARY = "type 1, at the boundary of the reachable volume"
    INTERIOR = "type 2, inside the reachable volume"

    @property
    def course_type(self) -> int:
        """Type in [COURSE-JAC]; 0 for a regular posture."""
        return {Kind.REGULAR: 0, Kind.BOUNDARY: 1, Kind.INTERIOR: 2}[self]


def kind_of(model: Model, task: Task, q: Array, lost: Array, still: Array) -> Kind:
    """Type of a singular posture.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: the posture. # (n,) [rad or m]
        lost: orthonormal lost directions, of the task without units. # (m, d)
        still: orthonormal self-motions, of joints without units. # (n, k)

    Returns:
        REGULAR where nothing is lost.

    Source: [COURSE-JAC] "Singularités cinématiques"; the criterion is our own.
    """
    if not lost.size:
        return Kind.REGULAR
    if lost.shape[1] == 1:
        curvature = self_motion_curvature(model, task, q, still)
        values = np.linalg.eigvalsh(np.einsum("mkl,m->kl", curvature, lost[:, 0]))
        if values[0] > _FLAT or values[-1] < -_FLAT:
            return Kind.BOUNDARY
        if values[0] < -_FLAT and values[-1] > _FLAT:
            return Kind.INTERIOR
    free = all(reaches_both_sides(model, task, q, direction) for direction in lost.T)
    return Kind.INTERIOR if free else Kind.BOUNDARY


def self_motion_curvature(model: Model, task: Task, q: Array, still: Array) -> Array:
    """Second-order shift of the tool under pairs of self-motions, without units. # (m, k, k).

    Entry (·, i, j) is S·(J̇w) polarised: for w = Σ cᵢwᵢ the task's acceleration is Σ cᵢcⱼ entry.
    """
    mechanism = model.mechanism
    length = scale_length(mechanism)
    W = column_scale(mechanism, length)[:, None] * still  # (n, k) [rad or m]
    k = W.shape[1]
    pairs = W[:, :, None] + W[:, None, :]  # (n, k, k)
    bias = _bias(model, q, np.moveaxis(pairs, 0, -1))
    single = _bias(model, q, W.T)
    form = 0.5 * (bias - single[:, None, :] - single[None, :, :])  # (k, k, 6)
    S = task.selection(model.forward(q)[:3, :3])
    rows = row_scale(task, length)[:, None] * S
    return np.asarray(np.einsum("mr,klr->mkl", rows, form).reshape(task.size, k, k))


def _bias(model: Model, q: Array, qd: Array) -> Array:
    return model.bias_acceleration(np.broadcast_to(q, qd.shape), qd)
