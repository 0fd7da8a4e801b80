"""Points checked against the part's surface: normals, unit and scale.

A normal is judged by two steps from the surface, one along it and one against it: the first must
end outside the material, the second inside. Where the first does, and the surface's own normal
agrees, the second is spared. Nothing is ever turned round.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from parts.errors import PointsError
from parts.points.probe_points import ProbePoints
from parts.points.raw_points import RawPoints
from robots.core.arrays import Array, Mask, freeze_fields

if TYPE_CHECKING:
    from parts.geometry import ClosestPoints, Geometry

_STEP = 1e-5  # sizes of the part; far above rounding, far below any wall that can be probed
_DEFLECTIONS = 4.0  # the triangles may stand off the true surface by this much less
_AGREES = 0.9  # cosine with the surface's normal, above which one step outside is enough
_MOST_TOLD = 5


class NormalCheck(Enum):
    """Method by which normals were compared with the material."""

    MATERIAL = "steps into and out of the material"
    ORIENTATION = "the surface's own orientation, since the mesh is not watertight"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalReport:
    """Comparison of points and normals with the surface.

    Args:
        names: of the points.
        distances: from each point to the surface, never below zero. # (k,) [m]
        taken: whether the normal was taken from the surface. # (k,)
        analytic: whether the surface's normal there is exact; otherwise it is that of a triangle,
            or interpolated. # (k,)
        angles: between the point's normal and the surface's. # (k,) [rad]
        into_material: whether the normal points into the material. # (k,)
        unsure: whether that cannot be told, as on edges and thin walls. # (k,)
        judged_by: how that was found.
    """

    names: tuple[str, ...]
    distances: Array
    taken: Mask
    analytic: Mask
    angles: Array
    into_material: Mask
    unsure: Mask
    judged_by: NormalCheck

    def __post_init__(self) -> None:
        freeze_fields(self, "distances", "taken", "analytic", "angles", "into_material", "unsure")

    def inward_names(self) -> tuple[str, ...]:
        """Names of the points whose normals point into the material."""
        return tuple(self.names[row] for row in np.flatnonzero(self.into_material).tolist())

    def sentences(self) -> tuple[str, ...]:
        """The report in words: distances, where normals came from, and what is wrong with them."""
        farthest = int(np.argmax(self.distances))
        told = [
            f"The points lie at most {1e3 * self.distances[farthest]:.4g} mm from the surface "
            f"({self.names[farthest]})."
        ]
        if self.taken.any():
            exact = int((self.taken & self.analytic).sum())
            count = int(self.taken.sum())
            told.append(
                f"{count} of {len(self.names)} normals were taken from the nearest surface: "
                f"{exact} exact, from analytic faces, {count - exact} from triangles or "
                "interpolated."
            )
        if self.into_material.any():
            told.append(
                f"{int(self.into_material.sum())} of {len(self.names)} normals point into the "
                f"material ({self._named(self.into_material)}; judged by {self.judged_by.value}); "
                "they were left as they are: turn them round in the file, or the part in its."
            )
        if self.unsure.any():
            told.append(
                f"Of {int(self.unsure.sum())} normals it cannot be determined whether they point "
                f"into the material ({self._named(self.unsure)}): on an edge, a thin wall, or "
                "along the surface."
            )
        return tuple(told)

    def _named(self, mask: Mask) -> str:
        rows = np.flatnonzero(mask)
        return ", ".join(self.names[row] for row in rows[:_MOST_TOLD]) + (
            ", …" if rows.size > _MOST_TOLD else ""
        )


def with_surface_normals(
    points: RawPoints | ProbePoints, geometry: Geometry
) -> tuple[ProbePoints, NormalReport]:
    """Give every point without a normal that of the nearest surface, and judge all normals.

    Args:
        points: in the part's frame; those of a file may lack normals.
        geometry: of the part.

    Returns:
        The points, each with its normal, and the report.
    """
    checked = points.checked if isinstance(points, RawPoints) else points
    taken = (
        ~points.has_normal if isinstance(points, RawPoints) else np.zeros(len(points), dtype=bool)
    )
    closest = geometry.closest(checked.positions)
    normals = np.where(taken[:, None], closest.normals, checked.normals)
    filled = replace(checked, normals=normals)
    return filled, _report(filled, taken, closest, geometry)


def _report(
    points: ProbePoints, taken: Mask, closest: ClosestPoints, geometry: Geometry
) -> NormalReport:
    cosines = np.einsum("ij,ij->i", points.normals, closest.normals)
    if geometry.audit.watertight:
        judged_by = NormalCheck.MATERIAL
        into_material, unsure = _judged(points.normals, cosines, closest, geometry)
    else:
        judged_by = NormalCheck.ORIENTATION
        unsure = np.abs(cosines) < _STEP
        into_material = ~unsure & (cosines < 0.0)
    sines = np.linalg.norm(np.cross(points.normals, closest.normals), axis=1)
    return NormalReport(
        names=points.names,
        distances=closest.distances,
        taken=taken,
        analytic=closest.analytic,
        angles=np.arctan2(sines, cosines),  # exact for small angles, unlike arccos
        into_material=into_material,
        unsure=unsure,
        judged_by=judged_by,
    )


def _judged(
    normals: Array, cosines: Array, closest: ClosestPoints, geometry: Geometry
) -> tuple[Mask, Mask]:
    """Whether normals point into the material, and whether that cannot be told. # (k,), (k,)."""
    size = float(np.linalg.norm(geometry.mesh.size))
    deflections = np.array([face.deflection for face in geometry.faces])[closest.faces]
    steps = np.maximum(_STEP * size, _DEFLECTIONS * deflections)[:, None] * normals
    along = geometry.inside(closest.points + steps)
    against = ~along
    doubtful = np.flatnonzero(along | (cosines < _AGREES))
    if doubtful.size:
        against[doubtful] = geometry.inside(closest.points[doubtful] - steps[doubtful])
    return along & ~against, along == against


# -------------------------------------------------------------------- Unit factors, by the surface
# Sizes and places alone tell a factor of 1000; inches hide among them. The surface tells: points
# that it does not know as they are, and nearly all of which lie on it when scaled, are in another
# unit.

_CENTIMETRE, _INCH, _METRE = 10.0, 25.4, 1000.0  # [mm]
# mm, cm, in and m, taken for each other; inches are not taken for centimetres.
FACTORS = (_CENTIMETRE, _INCH, _METRE, _METRE / _INCH, _METRE / _CENTIMETRE)
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


# ----------------------------------------------------------------------- Factors of 1000, by sizes
# Points a thousand times too far lie many sizes away from the part, spread wider than it, and fit
# into its box when they are divided by 1000. Points a thousand times too small are a crumb at the
# origin that fits when multiplied; a fine pattern that truly lies there is told from it by its
# distance to the surface. Where inches explain a list that is too large better, it is they that are
# named.

FACTOR = 1000.0
INCH = 25.4
_FAR = 5.0  # sizes of the part; half of a list this far away is no slip of an alignment
_WIDE = 2.0  # sizes; no pattern of touches is wider than the part it lies on
_CRUMB = 2e-3  # sizes; a pattern of touches spans more
_MARGIN = 0.25  # sizes; points that fit may still be off the part by this
_SCALE_GUARD_ON_SURFACE = (
    0.05  # spreads of the points; nearer to the surface they are taken to lie on it
)


def check_scale(points: RawPoints | ProbePoints, geometry: Geometry) -> None:
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
    """Return whether the points lie on the surface as they are, and would not when multiplied."""
    some = positions[:: max(1, len(positions) // _MOST_ASKED)]
    here = geometry.closest(some).distances.max()
    there = geometry.closest(some * FACTOR).distances.max()
    return bool(
        here <= _SCALE_GUARD_ON_SURFACE * spread
        and there > _SCALE_GUARD_ON_SURFACE * spread * FACTOR
    )


def _likelier(positions: Array, spread: float, geometry: Geometry) -> float:
    """1000, or 25.4 where the points, divided by it, lie on the surface and not by 1000."""
    some = positions[:: max(1, len(positions) // _MOST_ASKED)]
    on_surface = [
        bool(
            geometry.closest(some / factor).distances.max()
            <= _SCALE_GUARD_ON_SURFACE * spread / factor
        )
        for factor in (FACTOR, INCH)
    ]
    return INCH if on_surface == [False, True] else FACTOR


def _off(
    points: RawPoints | ProbePoints, geometry: Geometry, size: float, spread: float, scale: float
) -> PointsError:
    origin = points.source.origin if isinstance(points, RawPoints) else "the points"
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
