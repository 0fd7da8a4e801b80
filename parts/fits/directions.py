"""Directions from which a feature with an axis may be seen, judged all at once.

For each direction the points are looked at along it; a circle, or a circle that grows with height,
is drawn about them by linear equations, and the distances from it say how good the direction is.
Source: the idea of searching the half sphere of directions for a cylinder's axis is Eberly's; the
linear equations are those of Kåsa's circle.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.patch_curvature import curvatures_of
from parts.fits.plane import principal_axes
from robots.core.arrays import Array, Indices

_GRID = 200  # about 10 degrees apart
_APART = 0.2  # [rad] between starts that are tried
_FEW = 20  # points: so few are seen as a feature from many wrong sides; more starts are tried
_MORE = 3


class View(NamedTuple):
    """Points seen along each of m directions, from the best centre for it."""

    axes: Array  # (m, 3)
    centres: Array  # in the points' coordinates, (m, 3)
    rho: Array  # distances from the axes, (m, k)
    height: Array  # along the axes, from the centroid, (m, k)

    def only(self, rows: Indices) -> View:
        """Some of the directions."""
        return View(*(field[rows] for field in self))


def half_sphere(count: int = _GRID) -> Array:
    """Directions spread evenly over a half sphere (golden angle). # (count, 3)."""
    index = np.arange(count)
    z = (index + 0.5) / count
    angle = index * np.pi * (3.0 - np.sqrt(5.0))
    r = np.sqrt(1.0 - z**2)
    return np.stack([r * np.cos(angle), r * np.sin(angle), z], axis=1)


def likely_axes(points: Array, tilts: tuple[float, ...] = (0.0,)) -> Array:
    """The grid, the principal axes, and the rulings of the patch that the points look like.

    Args:
        points: centred. # (3, k)
        tilts: of a ruling against the axis, towards the normal: a cone's half angles. [rad]
    """
    axes = [half_sphere(), principal_axes(points)]
    patch = curvatures_of(points)
    for ruling in (patch.first, patch.second):
        turned = [np.cos(t) * ruling + np.sin(t) * patch.normal for t in tilts]
        axes.append(np.array(turned))
    return np.concatenate(axes)


def seen_along(axes: Array, points: Array, conical: bool) -> View:
    """Look along each axis; the centre solves |p|² = 2 c·p + k, for cones + k₃ h + k₄ h².

    Args:
        axes: unit. # (m, 3)
        points: centred. # (3, k)
        conical: the radius may grow with the height.
    """
    x_axes, y_axes = _squares(axes)
    x, y, h = x_axes @ points, y_axes @ points, axes @ points
    columns = [x, y, np.ones_like(x)] + ([h, h * h] if conical else [])
    A = np.stack(columns, axis=1)
    normal = A @ A.transpose(0, 2, 1)
    right = A @ (x * x + y * y)[:, :, None]
    solved = (np.linalg.pinv(normal, rcond=1e-13, hermitian=True) @ right)[:, :, 0]
    a, b = 0.5 * solved[:, :1], 0.5 * solved[:, 1:2]
    return View(axes, a * x_axes + b * y_axes, np.hypot(x - a, y - b), h)


def _squares(axes: Array) -> tuple[Array, Array]:
    """Two unit directions square to each axis. # (m, 3) each."""
    other = np.eye(3)[np.argmin(np.abs(axes), axis=1)]
    x_axes = np.cross(axes, other)
    x_axes /= np.linalg.norm(x_axes, axis=1, keepdims=True)
    return x_axes, np.cross(axes, x_axes)


def best_apart(axes: Array, costs: Array, count: int, points: int) -> Indices:
    """The cheapest axes, none near another. # (≤ count,), more where there are few points."""
    count = count if points > _FEW else _MORE * count
    chosen: list[int] = []
    for row in np.argsort(costs, kind="stable").tolist():
        if all(abs(axes[row] @ axes[other]) < np.cos(_APART) for other in chosen):
            chosen.append(row)
        if len(chosen) == count:
            break
    return np.array(chosen, dtype=np.intp)
