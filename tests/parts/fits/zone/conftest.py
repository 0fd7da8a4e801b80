"""Exhaustive search: every set of points that can hold a zone, solved on its own equations.

Each candidate is judged by all points, so that it is an upper bound; the optimum is among them.
"""

from __future__ import annotations

from itertools import combinations
from types import SimpleNamespace

import numpy as np
import pytest


def strip(points):
    """Narrowest strip or slab: normals across pairs of points, or pairs and triples of edges."""
    k, d = points.shape
    edges = np.array([points[j] - points[i] for i, j in combinations(range(k), 2)])
    if d == 2:
        normals = np.stack([-edges[:, 1], edges[:, 0]], axis=1)
    else:  # a triple's normal is the product of two of its edges
        i, j = np.triu_indices(len(edges), 1)
        normals = np.cross(edges[i], edges[j])
    length = np.linalg.norm(normals, axis=1)
    normals = normals[length > 1e-12 * length.max()] / length[length > 1e-12 * length.max(), None]
    return float(np.ptp(normals @ points.T, axis=1).min())


def _spheres_through(points, outer, inner):
    """Concentric pair through both sets: linear in the centre and two constants."""
    rows = [*outer, *inner]
    which = np.array([[1.0, 0.0]] * len(outer) + [[0.0, 1.0]] * len(inner))
    A = np.column_stack([2.0 * points[rows], which])
    try:
        solved = np.linalg.solve(A, np.sum(points[rows] ** 2, axis=1))
    except np.linalg.LinAlgError:
        return None
    return solved[: points.shape[1]]


def shell(points):
    """Narrowest annulus or shell: two points on either circle, two or three on either sphere."""
    k, d = points.shape
    best = np.inf
    for rows in combinations(range(k), d + 2):
        for count in range(2, d + 1):
            for outer in combinations(rows, count):
                inner = [row for row in rows if row not in outer]
                centre = _spheres_through(points, outer, inner)
                if centre is not None:
                    best = min(best, float(np.ptp(np.linalg.norm(points - centre, axis=1))))
    return best


def _circumcentre(points):
    """Centre of the smallest sphere through d + 1 or fewer points."""
    a = points[1:] - points[0]
    return points[0] + np.linalg.lstsq(2.0 * a, np.sum(a**2, axis=1), rcond=None)[0]


def enclosing(points):
    """Least circle or sphere about the points, through 2 to d + 1 of them. Diameter."""
    k, d = points.shape
    best = np.inf
    for count in range(2, d + 2):
        for rows in combinations(range(k), count):
            centre = _circumcentre(points[list(rows)])
            best = min(best, float(np.linalg.norm(points - centre, axis=1).max()))
    return 2.0 * best


def empty(points):
    """Largest empty circle or sphere whose centre is amid the d + 1 points on it. Diameter."""
    k, d = points.shape
    best = 0.0
    for rows in combinations(range(k), d + 1):
        chosen = points[list(rows)]
        centre = _circumcentre(chosen)
        weights = np.linalg.solve(np.vstack([chosen.T, np.ones(d + 1)]), [*centre, 1.0])
        clear = np.linalg.norm(points - centre, axis=1).min()
        if weights.min() >= 0.0 and clear > best:
            radius = np.linalg.norm(chosen[0] - centre)
            if clear >= radius * (1.0 - 1e-12):
                best = float(clear)
    return 2.0 * best


def _heights(x, points):
    """Distances from axes (m, 4): offsets and slopes of z. # x (m, 5+), points (m, n, 3)."""
    w = np.stack([x[:, 2], x[:, 3], np.ones(len(x))], axis=1)
    w = w / np.sqrt(np.sum(w * w, axis=1))[:, None]
    o = np.stack([x[:, 0], x[:, 1], np.zeros(len(x))], axis=1)
    off = points - o[:, None]
    along = np.sum(off * w[:, None], axis=2)
    square = np.sum(off * off, axis=2) - along * along
    return np.sqrt(square)


def tube(points, start):
    """Narrowest cylindrical shell through six points; Newton from a start (c, d, a, b, r)."""
    sets, signs = [], []
    patterns = 1.0 - 2.0 * ((np.arange(1, 63)[:, None] >> np.arange(6)) & 1)
    for rows in combinations(range(len(points)), 6):
        sets += [rows] * len(patterns)
        signs.append(patterns)
    chosen, signs = points[np.array(sets)], np.concatenate(signs)
    x = np.tile(np.append(start, 0.0), (len(sets), 1))
    for _ in range(12):
        J = np.empty((len(x), 6, 6))
        for column in range(6):  # complex steps: exact to rounding
            z = x.astype(complex)
            z[:, column] += 1e-30j
            J[:, :, column] = _equations(z, chosen, signs).imag / 1e-30
        good = np.abs(np.linalg.det(J)) > 1e-14
        x, chosen, signs, J = x[good], chosen[good], signs[good], J[good]
        x = x - np.linalg.solve(J, _equations(x, chosen, signs)[:, :, None])[:, :, 0]
        good = np.abs(x - np.append(start, 0.0)).max(axis=1) < 1.0
        x, chosen, signs = x[good], chosen[good], signs[good]
    rho = _heights(x, np.tile(points, (len(x), 1, 1)))
    return float(np.ptp(rho, axis=1).min())


def _equations(x, points, signs):
    return _heights(x, points) - x[:, 4:5] - signs * x[:, 5:6]


@pytest.fixture(scope="session")
def exhaustive():
    """The searches by name."""
    return SimpleNamespace(
        strip=strip, shell=shell, enclosing=enclosing, empty=empty, tube=tube, heights=_heights
    )


@pytest.fixture(scope="session")
def rough(known):
    """Points of a feature with noise: many optima are near, as in a few points of a rough part."""

    def make(kind, *, seed=0, count=40, noise=1e-4, **sizes):
        case = known(kind, seed=seed, count=count, amplitude=0.0, offset=0.1, **sizes)
        rng = np.random.default_rng(seed + 1000)
        case.points = case.points + noise * rng.normal(size=case.points.shape)
        return case

    return make
