"""A sphere artefact: a ball of 25 mm, as used to qualify a stylus."""

from __future__ import annotations

import numpy as np

from parts.geometry.surfaces import Sphere
from parts.library.quilt import Cloth, LibraryPart, grid_triangles, sewn

DIAMETER = 0.025  # [m]
_SEGMENTS = 96  # round the equator


def ball() -> LibraryPart:
    """The whole ball about the origin."""
    angles = 2.0 * np.pi * np.arange(_SEGMENTS + 1) / _SEGMENTS
    heights = np.pi * (np.arange(_SEGMENTS // 2 + 1) / (_SEGMENTS // 2) - 0.5)
    phi, theta = np.meshgrid(angles, heights, indexing="ij")
    net = np.stack([np.cos(theta) * np.cos(phi), np.cos(theta) * np.sin(phi), np.sin(theta)], -1)
    surface = Sphere(centre=np.zeros(3), radius=DIAMETER / 2)
    cloth = Cloth(name="ball", corners=grid_triangles(DIAMETER / 2 * net), surface=surface)
    return LibraryPart(
        name="ball",
        summary="A sphere artefact of 25 mm diameter about the origin.",
        geometry=sewn("ball", [cloth]),
        facts={"radius_m": DIAMETER / 2},
    )
