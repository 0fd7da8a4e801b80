"""Rates of a sampled motion that starts and ends at rest, by a spline of degree five."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from robots.biped.errors import BipedError
from robots.biped.walking.free_base import FreeState

Array = NDArray[np.float64]

_FEWEST = 6  # samples that a spline of degree five with rest at both ends needs


def rates_from_rest(t: Array, x: Array) -> FreeState:
    """Speeds and accelerations of coordinates sampled in time.

    Args:
        t: rising. # (k,) [s]
        x: coordinates, at rest at the first and at the last instant. # (k, m)

    Raises:
        BipedError: too few samples.
    """
    from scipy.interpolate import make_interp_spline

    if len(t) < _FEWEST:
        raise BipedError(
            f"A motion of {len(t)} samples has no rates; it takes at least {_FEWEST}.",
            value=len(t),
            limit=_FEWEST,
        )
    still = np.zeros(x.shape[1])
    rest = [(1, still), (2, still)]
    spline = make_interp_spline(t, x, k=5, bc_type=(rest, rest))
    return FreeState(x=np.array(x), xd=spline(t, 1), xdd=spline(t, 2))
