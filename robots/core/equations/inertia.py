"""Inertial parameters at a frame's origin, and what a change of frame does to them."""

from __future__ import annotations

from dataclasses import dataclass

from robots.core.equations.algebra import (
    NO_TENSOR,
    ZERO,
    Mat3,
    Scalar,
    Sym3,
    Vec3,
    add,
    apply,
    dot,
    scale,
    sym_add,
    sym_rotate,
    sym_turn,
    turn,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Inertia:
    """The ten parameters of a rigid body that enter the dynamics linearly.

    Args:
        mass: [kg]
        moment: first moment m·OG. [kg m]
        tensor: inertia at the origin. [kg m²]
    """

    mass: Scalar = 0.0
    moment: Vec3 = ZERO
    tensor: Sym3 = NO_TENSOR

    def plus(self, other: Inertia) -> Inertia:
        """Both bodies as one, in the same frame."""
        return Inertia(
            mass=self.mass + other.mass,
            moment=add(self.moment, other.moment),
            tensor=sym_add(self.tensor, other.tensor),
        )

    def turned(self, c: Scalar, s: Scalar) -> Inertia:
        """Seen from the frame before a rotation about z (cosine c, sine s)."""
        return Inertia(
            mass=self.mass, moment=turn(c, s, self.moment), tensor=sym_turn(c, s, self.tensor)
        )

    def rotated(self, R: Mat3) -> Inertia:
        """Seen from a frame in which this one has the orientation R."""
        return Inertia(
            mass=self.mass, moment=apply(R, self.moment), tensor=sym_rotate(R, self.tensor)
        )

    def shifted(self, p: Vec3) -> Inertia:
        """Taken at an origin from which this one's origin is at p (same axes).

        Huygens-Steiner on parameters at an origin: J + 2(p·h)E - (p hᵀ + h pᵀ) + m(p·p E - p pᵀ).
        Written with k = 2h + m p, so that each entry needs one product per axis pair.
        """
        h, m = self.moment, self.mass
        mp = scale(m, p)
        k = add(add(h, h), mp)
        # p kᵀ is symmetric up to p hᵀ - h pᵀ; the off-diagonal entries need h and h + m p.
        far = add(h, mp)
        px, py, pz = p[0] * k[0], p[1] * k[1], p[2] * k[2]
        t = self.tensor
        return Inertia(
            mass=m,
            moment=far,
            tensor=Sym3(
                t.xx + py + pz,
                t.xy - (p[0] * far[1] + p[1] * h[0]),
                t.xz - (p[0] * far[2] + p[2] * h[0]),
                t.yy + px + pz,
                t.yz - (p[1] * far[2] + p[2] * h[1]),
                t.zz + px + py,
            ),
        )


def kinetic_energy(body: Inertia, v: Vec3, w: Vec3) -> Scalar:
    """Kinetic energy of a body whose origin moves with v and which turns with w, in its frame."""
    t = body.tensor
    spin = (
        t.xx * w[0] * w[0]
        + t.yy * w[1] * w[1]
        + t.zz * w[2] * w[2]
        + (t.xy * w[0] * w[1] + t.xz * w[0] * w[2] + t.yz * w[1] * w[2]) * 2.0
    )
    h = body.moment
    coupled = (
        v[0] * (w[1] * h[2] - w[2] * h[1])
        + v[1] * (w[2] * h[0] - w[0] * h[2])
        + v[2] * (w[0] * h[1] - w[1] * h[0])
    )
    return (body.mass * dot(v, v) + spin) * 0.5 + coupled
