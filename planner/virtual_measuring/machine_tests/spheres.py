"""Spheres through many sets of points at once: least squares, and the smallest that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from robots.core.arrays import Array

_ROUNDS = 6  # Gauss-Newton from the nominal sphere: errors of 1e-3 square to nothing in three
_OUTSIDE = 1e-9  # of the radius: rounding of a point that lies on its sphere
_FLAT = 1e-12  # of the points' spread to the power of the determinant: no sphere through them


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FittedSpheres:
    """Least-squares spheres, by orthogonal distances.

    Args:
        centres: # (m, 3) [m]
        radii: # (m,) [m]
        residuals: distances of the points, positive outside. # (m, k) [m]
    """

    centres: Array
    radii: Array
    residuals: Array


def fitted_spheres(points: Array, centre: Array, radius: float) -> FittedSpheres:
    """Fit a sphere to every set of points.

    Args:
        points: sets of at least four, not in one plane. # (m, k, 3) [m]
        centre: of the nominal sphere, where the search starts. # (3,) [m]
        radius: of it. [m]
    """
    m, k = points.shape[:2]
    centres, radii = np.tile(centre, (m, 1)), np.full(m, radius)
    for _ in range(_ROUNDS):
        arms = points - centres[:, None]
        away = np.linalg.norm(arms, axis=2)
        J = np.concatenate([arms / away[..., None], np.ones((m, k, 1))], axis=2)
        Jt = np.swapaxes(J, 1, 2)
        gaps = Jt @ (away - radii[:, None])[..., None]
        step = np.linalg.solve(Jt @ J, gaps)[..., 0]
        centres, radii = centres + step[:, :3], radii + step[:, 3]
    residuals = np.linalg.norm(points - centres[:, None], axis=2) - radii[:, None]
    return FittedSpheres(centres=centres, radii=radii, residuals=residuals)


def enclosing_diameters(points: Array) -> Array:
    """Diameters of the smallest spheres that hold every set of a few points.

    The smallest sphere is the smallest of those through two, three or four of its points that
    holds all others: with a few points all of them are tried.

    Args:
        points: # (m, k, 3) [m]

    Returns:
        # (m,) [m]
    """
    best = np.full(len(points), np.inf)
    middle = points.mean(axis=1, keepdims=True)
    scale = float(np.abs(points - middle).max(initial=0.0))
    if scale == 0.0 or points.shape[1] < 2:
        return np.zeros(len(points))
    arms = (points - middle) / scale
    for size in range(2, min(points.shape[1], 4) + 1):
        for chosen in combinations(range(points.shape[1]), size):
            centres, radii = _through(arms[:, list(chosen)])
            farthest = np.linalg.norm(arms - centres[:, None], axis=2).max(axis=1)
            holds = farthest <= radii * (1.0 + _OUTSIDE) + _OUTSIDE
            best = np.where(holds & (radii < best), radii, best)
    return np.asarray(2.0 * scale * best)


def _through(points: Array) -> tuple[Array, Array]:
    """Centres in the span of their points, and radii; not finite where there is none."""
    first = points[:, :1]
    B = points[:, 1:] - first
    gram = B @ np.swapaxes(B, 1, 2)
    lengths = np.einsum("mii->mi", gram)
    product = np.prod(lengths, axis=1)
    flat = np.abs(np.linalg.det(gram)) <= _FLAT * np.maximum(product, _FLAT)
    safe = np.where(flat[:, None, None], np.eye(B.shape[1]), gram)
    shares = np.linalg.solve(safe, 0.5 * lengths[..., None])[..., 0]
    offset = np.einsum("mi,mij->mj", shares, B)
    radii = np.where(flat, np.inf, np.linalg.norm(offset, axis=1))
    return np.where(flat[:, None], 0.0, first[:, 0] + offset), radii
