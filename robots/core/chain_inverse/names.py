"""Names of branches by posture: those that the inverse of the same robot tells."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array
from robots.core.chain_inverse.chain import wrapped
from robots.core.chain_inverse.solver import ChainInverse, Method
from robots.core.inverse.task import task_of
from robots.core.kernels import Engine
from robots.core.mechanism import Mechanism

_SAME = 1e-6  # [rad or m] from a branch to a posture of it
_HELD = 0.1  # [rad or m] of the last joint of seven; its value moves the pose, not the branches


class BranchNames:
    """Names of the postures of one robot of five to seven joints.

    Of seven the last one is held: the branches are those of ``robot inverse --lock``.

    Args:
        mechanism: the robot.
        engine: how the steps are run.

    Raises:
        InverseError: no inverse can be derived.
    """

    def __init__(self, mechanism: Mechanism, engine: Engine = "auto") -> None:
        dof = mechanism.dof
        held = {mechanism.movable[-1].name: _HELD} if dof == 7 else None
        self._inverse = ChainInverse.of(mechanism, task_of(min(dof, 6)), held, engine)

    def of(self, q: Array) -> str:
        """Name of a posture; empty where two branches meet, or a family has its place.

        Args:
            q: joints of the robot, whole turns aside. # (n,) [rad or m]
        """
        inverse = self._inverse
        chain = inverse.chain
        own = q[: chain.own]
        T = chain.forward(np.append(own, np.zeros(chain.task_joints))[None])
        if inverse.method is Method.CLOSED and inverse.complete:
            raw = inverse.angles(T)[0]
            names, branches, known = inverse.names, raw[:, : chain.own], raw[:, -1] >= 0.0
        else:
            found = inverse.solve(T)
            names, branches, known = inverse.names_at(found, 0), found.q[0], found.solved[0]
        away = np.max(np.abs(wrapped(branches - own, chain.revolute[: chain.own])), axis=1)
        near = np.flatnonzero(known & (away <= _SAME))
        return names[int(near[0])] if near.size == 1 else ""
