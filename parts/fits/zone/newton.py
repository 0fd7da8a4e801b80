"""Newton's method on the contact points: the Kuhn-Tucker equations, and what they certify."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.frame import State
from parts.fits.zone.goal import Goal, Touching
from robots.core.arrays import Array

_DIFFERENCE = 1e-5  # of the points' size: central differences of the Jacobian
_SHARE = 1e-3  # of the distance from a line, which is the radius of that distance's curvature
_FLAT = 1e-9  # beside the largest: a gradient combination below it leaves a direction free


class Kuhn(NamedTuple):
    """A step of Newton's method on the contacts."""

    step: Array  # scaled, (p,)
    multipliers: Array  # (n,)


class Bend(NamedTuple):
    """The least second derivative along the contacts' free directions."""

    curvature: float  # infinite where there is none
    direction: Array  # scaled, of length 1 or 0, (p,)


def hessian(goal: Goal, state: State, touching: Touching, W: Array) -> Array:
    """Σ λ σ ∇²d with the scaled unknowns, from central differences of the Jacobian.

    The frames of the shifted states are turned a little, which adds multiples of Σ λ σ ∇d only:
    nothing at a Kuhn-Tucker point. # (p, p)
    """
    weights = touching.multipliers * touching.sides
    h = _DIFFERENCE
    if goal.model.components > 1:
        h = min(h, _SHARE * goal.peak(goal.rows(state, touching.points).residuals))
    H = np.empty((goal.count, goal.count))
    for column, unit in enumerate(h * np.eye(goal.count)):
        ahead = goal.rows(goal.moved(state, unit), touching.points).jacobian
        back = goal.rows(goal.moved(state, -unit), touching.points).jacobian
        H[:, column] = (ahead - back) @ weights / (2.0 * h)
    return np.asarray(W.T @ (0.5 * (H + H.T)) @ W)


def kuhn_step(goal: Goal, state: State, touching: Touching, W: Array) -> Kuhn:
    """Solve H y + A λ = 0, Σ λ = 1, c + Aᵀ y = τ for the step, the multipliers and τ."""
    rows = goal.rows(state, touching.points)
    A = W.T @ (touching.sides * rows.jacobian)
    c = touching.sides * rows.residuals
    p, n = A.shape
    K = np.zeros((p + 1 + n, p + 1 + n))
    K[:p, :p] = hessian(goal, state, touching, W)
    K[:p, p + 1 :] = A
    K[p, p + 1 :] = 1.0
    K[p + 1 :, :p] = A.T
    K[p + 1 :, p] = -1.0
    right = np.concatenate([np.zeros(p), [1.0], c.max() - c])
    solved = np.linalg.lstsq(K, right, rcond=1e-13)[0]
    return Kuhn(np.asarray(solved[:p]), np.asarray(solved[p + 1 :]))


def balance(goal: Goal, state: State, touching: Touching, W: Array) -> Array:
    """Multipliers of sum 1 whose Σ λ σ ∇d is least, where the contacts are. # (n,)."""
    rows = goal.rows(state, touching.points)
    A = np.vstack([W.T @ (touching.sides * rows.jacobian), np.ones(len(touching.points))])
    right = np.append(np.zeros(goal.count), 1.0)
    return np.asarray(np.linalg.lstsq(A, right, rcond=1e-13)[0])


def bend(goal: Goal, state: State, touching: Touching, W: Array) -> Bend:
    """Second derivative of the Lagrangian where the contacts hold nothing to first order."""
    rows = goal.rows(state, touching.points)
    A = W.T @ (touching.sides * rows.jacobian)
    U, s, _ = np.linalg.svd(A)
    rank = int(np.sum(s > _FLAT * s[0])) if len(s) else 0
    Z = U[:, rank:]
    if Z.shape[1] == 0:
        return Bend(float("inf"), np.zeros(goal.count))
    values, vectors = np.linalg.eigh(Z.T @ hessian(goal, state, touching, W) @ Z)
    return Bend(float(values[0]), np.asarray(Z @ vectors[:, 0]))
