"""The same tree with another of its links as the base: a biped seen from its stance foot.

The joints between the old base and the new one are passed backwards. With the joint's frame turned
by half a turn about its x axis, the variable still grows as before, so that every variable keeps
its name, value, sense and torque. Every other joint keeps its frame.

Source: [GASTEBOIS17] §3.4 eq. (95): change of frame base-distal
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from robots.core.arrays import Array, freeze_fields
from robots.core.capsule import Capsule, unique_name
from robots.core.mechanism import BASE, Body, Joint, JointKind, Mechanism
from robots.core.pose import inverse_pose, transform_points

_HALF_TURN_ABOUT_X = np.diag([1.0, -1.0, -1.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RerootedMechanism:
    """A mechanism seen from another link, and how the two correspond.

    Args:
        mechanism: with the link's frame as its base frame; the link's body rides on a fixed joint
            called "<link> body", with a number where that name is taken.
        link: name of the joint whose link is the base now.
        order: variables of the new mechanism in the old one: q_new = q_old[order]. # (n,)
        carriers: joint of the new mechanism that carries each old link, then the old base.
            # (links + 1,)
        offsets: pose of each old link's frame, then of the old base, in its carrier's frame.
            # (links + 1, 4, 4)
        T_base_link: pose of the link in the old base frame at the posture in which gravity was
            taken: T_world_link = T_world_base @ T_base_link there. # (4, 4)
    """

    mechanism: Mechanism
    link: str
    order: Array
    carriers: Array
    offsets: Array
    T_base_link: Array

    def __post_init__(self) -> None:
        freeze_fields(self, "order", "carriers", "offsets", "T_base_link")

    def variables(self, old: Array) -> Array:
        """Values per variable (q, qd, qdd, τ) in the new order. # (..., n) -> (..., n)."""
        return np.asarray(old)[..., self.order]

    def old_variables(self, new: Array) -> Array:
        """Values per variable back in the old order. # (..., n) -> (..., n)."""
        new = np.asarray(new)
        found = np.empty_like(new)
        found[..., self.order] = new
        return found

    def old_links(self, transforms: Array) -> Array:
        """Poses of the old links, then of the old base, seen from the new base.

        Args:
            transforms: ``Model(mechanism).transforms(q_new)``. # (..., new links, 4, 4)

        Returns:
            In the order of the old mechanism. # (..., links + 1, 4, 4)
        """
        return np.asarray(transforms[..., self.carriers, :, :] @ self.offsets)


def reroot(mechanism: Mechanism, link: str, q: Array | None = None) -> RerootedMechanism:
    """The mechanism with the link of joint ``link`` as its base.

    Args:
        mechanism: any tree.
        link: name of the joint that carries the new base.
        q: posture in which the new base keeps the direction of gravity that it has there; zero when
            not given. # (n,)

    Raises:
        MechanismError: there is no joint of that name.
    """
    build = _Build(mechanism, mechanism.index(link))
    posture = np.zeros(mechanism.dof) if q is None else np.asarray(q, dtype=float)
    T = build.pose_of_link(posture)
    carriers = [build.carrier[i] for i in (*range(len(mechanism.joints)), BASE)]
    new = replace(
        mechanism,
        joints=tuple(build.joints),
        gravity=T[:3, :3].T @ mechanism.gravity,
        tool=build.offset[mechanism.tool_joint] @ mechanism.tool,
        tool_joint=build.carrier[mechanism.tool_joint],
        capsules=tuple(build.moved(capsule) for capsule in mechanism.capsules),
    )
    names = [joint.name for joint in mechanism.movable]
    return RerootedMechanism(
        mechanism=new,
        link=link,
        order=np.array([names.index(joint.name) for joint in new.movable], dtype=int),
        carriers=np.array(carriers),
        offsets=np.array([build.offset[i] for i in (*range(len(mechanism.joints)), BASE)]),
        T_base_link=T,
    )


class _Build:
    """The new joints, and where the old links went: carrier and offset by old index."""

    def __init__(self, mechanism: Mechanism, link: int) -> None:
        self.old = mechanism
        self.path = _path(mechanism, link)
        self.joints: list[Joint] = []
        self.carrier: dict[int, int] = {}
        self.offset: dict[int, Array] = {}
        own = mechanism.joints[link]
        self._add(
            Joint(
                name=unique_name(f"{own.name} body", {joint.name for joint in mechanism.joints}),
                kind=JointKind.FIXED,
                parent=BASE,
                placement=np.eye(4),
                body=own.body,
            )
        )
        self.carrier[link], self.offset[link] = 0, np.eye(4)
        for index in self.path:
            self._reverse(index)
        for index in range(len(mechanism.joints)):
            if index not in self.path:
                self._keep(index)

    def pose_of_link(self, q: Array) -> Array:
        """The new base in the old base frame. # (4, 4)."""
        names = [joint.name for joint in self.old.movable]
        T = np.eye(4)
        for index in reversed(self.path):
            joint = self.old.joints[index]
            value = float(q[names.index(joint.name)]) if joint.movable else 0.0
            T = T @ joint.placement @ _motion(joint.kind, value)
        return T

    def moved(self, capsule: Capsule) -> Capsule:
        """A capsule on the joint that carries its link now."""
        T = self.offset[capsule.joint]
        return replace(
            capsule,
            joint=self.carrier[capsule.joint],
            start=transform_points(T, capsule.start),
            end=transform_points(T, capsule.end),
            corners=transform_points(T, capsule.corners),
        )

    def _reverse(self, index: int) -> None:
        """The joint passed from its link to its parent; it carries the parent's body now."""
        joint = self.old.joints[index]
        flip = _HALF_TURN_ABOUT_X if joint.movable else np.eye(4)
        offset = flip @ inverse_pose(joint.placement)
        body = Body() if joint.parent == BASE else self.old.joints[joint.parent].body
        moved = replace(joint, body=_moved_body(body, offset))
        self.carrier[joint.parent] = self._hang(moved, index, flip)
        self.offset[joint.parent] = offset

    def _keep(self, index: int) -> None:
        """A joint off the path: its own frame stays."""
        joint = self.old.joints[index]
        self.carrier[index] = self._hang(joint, joint.parent, joint.placement)
        self.offset[index] = np.eye(4)

    def _hang(self, joint: Joint, below: int, placement: Array) -> int:
        """Add a joint at a placement given in the frame of the old link ``below``."""
        parent, placed = self.carrier[below], self.offset[below] @ placement
        return self._add(replace(joint, parent=parent, placement=placed))

    def _add(self, joint: Joint) -> int:
        self.joints.append(joint)
        return len(self.joints) - 1


def _path(mechanism: Mechanism, link: int) -> tuple[int, ...]:
    """Joints from the link down to the base."""
    found = []
    while link != BASE:
        found.append(link)
        link = mechanism.joints[link].parent
    return tuple(found)


def _motion(kind: JointKind, value: float) -> Array:
    T = np.eye(4)
    if kind is JointKind.REVOLUTE:
        c, s = np.cos(value), np.sin(value)
        T[:2, :2] = [[c, -s], [s, c]]
    elif kind is JointKind.PRISMATIC:
        T[2, 3] = value
    return T


def _moved_body(body: Body, T: Array) -> Body:
    """The body in a frame in which its own frame has the pose T."""
    if not (body.mass or np.any(body.inertia)):
        return Body()
    turned = T[:3, :3] @ body.inertia_at_com @ T[:3, :3].T
    return Body(
        mass=body.mass, com=transform_points(T, body.com), inertia=0.5 * (turned + turned.T)
    )
