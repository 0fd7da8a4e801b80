"""Follows solutions of the leg equations while the platform changes into another one.

The platform moves on a straight line in its 42 complex parameters, so every quadratic form is a
polynomial of degree two in t. All paths advance together, each with its own t and its own step:
Runge-Kutta along ẋ = −(∂f/∂x)⁻¹ ∂f/∂t, then Newton. A path lives in projective space, on the
affine patch c·x = 1 of a random c, so that it stays bounded even when its solution runs off.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.stewart.modes.study import (
    UNKNOWNS,
    LegGeometry,
    Numbers,
    leg_matrices,
    study_quadric,
)

FIRST_STEP = 0.02
SMALLEST_STEP = 1e-9
MOST_ROUNDS = 3000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrackedPaths:
    """Where the paths ended.

    Args:
        x: on the patch. # (paths, 8) complex
        t: 1 where the path arrived, less where its step became too small. # (paths,)
        rounds: batched steps that were made.
    """

    x: Numbers
    t: Numbers
    rounds: int

    @property
    def arrived(self) -> Numbers:
        """Paths that reached the wanted platform. # (paths,) bool."""
        return np.asarray(self.t == 1.0)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Homotopy:
    """The system along the way; ``powers`` are the forms' coefficients of 1, t and t².

    Args:
        powers: # (8, 3·7·8) complex, laid out so that x @ powers is all of Q₀x, Q₁x and Q₂x
        patch: c of c·x = 1. # (8,) complex
    """

    powers: Numbers
    patch: Numbers

    def jacobian(self, x: Numbers, t: Numbers) -> Numbers:
        """∂f/∂x, the patch's row last. # (paths, 8, 8)."""
        return self._jacobian(self._products(x), t)

    def newton_step(self, x: Numbers, t: Numbers) -> Numbers:
        """Correction at fixed t. # (paths, 8)."""
        J = self._jacobian(self._products(x), t)
        f = (J @ x[..., None])[..., 0]
        f[:, :7] *= 0.5
        f[:, 7] -= 1.0
        return -np.linalg.solve(J, f[..., None])[..., 0]

    def tangent(self, x: Numbers, t: Numbers) -> Numbers:
        """dx/dt along the path. # (paths, 8)."""
        products = self._products(x)
        rate = np.zeros_like(x)
        slope = products[:, 1] + (2.0 * t)[:, None, None] * products[:, 2]
        rate[:, :7] = (slope @ x[..., None])[..., 0]
        return -np.linalg.solve(self._jacobian(products, t), rate[..., None])[..., 0]

    def _products(self, x: Numbers) -> Numbers:
        return (x @ self.powers).reshape(-1, 3, 7, UNKNOWNS)

    def _jacobian(self, products: Numbers, t: Numbers) -> Numbers:
        s = t[:, None, None]
        J = np.empty((len(products), UNKNOWNS, UNKNOWNS), dtype=np.complex128)
        J[:, :7] = 2.0 * (products[:, 0] + s * (products[:, 1] + s * products[:, 2]))
        J[:, 7] = self.patch
        return J


def make_homotopy(start: LegGeometry, end: LegGeometry, patch: Numbers) -> Homotopy:
    """The straight way from one platform to another."""
    D0 = leg_matrices(start.base, start.platform).astype(np.complex128)
    D1 = leg_matrices(end.base - start.base, end.platform - start.platform)
    D0t, D1t = np.swapaxes(D0, -1, -2), np.swapaxes(D1, -1, -2)
    eye = np.eye(4)
    Q = np.zeros((3, 7, UNKNOWNS, UNKNOWNS), dtype=np.complex128)
    Q[0, :6, :4, :4] = D0t @ D0 - start.squares[:, None, None] * eye
    Q[1, :6, :4, :4] = D0t @ D1 + D1t @ D0 - (end.squares - start.squares)[:, None, None] * eye
    Q[2, :6, :4, :4] = D1t @ D1
    Q[0, :6, :4, 4:], Q[0, :6, 4:, :4], Q[0, :6, 4:, 4:] = D0t, D0, eye
    Q[1, :6, :4, 4:], Q[1, :6, 4:, :4] = D1t, D1
    Q[0, 6] = study_quadric()
    powers = np.ascontiguousarray(Q.reshape(-1, UNKNOWNS).T)
    return Homotopy(powers=powers, patch=patch)


def track(homotopy: Homotopy, x: Numbers, *, tolerance: float = 1e-4) -> TrackedPaths:
    """Follow every path from t = 0 to t = 1.

    Args:
        homotopy: the changing system.
        x: solutions at t = 0. # (paths, 8) complex
        tolerance: largest relative error of a prediction; smaller is slower and safer.
    """
    x = x / (x @ homotopy.patch)[:, None]
    t, step = np.zeros(len(x)), np.full(len(x), FIRST_STEP)
    alive = np.full(len(x), True)
    rounds = 0
    while np.any(alive) and rounds < MOST_ROUNDS:
        rounds += 1
        k = np.flatnonzero(alive)
        ahead = np.minimum(t[k] + step[k], 1.0)
        moved, error = _attempt(homotopy, x[k], t[k], ahead)
        good = error <= tolerance
        x[k[good]], t[k[good]] = moved[good], ahead[good]
        # the prediction's error grows with the fifth power of the step
        growth = 0.8 * (tolerance / np.maximum(error, 1e-30)) ** 0.2
        step[k] *= np.clip(np.where(np.isfinite(growth), growth, 0.0), 0.25, 2.5)
        alive[k] = (t[k] < 1.0) & (step[k] > SMALLEST_STEP)
    return TrackedPaths(x=x, t=t, rounds=rounds)


def _attempt(homotopy: Homotopy, x: Numbers, t: Numbers, ahead: Numbers) -> tuple[Numbers, Numbers]:
    """One Runge-Kutta step and two Newton steps; the relative error is infinite where they fail."""
    try:
        moved = x + _runge_kutta(homotopy, x, t, ahead - t)
        first = homotopy.newton_step(moved, ahead)
        second = homotopy.newton_step(moved + first, ahead)
    except np.linalg.LinAlgError:  # an exactly singular matrix: shorten every step of the round
        return x, np.full(len(x), np.inf)
    size = np.linalg.norm(moved, axis=-1)
    error = np.linalg.norm(first, axis=-1) / size
    left = np.linalg.norm(second, axis=-1) / size
    converges = np.isfinite(left) & (left <= np.maximum(0.05 * error, 1e-9))
    return moved + first + second, np.where(converges, error, np.inf)


def _runge_kutta(homotopy: Homotopy, x: Numbers, t: Numbers, h: Numbers) -> Numbers:
    half, middle = 0.5 * h[:, None], t + 0.5 * h
    k1 = homotopy.tangent(x, t)
    k2 = homotopy.tangent(x + half * k1, middle)
    k3 = homotopy.tangent(x + half * k2, middle)
    k4 = homotopy.tangent(x + h[:, None] * k3, t + h)
    return h[:, None] / 6.0 * (k1 + 2.0 * (k2 + k3) + k4)
