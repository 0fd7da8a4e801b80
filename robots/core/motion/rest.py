"""When a joint is at rest during a motion.

Joint positions come out of inverse models with an error of about ε·|q|·κ, where κ is the condition
number of the task. A joint that has nothing to do (on a plane of symmetry, along an axis, between
two equal points) therefore "moves" by 1e-17 to 7e-11 rad, and the sign of that speed is noise. Dry
friction, which acts against the sign of the speed, would turn the noise into its whole torque.

``REST`` is ε·2π at κ = 70,000, just above the largest noise met in thousands of random jobs and a
thousandth of the smallest step an encoder resolves: 0.1 nm at a metre. A joint that moves by no
more than this during a motion stands still: its speed and acceleration are exactly zero
in every stage, planning and validation alike.
"""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Mask

REST = 1e-10
"""Largest change of a joint's position during a motion that counts as rest. [rad or m]"""


def at_rest(swing: Array) -> Mask:
    """Tell which joints are at rest, given what they move by during a motion. # (...) [rad or m].

    A swing that is not a number is no rest: a lost posture must stay visible.
    """
    return np.asarray(np.abs(swing) <= REST)
