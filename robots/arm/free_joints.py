"""Joints that a target leaves free, taken from a posture that the arm should stay near.

A wrist centre on the first joint's axis leaves q1 free, and one at the shoulder itself q2 as well;
a stylus along the forearm leaves q4 free. Along a path through such a target the arm stands still
in the free joint; the equations alone would give it any value there.
"""

from __future__ import annotations

import numpy as np

from robots.arm.family import ArmFamily
from robots.arm.programmes import ANGLES, branch_programme
from robots.core.arrays import Array
from robots.core.kernels import Engine, Kernel

# A joint counts as free where any value of it moves ball and stylus by less than a tenth of what a
# solution may miss: nearer than this no value is better than another. [m, rad]
FREE = 1e-10

_SHOULDER_TURNED = 4  # families from here on have shoulder -


class FreeJoints:
    """Fills free joints of one arm's closed form.

    Args:
        family: the arm.
        engine: how the equations are run.
    """

    def __init__(self, family: ArmFamily, engine: Engine) -> None:
        self._family = family
        self._given = [Kernel(branch_programme(family, free=count), engine) for count in (1, 2)]

    def filled(self, center: Array, axis: Array, theta: Array, near: Array | None) -> Array:
        """The families with free joints from ``near``.

        Without it only the shoulder itself, which the equations leave undefined, is filled.

        Args:
            center: wrist centres. # (N, 3) [m]
            axis: unit stylus directions. # (N, 3)
            theta: angles of the families by the equations. # (N, 8, 5) [rad]
            near: angles to stay near, offsets included. # (N, 5) [rad]
        """
        theta = theta.copy()
        stay = np.zeros((len(theta), 5)) if near is None else near
        off_axis = np.hypot(center[:, 0], center[:, 1])
        at_shoulder = np.hypot(off_axis, center[:, 2] - self._family.shoulder_height) <= FREE
        on_axis = (off_axis <= FREE) & ~at_shoulder & (near is not None)
        for count, rows in ((1, on_axis), (2, at_shoulder)):
            if np.any(rows):
                given = self._given[count - 1](center[rows], axis[rows], stay[rows, :count])
                theta[rows] = given[:, :ANGLES].reshape(-1, 8, 5)
                # With q1 free the two shoulders are one and the same posture.
                theta[rows, _SHOULDER_TURNED:] = theta[rows, :_SHOULDER_TURNED]
        if near is not None:
            along = np.abs(self._family.wrist_sine(theta)) <= FREE
            theta[..., 3] = np.where(along, near[:, None, 3], theta[..., 3])
        return theta
