"""Numbers as programmes have them: a fixed count of decimals, and no zero with a minus sign."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from robots.core.arrays import Array

MM = 1e3  # per metre


def rounded(values: ArrayLike, decimals: int) -> Array:
    """Values that print with so many decimals, none of them as -0."""
    return np.asarray(np.round(np.asarray(values, dtype=np.float64), decimals) + 0.0)


def number(value: float, decimals: int) -> str:
    """One number with so many decimals."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}"


def numbers(values: ArrayLike, decimals: int) -> list[str]:
    """Several numbers with so many decimals."""
    return [f"{value:.{decimals}f}" for value in rounded(values, decimals).ravel().tolist()]
