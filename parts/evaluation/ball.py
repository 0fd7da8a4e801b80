"""From centres of the probe's ball to the surface."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from parts.evaluation.errors import EvaluationError
from robots.core.arrays import Array

_SHARE = 0.2  # of the radius: what deviations may miss a multiple of it and still be a sign of it
_FINE = 0.1  # of the radius: the deviations' own spread must be finer than what is told from it


@dataclass(frozen=True, slots=True, kw_only=True)
class BallSign:
    """Deviations that sit at a multiple of the ball's radius.

    Args:
        radii: the multiple: 1, -1, 2 or -2.
        median: of the deviations. [m]
        sentence: what was probably done wrong.
    """

    radii: int
    median: float
    sentence: str


_SENTENCES = {
    1: "as if the points were centres of the ball that nobody moved to the surface",
    -1: "as if points on the surface were moved against the normal again",
    2: "as if centres of the ball were moved to the wrong side, out of the material",
    -2: "as if points on the surface, or the far side of the ball, were taken for its centres",
}


def compensated(centres: Array, normals: Array, radius: float) -> Array:
    """Points of the surface: one radius against the outgoing normal. # (k, 3) [m].

    Args:
        centres: of the ball. # (k, 3) [m]
        normals: out of the material, unit. # (k, 3)
        radius: of the ball. [m]

    Raises:
        EvaluationError: a normal that is not of length one.
    """
    lengths = np.linalg.norm(normals, axis=1)
    if radius > 0.0 and not np.allclose(lengths, 1.0, atol=1e-9):
        row = int(np.argmax(np.abs(lengths - 1.0)))
        raise EvaluationError(
            f"The normal of point {row + 1} has length {lengths[row]:g}; the ball's centre cannot "
            "be moved along it. Give unit normals.",
            value=float(lengths[row]),
            limit=1.0,
            unit="1",
        )
    return np.asarray(centres - radius * normals)


def ball_sign(deviations: Array, radius: float) -> BallSign | None:
    """Whether the deviations look like a wrong compensation of the ball; None where they do not.

    A compensation that was forgotten, doubled or turned around moves all points by the same one or
    two radii along their normals, which neither a worn tool nor an alignment does in all
    directions.

    Args:
        deviations: along the outgoing normals. # (k,) [m]
        radius: of the ball. [m]
    """
    if radius <= 0.0 or not len(deviations):
        return None
    median = float(np.median(deviations))
    spread = float(np.median(np.abs(deviations - median)))
    radii = round(median / radius)
    if radii not in _SENTENCES or spread > _FINE * radius:
        return None
    if abs(median - radii * radius) > _SHARE * radius:
        return None
    return BallSign(radii=radii, median=median, sentence=_SENTENCES[radii])
