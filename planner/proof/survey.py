"""How large speeds, accelerations, torques and powers of a motion are, for residuals' sake."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.plan import Plan
from planner.proof.blocks import blocks
from planner.proof.chebyshev import COUNT, NODES
from planner.proof.check import scales
from planner.proof.lagrange_torques import LagrangeTorques
from planner.proof.smooth_pieces import moving_segments, smooth_pieces, states_at
from robots.core.arrays import Array
from robots.core.model import Model

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
