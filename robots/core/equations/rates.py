"""Velocities and accelerations of every link in base axes, by composition along the tree.

The bias acceleration J̇q̇ is the acceleration at qdd = 0.

Source: [LAMMARI12] eqs. (III.6), (III.15) (its last term carries σ, sources.md), (III.16)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import ZERO, Scalar, Vec3, add, cross, scale, subtract
from robots.core.equations.transforms import BASE_FRAME, Frame
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Rates:
    """Motion of a frame's origin and orientation, base axes. [m/s], [rad/s], [m/s²], [rad/s²]."""

    v: Vec3 = ZERO
    w: Vec3 = ZERO
    vd: Vec3 = ZERO
    wd: Vec3 = ZERO

    def at(self, lever: Vec3) -> Rates:
        """Motion of another point of the same body, at ``lever`` from this one (base axes)."""
        swept = cross(self.w, lever)
        return Rates(
            v=add(self.v, swept),
            w=self.w,
            vd=add(self.vd, add(cross(self.wd, lever), cross(self.w, swept))),
            wd=self.wd,
        )


def link_rates(
    tree: Tree, placed: Sequence[Frame], qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> list[Rates]:
    """Motion of every link's origin for joint speeds and accelerations. # (n,), (n,)."""
    motions: list[Rates] = []
    for link, frame in zip(tree.links, placed, strict=True):
        parent = placed[link.parent] if link.parent >= 0 else BASE_FRAME
        before = motions[link.parent] if link.parent >= 0 else Rates()
        carried = before.at(subtract(frame.origin, parent.origin))
        motions.append(_moved(link, carried, frame.z, qd, qdd))
    return motions


def _moved(
    link: Link, carried: Rates, z: Vec3, qd: Sequence[Scalar], qdd: Sequence[Scalar]
) -> Rates:
    """Add the joint's own motion to what its parent carries along."""
    if link.kind is JointKind.FIXED:
        return carried
    own, gain = scale(qd[link.variable], z), scale(qdd[link.variable], z)
    if link.kind is JointKind.REVOLUTE:
        return Rates(
            v=carried.v,
            w=add(carried.w, own),
            vd=carried.vd,
            wd=add(carried.wd, add(gain, cross(carried.w, own))),
        )
    coriolis = cross(carried.w, own)
    return Rates(
        v=add(carried.v, own),
        w=carried.w,
        vd=add(carried.vd, add(gain, add(coriolis, coriolis))),
        wd=carried.wd,
    )
