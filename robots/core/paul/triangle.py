"""Two angles: types 6, 7 and 8 of Paul's method, which are one triangle.

In the complex plane all three read a·exp(iθ) + z = w·exp(iψ): sides of lengths |a|, |z|, |w| that
must close. A triangle closes in two mirror images, in one flat way (DOUBLE), or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.arrays import Array, Mask
from robots.core.paul.roots import (
    DEFAULT_TOLERANCES,
    Case,
    Codes,
    Roots,
    Tolerances,
    checked,
    gathered,
    named,
    wrapped,
)

Complex = NDArray[np.complex128]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Triangle:
    """The equation a·exp(iθ) + z = w·exp(iψ), for a batch. # each (...)."""

    a: Complex
    z: Complex
    w: Complex

    @property
    def lengths(self) -> Array:
        """Lengths of a, z and w. # (..., 3)."""
        return np.abs(np.stack([self.a, self.z, self.w], axis=-1))

    def imbalance(self, theta: Array, psi: Array) -> Array:
        """Larger of the two equations' imbalances. # (..., roots)."""
        a, z, w = (side[..., None] for side in (self.a, self.z, self.w))
        gap = a * np.exp(1j * theta) + z - w * np.exp(1j * psi)
        return np.asarray(np.maximum(np.abs(gap.real), np.abs(gap.imag)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Shape:
    """What the lengths of the sides allow. # each (...), zero (..., 3)."""

    zero: Mask  # sides that are nothing beside the longest
    shortfall: Array
    case: Codes

    @classmethod
    def of(cls, lengths: Array, tolerances: Tolerances) -> _Shape:
        """Classify sides (..., 3) by the triangle rule."""
        ordered = np.sort(lengths, axis=-1)
        longest, others = ordered[..., 2], ordered[..., 0] + ordered[..., 1]
        nothing = longest <= tolerances.zero
        floor = np.maximum(tolerances.tangency * longest, tolerances.zero)
        zero = lengths <= floor[..., None]
        contradiction = (zero.sum(axis=-1) == 2) & ~nothing
        excess = (longest - others) / np.where(contradiction | (others == 0.0), 1.0, others)
        case = named(
            [
                (nothing, Case.INDETERMINATE),
                (contradiction, Case.INCONSISTENT),
                (excess > tolerances.tangency, Case.NO_REAL_ROOT),
                (zero.sum(axis=-1) > 0, Case.INDETERMINATE),
                (excess >= -tolerances.tangency, Case.DOUBLE),
            ],
            Case.REGULAR,
        )
        return cls(zero=zero, shortfall=excess, case=case)

    @property
    def free(self) -> Mask:
        """Whether θ, and whether ψ, may take any value. # (..., 2)."""
        open_ = self.case == Case.INDETERMINATE
        either = self.zero[..., 0] | self.zero[..., 1]
        return np.stack([open_ & either, open_ & self.zero[..., 2]], axis=-1)

    @property
    def valid(self) -> Mask:
        """Which of the two roots exist. # (..., 2)."""
        absent = (self.case == Case.NO_REAL_ROOT) | (self.case == Case.INCONSISTENT)
        return np.stack([~absent, self.case == Case.REGULAR], axis=-1)


def _complex(real: Array, imaginary: Array) -> Complex:
    return np.asarray(real + 1j * imaginary, dtype=np.complex128)


def _closed(triangle: _Triangle, shape: _Shape) -> tuple[Array, Array]:
    """Angles θ and ψ of both ways to close the triangle. # each (..., 2) [rad]."""
    turn = _turn(triangle.lengths, shape.case == Case.REGULAR)
    base = (np.angle(triangle.z) - np.angle(triangle.a))[..., None]
    theta = base + np.stack([turn, -turn], axis=-1)
    theta = np.where(shape.free[..., :1], 0.0, theta)
    third = triangle.a[..., None] * np.exp(1j * theta) + triangle.z[..., None]
    psi = np.angle(third) - np.angle(triangle.w)[..., None]
    return wrapped(theta), wrapped(np.where(shape.free[..., 1:], 0.0, psi))


def _turn(lengths: Array, regular: Mask) -> Array:
    """Angle in [0, π] from z to a·exp(iθ); exactly 0 or π unless regular. # (...) [rad].

    The half-angle form has only factors of the triangle rule under its roots: each is positive in a
    regular triangle, and none cancels as the cosine rule's W² - X² - Y² does.
    """
    longest = lengths.max(axis=-1, keepdims=True)
    sides = lengths / np.where(longest > 0.0, longest, 1.0)
    a, z, w = sides[..., 0], sides[..., 1], sides[..., 2]
    far = (a + z - w) * (a + z + w)
    near = (w - a + z) * (w + a - z)
    flat = np.where(w >= np.maximum(a, z), 0.0, np.pi)
    bent = 2.0 * np.arctan2(
        np.sqrt(np.where(regular, far, 0.0)), np.sqrt(np.where(regular, near, 1.0))
    )
    return np.where(regular, bent, flat)


def solve_type_6(
    W: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    Z1: ArrayLike,
    Z2: ArrayLike,
    *,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve W sin θj = X cos θi + Y sin θi + Z1 and W cos θj = X sin θi - Y cos θi + Z2.

    Args:
        W: # (...)
        X: # (...)
        Y: # (...)
        Z1: # (...)
        Z2: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 6
    """
    W, X, Y, Z1, Z2 = checked(W=W, X=X, Y=Y, Z1=Z1, Z2=Z2)
    triangle = _Triangle(a=_complex(X, -Y), z=_complex(Z1, Z2), w=_complex(0.0 * W, W))
    shape = _Shape.of(triangle.lengths, tolerances)
    theta, psi = _closed(triangle, shape)
    return _two_angles(shape, theta, wrapped(-psi), triangle.imbalance(theta, psi))


def solve_type_7(
    *,
    W1: ArrayLike,
    W2: ArrayLike,
    X: ArrayLike,
    Y: ArrayLike,
    Z1: ArrayLike,
    Z2: ArrayLike,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve type 7 for θi and θj.

    W1 cos θj + W2 sin θj = X cos θi + Y sin θi + Z1 and
    W1 sin θj - W2 cos θj = X sin θi - Y cos θi + Z2.

    Args:
        W1: # (...)
        W2: # (...)
        X: # (...)
        Y: # (...)
        Z1: # (...)
        Z2: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 7
    """
    W1, W2, X, Y, Z1, Z2 = checked(W1=W1, W2=W2, X=X, Y=Y, Z1=Z1, Z2=Z2)
    triangle = _Triangle(a=_complex(X, -Y), z=_complex(Z1, Z2), w=_complex(W1, -W2))
    shape = _Shape.of(triangle.lengths, tolerances)
    theta, psi = _closed(triangle, shape)
    return _two_angles(shape, theta, psi, triangle.imbalance(theta, psi))


def solve_type_8(
    X: ArrayLike,
    Y: ArrayLike,
    Z1: ArrayLike,
    Z2: ArrayLike,
    *,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve X cos θi + Y cos(θi + θj) = Z1 and X sin θi + Y sin(θi + θj) = Z2: a two-link arm.

    The first root has X·Y·sin θj ≥ 0. The source prints X cos θi in the second equation too; the
    sine is meant (two links in a plane), and the tests show that only it solves that arm.

    Args:
        X: first link. # (...)
        Y: second link. # (...)
        Z1: target's first coordinate. # (...)
        Z2: target's second coordinate. # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 8 (corrected)
    """
    X, Y, Z1, Z2 = checked(X=X, Y=Y, Z1=Z1, Z2=Z2)
    triangle = _Triangle(a=_complex(-X, 0.0 * X), z=_complex(Z1, Z2), w=_complex(Y, 0.0 * Y))
    shape = _Shape.of(triangle.lengths, tolerances)
    theta, psi = _closed(triangle, shape)
    # A free second link (Y = 0) lies along the first: θj, not its absolute direction, is free.
    theta_j = np.where(shape.free[..., 1:], 0.0, wrapped(psi - theta))
    return _two_angles(shape, theta, theta_j, triangle.imbalance(theta, theta + theta_j))


def _two_angles(shape: _Shape, theta_i: Array, theta_j: Array, residual: Array) -> Roots:
    return gathered(
        {"theta_i": theta_i, "theta_j": theta_j},
        shape.valid,
        shape.case,
        shortfall=shape.shortfall,
        residual=residual,
        free=shape.free,
    )
