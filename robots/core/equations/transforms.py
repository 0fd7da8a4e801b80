"""Forward geometry: the pose of every link and of the tool in the base frame.

Angles about consecutive parallel axes are added before sine and cosine are taken: the sources' c23
and s234. It costs fewer products and is how the condensed equations group them.

Source: [LAMMARI12] §II.5 eqs. (II.19), (II.22); [LIEGEOIS80] §4.2 table ANGLE
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from robots.core.equations.algebra import (
    IDENTITY,
    ZERO,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    column,
    product,
    scale,
    turn_columns,
)
from robots.core.equations.functions import Functions
from robots.core.equations.tree import Link, Tree
from robots.core.mechanism import JointKind


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """A pose in the base frame: rotation (columns are the frame's axes) and origin. [m]."""

    rotation: Mat3
    origin: Vec3

    @property
    def z(self) -> Vec3:
        """The axis that the link's joint turns about or slides along."""
        return column(self.rotation, 2)

    def point(self, p: Vec3) -> Vec3:
        """Base coordinates of a point given in this frame. [m]."""
        return add(self.origin, apply(self.rotation, p))


BASE_FRAME = Frame(rotation=IDENTITY, origin=ZERO)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Group:
    """Axes of a run of parallel joints: the orientation before the run, and the sum of angles."""

    rotation: Mat3
    angle: Scalar


def frames(tree: Tree, q: Sequence[Scalar], fn: Functions) -> list[Frame]:
    """Base poses of all links at q. # (n,) [rad or m]."""
    placed: list[Frame] = []
    groups: list[_Group] = []
    for link in tree.links:
        parent = placed[link.parent] if link.parent >= 0 else BASE_FRAME
        group = _group(link, parent, groups, q)
        rotation = group.rotation
        if link.kind is JointKind.REVOLUTE:
            rotation = turn_columns(fn.cos(group.angle), fn.sin(group.angle), rotation)
            origin = parent.point(link.offset)
        else:
            group = _Group(rotation=rotation, angle=None)
            origin = parent.point(_slid(link, q))
        groups.append(group)
        placed.append(Frame(rotation=rotation, origin=origin))
    return placed


def tool_frame(tree: Tree, placed: Sequence[Frame]) -> Frame:
    """Base pose of the tool, from the poses of the links."""
    carrier = placed[tree.tool_link]
    return Frame(
        rotation=product(carrier.rotation, tree.tool_rotation),
        origin=carrier.point(tree.tool_offset),
    )


def _slid(link: Link, q: Sequence[Scalar]) -> Vec3:
    if link.kind is JointKind.FIXED:
        return link.offset
    return add(link.offset, scale(q[link.variable], column(link.rotation, 2)))


def _group(link: Link, parent: Frame, groups: Sequence[_Group], q: Sequence[Scalar]) -> _Group:
    """Group of the link: its parent's, with the angle added, where the axes are parallel."""
    angle = q[link.variable] if link.kind is JointKind.REVOLUTE else None
    before = groups[link.parent] if link.parent >= 0 else None
    if link.parallel and angle is not None and before is not None and before.angle is not None:
        # Constant turns about the common axis commute with the angles: keep them in the axes.
        return _Group(rotation=product(before.rotation, link.rotation), angle=before.angle + angle)
    return _Group(rotation=product(parent.rotation, link.rotation), angle=angle)
