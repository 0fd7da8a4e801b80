"""How large speeds, accelerations, torques and powers of a motion are, for residuals' sake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from planner.plan import Plan
from planner.proof.chebyshev import COUNT, NODES
from planner.proof.check import scales
from planner.proof.smooth_pieces import moving_segments, smooth_pieces, states_at
from robots.core.arrays import Array
from robots.core.equations.kinematics import frames
from robots.core.equations.lagrange import lagrange
from robots.core.equations.tree import tree_of
from robots.core.kernels import Kernel
from robots.core.mechanism import Mechanism
from robots.core.model import Model
from robots.core.recording import Programme, Recorder, recording_functions, remembered

_INSTANTS: Array = NODES[[0, 5, 11, 18, 23]]  # of every piece: peaks to within a few per cent
_SEGMENTS = 4096  # looked at at once
# Rates of a line come out of the task Jacobian with an error of about ε·κ of the busiest joint's.
# The tolerance of the resolution, 1e-8, times this part is 1e-13: κ of 450.
_QUIET = 1e-5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Survey:
    """Peaks of every joint at a few instants of every smooth piece. # (n,) each.

    Args:
        speed: [rad/s]
        acceleration: [rad/s²]
        torque: by Lagrange. [N m]
        power: [W]
    """

    speed: Array
    acceleration: Array
    torque: Array
    power: Array

    @property
    def resolution(self) -> Array:
        """What roughness of speeds, accelerations, torques and powers is part of. # (4n,)."""
        peaks = (self.speed, self.acceleration, self.torque, self.power)
        speed, *others = (scales(peak, _QUIET) for peak in peaks)
        # Differences of q miss up to K times as much of the speed as its own polynomial does.
        return np.concatenate([speed / COUNT, *others])


def survey(plan: Plan, model: Model, torques: LagrangeTorques) -> Survey:
    """Peaks of the whole motion, zero where nothing moves."""
    moving = moving_segments(plan)
    peaks = np.zeros((4, model.dof))
    for rows in blocks(len(moving), _SEGMENTS):
        pieces = smooth_pieces(plan, model, moving[rows])
        q, qd, qdd = states_at(plan, pieces, _INSTANTS)
        tau = torques.full(q, qd, qdd)
        found = [np.max(np.abs(a), axis=(0, 1), initial=0.0) for a in (qd, qdd, tau, tau * qd)]
        peaks = np.maximum(peaks, found)
    speed, acceleration, torque, power = peaks
    return Survey(speed=speed, acceleration=acceleration, torque=torque, power=power)


# -------------------------------------------------------------------------------- Lagrange torques
# Nothing is shared with the recursion of Newton and Euler that planned the motion, except the
# robot's own numbers.
#
# Source: [LIEGEOIS80] §2.3 eqs. (2-9)-(2-12), [LAMMARI12] eqs. (IV.4), (IV.10) (friction)


class LagrangeTorques:
    """Torques of one mechanism without dry friction, which jumps, and the friction beside them.

    Args:
        mechanism: the robot; where its masses are not known all torques are zero, and nothing that
            is made of them may be compared (``known``).
    """

    def __init__(self, mechanism: Mechanism) -> None:
        self.known = mechanism.masses_known
        self._kernel = Kernel(_programme(mechanism), "compiled") if self.known else None
        joints, counted = mechanism.movable, float(self.known)
        self.coulomb = counted * np.array([joint.coulomb for joint in joints])
        self.viscous = counted * np.array([joint.viscous for joint in joints])

    def smooth(self, q: Array, qd: Array, qdd: Array) -> Array:
        """A·qdd + B·[qd qd] + C·[qd²] + Q and viscous friction. # (..., n) [N m]."""
        if self._kernel is None:
            return np.zeros_like(q)
        return np.asarray(self._kernel(q, qd, qdd) + self.viscous * qd)

    def full(self, q: Array, qd: Array, qdd: Array) -> Array:
        """The same with dry friction against the speed. # (..., n) [N m]."""
        return np.asarray(self.smooth(q, qd, qdd) + self.coulomb * np.sign(qd))


@remembered(lambda mechanism: repr(tree_of(mechanism)))
def _programme(mechanism: Mechanism) -> Programme:
    tree, recorder = tree_of(mechanism), Recorder()
    n = tree.dof
    q, qd, qdd = (recorder.argument(name, (n,)) for name in ("q", "qd", "qdd"))
    found = lagrange(tree, frames(tree, q, recording_functions()))
    tau: list[Any] = list(found.Q)
    for i in range(n):
        for j in range(n):
            tau[i] = tau[i] + found.A[i][j] * qdd[j] + found.C[i][j] * (qd[j] * qd[j])
            for k in range(j + 1, n):
                tau[i] = tau[i] + found.B[i][j][k] * (qd[j] * qd[k])
    return recorder.programme("lagrange_torques", tau, (n,))


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices that cover 0 to ``count``."""
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def by_blocks(function: Callable[[slice], Array], count: int, size: int) -> Array:
    """Rows of a function of slices, one after another; of nothing too, for its shape."""
    parts = [function(rows) for rows in blocks(count, size)] or [function(slice(0, 0))]
    return np.concatenate(parts)
