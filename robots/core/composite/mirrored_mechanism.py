"""A mechanism's mirror image as data: placements and bodies reflected, variables kept.

It says what a source's ± signs mean: the bodies of a left leg are those of the right leg with the
turned axes' coordinates negated. ``mirror`` does the same to a model's values without the data.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from robots.core.body import Body
from robots.core.composite.mirror import face, reflection
from robots.core.composite.spatial import Values
from robots.core.mechanism import BASE, Joint, Mechanism


def mirrored_mechanism(
    mechanism: Mechanism, normal: object, flips: Mapping[str, str] | None = None
) -> Mechanism:
    """The mechanism reflected across a plane through its base origin.

    Args:
        mechanism: to reflect.
        normal: of the plane, base axes. # (3,)
        flips: axes of the link frame to turn round, by joint, where they are not "z"; a joint whose
            frame turns "x" or "y" round counts q the other way.

    Raises:
        StateError: a normal without a direction.
        MechanismError: what is named is not one axis, nor all three.
    """
    chosen = flips or {}
    M = reflection(normal)
    faces = [np.diag(face(chosen.get(j.name, "z"), j.name)) for j in mechanism.joints]
    joints = (
        _reflected(joint, M if joint.parent == BASE else faces[joint.parent], faces[k])
        for k, joint in enumerate(mechanism.joints)
    )
    return Mechanism(
        name=f"mirror image of {mechanism.name}",
        joints=tuple(joints),
        source=mechanism.source,
        gravity=np.array(mechanism.gravity),
        tool=_between(faces[mechanism.tool_joint], mechanism.tool, np.diag([1.0, 1.0, -1.0])),
        tool_joint=mechanism.tool_joint,
    )


def _reflected(joint: Joint, outer: Values, own: Values) -> Joint:
    body = joint.body
    return replace(
        joint,
        placement=_between(outer, joint.placement, own),
        body=Body(
            mass=body.mass,
            com=own @ body.com,
            inertia=own @ body.inertia @ own,
            at=body.at,
        ),
    )


def _between(outer: Values, placement: Values, own: Values) -> Values:
    """A placement between two reflected frames. # (4, 4)."""
    found = np.eye(4)
    found[:3, :3] = outer @ placement[:3, :3] @ own
    found[:3, 3] = outer @ placement[:3, 3]
    return found
