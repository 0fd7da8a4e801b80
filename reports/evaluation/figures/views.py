"""Points in space as they are drawn flat: along their three main directions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from robots.core.arrays import Array

_NEAR = 0.9  # cosine: an axis of the part that is near enough
_ROUND = np.array([1.0, 2.0, 5.0, 10.0])


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawingPlane:
    """A plane to draw on.

    Args:
        origin: middle of the points. # (3,) [m]
        axes: across, up, and towards the reader. # (3, 3) rows, unit
    """

    origin: Array
    axes: Array

    def flat(self, points: Array) -> Array:
        """Where points are drawn. # (..., 3) -> (..., 2) [m]."""
        return np.asarray((points - self.origin) @ self.axes[:2].T)


def main_view(points: Array, outward: Array | None = None) -> DrawingPlane:
    """The view in which points are spread widest; along an axis of the part where one is near.

    Args:
        points: # (k, 3) [m]
        outward: directions that should come towards the reader. # (k, 3)
    """
    origin = points.mean(axis=0)
    _, _, rows = np.linalg.svd(points - origin, full_matrices=True)
    across, toward = _signed(rows[0]), _signed(rows[2])
    near = int(np.argmax(np.abs(toward)))
    if abs(toward[near]) > _NEAR:
        across, toward = np.eye(3)[(near + 1) % 3], np.eye(3)[near]
        if abs(rows[0] @ across) < abs(rows[0, (near + 2) % 3]):
            across = np.eye(3)[(near + 2) % 3]
    if outward is not None and float(np.sum(outward @ toward)) < 0.0:
        toward = -toward
    return DrawingPlane(origin=origin, axes=np.array([across, np.cross(toward, across), toward]))


def view_along(toward: Array, origin: Array) -> DrawingPlane:
    """The view along a direction. Args: toward, unit, to the reader. # (3,); origin # (3,) [m]."""
    helper = np.eye(3)[int(np.argmin(np.abs(toward)))]
    across = np.cross(helper, toward)
    across /= np.linalg.norm(across)
    return DrawingPlane(origin=origin, axes=np.array([across, np.cross(toward, across), toward]))


def magnification(largest: float, wanted: float) -> float:
    """A round factor by which the largest length is drawn about as long as wanted."""
    if largest <= 0.0 or wanted <= 0.0:
        return 1.0
    ratio = wanted / largest
    power = 10.0 ** np.floor(np.log10(ratio))
    return float(power * _ROUND[int(np.searchsorted(_ROUND * power, ratio * (1 + 1e-12))) - 1])


def _signed(direction: Array) -> Array:
    """One of two opposite directions: the one whose largest component is above zero."""
    largest = int(np.argmax(np.abs(direction) > np.abs(direction).max() - 1e-9))
    return np.asarray(direction if direction[largest] > 0.0 else -direction)
