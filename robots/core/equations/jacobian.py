"""Jacobians: geometric at any point of any link, in any axes; analytic for two angle sets.

Source: [LAMMARI12] §III.2.1 eqs. (III.8)-(III.9); [COURSE-JAC] "Calcul du jacobien", "Statique"
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from robots.core.equations.algebra import (
    ZERO,
    Mat3,
    Scalar,
    Vec3,
    apply,
    column,
    cross,
    dot,
    subtract,
    transpose,
)
from robots.core.equations.functions import Functions
from robots.core.equations.transforms import Frame
from robots.core.equations.tree import Tree
from robots.core.mechanism import JointKind

Column = tuple[Scalar, Scalar, Scalar, Scalar, Scalar, Scalar]


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
