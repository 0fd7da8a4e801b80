"""Cutting a mechanism in two at a joint, as the sub-robots of a composite; and joining two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from robots.core.errors import MechanismError
from robots.core.mechanism import BASE, Joint, Mechanism, checked_placement


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Split:
    """A carrier, and a carried robot whose base is one of the carrier's links.

    Args:
        carrier: what is left of the mechanism.
        carried: the subtree that the cut joint begins; that joint is its first.
        link: of the carrier, on which the carried robot stands; empty for the carrier's base.
    """

    carrier: Mechanism
    carried: Mechanism
    link: str


def split(mechanism: Mechanism, joint: str) -> Split:
    """Cut before a joint: it and all that hangs on it become a robot of their own.

    Raises:
        MechanismError: no such joint, or nothing remains to carry it.
    """
    first = mechanism.index(joint)
    inside = _subtree(mechanism, first)
    outside = [k for k in range(len(mechanism.joints)) if k not in inside]
    if not outside:
        raise MechanismError(
            f"Mechanism {mechanism.name!r} hangs on joint {joint!r} as a whole, so nothing remains "
            "to carry it; cut at a joint farther out.",
            joint=joint,
        )
    parent = mechanism.joints[first].parent
    return Split(
        carrier=_part(mechanism, outside, f"{mechanism.name} before {joint}"),
        carried=_part(mechanism, sorted(inside), f"{mechanism.name} from {joint}"),
        link="" if parent == BASE else mechanism.joints[parent].name,
    )


def joined(
    carrier: Mechanism, carried: Mechanism, *, link: str = "", placement: object | None = None
) -> Mechanism:
    """Two mechanisms as one, with the carrier's gravity and the carried robot's tool.

    Args:
        carrier: keeps its base.
        carried: stands on a link of the carrier.
        link: of the carrier; empty for its base.
        placement: pose of the carried robot's base in that link; none for the link's own.
            # (4, 4)

    Raises:
        MechanismError: no such link, a name that exists twice, or a placement that is no pose.
    """
    at = BASE if not link else carrier.index(link)
    place = np.eye(4) if placement is None else checked_placement(placement, link)
    shift = len(carrier.joints)
    mounted = (
        replace(joint, parent=at, placement=place @ joint.placement)
        if joint.parent == BASE
        else replace(joint, parent=joint.parent + shift)
        for joint in carried.joints
    )
    return Mechanism(
        name=f"{carrier.name} with {carried.name}",
        joints=(*carrier.joints, *mounted),
        source=carried.source,
        gravity=np.array(carrier.gravity),
        tool=np.array(carried.tool),
        tool_joint=carried.tool_joint + shift,
    )


def without(mechanism: Mechanism, joints: Sequence[str]) -> Mechanism:
    """The mechanism without the subtrees that these joints begin.

    Raises:
        MechanismError: no such joint, or nothing remains.
    """
    gone: set[int] = set()
    for name in joints:
        gone |= _subtree(mechanism, mechanism.index(name))
    kept = [k for k in range(len(mechanism.joints)) if k not in gone]
    if not kept:
        raise MechanismError(
            f"Mechanism {mechanism.name!r} without what hangs on {', '.join(joints)} is empty; "
            "leave something standing.",
            joints=tuple(joints),
        )
    return _part(mechanism, kept, f"{mechanism.name} without {', '.join(joints)}")


def variables_of(mechanism: Mechanism, part: Mechanism) -> tuple[int, ...]:
    """Places of a part's variables in the q of the whole, found by the joints' names."""
    names = [joint.name for joint in mechanism.movable]
    return tuple(names.index(joint.name) for joint in part.movable)


def _subtree(mechanism: Mechanism, first: int) -> set[int]:
    inside = {first}
    for k, joint in enumerate(mechanism.joints):
        if joint.parent in inside:
            inside.add(k)
    return inside


def _part(mechanism: Mechanism, kept: list[int], name: str) -> Mechanism:
    """The kept joints as a mechanism; a parent that is not kept becomes the base."""
    place = {old: new for new, old in enumerate(kept)}
    joints: list[Joint] = [
        replace(mechanism.joints[k], parent=place.get(mechanism.joints[k].parent, BASE))
        for k in kept
    ]
    return Mechanism(
        name=name,
        joints=tuple(joints),
        source=mechanism.source,
        gravity=np.array(mechanism.gravity),
    )
