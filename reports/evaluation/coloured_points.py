"""Points in the colours of their deviations, with their uncertainties, in the base frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from reports.evaluation.scale import deviation_scale
from reports.evaluation.shown import EvaluationSubject, UncertaintySubject
from robots.core.arrays import Array, Mask
from robots.core.pose import transform_directions, transform_points

_LIT = 0.78  # bright light falls on everything in a scene
_DARK = 70  # grey of points without a deviation


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ColouredPoints:
    """Points as they are drawn, base frame.

    Args:
        names: untrusted.
        places: # (n, 3) [m]
        normals: # (n, 3) unit
        colours: # (n, 3) sRGB
        crossed: which are drawn as crosses. # (n,)
        whiskers: deviations along the normals; zero for none. # (n,) [m]
        covariances: of some of them; empty where none is known. # (k, 3, 3) [m²]
        centres: of these. # (k, 3) [m]
    """

    names: tuple[str, ...]
    places: Array
    normals: Array
    colours: NDArray[np.uint8]
    crossed: Mask
    whiskers: Array
    covariances: Array
    centres: Array


def evaluated_points(shown: EvaluationSubject) -> ColouredPoints:
    """The points of an evaluation, with ellipsoids where the uncertainty is known."""
    points, T = shown.evaluation.points, shown.job.part.T_base_part
    covariances, centres = np.zeros((0, 3, 3)), np.zeros((0, 3))
    if shown.uncertainty is not None:
        covariances = _covariances(shown.uncertainty)
        centres = shown.uncertainty.measuring.at_home
    return ColouredPoints(
        names=points.names,
        places=transform_points(T, points.nominal),
        normals=transform_directions(T, points.normals),
        colours=(_LIT * deviation_scale(shown).colours(points.profile)).astype(np.uint8),
        crossed=shown.outside,
        whiskers=points.profile,
        covariances=covariances,
        centres=centres,
    )


def doubtful_points(shown: UncertaintySubject) -> ColouredPoints:
    """The points of an uncertainty: no deviations, ellipsoids only."""
    count = len(shown.points)
    return ColouredPoints(
        names=shown.measuring.names,
        places=shown.measuring.at_home,
        normals=shown.measuring.turned_home(shown.measuring.normals),
        colours=np.full((count, 3), _DARK, dtype=np.uint8),
        crossed=np.zeros(count, dtype=np.bool_),
        whiskers=np.zeros(count),
        covariances=_covariances(shown),
        centres=shown.measuring.at_home,
    )


def _covariances(shown: UncertaintySubject) -> Array:
    """Of the points where the job gives the part. # (k, 3, 3) [m²]."""
    turns = shown.measuring.turns
    given = np.reshape([point.covariance for point in shown.points], (-1, 3, 3))
    return np.asarray(np.swapaxes(turns, 1, 2) @ given @ turns)
