"""The narrowest annulus about a handful of points: every candidate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array

MOST = 24
_PARALLEL = 1e-12


class Annulus(NamedTuple):
    """About a centre."""

    centre: Array  # (2,)
    width: float


def narrowest_annulus(points: Array) -> Annulus:
    """Try every crossing of two bisectors of pairs of points.

    A local optimum has two points on each circle: with one on either, Kuhn and Tucker's condition
    would write a unit vector as a mean of others. So its centre is on two bisectors.

    Args:
        points: # (k, 2), k ≤ ``MOST``
    """
    i, j = np.triu_indices(len(points), 1)
    a = points[j] - points[i]
    b = 0.5 * (np.sum(points[j] ** 2, axis=1) - np.sum(points[i] ** 2, axis=1))
    m, n = np.triu_indices(len(a), 1)
    area = a[m, 0] * a[n, 1] - a[m, 1] * a[n, 0]
    size = np.linalg.norm(a[m], axis=1) * np.linalg.norm(a[n], axis=1)
    good = np.abs(area) > _PARALLEL * size
    m, n, area = m[good], n[good], area[good]
    x = (b[m] * a[n, 1] - b[n] * a[m, 1]) / area
    y = (a[m, 0] * b[n] - a[n, 0] * b[m]) / area
    rho = np.hypot(x[:, None] - points[:, 0], y[:, None] - points[:, 1])
    widths = np.ptp(rho, axis=1)
    best = int(np.argmin(widths))
    return Annulus(np.array([x[best], y[best]]), float(widths[best]))
