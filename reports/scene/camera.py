"""Where a scene is looked at from first: the whole cell, from the side, a little from above."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.scene.model import Scene

Array = NDArray[np.float64]

FIELD_OF_VIEW = np.radians(40.0)  # vertical
_ASPECT = 1.2  # width over height of the narrowest window that must show everything
_MARGIN = 1.06
_ELEVATION = np.radians(24.0)
_BESIDE = np.radians(55.0)  # from the direction in which the robot works
_UP = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Camera:
    """A view. # (3,) [m] each, base frame."""

    position: Array
    look_at: Array


def first_view(scene: Scene) -> Camera:
    """The camera that sees all of a scene, at any time of it."""
    middle = scene.bounds.mean(axis=0)
    corners = np.stack(np.meshgrid(*scene.bounds.T), axis=-1).reshape(-1, 3) - middle
    out = _direction(scene)
    right = np.cross(_UP, out)
    right /= np.linalg.norm(right)
    up = np.cross(out, right)
    half = np.tan(FIELD_OF_VIEW / 2.0)
    # Every corner must lie within the pyramid of sight that starts at the camera.
    needs = [
        np.abs(corners @ up) / half + corners @ out,
        np.abs(corners @ right) / (half * _ASPECT) + corners @ out,
    ]
    distance = _MARGIN * max(float(np.max(needs)), 1e-3)
    return Camera(position=middle + distance * out, look_at=middle)


def _direction(scene: Scene) -> Array:
    """From the cell to the camera: from beyond the work, turned aside, so that nothing hides it."""
    work = scene.points.positions.mean(axis=0)[:2]
    heading = float(np.arctan2(work[1], work[0])) if np.any(work) else 0.0
    turn = heading - _BESIDE
    flat = np.cos(_ELEVATION)
    return np.array([np.cos(turn) * flat, np.sin(turn) * flat, np.sin(_ELEVATION)])
