"""Transforms of scenes and builds: possibly with scale, possibly nonsense from a damaged file."""

from __future__ import annotations

import numpy as np

from parts.geometry.source_file import SourceFile
from robots.core.arrays import Array, Indices


def chained(file: SourceFile, above: Array, local: Array) -> Array:
    """The transform of a child in the coordinates of the root. # (4, 4).

    Raises:
        PartError: the product is not finite.
    """
    with np.errstate(all="ignore"):  # what overflows is refused in the next line
        T = above @ local
    if not np.isfinite(T).all():
        raise file.error("a transform of its scene is not finite; it is damaged. Export it again.")
    return np.asarray(T)


def carried(vertices: Array, T: Array) -> Array:
    """Vertices after a transform; those that are not finite stay so, and are refused later."""
    with np.errstate(all="ignore"):
        return np.asarray(vertices @ T[:3, :3].T + T[:3, 3])


def turned(faces: Indices, T: Array) -> Indices:
    """Triangles after a transform; one that mirrors turns them the other way round."""
    with np.errstate(all="ignore"):
        mirrors = np.linalg.det(T[:3, :3]) < 0.0
    return faces[:, ::-1] if mirrors else faces
