"""Long jobs in parts: memory stays small and in the processor's reach."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from robots.core.arrays import Array


def blocks(count: int, size: int) -> Iterator[slice]:
    """Slices that cover 0 to ``count``."""
    for first in range(0, count, size):
        yield slice(first, min(first + size, count))


def by_blocks(function: Callable[[slice], Array], count: int, size: int) -> Array:
    """Rows of a function of slices, one after another; of nothing too, for its shape."""
    parts = [function(rows) for rows in blocks(count, size)] or [function(slice(0, 0))]
    return np.concatenate(parts)
