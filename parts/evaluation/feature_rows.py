"""Which points belong to which feature."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from robots.core.arrays import Indices


def rows_of_features(features: Sequence[str]) -> dict[str, Indices]:
    """Rows of the points of each feature, in the order of its first point.

    Args:
        features: of the points; empty texts are none.
    """
    rows: defaultdict[str, list[int]] = defaultdict(list)
    for row, feature in enumerate(features):
        rows[feature].append(row)
    rows.pop("", None)
    return {name: np.array(some, dtype=np.int64) for name, some in rows.items()}
