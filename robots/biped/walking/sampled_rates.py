"""Rates of a sampled motion, by a spline of degree five."""

from __future__ import annotations

from typing import Any

import numpy as np

from robots.biped.errors import BipedError
from robots.biped.walking.free_base import FreeState
from robots.core.arrays import Array

_FEWEST = 6  # samples that a spline of degree five with rest at both ends needs


def rates_from_rest(t: Array, x: Array) -> FreeState:
    """Speeds and accelerations of coordinates sampled in time.

    Args:
        t: rising. # (k,) [s]
        x: coordinates, at rest at the first and at the last instant. # (k, m)

    Raises:
        BipedError: too few samples.
    """
    still = np.zeros(x.shape[1])
    rest = [(1, still), (2, still)]
    return _rates(t, x, (rest, rest))


def rates_of(t: Array, x: Array) -> FreeState:
    """The same of a motion of which nothing is known at its ends.

    Args:
        t: rising. # (k,) [s]
        x: coordinates. # (k, m)

    Raises:
        BipedError: too few samples.
    """
    return _rates(t, x, None)


def _rates(t: Array, x: Array, ends: Any) -> FreeState:
    from scipy.interpolate import make_interp_spline

    if len(t) < _FEWEST:
        raise BipedError(
            f"A motion of {len(t)} samples has no rates; it takes at least {_FEWEST}.",
            value=len(t),
            limit=_FEWEST,
        )
    # From the start on: what does not move has no speed, not even by rounding.
    spline = make_interp_spline(t, x - x[0], k=5, bc_type=ends)
    return FreeState(x=np.array(x), xd=spline(t, 1), xdd=spline(t, 2))
