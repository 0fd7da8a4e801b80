"""The samples of a motion that a chronophotograph shows."""

from __future__ import annotations

import numpy as np

from robots.biped.motion import BipedMotion
from robots.core.arrays import Indices

_EVEN = 5
_NEW = 2e-3  # [m]; a polygon that moved by less is drawn once
_NEAR = 0.1  # of the duration; two rows nearer than this are one


def shown_rows(motion: BipedMotion) -> Indices:
    """Rows of even instants, with the one where the robot tips, or else of the least margin."""
    t = motion.t
    even = np.linspace(t[0], t[-1], _EVEN)
    time = motion.verdict.time
    if not np.isfinite(time):
        time = float(t[int(np.nanargmin(motion.margin))])
    apart = np.abs(even - time) > _NEAR * (t[-1] - t[0])
    instants = np.sort(np.append(even[apart], time))
    rows = [int(np.abs(t - instant).argmin()) for instant in instants]
    return np.unique(np.array(rows, dtype=np.int64))


def polygon_rows(motion: BipedMotion, most: int) -> Indices:
    """First rows of each new support polygon, thinned evenly where they are too many."""
    new = [0]
    for row, corners in enumerate(motion.support):
        last = motion.support[new[-1]]
        if corners.shape != last.shape or np.abs(corners - last).max() > _NEW:
            new.append(row)
    if len(new) > most:
        new = [new[k] for k in np.linspace(0, len(new) - 1, most).round().astype(int)]
    return np.array(new, dtype=np.int64)
