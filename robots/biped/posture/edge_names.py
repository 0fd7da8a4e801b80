"""Names of a support polygon's edges: toe, heel, left, right where they fit, else numbers."""

from __future__ import annotations

import numpy as np

from robots.biped.posture.margin import inward_normals
from robots.core.arrays import Array

_SIDES = ("toe", "left", "heel", "right")  # quarter turns of the outward normal from the heading


def edge_names(corners: Array, heading: Array) -> tuple[str, ...]:
    """A name for each edge.

    An edge is called after the side that its outward normal looks to. Where two edges look to one
    side the names would not tell them apart, and all are numbered from 1.

    Args:
        corners: counter-clockwise. # (m, 2) [m]
        heading: where the robot's front is. # (2,)
    """
    outward = -inward_normals(corners)
    forward = outward @ heading
    left = outward @ np.array([-heading[1], heading[0]])
    quarters = np.round(np.arctan2(left, forward) / (0.5 * np.pi)).astype(int) % 4
    if len(set(quarters.tolist())) == len(quarters):
        return tuple(_SIDES[quarter] for quarter in quarters.tolist())
    return tuple(f"edge {number}" for number in range(1, len(corners) + 1))


def edge_words(edge: str) -> str:
    """An edge within a sentence: "the heel", "the left edge", "edge 3"."""
    if any(sign.isdigit() for sign in edge):
        return edge
    return f"the {edge} edge" if edge in ("left", "right") else f"the {edge}"
