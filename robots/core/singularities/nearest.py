"""Which joint, moved alone, brings a posture to a singularity soonest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.inverse.scaling import column_scale, scale_length, scaled
from robots.core.inverse.task import Task
from robots.core.joint_samples import joint_ranges
from robots.core.model import Model

_SCAN = 181  # postures over a joint's range: 2° of a full turn
_REFINEMENTS = 40  # each shrinks the bracket to 1/φ
_GOLDEN = 0.5 * (np.sqrt(5.0) - 1.0)
_SINGULAR = 1e-6  # smallest singular value without units


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestSingularity:
    """A singularity that one joint alone can reach.

    Args:
        joint: its name.
        index: among the movable joints.
        value: where the joint stands there. [rad or m]
        distance: from where it stands now; 0 where the posture is singular because of it.
            [rad or m]
    """

    joint: str
    index: int
    value: float
    distance: float


def nearest_singularity(
    model: Model, task: Task, q: Array, full_rank: int
) -> NearestSingularity | None:
    """Nearest singularity along the joint axes, within the joint ranges; None if there is none.

    Distances of sliding joints are compared in scale lengths. A singular posture is its own
    nearest: of the joints that lead out of it when moved alone, the one that does so fastest.

    Args:
        model: of the mechanism.
        task: what of the tool counts.
        q: posture. # (n,) [rad or m]
        full_rank: rank in general.
    """
    low, high = joint_ranges(model.mechanism, scale_length(model.mechanism))
    low, high = np.minimum(low, q), np.maximum(high, q)
    smallest = _Smallest(model=model, task=task, q=q, full_rank=full_rank)
    unit = column_scale(model.mechanism, scale_length(model.mechanism))
    names = [joint.name for joint in model.mechanism.movable]
    if smallest(np.array([0]), q[:1])[0] <= _SINGULAR:
        step = 1e-3 * unit
        index = int(np.argmax(smallest(np.arange(len(q)), q + step)))
        here = float(q[index])
        return NearestSingularity(joint=names[index], index=index, value=here, distance=0.0)
    joints, values = _zeros(smallest, low, high)
    if not joints.size:
        return None
    best = int(np.argmin(np.abs(values - q[joints]) / unit[joints]))
    index, value = int(joints[best]), float(values[best])
    return NearestSingularity(
        joint=names[index], index=index, value=value, distance=abs(value - float(q[index]))
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Smallest:
    """Singular value number ``full_rank`` with one joint moved."""

    model: Model
    task: Task
    q: Array
    full_rank: int

    def __call__(self, joints: Indices, values: Array) -> Array:
        q = np.broadcast_to(self.q, (len(values), len(self.q))).copy()
        q[np.arange(len(values)), joints] = values
        mechanism = self.model.mechanism
        J = self.task.jacobian(self.model, q)
        s = np.linalg.svd(
            scaled(J, self.task, mechanism, scale_length(mechanism)), compute_uv=False
        )
        return np.asarray(s[:, self.full_rank - 1])


def _zeros(smallest: _Smallest, low: Array, high: Array) -> tuple[Indices, Array]:
    """Joints and values at which the smallest singular value vanishes. # (k,), (k,)."""
    n = len(low)
    grid = low + (high - low) * np.linspace(0.0, 1.0, _SCAN)[:, None]  # (scan, n)
    joints = np.tile(np.arange(n), _SCAN)
    values = smallest(joints, grid.reshape(-1)).reshape(_SCAN, n)
    padded = np.pad(values, ((1, 1), (0, 0)), constant_values=np.inf)
    rows, columns = np.nonzero((values <= padded[:-2]) & (values <= padded[2:]))
    step = (high - low)[columns] / (_SCAN - 1)
    left = np.maximum(grid[rows, columns] - step, low[columns])
    right = np.minimum(grid[rows, columns] + step, high[columns])
    at = _golden_section(smallest, columns, left, right)
    found = smallest(columns, at) <= _SINGULAR
    return columns[found], at[found]


def _golden_section(smallest: _Smallest, joints: Indices, left: Array, right: Array) -> Array:
    """Where each bracketed minimum is. # (k,)."""
    for _ in range(_REFINEMENTS):
        inner = right - _GOLDEN * (right - left)
        outer = left + _GOLDEN * (right - left)
        lower = smallest(joints, inner) < smallest(joints, outer)
        left, right = np.where(lower, left, inner), np.where(lower, outer, right)
    return np.asarray(0.5 * (left + right))
