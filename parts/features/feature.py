"""A feature: a named, bounded piece of the part that is measured as one thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.features.patch import Patch
from parts.features.rim import Rim
from robots.core.arrays import Array, Mask

KINDS = ("plane", "line", "circle", "cylinder", "cone", "sphere", "torus", "freeform", "facets")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Feature:
    """What is to be measured, in the part frame.

    Args:
        name: that its points carry.
        patch: its extent: exact where ``rim`` is left out, otherwise a box that ``rim`` cuts.
        rim: where the surface really ends; of features that come from a geometry.
    """

    name: str
    patch: Patch
    rim: Rim | None = None

    @property
    def kind(self) -> str:
        """One of ``KINDS``."""
        return self.patch.kind

    def inset(self, margin: float) -> Patch:
        """The piece that points may take: its bounds move inward by a margin.

        A box around a face may shrink like the face: whoever is near its side is near the edge of
        the face, which lies inside.

        Raises:
            FeatureError: nothing is left.
        """
        return self.patch.inset(margin)

    def keeps(self, points: Array, margin: float) -> Mask:
        """Whether points of ``inset`` lie where there is surface. # (k,)."""
        if self.rim is None:
            return np.ones(len(points), dtype=bool)
        return self.rim.keeps(points, margin)
