"""Scenario: the ground tilts under the leg and comes back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.biped.biped import Biped
from robots.biped.motion import BipedMotion
from robots.biped.stabiliser.gains import Gains
from robots.biped.stabiliser.ground_motion import ThereAndBack
from robots.biped.stabiliser.leg_motion import motion_of
from robots.biped.stabiliser.leg_simulation import LegSimulation
from robots.biped.stabiliser.step import Stabiliser
from robots.core.transmission.drives import Drives

Array = NDArray[np.float64]


def tilt(
    biped: Biped,
    alpha: float,
    beta: float,
    duration: float = 7.0,
    stabilised: bool = True,
    *,
    posture: Array | None = None,
    gains: Gains | None = None,
    drives: Drives | None = None,
) -> BipedMotion:
    """The ground goes from level to (α, β) and back by the quintic law; the leg keeps its balance.

    Args:
        biped: a leg whose base is its foot, such as bip-leg.
        alpha: roll. [rad]
        beta: pitch; positive lowers the front. [rad]
        duration: time of each way. [s]
        stabilised: False holds the starting posture.
        posture: at the start; default the biped's own. # (n,) [rad]
        gains: of the fields, the virtual robot and the follower; the defaults are for BIP's leg.
        drives: whose rotors are added to the joints' inertia, as they are in the posture at the
            start; without them the leg has its ``motor_inertia`` alone.

    Returns:
        A sample every 20 ms, one for ten control cycles.

    Raises:
        PostureError: a joint of the posture outside its range.
        BipedError: another kind of biped, or a gain out of its domain.

    Source: [GASTEBOIS17] §2.5.12: (0, 0) → (10, 20) deg → (0, 0), 7 s each way
    """
    chosen = gains or Gains()
    stabiliser = Stabiliser(
        biped=biped, fields=chosen.fields, virtual=chosen.virtual, posture=posture
    )
    rotors = None
    if drives is not None:
        rotors = np.diagonal(drives.reflected_inertia(stabiliser.start.q)).copy()
    simulation = LegSimulation(
        stabiliser=stabiliser, follower=chosen.follower, rotor_inertia=rotors
    )
    run = simulation.run(
        ThereAndBack(alpha=alpha, beta=beta, each_way=duration), stabilised=stabilised
    )
    how = "with the stabiliser" if stabilised else "in a frozen posture"
    return motion_of(
        simulation,
        run,
        title=f"{biped.name} on a ground that tilts to roll {np.degrees(alpha):g}, pitch "
        f"{np.degrees(beta):g} deg, {how}",
    )
