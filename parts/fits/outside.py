"""Which side of a fitted feature is the outside of the material."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.errors import FitError
from parts.fits.model import Model
from robots.core.arrays import Array


def checked_outward(outward: ArrayLike | None, count: int, model: Model) -> Array | None:
    """Nominal outward directions, one for all points or one each. # (3, 1 or k).

    Raises:
        FitError: another shape, or not finite.
    """
    if outward is None:
        return None
    rows = np.atleast_2d(np.array(outward, dtype=np.float64))
    if rows.shape not in ((1, model.dimension), (count, model.dimension)):
        raise FitError(
            f"The outward directions have shape {np.shape(outward)}; expected one "
            f"({model.dimension},) or one for each of the {count} points.",
            value=np.shape(outward),
        )
    if not np.isfinite(rows).all():
        raise FitError("An outward direction is not finite; give unit normals.")
    full = np.zeros((3, len(rows)))
    full[: model.dimension] = rows.T
    return full


def against(outward: Array, normals: Array) -> bool:
    """Whether the feature's own normals point into the material, by the majority. # (3, k)."""
    return float(np.sum(outward * normals)) < 0.0
