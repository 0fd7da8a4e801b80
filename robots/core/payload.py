"""What the tool carries: a rigid body more, on the joint that holds the tool."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from robots.core.body import Body
from robots.core.mechanism import Mechanism
from robots.core.pose import transform_points


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
    if payload.mass == 0.0 and not np.any(payload.inertia):
        return mechanism
    R = mechanism.tool[:3, :3]
    turned = R @ payload.inertia @ R.T
    carried = Body(
        mass=payload.mass,
        com=transform_points(mechanism.tool, payload.com),
        inertia=0.5 * (turned + turned.T),
    )
    index = mechanism.tool_joint
    holder = mechanism.joints[index]
    joints = list(mechanism.joints)
    joints[index] = replace(holder, body=_joined(holder.body, carried))
    return replace(mechanism, joints=tuple(joints))


def _joined(a: Body, b: Body) -> Body:
    """One body of two in the same frame: at the origin masses, moments and tensors add up."""
    mass = a.mass + b.mass
    com = (a.first_moment + b.first_moment) / mass if mass else a.com
    tensor = a.inertia_at_origin + b.inertia_at_origin
    return Body(mass=mass, com=com, inertia=tensor, at="origin")
