"""Which joints move along a probing line, when a robot has more than the task needs.

Holding the full orientation of the tool takes six joints; of every joint beyond, one is locked
while the ball runs. Which ones is a property of the robot: those whose locking costs least, judged
over postures spread through its ranges. A robot whose axes cannot turn the tool about the probe (a
gantry with two columns and a wrist of two axes) does not hold that turn; five joints then move.
"""

from __future__ import annotations

import numpy as np

from planner.reach.serial_loops import TASK
from robots.core.arrays import Array, Indices
from robots.core.equations.tree import tree_of
from robots.core.errors import InverseError
from robots.core.joint_samples import joint_samples
from robots.core.model import Model

_POSTURES = 64
_REGULAR = 1e-4  # smallest over largest singular value, in the median posture: below, never regular


def free_joints(model: Model, units: Array, length: float) -> Indices:
    """Joints that move along a line: six, or five where the turn about the axis is not to be had.

    Args:
        model: of the robot.
        units: of the joints. # (n,) [rad or m]
        length: that makes lengths and angles comparable. [m]

    Raises:
        InverseError: fewer than five joints carry the tool, a joint does not carry it, or the axes
            cannot bring the ball to a place along a direction.
    """
    _check_chain(model)
    q = joint_samples(model.mechanism, _POSTURES, slide=length)
    J = model.jacobian(q) * units
    J[:, :3] /= length
    J[:, 3:] = np.einsum("pki,pkj->pij", model.forward(q)[:, :3, :3], J[:, 3:])
    for rows in (TASK + 1, TASK):
        free = _least_loss(J[:, :rows], rows) if model.dof >= rows else None
        if free is not None:
            return free
    raise InverseError(
        f"{model.mechanism.name!r} cannot bring a ball to a place along a given direction: in all "
        f"of {_POSTURES} postures its {model.dof} joints leave one of these five motions out. A "
        "planned robot needs three for the place and two that tilt the probe.",
        joints=model.dof,
    )


def _check_chain(model: Model) -> None:
    mechanism = model.mechanism
    tree = tree_of(mechanism)
    carrying = set(tree.moving_path(tree.tool_link))
    idle = [mechanism.joints[i].name for i in tree.moving if i not in carrying]
    if idle:
        raise InverseError(
            f"{mechanism.name!r} is no serial robot: {', '.join(idle)} "
            f"{'does' if len(idle) == 1 else 'do'} not carry the tool. Give the file of the one "
            "chain that holds the probe.",
            joints=idle,
        )
    if model.dof < TASK:
        raise InverseError(
            f"{mechanism.name!r} has {model.dof} joints; a ball's place and the direction of its "
            f"stylus take {TASK}.",
            joints=model.dof,
        )


def _least_loss(J: Array, rows: int) -> Indices | None:
    """Columns left when the least needed ones are locked one by one; None if never regular.

    Args:
        J: Jacobians without units. # (p, rows, n)
        rows: of them, and so columns in the end.
    """
    free = list(range(J.shape[2]))
    worth = _worth(J)
    while len(free) > rows:
        left = [[j for j in free if j != locked] for locked in free]
        worths = [_worth(J[:, :, columns]) for columns in left]
        best = int(np.argmax(worths))
        free, worth = left[best], worths[best]
    return np.array(free, dtype=np.int64) if worth > _REGULAR else None


def _worth(J: Array) -> float:
    values = np.linalg.svd(J, compute_uv=False)
    return float(np.median(values[:, -1] / values[:, 0]))
