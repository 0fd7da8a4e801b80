"""One angle: the kernel X sin θ + Y cos θ = Z, and types 2 and 3 of Paul's method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

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

# Two equations whose phases differ by less than this sine are solved as one and checked with the
# other: their determinant would lose more digits than the comparison does.
_PARALLEL = 1e-6


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Row:
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


def sine_roots(row: Row, floor: Array, tangency: float) -> AngleRoots:
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
                (np.logical_and(constant, exists), Case.INDETERMINATE),
                (constant, Case.INCONSISTENT),
                (~exists, Case.NO_REAL_ROOT),
                (~regular, Case.DOUBLE),
            ],
            Case.REGULAR,
        ),
        shortfall=excess,
    )


def pair_roots(first: Row, second: Row, tolerances: Tolerances) -> AngleRoots:
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
                (~found & (shortfall > tolerances.tangency), Case.NO_REAL_ROOT),
                (~found, Case.INCONSISTENT),
                (independent, Case.REGULAR),
            ],
            alone.case,
        ),
        shortfall=shortfall,
    )


def _stronger(first: Row, second: Row) -> Row:
    """The equation of larger amplitude, sample by sample."""
    keep = first.amplitude >= second.amplitude
    return Row(
        X=np.where(keep, first.X, second.X),
        Y=np.where(keep, first.Y, second.Y),
        Z=np.where(keep, first.Z, second.Z),
    )


def _crossing(first: Row, second: Row, determinant: Array) -> Array:
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


def _accepted(first: Row, second: Row, theta: Array, tolerances: Tolerances) -> Mask:
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
    row = Row(X=X, Y=Y, Z=Z)
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
    first, second = Row(X=X1, Y=Y1, Z=Z1), Row(X=X2, Y=Y2, Z=Z2)
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
        free=(found.case == Case.INDETERMINATE)[..., None],
    )
