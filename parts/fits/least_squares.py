"""The shared core: Levenberg-Marquardt far from the minimum, Newton's method near it.

Every linear system is solved from the triangle of an orthogonal (QR) factorisation of the Jacobian
beside the residuals; the normal equations are never formed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.model import Model, Rows
from robots.core.arrays import Array

_FIRST_DAMPING = 1e-4
_CLOSE = 1e-12  # predicted share of the sum of squares: below it the sum cannot judge a step
_ROUNDING = 1e-30  # mean square of residuals that are rounding only, in the points' size
_POLISHING = 12  # steps of Newton's method; it needs two or three
_BLOCK = 256  # rows of a tall matrix that are factorised together
_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian


class Triangle(NamedTuple):
    """Q J = R and Q r = z for the first p rows, with Q orthogonal."""

    R: Array  # (p, p), upper
    z: Array  # (p,)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Minimum:
    """Where the iteration has ended.

    Args:
        state: of the model.
        rows: residuals and Jacobian there.
        iterations: linear systems solved.
        ended: the sum of squares could not be made less, within the limit of iterations.
    """

    state: State
    rows: Rows
    iterations: int
    ended: bool = True

    @property
    def cost(self) -> float:
        """Sum of squares."""
        return float(self.rows.residuals @ self.rows.residuals)


def triangle_of(rows: Rows) -> Triangle:
    """Factorise. The last column of the triangle of [J r] carries the residuals."""
    p = len(rows.jacobian)
    R = tall_triangle(np.concatenate([rows.jacobian, rows.residuals[None]]).T)
    if len(R) < p + 1:  # fewer residuals than unknowns, or exactly as many
        R = np.concatenate([R, np.zeros((p + 1 - len(R), p + 1))])
    return Triangle(R[:p, :p], R[:p, p])


def tall_triangle(A: Array) -> Array:
    """R of a tall matrix, by blocks whose triangles are factorised again (TSQR).

    Blocks stay in the cache, and below the size from which BLAS starts threads that wait for each
    other on a busy machine. # (m, n) to (min(m, n), n).
    """
    while len(A) > 2 * _BLOCK:
        m, n = A.shape
        padded = np.zeros((-(-m // _BLOCK) * _BLOCK, n))
        padded[:m] = A
        blocks = np.asarray(np.linalg.qr(padded.reshape(-1, _BLOCK, n), mode="r"))
        A = blocks.reshape(-1, n)
    return np.asarray(np.linalg.qr(A, mode="r"), dtype=np.float64)


def rows_at(model: Model, points: Array, state: State, weights: Array | None) -> Rows:
    """Residuals and Jacobian, weighted. Args: weights of the squares # (k,)."""
    rows = model.rows(points, state)
    if weights is None:
        return rows
    root = np.sqrt(np.tile(weights, len(rows.residuals) // len(weights)))
    return Rows(root * rows.residuals, root * rows.jacobian)


def minimise(
    model: Model,
    points: Array,
    start: State,
    *,
    weights: Array | None = None,
    limit: int = 100,
) -> Minimum:
    """Levenberg-Marquardt with Nielsen's damping, scaled by the Jacobian's columns.

    Args:
        model: feature.
        points: of size 1. # (3, k)
        start: where to begin.
        weights: of the squares. # (k,)
        limit: of linear systems.
    """
    state, rows = start, rows_at(model, points, start, weights)
    cost = float(rows.residuals @ rows.residuals)
    floor = _ROUNDING * points.shape[1]
    damping, growth, solved = _FIRST_DAMPING, 2.0, 0
    R, z = triangle_of(rows)
    while solved < limit and cost > floor:
        solved += 1
        step = _damped(R, z, damping)
        predicted = float(z @ z - np.sum((z + R @ step) ** 2))
        if predicted <= _CLOSE * cost:
            break
        trial = state.moved(model.freedoms, step)
        trial_rows = rows_at(model, points, trial, weights)
        gain = (cost - float(trial_rows.residuals @ trial_rows.residuals)) / predicted
        if gain > 0.0:
            state, rows = trial, trial_rows
            cost = float(rows.residuals @ rows.residuals)
            R, z = triangle_of(rows)
            damping, growth = damping * max(1.0 / 3.0, 1.0 - (2.0 * gain - 1.0) ** 3), 2.0
        else:
            damping, growth = damping * growth, 2.0 * growth
    return Minimum(state=state, rows=rows, iterations=solved, ended=solved < limit)


def _damped(R: Array, z: Array, damping: float) -> Array:
    lengths = np.linalg.norm(R, axis=0)
    lengths = np.maximum(lengths, 1e-12 * max(float(lengths.max()), 1e-300))
    system = np.concatenate([R, np.sqrt(damping) * np.diag(lengths)])
    right = np.concatenate([-z, np.zeros(len(z))])
    return np.asarray(np.linalg.lstsq(system / lengths, right, rcond=None)[0] / lengths)


def condition_of(R: Array) -> float:
    """Of the triangle with columns brought to length one; infinite where one is zero."""
    lengths = np.linalg.norm(R, axis=0)
    if not lengths.min() > 0.0:
        return float("inf")
    s = np.linalg.svd(R / lengths, compute_uv=False)
    return float(s[0] / s[-1]) if s[-1] > 0.0 else float("inf")


def second_order(model: Model, points: Array, state: State, residuals: Array) -> Array:
    """Σ r ∇²r, from central differences of the analytic Jacobian with the residuals held.

    The frames of the shifted states are turned a little, which adds multiples of Jᵀr only: nothing
    at a minimum. # (p, p).
    """
    p = model.count
    S = np.empty((p, p))
    for column, unit in enumerate(np.eye(p)):
        ahead = model.rows(points, state.moved(model.freedoms, _DIFFERENCE * unit)).jacobian
        ahead -= model.rows(points, state.moved(model.freedoms, -_DIFFERENCE * unit)).jacobian
        S[:, column] = ahead @ residuals / (2.0 * _DIFFERENCE)
    return 0.5 * (S + S.T)


def curvature_of(R: Array, S: Array) -> Array:
    """The true second derivative beside Gauss-Newton's: I + R⁻ᵀ S R⁻¹. # (p, p)."""
    left = np.linalg.solve(R.T, S)
    M = np.linalg.solve(R.T, left.T)
    return np.asarray(np.eye(len(R)) + 0.5 * (M + M.T))


def newton_step(tri: Triangle, M: Array) -> Array:
    """What Newton's method would still move: -R⁻¹ M⁻¹ z. # (p,)."""
    return -np.asarray(np.linalg.solve(tri.R, np.linalg.solve(M, tri.z)))


class Polished(NamedTuple):
    """A minimum, and the second-order part beside it."""

    minimum: Minimum
    S: Array  # (p, p)


def polish(model: Model, points: Array, minimum: Minimum) -> Polished:
    """Newton's steps from a minimum that the sum of squares can no longer tell from the true one.

    Steps are taken while each is less than half the one before: then rounding is all that is left.
    A point where the second derivative is not positive is left to the certificate.
    """
    state, rows, solved = minimum.state, minimum.rows, minimum.iterations
    S = second_order(model, points, state, rows.residuals)
    before = np.inf
    for _ in range(_POLISHING):
        tri = triangle_of(rows)
        M = curvature_of(tri.R, S)
        if np.linalg.eigvalsh(M)[0] <= 0.0:
            break
        step = newton_step(tri, M)
        length = float(np.linalg.norm(step))
        if length >= 0.5 * before or length > 0.1:
            break
        before, solved = length, solved + 1
        state = state.moved(model.freedoms, step)
        rows = model.rows(points, state)
    return Polished(Minimum(state=state, rows=rows, iterations=solved), S)
