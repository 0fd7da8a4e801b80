"""Mechanism → SymbolicChain with numbers.

Frames are chosen parallel to the parent's at q = 0 wherever the joint's axis allows it, so that
constant rotations vanish and parallel axes group. Fixed joints' bodies are merged with the link
that carries them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array
from robots.core.body import Body
from robots.core.mechanism import BASE, Joint, JointKind, Mechanism
from robots.core.symbols.condensed.chain import Matrix, SymbolicChain, SymbolicLink, Tensor
from robots.core.symbols.condensed.terms import Vector, number

# An axis this near to X, Y or Z is that axis: placements come from sines and cosines of right
# angles, whose rounding (6e-17) would otherwise hide every grouping.
ALIGNED = 1e-12


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Place:
    """A joint frame seen from the link that carries it.

    Args:
        link: index of the link, BASE for the base.
        rotation: joint frame in the link's axes. # (3, 3)
        origin: joint origin in the link's axes. # (3,) [m]
    """

    link: int
    rotation: Array
    origin: Array


@dataclass(slots=True, kw_only=True, eq=False)
class _Draft:
    """A link under construction, with the bodies that it collects."""

    kind: JointKind
    parent: int
    axis: Array
    turn: Array | None
    lever: Array
    motor: float
    mass: float
    com: Array
    inertia: Array  # at the centre of mass

    def merge(self, mass: float, com: Array, inertia: Array) -> None:
        """Add a body that is fixed to the link; its tensor is at its own centre of mass."""
        total = self.mass + mass
        if total:
            reduced = self.mass * mass / total
            d = com - self.com
            inertia = inertia + reduced * (d @ d * np.eye(3) - np.outer(d, d))
            self.com = (self.mass * self.com + mass * com) / total
        self.mass, self.inertia = total, self.inertia + inertia


def from_mechanism(mechanism: Mechanism) -> SymbolicChain:
    """The chain of a mechanism's movable joints, in the order of q, with plain numbers.

    Args:
        mechanism: any tree; friction has no place in these equations.
    """
    drafts: list[_Draft] = []
    places: list[_Place] = []
    ground = _Place(link=BASE, rotation=np.eye(3), origin=np.zeros(3))
    for joint in mechanism.joints:
        before = ground if joint.parent == BASE else places[joint.parent]
        reached = _Place(
            link=before.link,
            rotation=snapped(before.rotation @ joint.placement[:3, :3]),
            origin=before.origin + before.rotation @ joint.placement[:3, 3],
        )
        if joint.movable:
            draft, reached = _moving(joint, reached, len(drafts))
            drafts.append(draft)
        _carry(joint.body, reached, drafts)
        places.append(reached)
    return SymbolicChain(
        name=mechanism.name,
        links=tuple(_link(draft) for draft in drafts),
        gravity=_vector(mechanism.gravity),
    )


def snapped(matrix: Array) -> Array:
    """Entries within rounding of 0 and ±1 put there."""
    near = np.round(matrix)
    return np.where(np.abs(matrix - near) < ALIGNED, near, matrix)


def as_matrix(matrix: Array) -> Matrix:
    """A (3, 3) array as tuples of numbers."""
    return tuple((float(x), float(y), float(z)) for x, y, z in matrix)


def _moving(joint: Joint, reached: _Place, index: int) -> tuple[_Draft, _Place]:
    """A new link; its axes are the carrier's when the joint's axis is aligned with one."""
    direction = reached.rotation[:, 2]
    slanted = joint.kind.angular and 1.0 not in np.abs(direction)
    draft = _Draft(
        kind=joint.kind,
        parent=reached.link,
        axis=np.array((0.0, 0.0, 1.0)) if slanted else direction,
        turn=reached.rotation if slanted else None,
        lever=reached.origin,
        motor=joint.motor_inertia,
        mass=0.0,
        com=np.zeros(3),
        inertia=np.zeros((3, 3)),
    )
    rotation = np.eye(3) if slanted else reached.rotation
    return draft, _Place(link=index, rotation=rotation, origin=np.zeros(3))


def _carry(body: Body, place: _Place, drafts: list[_Draft]) -> None:
    """Give a body to its link; what is fixed to the base never moves."""
    if place.link != BASE:
        R = place.rotation
        drafts[place.link].merge(
            body.mass, place.origin + R @ body.com, R @ body.inertia_at_com @ R.T
        )


def _link(draft: _Draft) -> SymbolicLink:
    x, y, z = (float(c) for c in draft.axis)
    entries = {
        name: number(float(draft.inertia[a, b]))
        for name, (a, b) in {
            "xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2),
        }.items()
    }  # fmt: skip
    return SymbolicLink(
        kind=draft.kind,
        axis=(x, y, z),
        parent=draft.parent,
        turn=None if draft.turn is None else as_matrix(draft.turn),
        lever=_vector(draft.lever),
        mass=number(draft.mass),
        com=_vector(draft.com),
        inertia=Tensor(**entries),
        motor=number(draft.motor),
    )


def _vector(components: Array) -> Vector:
    x, y, z = (number(float(c)) for c in components)
    return (x, y, z)
