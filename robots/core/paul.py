"""Paul's method: the eight equation types of [LAMMARI12] table II.1, with all their real roots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from robots.core.arrays import Array, Indices, Mask, freeze_fields
from robots.core.errors import InverseError

Complex = NDArray[np.complex128]
Codes = NDArray[np.int8]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tolerances:
    """When two numbers count as equal, and a number as zero.

    Args:
        tangency: relative distance from the limit of reach, on either side of it, within which the
            two roots are one DOUBLE root. At the default the angle moves by at most 1.5e-6 rad and
            the equation stays satisfied to ``tangency`` of its own amplitude.
        consistency: relative imbalance that an equation left over by the others may keep.
        scale: typical magnitude of the coefficients, in their unit. One below ``tangency * scale``
            counts as zero; at the default only an exact zero does.
    """

    tangency: float = 1e-12
    consistency: float = 1e-9
    scale: float = 0.0

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if not (np.isfinite(value) and value >= 0.0):
                raise InverseError(
                    f"Tolerance {field.name} is {value!r}; it must be finite, zero or more.",
                    field=field.name,
                    value=value,
                )

    @property
    def zero(self) -> float:
        """Magnitude below which a coefficient counts as zero."""
        return self.tangency * self.scale


DEFAULT_TOLERANCES = Tolerances()


def solve_type_1(
    X: ArrayLike, Y: ArrayLike, *, tolerances: Tolerances = DEFAULT_TOLERANCES
) -> Roots:
    """Solve X r = Y for r.

    Args:
        X: # (...)
        Y: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 1
    """
    X, Y = checked(X=X, Y=Y)
    open_ = np.abs(X) <= tolerances.zero
    r = _quotient(Y, X, open_)
    solved = np.where(open_, np.abs(Y) <= tolerances.zero, np.isfinite(r))
    r = np.where(solved, r, 0.0)
    return gathered(
        {"r": r[..., None]},
        solved[..., None],
        named(
            [(~solved, RootCase.INCONSISTENT), (open_, RootCase.INDETERMINATE)],
            RootCase.REGULAR,
        ),
        shortfall=np.zeros(X.shape),
        residual=np.abs(X * r - Y)[..., None],
        free=(open_ & solved)[..., None],
    )


def solve_type_4(
    X1: ArrayLike,
    Y1: ArrayLike,
    X2: ArrayLike,
    Y2: ArrayLike,
    *,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve X1 r sin θ = Y1 together with X2 r cos θ = Y2 for θ and r.

    The first root has r > 0, the second -r at the opposite angle. When the target lies on the axis
    (r = 0), or one coefficient is zero, θ is free; the representative then has θ = 0, or π/2 when
    only the sine's equation is left.

    Args:
        X1: # (...)
        Y1: # (...)
        X2: # (...)
        Y2: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 4
    """
    X1, Y1, X2, Y2 = checked(X1=X1, Y1=Y1, X2=X2, Y2=Y2)
    no_sine, no_cosine = _vanishing(X1, X2, tolerances)
    no_Y1, no_Y2 = _vanishing(Y1, Y2, tolerances)
    S = _quotient(Y1, X1, no_sine)
    C = _quotient(Y2, X2, no_cosine)
    consistent = ~(no_sine & ~no_Y1 | no_cosine & ~no_Y2) & np.isfinite(np.hypot(S, C))
    open_ = no_sine | no_cosine | (np.hypot(Y1, Y2) <= tolerances.zero)
    S, C = (np.where(consistent, part, 0.0) for part in (S, C))
    r = np.hypot(S, C)
    # With one equation left, the family keeps a signed r at θ = 0 or π/2.
    fixed = np.where(no_cosine & ~no_sine, np.pi / 2.0, 0.0)
    theta = np.where(open_, fixed, np.arctan2(S, C))
    r = np.where(open_, np.where(no_sine, C, np.where(no_cosine, S, 0.0)), r)
    angles = np.stack([theta, np.arctan2(-S, -C)], axis=-1)
    lengths = np.stack([r, -r], axis=-1)
    imbalance = np.maximum(
        np.abs(X1[..., None] * lengths * np.sin(angles) - Y1[..., None]),
        np.abs(X2[..., None] * lengths * np.cos(angles) - Y2[..., None]),
    )
    return gathered(
        {"theta": angles, "r": lengths},
        np.stack([consistent, consistent & ~open_], axis=-1),
        named(
            [(~consistent, RootCase.INCONSISTENT), (open_, RootCase.INDETERMINATE)],
            RootCase.REGULAR,
        ),
        shortfall=np.zeros(r.shape),
        residual=imbalance,
        free=np.stack([open_ & consistent, no_sine & no_cosine & consistent], axis=-1),
    )


def _quotient(numerator: Array, denominator: Array, excluded: Mask) -> Array:
    """Quotient with zero where excluded; infinite where it is not a representable number."""
    with np.errstate(over="ignore"):
        value = numerator / np.where(excluded, 1.0, denominator)
    return np.where(excluded, 0.0, value)


def _vanishing(first: Array, second: Array, tolerances: Tolerances) -> tuple[Mask, Mask]:
    """Which of two like coefficients is nothing beside the other, or beside the scale."""
    largest = np.maximum(np.abs(first), np.abs(second))
    floor = tolerances.tangency * np.maximum(largest, tolerances.scale)
    return np.abs(first) <= floor, np.abs(second) <= floor


def solve_type_5(
    *,
    X1: ArrayLike,
    Y1: ArrayLike,
    Z1: ArrayLike,
    X2: ArrayLike,
    Y2: ArrayLike,
    Z2: ArrayLike,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve X1 sin θ = Y1 + Z1 r together with X2 cos θ = Y2 + Z2 r for θ and r.

    Eliminating r leaves type 2 for θ. When Z1 = Z2 = 0 the angle obeys type 3 and r is free.

    Args:
        X1: # (...)
        Y1: # (...)
        Z1: # (...)
        X2: # (...)
        Y2: # (...)
        Z2: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 5
    """
    X1, Y1, Z1, X2, Y2, Z2 = checked(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    gain = np.hypot(Z1, Z2)
    loose = gain <= tolerances.zero
    z1, z2 = (_quotient(Z, gain, loose) for Z in (Z1, Z2))
    noise = np.maximum(np.abs(z2 * Y1), np.abs(z1 * Y2))
    floor = tolerances.tangency * np.maximum(noise, tolerances.scale)
    linked = sine_roots(
        SineEquation(X=z2 * X1, Y=-z1 * X2, Z=z2 * Y1 - z1 * Y2), floor, tolerances.tangency
    )
    zero = np.zeros_like(X1)
    pinned = pair_roots(
        SineEquation(X=X1, Y=zero, Z=Y1), SineEquation(X=zero, Y=X2, Z=Y2), tolerances
    )
    angle = _chosen(loose, pinned, linked)
    found = angle.valid.any(axis=-1)
    height = X1[..., None] * np.sin(angle.angles) - Y1[..., None]  # what Z1 r must be
    width = X2[..., None] * np.cos(angle.angles) - Y2[..., None]  # what Z2 r must be
    r = _quotient(z1[..., None] * height + z2[..., None] * width, gain[..., None], loose[..., None])
    imbalance = np.maximum(np.abs(height - Z1[..., None] * r), np.abs(width - Z2[..., None] * r))
    return gathered(
        {"theta": angle.angles, "r": r},
        angle.valid,
        named([(loose & found, RootCase.INDETERMINATE)], angle.case),
        shortfall=angle.shortfall,
        residual=imbalance,
        free=np.stack([angle.case == RootCase.INDETERMINATE, loose & found], axis=-1),
    )


def _chosen(condition: Mask, yes: AngleRoots, no: AngleRoots) -> AngleRoots:
    """Roots of one reading or the other, sample by sample."""
    wide = condition[..., None]
    return AngleRoots(
        angles=np.where(wide, yes.angles, no.angles),
        valid=np.where(wide, yes.valid, no.valid),
        case=np.where(condition, yes.case, no.case),
        shortfall=np.where(condition, yes.shortfall, no.shortfall),
    )


# ------------------------------------------------------------------------ Types 2 and 3: one angle

# Two equations whose phases differ by less than this sine are solved as one and checked with the
# other: their determinant would lose more digits than the comparison does.
_PARALLEL = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SineEquation:
    """One equation X sin θ + Y cos θ = Z, for a batch. # each (...)."""

    X: Array
    Y: Array
    Z: Array

    @property
    def amplitude(self) -> Array:
        """Largest value that the left side takes. # (...)."""
        return np.hypot(self.X, self.Y)

    def imbalance(self, theta: Array) -> Array:
        """Left minus right side at some angles. # (..., roots)."""
        value = self.X[..., None] * np.sin(theta) + self.Y[..., None] * np.cos(theta)
        return np.asarray(value - self.Z[..., None])

    def shortfall(self, floor: Array) -> Array:
        """How far Z is beyond reach, as a fraction of the amplitude; negative within. # (...)."""
        amplitude = self.amplitude
        reach = np.where(amplitude > floor, amplitude, 1.0)
        with np.errstate(over="ignore"):
            excess = (np.abs(self.Z) - amplitude) / reach
        return np.where(amplitude > floor, excess, -1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class AngleRoots:
    """Roots of a condition on one angle; the fields are those of ``Roots``."""

    angles: Array  # (..., 2) [rad]
    valid: Mask  # (..., 2)
    case: Codes  # (...)
    shortfall: Array  # (...)


def sine_roots(row: SineEquation, floor: Array, tangency: float) -> AngleRoots:
    """All roots of X sin θ + Y cos θ = Z, written as amplitude · cos(θ - phase) = Z.

    The first root is where the left side falls (X cos θ - Y sin θ ≤ 0), the second where it rises.

    Args:
        row: the equation.
        floor: magnitude below which X, Y and Z count as zero. # (...)
        tangency: see ``Tolerances``.
    """
    amplitude = row.amplitude
    constant = np.asarray(amplitude <= floor)
    excess = row.shortfall(floor)
    regular = ~constant & (excess < -tangency)
    exists = constant & (np.abs(row.Z) <= floor) | ~constant & (excess <= tangency)
    # (1 - c)(1 + c) with c = |Z|/amplitude, written so that 1 - c keeps its digits.
    sine = np.sqrt(np.where(regular, -excess * (2.0 + excess), 0.0))
    with np.errstate(over="ignore"):
        half_width = np.arctan2(sine, row.Z / np.where(constant, 1.0, amplitude))
    phase = np.arctan2(row.X, row.Y)
    angles = wrapped(np.stack([phase + half_width, phase - half_width], axis=-1))
    return AngleRoots(
        angles=np.where(constant[..., None], 0.0, angles),
        valid=np.stack([exists, regular], axis=-1),
        case=named(
            [
                (np.logical_and(constant, exists), RootCase.INDETERMINATE),
                (constant, RootCase.INCONSISTENT),
                (~exists, RootCase.NO_REAL_ROOT),
                (~regular, RootCase.DOUBLE),
            ],
            RootCase.REGULAR,
        ),
        shortfall=excess,
    )


def pair_roots(first: SineEquation, second: SineEquation, tolerances: Tolerances) -> AngleRoots:
    """All angles that satisfy two equations at once.

    Independent equations give sin θ and cos θ; dependent ones leave the stronger to be solved alone
    and the weaker to accept or refuse its roots.
    """
    determinant = first.X * second.Y - second.X * first.Y
    independent: Mask = np.asarray(
        np.abs(determinant) > _PARALLEL * first.amplitude * second.amplitude
    )
    floor = np.full(determinant.shape, tolerances.zero)
    alone = sine_roots(_stronger(first, second), floor, tolerances.tangency)
    crossing = _crossing(first, second, np.where(independent, determinant, 1.0))
    both = np.stack([crossing, np.full_like(crossing, np.nan)], axis=-1)
    candidates = np.where(independent[..., None], both, alone.angles)
    offered = np.where(independent[..., None], np.array([True, False]), alone.valid)
    valid = offered & _accepted(first, second, candidates, tolerances)
    found: Mask = np.asarray(valid.any(axis=-1))
    shortfall = np.maximum(first.shortfall(floor), second.shortfall(floor))
    order = np.argsort(~valid, axis=-1, kind="stable")
    return AngleRoots(
        angles=np.take_along_axis(candidates, order, axis=-1),
        valid=np.take_along_axis(valid, order, axis=-1),
        case=named(
            [
                (~found & (shortfall > tolerances.tangency), RootCase.NO_REAL_ROOT),
                (~found, RootCase.INCONSISTENT),
                (independent, RootCase.REGULAR),
            ],
            alone.case,
        ),
        shortfall=shortfall,
    )


def _stronger(first: SineEquation, second: SineEquation) -> SineEquation:
    """The equation of larger amplitude, sample by sample."""
    keep = first.amplitude >= second.amplitude
    return SineEquation(
        X=np.where(keep, first.X, second.X),
        Y=np.where(keep, first.Y, second.Y),
        Z=np.where(keep, first.Z, second.Z),
    )


def _crossing(first: SineEquation, second: SineEquation, determinant: Array) -> Array:
    """Angle of (cos θ, sin θ) by Cramer's rule, then one Gauss-Newton step. # (...) [rad].

    Nearly parallel equations cost Cramer's rule up to six digits; the step brings them back.
    """
    S = (first.Z * second.Y - second.Z * first.Y) / determinant
    C = (first.X * second.Z - second.X * first.Z) / determinant
    theta = np.arctan2(S, C)
    slope_square = np.zeros_like(theta)
    slope_value = np.zeros_like(theta)
    for row in (first, second):
        weight = np.where(row.amplitude > 0.0, row.amplitude, 1.0)
        slope = (row.X * np.cos(theta) - row.Y * np.sin(theta)) / weight
        slope_square = slope_square + slope**2
        slope_value = slope_value + slope * row.imbalance(theta[..., None])[..., 0] / weight
    return wrapped(theta - slope_value / np.where(slope_square > 0.0, slope_square, 1.0))


def _accepted(
    first: SineEquation, second: SineEquation, theta: Array, tolerances: Tolerances
) -> Mask:
    """Whether both equations hold at the angles, within the consistency tolerance. # (..., 2)."""
    largest = np.maximum(first.amplitude, second.amplitude)
    noise = tolerances.tangency * np.maximum(largest, tolerances.scale)
    holds = np.ones(theta.shape, dtype=np.bool_)
    for row in (first, second):
        allowed = np.maximum(tolerances.consistency * row.amplitude, noise)
        holds &= np.abs(row.imbalance(theta)) <= allowed[..., None]
    return holds


def solve_type_2(
    X: ArrayLike, Y: ArrayLike, Z: ArrayLike, *, tolerances: Tolerances = DEFAULT_TOLERANCES
) -> Roots:
    """Solve X sin θ + Y cos θ = Z for θ.

    The first root is where the left side falls, the second where it rises.

    Args:
        X: coefficient of the sine. # (...)
        Y: coefficient of the cosine. # (...)
        Z: right side, in the same unit. # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 2
    """
    X, Y, Z = checked(X=X, Y=Y, Z=Z)
    row = SineEquation(X=X, Y=Y, Z=Z)
    found = sine_roots(row, np.full(X.shape, tolerances.zero), tolerances.tangency)
    return _one_angle(found, np.abs(row.imbalance(found.angles)))


def solve_type_3(
    *,
    X1: ArrayLike,
    Y1: ArrayLike,
    Z1: ArrayLike,
    X2: ArrayLike,
    Y2: ArrayLike,
    Z2: ArrayLike,
    tolerances: Tolerances = DEFAULT_TOLERANCES,
) -> Roots:
    """Solve X1 sin θ + Y1 cos θ = Z1 together with X2 sin θ + Y2 cos θ = Z2 for θ.

    One root when the equations are independent, up to two when one repeats the other. Both are
    taken to be in one unit: 1e-12 of the larger amplitude is noise in the other.

    Args:
        X1: # (...)
        Y1: # (...)
        Z1: # (...)
        X2: # (...)
        Y2: # (...)
        Z2: # (...)
        tolerances: see ``Tolerances``.

    Raises:
        InverseError: coefficients not finite, or of shapes that do not broadcast.

    Source: [LAMMARI12] §II.6.1 table II.1, type 3
    """
    X1, Y1, Z1, X2, Y2, Z2 = checked(X1=X1, Y1=Y1, Z1=Z1, X2=X2, Y2=Y2, Z2=Z2)
    first, second = SineEquation(X=X1, Y=Y1, Z=Z1), SineEquation(X=X2, Y=Y2, Z=Z2)
    found = pair_roots(first, second, tolerances)
    imbalance = np.maximum(
        np.abs(first.imbalance(found.angles)), np.abs(second.imbalance(found.angles))
    )
    return _one_angle(found, imbalance)


def _one_angle(found: AngleRoots, residual: Array) -> Roots:
    return gathered(
        {"theta": found.angles},
        found.valid,
        found.case,
        shortfall=found.shortfall,
        residual=residual,
        free=(found.case == RootCase.INDETERMINATE)[..., None],
    )


# ------------------------------------------------------ Types 6, 7 and 8: two angles, one triangle
# In the complex plane all three read a·exp(iθ) + z = w·exp(iψ): sides of lengths |a|, |z|, |w| that
# must close. A triangle closes in two mirror images, in one flat way (DOUBLE), or not at all.


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
    """Classification of a triangle by its sides. # each (...), zero (..., 3)."""

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
                (nothing, RootCase.INDETERMINATE),
                (contradiction, RootCase.INCONSISTENT),
                (excess > tolerances.tangency, RootCase.NO_REAL_ROOT),
                (zero.sum(axis=-1) > 0, RootCase.INDETERMINATE),
                (excess >= -tolerances.tangency, RootCase.DOUBLE),
            ],
            RootCase.REGULAR,
        )
        return cls(zero=zero, shortfall=excess, case=case)

    @property
    def free(self) -> Mask:
        """Whether θ, and whether ψ, may take any value. # (..., 2)."""
        open_ = self.case == RootCase.INDETERMINATE
        either = self.zero[..., 0] | self.zero[..., 1]
        return np.stack([open_ & either, open_ & self.zero[..., 2]], axis=-1)

    @property
    def valid(self) -> Mask:
        """Which of the two roots exist. # (..., 2)."""
        absent = (self.case == RootCase.NO_REAL_ROOT) | (self.case == RootCase.INCONSISTENT)
        return np.stack([~absent, self.case == RootCase.REGULAR], axis=-1)


def _complex(real: Array, imaginary: Array) -> Complex:
    return np.asarray(real + 1j * imaginary, dtype=np.complex128)


def _closed(triangle: _Triangle, shape: _Shape) -> tuple[Array, Array]:
    """Angles θ and ψ of both ways to close the triangle. # each (..., 2) [rad]."""
    turn = _turn(triangle.lengths, shape.case == RootCase.REGULAR)
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


# ------------------------------------------------------------------------------------------- Roots


class RootCase(IntEnum):
    """Case of the roots of one sample.

    NO_REAL_ROOT means that lengths fall short (a sine or cosine would exceed one) and ``shortfall``
    says by how much; INCONSISTENT means that the equations contradict each other at any length.
    """

    REGULAR = 0
    DOUBLE = 1
    NO_REAL_ROOT = 2
    INDETERMINATE = 3
    INCONSISTENT = 4


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Roots:
    """All real roots of one equation type, for a batch of any leading shape.

    Every valid root satisfies its equations. An INDETERMINATE sample keeps one representative per
    family, with zero where ``free`` allows any value (the other unknowns follow from the choice).

    Args:
        unknowns: names of the last axis of ``roots``.
        roots: angles in (-π, π] and lengths; NaN where not valid. # (..., roots, unknowns) [rad, m]
        valid: which roots exist; valid ones come first. # (..., roots)
        case: a ``RootCase`` code per sample. # (...)
        shortfall: how far a NO_REAL_ROOT sample is from having one, as a fraction of what would
            suffice; zero for all others. # (...)
        residual: largest imbalance of the equations at the root, in their unit. # (..., roots)
        free: unknowns that an INDETERMINATE sample leaves open. # (..., unknowns)
    """

    unknowns: tuple[str, ...]
    roots: Array
    valid: Mask
    case: Codes
    shortfall: Array
    residual: Array
    free: Mask

    def __post_init__(self) -> None:
        freeze_fields(self, "roots", "valid", "case", "shortfall", "residual", "free")

    @property
    def count(self) -> Indices:
        """Number of valid roots per sample. # (...)."""
        return np.asarray(self.valid.sum(axis=-1))

    def case_at(self, *index: int) -> RootCase:
        """Name of what happened in one sample."""
        return RootCase(int(self.case[index]))


def checked(**named: ArrayLike) -> list[Array]:
    """Broadcast coefficients to one shape, as float arrays.

    Raises:
        InverseError: shapes that do not broadcast, or a coefficient that is not finite.
    """
    arrays = {name: np.asarray(value, dtype=np.float64) for name, value in named.items()}
    for name, array in arrays.items():
        wrong = np.argwhere(~np.isfinite(array))
        if wrong.size or (array.ndim == 0 and not np.isfinite(array)):
            index = tuple(int(i) for i in wrong[0])
            raise InverseError(
                f"Coefficient {name} of sample {index} is {array[index]}; it must be finite.",
                coefficient=name,
                index=index,
            )
    try:
        return list(np.broadcast_arrays(*arrays.values()))
    except ValueError as mismatch:
        shapes = {name: array.shape for name, array in arrays.items()}
        raise InverseError(
            f"Coefficients of shapes {shapes} do not broadcast to one batch; give each one value "
            "per sample, or a single value.",
            shapes=shapes,
        ) from mismatch


def wrapped(angle: Array) -> Array:
    """Bring an angle into (-π, π]; one already there is unchanged. [rad]."""
    return np.asarray(angle - 2.0 * np.pi * np.ceil((angle - np.pi) / (2.0 * np.pi)))


def gathered(columns: dict[str, Array], valid: Mask, case: Codes, **facts: Array | Mask) -> Roots:
    """Put solved columns (..., roots) together, with NaN where a root does not exist.

    Args:
        columns: value of each unknown, by name. # (..., roots)
        valid: which roots exist. # (..., roots)
        case: codes per sample. # (...)
        **facts: ``shortfall``, ``residual`` and ``free``, as in ``Roots``.
    """
    values = np.where(valid[..., None], np.stack(list(columns.values()), axis=-1), np.nan)
    return Roots(
        unknowns=tuple(columns),
        roots=values,
        valid=valid,
        case=case,
        shortfall=np.where(case == RootCase.NO_REAL_ROOT, facts["shortfall"], 0.0),
        residual=np.where(valid, facts["residual"], np.nan),
        free=np.asarray(facts["free"], dtype=np.bool_),
    )


def named(conditions: Sequence[tuple[Mask, RootCase]], otherwise: Codes | RootCase) -> Codes:
    """Code per sample of the first condition that holds."""
    masks, cases = zip(*conditions, strict=True)
    codes = [np.int8(case) for case in cases]
    return np.asarray(np.select(list(masks), codes, default=np.asarray(otherwise, dtype=np.int8)))
