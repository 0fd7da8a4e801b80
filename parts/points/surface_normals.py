"""Missing normals from the part's surface, and normals that point into the material.

A normal is judged by two steps from the surface, one along it and one against it: the first must
end outside the material, the second inside. Where the first does, and the surface's own normal
agrees, the second is spared. Nothing is ever turned round.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

import numpy as np

from parts.points.found import FoundPoints
from parts.points.probe_points import ProbePoints
from robots.core.arrays import Array, Mask, freeze_fields

if TYPE_CHECKING:
    from parts.geometry import ClosestPoints, Geometry


_STEP = 1e-5  # sizes of the part; far above rounding, far below any wall that can be probed
_DEFLECTIONS = 4.0  # the triangles may stand off the true surface by this much less
_AGREES = 0.9  # cosine with the surface's normal, above which one step outside is enough
_MOST_TOLD = 5


class JudgedBy(Enum):
    """How normals were compared with the material."""

    MATERIAL = "steps into and out of the material"
    ORIENTATION = "the surface's own orientation, since the mesh is not watertight"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NormalReport:
    """What the surface says about points and their normals.

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
    judged_by: JudgedBy

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
                f"Of {int(self.unsure.sum())} normals it cannot be told whether they point into "
                f"the material ({self._named(self.unsure)}): on an edge, a thin wall, or along the "
                "surface."
            )
        return tuple(told)

    def _named(self, mask: Mask) -> str:
        rows = np.flatnonzero(mask)
        return ", ".join(self.names[row] for row in rows[:_MOST_TOLD]) + (
            ", …" if rows.size > _MOST_TOLD else ""
        )


def with_surface_normals(
    points: FoundPoints | ProbePoints, geometry: Geometry
) -> tuple[ProbePoints, NormalReport]:
    """Give every point without a normal that of the nearest surface, and judge all normals.

    Args:
        points: in the part's frame; those of a file may lack normals.
        geometry: of the part.

    Returns:
        The points, each with its normal, and the report.
    """
    checked = points.checked if isinstance(points, FoundPoints) else points
    taken = (
        ~points.has_normal if isinstance(points, FoundPoints) else np.zeros(len(points), dtype=bool)
    )
    closest = geometry.closest(checked.positions)
    normals = np.where(taken[:, None], closest.normals, checked.normals)
    filled = ProbePoints(
        names=checked.names,
        positions=checked.positions,
        normals=normals,
        features=checked.features,
        warnings=checked.warnings,
    )
    return filled, _report(filled, taken, closest, geometry)


def _report(
    points: ProbePoints, taken: Mask, closest: ClosestPoints, geometry: Geometry
) -> NormalReport:
    cosines = np.einsum("ij,ij->i", points.normals, closest.normals)
    if geometry.audit.watertight:
        judged_by = JudgedBy.MATERIAL
        into_material, unsure = _judged(points.normals, cosines, closest, geometry)
    else:
        judged_by = JudgedBy.ORIENTATION
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
