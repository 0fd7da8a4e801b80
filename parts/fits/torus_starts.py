"""Where a torus may stand: candidates from four readings of the points, judged all at once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from parts.fits.cyclide import cyclide_torus
from parts.fits.cylinder import CylinderModel
from parts.fits.directions import best_apart, likely_axes, seen_along
from parts.fits.frame import State, state_about
from parts.fits.least_squares import minimise
from parts.fits.patch_curvature import curvatures_of
from robots.core.arrays import Array

_STARTS = 10
_TURNS = 16  # directions about a tube in which its ring may lie
_RINGS = (1.5, 3.0, 8.0)  # radius of the ring in radii of the tube
_FARTHEST = 20.0  # of the points' size: a centre of curvature beyond it says "straight"


class Rings(NamedTuple):
    """Circles round which a tube may run."""

    centres: Array  # (m, 3)
    axes: Array  # (m, 3)
    radii: Array  # (m,)


def torus_starts(points: Array) -> list[State]:
    """The best candidates. Args: points, centred, of size 1 # (3, k)."""
    sets = [_whole(points), _patch(points), _tube(points)]
    if points.shape[1] >= 14:
        sets.append(Rings(*cyclide_torus(points)))
    rings = Rings(*(np.concatenate(fields) for fields in zip(*sets, strict=True)))
    away = points[None] - rings.centres[:, :, None]
    height = np.einsum("md,mdk->mk", rings.axes, away)
    rho = np.sqrt(np.maximum(np.sum(away**2, axis=1) - height**2, 0.0))
    length = np.hypot(rho - rings.radii[:, None], height)
    tube, costs = length.mean(axis=1), length.var(axis=1)
    good = np.flatnonzero((rings.radii > 0.0) & np.isfinite(costs))
    chosen = good[best_apart(rings.axes[good], costs[good], _STARTS, points.shape[1])]
    return [
        state_about(rings.centres[i], rings.axes[i], float(rings.radii[i]), float(tube[i]))
        for i in chosen.tolist()
    ]


def _whole(points: Array) -> Rings:
    """Seen along an axis a ring; then its meridian is a circle, drawn by linear equations."""
    view = seen_along(likely_axes(points), points, conical=False)
    x, y = view.rho, view.height
    A = np.stack([x, y, np.ones_like(x)], axis=1)
    right = A @ (x * x + y * y)[:, :, None]
    normal = A @ A.transpose(0, 2, 1)
    solved = (np.linalg.pinv(normal, rcond=1e-13, hermitian=True) @ right)[:, :, 0]
    centres = view.centres + 0.5 * solved[:, 1:2] * view.axes
    return Rings(centres, view.axes, 0.5 * solved[:, 0])


def _patch(points: Array) -> Rings:
    """The normal meets the tube's circle and the axis at the centres of curvature."""
    patch = curvatures_of(points)
    bends = np.where(np.abs(patch.bends) < 1.0 / _FARTHEST, 1.0 / _FARTHEST, patch.bends)
    sets: list[Rings] = []
    for tube, ring, along in ((0, 1, patch.first), (1, 0, patch.second)):
        circle = patch.point + patch.normal / bends[tube]
        on_axis = patch.point + patch.normal / bends[ring]
        angles = np.arange(_TURNS) * np.pi / _TURNS
        axes = np.cos(angles)[:, None] * along + np.sin(angles)[:, None] * patch.normal
        centres = on_axis + (axes @ (circle - on_axis))[:, None] * axes
        sets.append(Rings(centres, axes, np.linalg.norm(circle - centres, axis=1)))
    return Rings(*(np.concatenate(fields) for fields in zip(*sets, strict=True)))


def _tube(points: Array) -> Rings:
    """A short piece of pipe is nearly a cylinder: rings through its axis, to all sides."""
    model = CylinderModel()
    pipes = [minimise(model, points, start, limit=10) for start in model.starts(points)[:3]]
    pipe = min(pipes, key=lambda pipe: pipe.cost).state
    x, y, z = pipe.R.T
    angles = np.arange(_TURNS) * 2.0 * np.pi / _TURNS
    towards = np.cos(angles)[:, None] * x + np.sin(angles)[:, None] * y
    foot = pipe.origin - (pipe.origin @ z) * z
    radii = np.repeat(abs(float(pipe.sizes[0])) * np.array(_RINGS), _TURNS)
    sides = np.tile(towards, (len(_RINGS), 1))
    return Rings(foot + radii[:, None] * sides, np.cross(sides, z), radii)
