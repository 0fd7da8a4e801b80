"""What the tool carries: a stylus, or a rigid body more on the joint that holds the tool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from robots.core.body import Body
from robots.core.mechanism import Mechanism
from robots.core.pose import make_pose


def with_payload(
    mechanism: Mechanism,
    mass: float,
    com: ArrayLike = (0.0, 0.0, 0.0),
    inertia: ArrayLike | None = None,
) -> Mechanism:
    """The mechanism with a body fixed to its tool frame, such as a probe.

    Args:
        mechanism: what carries it.
        mass: [kg]; zero, without inertia, gives the mechanism back as it is.
        com: centre of mass in the tool frame. # (3,) [m]
        inertia: tensor at the centre of mass, along the tool's axes; left out: a point mass.
            # (3, 3) [kg m²]

    Raises:
        MechanismError: negative mass, a value that is not finite, an asymmetric tensor.
    """
    tensor = np.zeros((3, 3)) if inertia is None else inertia
    payload = Body(mass=mass, com=np.asarray(com), inertia=np.asarray(tensor))
    if payload.massless:
        return mechanism
    index = mechanism.tool_joint
    holder = mechanism.joints[index]
    joints = list(mechanism.joints)
    joints[index] = replace(holder, body=holder.body.joined(payload.moved(mechanism.tool)))
    return replace(mechanism, joints=tuple(joints))


def with_stylus(mechanism: Mechanism, length: float) -> Mechanism:
    """The mechanism whose tool frame lies a stylus farther along its z axis. Args: length. [m]."""
    if length == 0.0:
        return mechanism
    return replace(mechanism, tool=mechanism.tool @ make_pose(translation=[0.0, 0.0, length]))
