"""A torus from the linear equations of a Darboux cyclide."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array


class CyclideRings(NamedTuple):
    """At most one candidate."""

    centres: Array  # (m, 3)
    axes: Array  # (m, 3)
    radii: Array  # (m,)


def cyclide_torus(points: Array) -> CyclideRings:
    """Fit u² + u (l·p) + p·Q p + m·p + n = 0 with u = |p|², and read the torus from it.

    With centre c, K = |c|² + R² - r² and axis w, a torus is the case l = -4 c and, up to a
    multiple of the identity, Q = 4 c cᵀ + 4 R² w wᵀ (from (|p - c|² + R² - r²)² = 4 R² ρ²).

    Args:
        points: of size 1, at least 14. # (3, k)
    """
    x, y, z = points
    u = x * x + y * y + z * z
    columns = [u * x, u * y, u * z, x * x, y * y, z * z, x * y, x * z, y * z, x, y, z]
    A = np.stack([*columns, np.ones_like(x)], axis=1)
    c = np.linalg.lstsq(A, -u * u, rcond=1e-12)[0]
    centre = -c[:3] / 4.0
    Q = np.diag(c[3:6])
    Q[[0, 0, 1], [1, 2, 2]] = 0.5 * c[6:9]
    Q = Q + np.triu(Q, 1).T - 4.0 * np.outer(centre, centre)
    values, vectors = np.linalg.eigh(Q)
    square = (values[2] - 0.5 * (values[0] + values[1])) / 4.0
    if not square > 0.0:
        return CyclideRings(np.zeros((0, 3)), np.zeros((0, 3)), np.zeros(0))
    return CyclideRings(centre[None], vectors[:, 2][None], np.array([np.sqrt(square)]))
