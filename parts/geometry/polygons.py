"""Polygons → triangles."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Indices


def fanned(corners: Indices, sizes: Indices) -> tuple[Indices, Indices]:
    """Cut polygons into triangles that share the first corner; right for convex ones.

    Args:
        corners: vertices of all polygons, one after the other. # (c,)
        sizes: corners of each polygon, at least 3. # (p,)

    Returns:
        Triangles (f, 3), and the polygon of each (f,).
    """
    pieces = sizes - 2
    polygon = np.repeat(np.arange(len(sizes)), pieces)
    starts = np.cumsum(sizes) - sizes
    first = starts[polygon]
    step = np.arange(len(polygon)) - (np.cumsum(pieces) - pieces)[polygon]
    return corners[np.stack([first, first + step + 1, first + step + 2], axis=1)], polygon


def fan_note(sizes: Indices) -> tuple[str, ...]:
    """A sentence about polygons that were cut; none where all were triangles."""
    cut = int((sizes > 3).sum())
    if not cut:
        return ()
    return (
        f"{cut} polygons of more than three corners were cut into triangles from their first "
        "corner, which is right for flat convex ones only.",
    )
