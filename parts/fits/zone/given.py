"""The least-squares fit that a zone or an envelope starts from."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.fits.curves import FlatCircle, SpaceCircle
from parts.fits.dispatch import FIT_KINDS
from parts.fits.dispatch import fit as least_squares
from parts.fits.errors import FitError
from parts.fits.fitted import Fit
from parts.fits.shape import Shape
from parts.geometry.surfaces import Cone, Cylinder, Sphere, Torus

_ROUND = (FlatCircle, SpaceCircle, Sphere, Cylinder, Cone, Torus)


def fit_of(kind: str, points: ArrayLike, fit: Fit | None) -> Fit:
    """The fit that was given, if it belongs to the points, or a new one.

    Raises:
        FitError: it does not, or the points hold no such feature.
    """
    if kind not in FIT_KINDS or fit is None:
        return least_squares(kind, points)
    count = len(np.asarray(points))
    if fit.kind != kind or len(fit.residuals) != count:
        raise FitError(
            f"The fit given is of a {fit.kind} with {len(fit.residuals)} points; expected a "
            f"{kind} with these {count}. Leave it out to have it made.",
            where="fit",
            value=fit.kind,
            limit=kind,
        )
    return fit


def is_reversed(shape: Shape) -> bool:
    """Whether a round feature is a hole; the outside of others is their frame's own."""
    return isinstance(shape, _ROUND) and shape.reversed
