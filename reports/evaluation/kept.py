"""The points that a feature's fit and zone rest on."""

from __future__ import annotations

import numpy as np

from parts.evaluation import FeatureResult
from robots.core.arrays import Array, Indices


def kept_rows(one: FeatureResult) -> Indices:
    """Rows of its deviations, without those that were dropped. # (k,)."""
    return np.flatnonzero([name not in one.dropped for name in one.deviations.names])


def kept_points(one: FeatureResult) -> Array:
    """These points as they were measured. # (k, 3) [m]."""
    return np.asarray(one.deviations.measured[kept_rows(one)])
