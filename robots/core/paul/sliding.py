"""A prismatic variable r, alone or with one angle: types 1, 4 and 5 of Paul's method."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array, Mask
from robots.core.paul.roots import (
    DEFAULT_TOLERANCES,
    Case,
    Roots,
    Tolerances,
    checked,
    gathered,
    named,
)
from robots.core.paul.sine import AngleRoots, Row, pair_roots, sine_roots


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
            [(~solved, Case.INCONSISTENT), (open_, Case.INDETERMINATE)],
            Case.REGULAR,
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
            [(~consistent, Case.INCONSISTENT), (open_, Case.INDETERMINATE)],
            Case.REGULAR,
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
    linked = sine_roots(Row(X=z2 * X1, Y=-z1 * X2, Z=z2 * Y1 - z1 * Y2), floor, tolerances.tangency)
    zero = np.zeros_like(X1)
    pinned = pair_roots(Row(X=X1, Y=zero, Z=Y1), Row(X=zero, Y=X2, Z=Y2), tolerances)
    angle = _chosen(loose, pinned, linked)
    found = angle.valid.any(axis=-1)
    height = X1[..., None] * np.sin(angle.angles) - Y1[..., None]  # what Z1 r must be
    width = X2[..., None] * np.cos(angle.angles) - Y2[..., None]  # what Z2 r must be
    r = _quotient(z1[..., None] * height + z2[..., None] * width, gain[..., None], loose[..., None])
    imbalance = np.maximum(np.abs(height - Z1[..., None] * r), np.abs(width - Z2[..., None] * r))
    return gathered(
        {"theta": angle.angles, "r": r},
        angle.valid,
        named([(loose & found, Case.INDETERMINATE)], angle.case),
        shortfall=angle.shortfall,
        residual=imbalance,
        free=np.stack([angle.case == Case.INDETERMINATE, loose & found], axis=-1),
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
