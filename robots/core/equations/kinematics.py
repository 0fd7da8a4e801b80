"""Kinematics of a tree: forward geometry, Jacobians, velocities and accelerations of every link.

Angles about consecutive parallel axes are added before sine and cosine are taken: the sources' c23
and s234. It costs fewer products and is how the condensed equations group them.

Source: [LAMMARI12] §II.5 eqs. (II.19), (II.22); [LIEGEOIS80] §4.2 table ANGLE
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

from robots.core.equations.algebra import (
    IDENTITY,
    ZERO,
    Functions,
    Mat3,
    Scalar,
    Vec3,
    add,
    apply,
    column,
    cross,
    dot,
    product,
    scale,
    subtract,
    transpose,
    turn_columns,
)
from robots.core.mechanism import JointKind

if TYPE_CHECKING:
    from robots.core.equations.tree import Link, Tree


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
Column = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]


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


# --------------------------------------------------------------------------------------- Jacobians
# Source: [LAMMARI12] §III.2.1 eqs. (III.8)-(III.9); [COURSE-JAC] "Calcul du jacobien", "Statique"


class AngleSet(Enum):
    """Angles that describe an orientation by three numbers."""

    ZXZ = "zxz"  # ψ, θ, φ of [LAMMARI12] eq. (II.11)
    RPY = "rpy"  # α (yaw), β (pitch), γ (roll): Rz(α)·Ry(β)·Rx(γ), eq. (II.15)


def geometric_jacobian(
    tree: Tree, placed: Sequence[Frame], link: int, point: Vec3, axes: Mat3 | None = None
) -> list[Column]:
    """Columns (v; ω per unit of each joint speed) at a point carried by a link.

    Args:
        tree: the mechanism.
        placed: base poses of the links.
        link: the link that carries the point.
        point: base coordinates. [m]
        axes: rotation whose columns are the axes to express the result in; base axes when None.

    Returns:
        One column per joint variable. # (n, 6)
    """
    columns: list[Column] = [(*ZERO, *ZERO)] * tree.dof
    for index in tree.moving_path(link):
        z, origin = placed[index].z, placed[index].origin
        revolute = tree.links[index].kind is JointKind.REVOLUTE
        linear = cross(z, subtract(point, origin)) if revolute else z
        angular = z if revolute else ZERO
        if axes is not None:
            linear, angular = apply(transpose(axes), linear), apply(transpose(axes), angular)
        columns[tree.links[index].variable] = (*linear, *angular)
    return columns


def statics(columns: Sequence[Column], force: Vec3, moment: Vec3) -> list[Scalar]:
    """Joint torques that balance a wrench exerted *by* the tool on its environment: τ = Jᵀγ.

    Source: [COURSE-JAC] "Statique"; the slide's sign needs this reading of γ (sources.md).
    """
    return [dot(c[:3], force) + dot(c[3:], moment) for c in columns]


def rates_matrix(rotation: Mat3, angles: AngleSet, fn: Functions) -> Mat3:
    """Matrix from angular velocity (base axes) to the rates of the angles, rows in their order.

    Needs only the rotation: sine and cosine of the first two angles are read off its last (ZXZ) or
    first (RPY) column. Divides by sin θ (ZXZ) or cos β (RPY): singular where that vanishes.

    Source: [LAMMARI12] eqs. (II.11), (II.15); [COURSE-JAC] "Jacobien analytique"
    """
    if angles is AngleSet.ZXZ:
        x, y, cos_theta = column(rotation, 2)
        sin_theta = fn.sqrt(x * x + y * y)
        s, c = x / sin_theta, -(y / sin_theta)
        cot = cos_theta / sin_theta
        inverse = 1.0 / sin_theta
        return ((-(s * cot), c * cot, 1.0), (c, s, 0.0), (s * inverse, -(c * inverse), 0.0))
    x, y, minus_sin = column(rotation, 0)
    cos_beta = fn.sqrt(x * x + y * y)
    c, s = x / cos_beta, y / cos_beta
    inverse = 1.0 / cos_beta
    tan = -(minus_sin * inverse)
    return ((c * tan, s * tan, 1.0), (-s, c, 0.0), (c * inverse, s * inverse, 0.0))


def analytic_jacobian(
    columns: Sequence[Column], rotation: Mat3, angles: AngleSet, fn: Functions
) -> list[Column]:
    """Columns (ṗ; rates of the angles) from geometric columns in base axes."""
    rates = rates_matrix(rotation, angles, fn)
    return [(*c[:3], *apply(rates, c[3:])) for c in columns]


# -------------------------------------------------------------------- Velocities and accelerations
# The bias acceleration J̇q̇ is the acceleration at qdd = 0.
#
# Source: [LAMMARI12] eqs. (III.6), (III.15) (its last term carries σ, sources.md), (III.16)


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
