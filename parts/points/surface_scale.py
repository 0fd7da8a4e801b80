"""Do points lie on a part's surface only when they are multiplied by the ratio of two units?

Sizes and places alone tell a factor of 1000; inches hide among them. The surface tells: points that
it does not know as they are, and nearly all of which lie on it when scaled, are in another unit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from robots.core.arrays import Array

if TYPE_CHECKING:
    from parts.geometry import Geometry


_INCH, _METRE = 25.4, 1000.0
FACTORS = (_INCH, _METRE, _METRE / _INCH)  # mm, in and m, taken for each other
_ON_SURFACE = 0.02  # spreads of the points; nearer to the surface they lie on it, ball or no ball
_KNOWN = 0.5  # of the points on the surface as they are: their unit is right
_NEARLY_ALL = 0.95  # of the points on the surface when scaled: their unit is found
_FEWEST = 3  # points; fewer lie on a surface by chance
_SPREADS = (0.2, 1.5)  # sizes of the part; a crumb at the origin lies on any face through it
_MOST_ASKED = 200  # points whose distances are asked for


@dataclass(frozen=True, slots=True, kw_only=True)
class SurfaceScale:
    """A factor that brings points to the surface.

    Args:
        factor: by which the points must be multiplied.
        as_given: points that lie on the surface as they are.
        scaled: points that lie on it when multiplied.
        asked: points of which these are.
    """

    factor: float
    as_given: int
    scaled: int
    asked: int


def surface_scale(positions: Array, geometry: Geometry, origin: Array) -> SurfaceScale | None:
    """The ratio of two units that brings points to the surface; None where there is none.

    Args:
        positions: of the points, part frame. # (k, 3) [m]
        geometry: of the part.
        origin: of the frame that the points are given in; what is scaled about. # (3,) [m]
    """
    some = positions[:: max(1, len(positions) // _MOST_ASKED)]
    spread = float(np.linalg.norm(np.ptp(some, axis=0)))
    if len(some) < _FEWEST or spread == 0.0:
        return None
    as_given = _on_surface(some, geometry, spread)
    if as_given > _KNOWN * len(some):
        return None
    low, high = (share * float(np.linalg.norm(geometry.mesh.size)) for share in _SPREADS)
    likely = [f for one in FACTORS for f in (one, 1.0 / one) if low <= f * spread <= high]
    found = {f: _on_surface(origin + f * (some - origin), geometry, f * spread) for f in likely}
    best = max(found, key=lambda factor: found[factor], default=1.0)
    if found.get(best, 0) < _NEARLY_ALL * len(some):
        return None
    return SurfaceScale(factor=best, as_given=as_given, scaled=found[best], asked=len(some))


def _on_surface(positions: Array, geometry: Geometry, spread: float) -> int:
    return int(np.count_nonzero(geometry.closest(positions).distances <= _ON_SURFACE * spread))
