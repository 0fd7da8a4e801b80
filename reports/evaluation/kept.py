"""The points that a feature's fit and zone rest on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from parts.evaluation import FeatureResult


def kept_rows(one: FeatureResult) -> NDArray[np.int64]:
    """Rows of its deviations, without those that were dropped. # (k,)."""
    return np.flatnonzero([name not in one.dropped for name in one.deviations.names])


def kept_points(one: FeatureResult) -> NDArray[np.float64]:
    """These points as they were measured. # (k, 3) [m]."""
    return np.asarray(one.deviations.measured[kept_rows(one)])
