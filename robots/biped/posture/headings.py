"""Horizontal directions by the words that readers have for them: x forward, y left."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

WAYS = {"forward": (1.0, 0.0), "backward": (-1.0, 0.0), "left": (0.0, 1.0), "right": (0.0, -1.0)}

_SAME = 1e-9


def heading(unit: ArrayLike) -> str:
    """Where a unit vector goes, in a word where there is one. # (2,)."""
    way = np.asarray(unit, dtype=float)
    for word, there in WAYS.items():
        if np.abs(way - there).max() < _SAME:
            return word
    return f"towards ({way[0]:.3g}, {way[1]:.3g})"
