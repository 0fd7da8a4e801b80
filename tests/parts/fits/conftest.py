"""Point sets whose least-squares answer is known exactly, and the reference sets of NIST.

A point displaced along the surface's normal keeps its normal and its lever (p × n), so the Jacobian
at the true feature does not change with the displacement. A pattern of displacements orthogonal to
its columns makes the true feature a stationary point, and for displacements this small the minimum.
"""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data" / "reference-fits"
Z = np.array([0.0, 0.0, 1.0])
FULL = 2.0 * np.pi


def orthogonal_pattern(columns, amplitude, rng):
    """Random numbers orthogonal to columns, the largest of them the amplitude."""
    U, s, _ = np.linalg.svd(np.asarray(columns), full_matrices=False)
    U = U[:, s > 1e-10 * s[0]]
    pattern = rng.normal(size=len(U))
    for _ in range(3):  # repeated: rounding of the first time
        pattern -= U @ (U.T @ pattern)
    return amplitude * pattern / np.abs(pattern).max()


def _round(rng, count, sweep):
    angle = rng.uniform(0.0, sweep, count)
    return np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)


def _plane(rng, count):
    points = np.column_stack([rng.uniform(-0.1, 0.1, (count, 2)), np.zeros(count)])
    return points, np.tile(Z, (count, 1)), [], {"axis": Z}


def _sphere(rng, count, *, radius=0.0125, cap=np.pi / 2):
    z = rng.uniform(np.cos(cap), 1.0, count)
    n = np.sqrt(1.0 - z**2)[:, None] * _round(rng, count, FULL) + z[:, None] * Z
    values = {"centre": np.zeros(3), "diameter": 2.0 * radius}
    return radius * n, n, [np.ones(count)], values


def _cylinder(rng, count, *, radius=0.02, length=0.05, sweep=FULL):
    n = _round(rng, count, sweep)
    points = radius * n + rng.uniform(0.0, length, count)[:, None] * Z
    return points, n, [np.ones(count)], {"axis": Z, "diameter": 2.0 * radius}


def _cone(rng, count, *, half=0.4, low=0.02, high=0.06, sweep=FULL):
    n = _round(rng, count, sweep)
    t = rng.uniform(low, high, count)
    points = t[:, None] * (np.sin(half) * n + np.cos(half) * Z)
    normals = np.cos(half) * n - np.sin(half) * Z
    return points, normals, [t], {"axis": Z, "apex": np.zeros(3), "apex_angle": 2.0 * half}


def _torus(rng, count, *, ring=0.05, tube=0.015, sweep=FULL, low=0.0, width=FULL):
    n, b = _round(rng, count, sweep), low + rng.uniform(0.0, width, count)
    normals = np.cos(b)[:, None] * n + np.sin(b)[:, None] * Z
    values = {"axis": Z, "centre": np.zeros(3)}
    values |= {"major_diameter": 2.0 * ring, "minor_diameter": 2.0 * tube}
    return ring * n + tube * normals, normals, [np.cos(b), np.ones(count)], values


def _line2d(rng, count):
    points = np.outer(rng.uniform(-0.1, 0.1, count), [1.0, 0.0])
    return points, np.tile([0.0, 1.0], (count, 1)), [], {"axis": np.array([1.0, 0.0])}


def _circle2d(rng, count, *, radius=0.03, sweep=FULL):
    n = _round(rng, count, sweep)[:, :2]
    values = {"centre": np.zeros(2), "diameter": 2.0 * radius}
    return radius * n, n, [np.ones(count)], values


SURFACES = {
    "plane": _plane,
    "sphere": _sphere,
    "cylinder": _cylinder,
    "cone": _cone,
    "torus": _torus,
    "line2d": _line2d,
    "circle2d": _circle2d,
}


def _lever(points, normals):
    if points.shape[1] == 3:
        return np.cross(points, normals)
    return points[:, :1] * normals[:, 1:] - points[:, 1:] * normals[:, :1]


def _displaced(kind, rng, count, amplitude, **sizes):
    points, n, extra, values = SURFACES[kind](rng, count, **sizes)
    columns = np.column_stack([n, _lever(points, n), *extra])
    e = orthogonal_pattern(columns, amplitude, rng) if amplitude else np.zeros(count)
    return points + e[:, None] * n, n, e, values


def _line3d(rng, count, amplitude):
    h = rng.uniform(-0.1, 0.1, count)
    columns = np.column_stack([np.ones(count), h])
    off = [orthogonal_pattern(columns, amplitude, rng) for _ in "xy"] if amplitude else [0 * h] * 2
    points = np.column_stack([*off, h])
    return points, np.tile(Z, (count, 1)), np.hypot(*off), {"axis": Z}


def _circle3d(rng, count, amplitude, **sizes):
    flat, n, e, values = _displaced("circle2d", rng, count, amplitude, **sizes)
    columns = np.column_stack([np.ones(count), flat])
    height = orthogonal_pattern(columns, amplitude, rng) if amplitude else 0.0 * e
    values = {"axis": Z, "centre": np.zeros(3), "diameter": values["diameter"]}
    return np.column_stack([flat, height]), np.column_stack([n, 0.0 * e]), e, values


def make_known(kind, *, seed=0, count=40, amplitude=2e-5, place=True, offset=1.0, **sizes):
    """Points, normals, residuals and values, moved to a random place."""
    rng = np.random.default_rng(seed)
    special = {"line3d": _line3d, "circle3d": _circle3d}
    if kind in special:
        points, n, e, values = special[kind](rng, count, amplitude, **sizes)
    else:
        points, n, e, values = _displaced(kind, rng, count, amplitude, **sizes)
    d = points.shape[1]
    R = Rotation.random(rng=rng).as_matrix()
    if d == 2:
        a = rng.uniform(0.0, FULL)
        R = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
    t = offset * rng.normal(size=d)
    if not place:
        R, t = np.eye(d), np.zeros(d)
    moved = {
        name: R @ v + t if name in ("centre", "apex") else R @ v if name == "axis" else v
        for name, v in values.items()
    }
    return SimpleNamespace(
        kind=kind, points=points @ R.T + t, normals=n @ R.T, residuals=e, values=moved
    )


@pytest.fixture(scope="session")
def known():
    """See ``make_known``."""
    return make_known


@pytest.fixture(scope="session")
def reference():
    """Points and reference numbers of a NIST set."""

    def read(name):
        if not SHARED.is_dir():
            pytest.skip("the NIST sets (../shared/data/reference-fits) are not on this machine")
        points = np.loadtxt(SHARED / f"{name}.ds", skiprows=1)
        return points, np.loadtxt(SHARED / f"{name}.fit")

    return read


@pytest.fixture(scope="session")
def misfit():
    """Largest distance of a fit's values from the known ones; an axis has two names."""

    def measure(fit, values):
        worst = 0.0
        for name, value in values.items():
            ours = fit.value(name)
            if name == "axis" and ours @ value < 0.0:
                ours = -ours
            worst = max(worst, float(np.abs(ours - value).max()))
        return worst

    return measure
