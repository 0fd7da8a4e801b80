"""Where a test sphere is touched: directions from its centre, its pole along +z."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array

# Angle from the pole, number of points and turn of each ring, each ring turned by 22.5 degrees from
# the one before it, as coordinate measuring machines are usually probed: in the style of ISO 10360.
_RINGS = ((0.0, 1, 0.0), (22.5, 4, 0.0), (45.0, 8, 22.5), (67.5, 4, 45.0), (90.0, 8, 22.5))
_FEW = ((0.0, 1, 0.0), (90.0, 4, 0.0))


def hemisphere() -> Array:
    """25 directions on a hemisphere. # (25, 3) unit."""
    return _rings(_RINGS)


def cap() -> Array:
    """Five directions: the pole and four on the equator. # (5, 3) unit."""
    return _rings(_FEW)


def orientations(tilt: float) -> Array:
    """Five poles: +z and four tilted from it, a quarter turn apart. # (5, 3) unit. Args: [rad]."""
    return _rings(((0.0, 1, 0.0), (np.degrees(tilt), 4, 45.0)))


def towards(pole: Array) -> Array:
    """A rotation that takes +z to a pole, different for every pole but always the same. # (3, 3).

    Args:
        pole: unit. # (3,)
    """
    x = np.cross(pole, np.eye(3)[int(np.argmin(np.abs(pole)))])
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(pole, x), pole])


def _rings(rings: tuple[tuple[float, int, float], ...]) -> Array:
    found = []
    for polar, count, turn in rings:
        azimuths = np.radians(turn + 360.0 / count * np.arange(count))
        t = np.full(count, np.radians(polar))
        found.append(
            np.column_stack([np.sin(t) * np.cos(azimuths), np.sin(t) * np.sin(azimuths), np.cos(t)])
        )
    return np.concatenate(found)
