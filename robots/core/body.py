"""A rigid body: mass, centre of mass and inertia, in the frame of the joint that carries it.

The equations use the parameters that enter the dynamics linearly: mass, first moment m·OG and
inertia tensor *at the joint origin*. A source may give the tensor there or at the centre of mass;
the body remembers which one it was given (sources.md, decision 1).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from robots.core.arrays import Array, frozen
from robots.core.errors import MechanismError
from robots.core.pose import transform_points

Reference = Literal["origin", "com"]

# Tensors are printed with a few digits; a violation below this fraction of the trace is rounding.
CONSISTENCY_TOLERANCE = 1e-9


def _read_only(value: object, shape: tuple[int, ...], what: str) -> Array:
    array = np.array(value, dtype=np.float64)
    if array.shape != shape:
        raise MechanismError(
            f"{what} has shape {array.shape}, expected {shape}.", found=array.shape, expected=shape
        )
    if not np.all(np.isfinite(array)):
        raise MechanismError(f"{what} holds a value that is not finite: {array.tolist()}.")
    return frozen(array)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Body:
    """Mass properties of one rigid body, expressed in its joint's frame.

    Args:
        mass: [kg], zero for a body that only carries a frame.
        com: centre of mass. # (3,) [m]
        inertia: symmetric tensor; off-diagonal entries are the tensor's own (I_xy = -∫xy dm).
            # (3, 3) [kg m²]
        at: point that ``inertia`` refers to, the joint "origin" or the centre of mass "com".

    Raises:
        MechanismError: negative mass, a value that is not finite, an asymmetric tensor.
    """

    mass: float = 0.0
    com: Array = field(default_factory=lambda: np.zeros(3))
    inertia: Array = field(default_factory=lambda: np.zeros((3, 3)))
    at: Reference = "com"

    def __post_init__(self) -> None:
        if not np.isfinite(self.mass) or self.mass < 0.0:
            raise MechanismError(
                f"A body's mass is {self.mass!r} kg; it must be a finite number, zero or more.",
                value=self.mass,
            )
        object.__setattr__(self, "com", _read_only(self.com, (3,), "A body's centre of mass"))
        tensor = _read_only(self.inertia, (3, 3), "A body's inertia tensor")
        if not np.allclose(tensor, tensor.T, rtol=1e-12, atol=0.0):
            raise MechanismError(f"A body's inertia tensor is not symmetric: {tensor.tolist()}.")
        object.__setattr__(self, "inertia", tensor)
        if self.at not in ("origin", "com"):
            raise MechanismError(f'A tensor is given at "origin" or "com", not at {self.at!r}.')

    @property
    def first_moment(self) -> Array:
        """Mass times centre of mass. # (3,) [kg m]."""
        return self.mass * self.com

    @property
    def inertia_at_origin(self) -> Array:
        """Tensor at the joint origin. # (3, 3) [kg m²]."""
        return self.inertia if self.at == "origin" else self.inertia + self._point_mass_tensor()

    @property
    def inertia_at_com(self) -> Array:
        """Tensor at the centre of mass. # (3, 3) [kg m²]."""
        return self.inertia if self.at == "com" else self.inertia - self._point_mass_tensor()

    @property
    def massless(self) -> bool:
        """Whether it has neither mass nor inertia."""
        return self.mass == 0.0 and not np.any(self.inertia)

    def moved(self, T: Array) -> Body:
        """The same body in another frame. Args: T maps this frame into the other one. # (4, 4)."""
        R = T[:3, :3]
        turned = R @ self.inertia_at_com @ R.T
        return Body(
            mass=self.mass,
            com=transform_points(T, self.com),
            inertia=0.5 * (turned + turned.T),
            at="com",
        )

    def joined(self, other: Body) -> Body:
        """One rigid body of two in the same frame: at the origin masses and tensors add up."""
        if other.massless:
            return self
        if self.massless:
            return other
        mass = self.mass + other.mass
        com = (self.first_moment + other.first_moment) / mass if mass else self.com
        tensor = self.inertia_at_origin + other.inertia_at_origin
        return Body(mass=mass, com=com, inertia=tensor, at="origin")

    def inconsistencies(self) -> tuple[str, ...]:
        """Reasons why no real mass distribution has these numbers; empty when one can.

        Source: [LAMMARI12] table VI.6 and sources.md decision 1: published bodies may fail this,
        so the caller warns and goes on.
        """
        moments = np.linalg.eigvalsh(self.inertia_at_com)
        scale = max(float(np.abs(self.inertia_at_origin).max()), 1e-300)
        slack = CONSISTENCY_TOLERANCE * scale
        if self.mass == 0.0 and np.any(self.inertia):
            return ("it has inertia but no mass",)
        if moments[0] < -slack:
            return (
                f"its smallest central moment of inertia is {moments[0]:.6g} kg m²: below zero",
            )
        if moments[2] > moments[0] + moments[1] + slack:
            return (
                f"its central moments {moments[0]:.6g}, {moments[1]:.6g}, {moments[2]:.6g} kg m² "
                "violate the triangle rule: the largest exceeds the sum of the others",
            )
        return ()

    def _point_mass_tensor(self) -> Array:
        """Tensor of the mass as a point at the centre of mass (Huygens-Steiner)."""
        g = self.com
        return np.asarray(self.mass * (np.dot(g, g) * np.eye(3) - np.outer(g, g)))
