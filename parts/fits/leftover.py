"""What the best feature of a kind leaves on points, without saying how sure it is of itself."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.cloud import cloud_of
from parts.fits.dispatch import model_of
from parts.fits.search import search


def least_rms(kind: str, points: ArrayLike) -> float:
    """Root mean square of the residuals that least squares leave. [m].

    Unlike a fit, it refuses no feature that the points hold loosely or that their noise hides.

    Args:
        kind: one with one distance per point; not "circle3d", whose fit is of two.
        points: # (k, 3) [m], (k, 2) for the kinds in a plane; of more than 400 a sample serves

    Raises:
        FitError: the points hold no such feature at all.
    """
    model = model_of(kind)
    cloud = cloud_of(points, model)
    found = search(model, cloud.unit, None, None)
    return float(cloud.scale * np.sqrt(found.best.cost / found.sample))
