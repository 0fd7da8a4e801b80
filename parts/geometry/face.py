"""Faces: the pieces of a part's skin that can be named, chosen and measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.geometry.surfaces import Surface
from robots.core.arrays import Indices, freeze_fields

KINDS = ("plane", "cylinder", "cone", "sphere", "torus", "freeform", "facets", "unidentified")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Face:
    """A face of a CAD body, or a whole body of a mesh file.

    Args:
        name: unique in its geometry: the file's own where it has one, else kind and index.
        index: place in ``Geometry.faces``.
        kind: that of the surface; "freeform" for CAD faces without analytic surface (their
            normals are interpolated), "facets" where the triangles are all there is,
            "unidentified" where a CAD file has faces there that were not told apart.
        surface: the analytic surface, with its outside; None for the last three kinds.
        triangles: rows of the mesh's faces. # (t,)
        deflection: largest distance of the triangles from the true surface; measured on analytic
            faces, the translator's tolerance on freeform ones, 0 on facets. # [m]
    """

    name: str
    index: int
    kind: str
    surface: Surface | None
    triangles: Indices
    deflection: float = 0.0

    def __post_init__(self) -> None:
        freeze_fields(self, "triangles", dtype=np.int64)

    @property
    def reversed(self) -> bool:
        """Whether the outside is against the surface's own normal, as in a hole."""
        return self.surface is not None and self.surface.reversed
