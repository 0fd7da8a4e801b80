"""Which part of the ground's push each of two feet takes, told by where the ZMP is between them.

On two feet the joints' torques are not determined by the motion: the closed chain can press against
itself. Here each foot takes the part of the push that the ZMP's place between the feet asks for and
nothing presses sideways, so that torques go over without a jump when a foot leaves or lands.
"""

from __future__ import annotations

import numpy as np

from robots.biped.posture.ground_wrench import GroundWrench
from robots.biped.walking.free_base import moment_about
from robots.core.arrays import Array, Mask


def load_shares(zmp: Array, soles: Array, loaded: Mask) -> Array:
    """Part of the push on each foot; the two add up to one.

    Args:
        zmp: # (k, 3) [m]
        soles: one point of each sole, the same on both. # (k, 2, 3) [m]
        loaded: whether a foot is on the ground. # (k, 2)
    """
    between = soles[:, 1] - soles[:, 0]
    along = np.sum((zmp - soles[:, 0]) * between, axis=1)
    second = np.clip(along / np.sum(between * between, axis=1), 0.0, 1.0)
    second = np.where(loaded[:, 0], np.where(loaded[:, 1], second, 0.0), 1.0)
    return np.stack([1.0 - second, second], axis=-1)


def shared(
    push: GroundWrench, zmp: Array, soles: Array, shares: Array
) -> tuple[GroundWrench, GroundWrench]:
    """The push of the ground on each foot; their sum is the whole push.

    The pressure points of both feet are off their sole's point by one and the same vector, so that
    they and the ZMP are on one line; the moment about the vertical is split like the force.

    Args:
        push: on the robot, about the world's origin.
        zmp: # (k, 3) [m]
        soles: # (k, 2, 3) [m]
        shares: of ``load_shares``. # (k, 2)
    """
    twist = moment_about(push, zmp)
    off = zmp - np.sum(shares[:, :, None] * soles, axis=1)
    pushes = []
    for foot in (0, 1):
        part = shares[:, foot, None]
        force = part * push.force
        pressed = soles[:, foot] + off
        pushes.append(GroundWrench(force=force, moment=part * twist + np.cross(pressed, force)))
    return pushes[0], pushes[1]
