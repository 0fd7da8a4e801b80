"""Torques by Lagrange, which a proof compares with those of the plan.

Nothing is shared with the recursion of Newton and Euler that planned the motion, except the robot's
own numbers.

Source: [LIEGEOIS80] §2.3 eqs. (2-9)-(2-12), [LAMMARI12] eqs. (IV.4), (IV.10) (friction)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from robots.core.arrays import Array
from robots.core.equations.kinematics import frames
from robots.core.equations.lagrange import lagrange
from robots.core.equations.tree import tree_of
from robots.core.kernels import Kernel
from robots.core.kernels.recordings import recorded
from robots.core.mechanism import Mechanism
from robots.core.recording import Programme, Recorder, recording_functions


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


@recorded(lambda mechanism: repr(tree_of(mechanism)))
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
