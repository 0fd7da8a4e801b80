"""Proof that a posture exists near a computed one, and that no other lies beside it.

Theorem (Newton-Kantorovich, with an approximate inverse). Let F be the eight quadratic equations
of ``modes.study`` with |q| = 1, x any point and C any regular 8 × 8 matrix. If

    |C F(x)| ≤ η,     ‖1 − C F'(x)‖ ≤ δ < 1,     ‖C (F'(y) − F'(z))‖ ≤ K |y − z| for all y, z

and (1 − δ)² > 2 K η, then F has exactly one zero within ρ of x, it lies within r of x, where

    r, ρ = ((1 − δ) ∓ √((1 − δ)² − 2 K η)) / K,

and F' is regular there. (y ↦ y − C F(y) maps the ball of radius r into itself and contracts it.)

The bound K is not a sample: row k of C (F'(y) − F'(z)) is 2 (y − z)ᵀ S_k with the constant
matrices S_k = Σ_j C_kj Q_j, so its Frobenius norm is at most 2 √λ |y − z|, λ the largest eigenvalue
of Σ_k S_kᴴ S_k. It holds on the whole space, not near x only. η, δ and K are enlarged
by bounds of what rounding can have done to them: what is proved is about the platform whose points,
about their middle, and lengths are the double precision numbers used. The same holds over the
complex numbers, with the same bounds.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.stewart.modes.study import UNKNOWNS, Numbers

# Bound of the relative rounding error of a sum of products as they occur here: at most 30
# operations in a row and the scaling of the data before them, times the unit roundoff.
ROUNDING = 64 * 2.0**-53


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Certificate:
    """The outcome for a batch of points; distances are in the space of the Study parameters.

    Args:
        holds: whether the theorem's condition is met. # (...) bool
        kantorovich: 2 K η / (1 − δ)², less than 1 where it is met. # (...)
        radius: r: the zero is no further than this; infinite where nothing is proved. # (...)
        alone: ρ: no other zero is nearer than this; 0 where nothing is proved. # (...)
    """

    holds: Numbers
    kantorovich: Numbers
    radius: Numbers
    alone: Numbers


def with_unit(forms: Numbers) -> Numbers:
    """The seven forms with |q|² as the eighth; F's constant is then −1 in the last row."""
    Q = np.zeros((*forms.shape[:-3], UNKNOWNS, UNKNOWNS, UNKNOWNS), dtype=forms.dtype)
    Q[..., :7, :, :] = forms
    Q[..., 7, :4, :4] = np.eye(4)
    return Q


def newton_step(Q: Numbers, x: Numbers) -> Numbers:
    """Newton's correction of x for the eight equations. # (..., 8)."""
    gradients = (Q @ x[..., None, :, None])[..., 0]
    F = (gradients @ x[..., None])[..., 0]
    F[..., 7] -= 1.0
    return -np.linalg.solve(2.0 * gradients, F[..., None])[..., 0]


def certify(forms: Numbers, x: Numbers) -> Certificate:
    """Apply the theorem at points x with C ≈ F'(x)⁻¹; a singular F'(x) proves nothing.

    Args:
        forms: of ``quadratic_forms``. # (..., 7, 8, 8)
        x: |q| ≈ 1. # (..., 8), real or complex
    """
    Q = with_unit(forms)
    gradients = (Q @ x[..., None, :, None])[..., 0]
    J = 2.0 * gradients
    F = (gradients @ x[..., None])[..., 0]
    F[..., 7] -= 1.0
    C = _inverse(J)
    eta, delta, K = _constants(Q, x, F, C)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        room = np.where(delta < 1.0, 1.0 - delta, 0.0)
        kantorovich = np.where(room > 0.0, 2.0 * K * eta / room**2, np.inf)
        holds = np.isfinite(kantorovich) & (kantorovich < 1.0)
        root = room * np.sqrt(np.where(holds, 1.0 - kantorovich, 0.0))
        # r as 2η / (…) does not cancel
        radius = np.where(holds, 2.0 * eta / (room + root) * (1.0 + 1e-12), np.inf)
        alone = np.where(holds, (room + root) / K * (1.0 - 1e-12), 0.0)
    return Certificate(holds=holds, kantorovich=kantorovich, radius=radius, alone=alone)


def lipschitz_bound(Q: Numbers, C: Numbers) -> Numbers:
    """K with ‖C (F'(y) − F'(z))‖ ≤ K |y − z| for all y and z. # (...)."""
    S = (C @ Q.reshape(*Q.shape[:-2], -1)).reshape(*C.shape, UNKNOWNS)
    gram = np.sum(np.conj(np.swapaxes(S, -1, -2)) @ S, axis=-3)
    finite = np.all(np.isfinite(gram), axis=(-2, -1))
    gram = np.where(finite[..., None, None], gram, np.eye(UNKNOWNS))
    largest = np.maximum(np.linalg.eigvalsh(gram)[..., -1], 0.0)
    spread = _spread(Q).reshape(*Q.shape[:-2], -1)
    sizes = np.linalg.norm(C, axis=(-2, -1)) * np.linalg.norm(spread, axis=(-2, -1))
    return np.where(finite, 2.0 * (np.sqrt(largest) * (1.0 + 1e-8) + ROUNDING * sizes), np.inf)


def _constants(Q: Numbers, x: Numbers, F: Numbers, C: Numbers) -> tuple[Numbers, Numbers, Numbers]:
    """η, δ and K, each with its share of rounding."""
    size_C, size_x = np.abs(C), np.abs(x)
    size_J = (_spread(Q) @ size_x[..., None, :, None])[..., 0]
    size_F = (size_J @ size_x[..., None])[..., 0] + 1.0
    eta = np.linalg.norm((C @ F[..., None])[..., 0], axis=-1)
    eta = eta + 2.0 * ROUNDING * np.linalg.norm((size_C @ size_F[..., None])[..., 0], axis=-1)
    J = 2.0 * (Q @ x[..., None, :, None])[..., 0]
    delta = np.linalg.norm(np.eye(UNKNOWNS) - C @ J, axis=(-2, -1))
    delta = delta + 4.0 * ROUNDING * np.linalg.norm(size_C @ size_J, axis=(-2, -1))
    return eta, delta, lipschitz_bound(Q, C)


def _spread(Q: Numbers) -> Numbers:
    """Sizes of the terms that the entries of the forms are sums of. # (..., 8, 8, 8).

    The entries of D are all the sums and differences of a's and b's components, so the largest of
    them bounds the terms of each; L² is what DᵀD − Q has left.
    """
    D = Q[..., 4:, :4]
    Dt = np.swapaxes(D, -1, -2)
    largest = np.max(np.abs(D), axis=(-2, -1), keepdims=True)
    square = np.max(np.abs(Dt @ D - Q[..., :4, :4]), axis=(-2, -1), keepdims=True)
    sizes = np.abs(Q)
    sizes[..., :4, :4] = 4.0 * largest**2 + square
    sizes[..., 4:, :4] = sizes[..., :4, 4:] = largest
    return sizes


def _inverse(J: Numbers) -> Numbers:
    """Inverse of every matrix of a batch; infinite entries where one is exactly singular."""
    try:
        return np.linalg.inv(J)
    except np.linalg.LinAlgError:
        singular = np.linalg.matrix_rank(J) < UNKNOWNS
        C = np.linalg.inv(np.where(singular[..., None, None], np.eye(UNKNOWNS), J))
        return np.where(singular[..., None, None], np.nan, C)
