"""Are points and geometry off by a factor of 1000? Judged by their sizes and places.

Points a thousand times too far lie many sizes away from the part, spread wider than it, and fit
into its box when they are divided by 1000. Points a thousand times too small are a crumb at the
origin that fits when multiplied; a fine pattern that truly lies there is told from it by its
distance to the surface. Where inches explain a list that is too large better, it is they that are
named.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from parts.points.found import FoundPoints
from parts.points.probe_points import ProbePoints
from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.geometry import Geometry


FACTOR = 1000.0
INCH = 25.4
_FAR = 5.0  # sizes of the part; half of a list this far away is no slip of an alignment
_WIDE = 2.0  # sizes; no pattern of touches is wider than the part it lies on
_CRUMB = 2e-3  # sizes; a pattern of touches spans more
_MARGIN = 0.25  # sizes; points that fit may still be off the part by this
_ON_SURFACE = 0.05  # spreads of the points; nearer to the surface they are taken to lie on it
_MOST_ASKED = 200  # points whose distances are asked for


def check_scale(points: FoundPoints | ProbePoints, geometry: Geometry) -> None:
    """Refuse points and geometry whose sizes differ by a factor of about 1000.

    Args:
        points: in the part's frame.
        geometry: of the part.

    Raises:
        PointsError: they fit each other only when scaled by 1000.
    """
    positions = points.positions
    low, high = geometry.mesh.bounds
    size = float(np.linalg.norm(high - low))
    spread = float(np.linalg.norm(np.ptp(positions, axis=0)))
    away = np.linalg.norm(np.maximum(np.maximum(low - positions, positions - high), 0.0), axis=1)
    if (
        spread > _WIDE * size
        and np.median(away) > _FAR * size
        and _fits(positions / FACTOR, geometry, size)
    ):
        factor = _likelier(positions, spread, geometry)
        raise _off(points, geometry, size, spread, 1.0 / factor)
    if (
        0.0 < spread < _CRUMB * size
        and _fits(positions * FACTOR, geometry, size)
        and not _only_here(positions, spread, geometry)
    ):
        raise _off(points, geometry, size, spread, FACTOR)


def _fits(positions: Array, geometry: Geometry, size: float) -> bool:
    low, high = geometry.mesh.bounds
    margin = _MARGIN * size
    return bool(np.all((positions >= low - margin) & (positions <= high + margin)))


def _only_here(positions: Array, spread: float, geometry: Geometry) -> bool:
    """Whether the points lie on the surface as they are, and would not when multiplied."""
    some = positions[:: max(1, len(positions) // _MOST_ASKED)]
    here = geometry.closest(some).distances.max()
    there = geometry.closest(some * FACTOR).distances.max()
    return bool(here <= _ON_SURFACE * spread and there > _ON_SURFACE * spread * FACTOR)


def _likelier(positions: Array, spread: float, geometry: Geometry) -> float:
    """1000, or 25.4 where the points, divided by it, lie on the surface and not by 1000."""
    some = positions[:: max(1, len(positions) // _MOST_ASKED)]
    on_surface = [
        bool(geometry.closest(some / factor).distances.max() <= _ON_SURFACE * spread / factor)
        for factor in (FACTOR, INCH)
    ]
    return INCH if on_surface == [False, True] else FACTOR


def _off(
    points: FoundPoints | ProbePoints, geometry: Geometry, size: float, spread: float, scale: float
) -> PointsError:
    origin = points.source.origin if isinstance(points, FoundPoints) else "the points"
    farthest = float(np.linalg.norm(points.positions, axis=1).max())
    kind, factor = ("large", 1.0 / scale) if scale < 1.0 else ("small", scale)
    return PointsError(
        f"{origin} and {geometry.source} are off by a factor of {factor:g}: the points are too "
        f"{kind}. "
        f"They span {1e3 * spread:.4g} mm and reach {1e3 * farthest:.4g} mm from the origin; the "
        f"part measures {1e3 * size:.4g} mm across. Correct the unit of the one that is wrong.",
        file=origin,
        geometry=geometry.source,
        factor=scale,
        size=size,
        spread=spread,
    )
