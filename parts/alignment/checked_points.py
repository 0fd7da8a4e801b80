"""Points and weights of an alignment, checked before any arithmetic."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from parts.errors import AlignmentError
from robots.core.arrays import Array


def vectors(values: ArrayLike, what: str, count: int | None = None) -> Array:
    """Rows of three finite numbers, copied. # (k, 3).

    Args:
        values: to check.
        what: subject of the error sentence, plural.
        count: rows expected; any, but not none, where it is left out.

    Raises:
        AlignmentError: another shape, or a value that is not finite.
    """
    rows = np.array(values, dtype=np.float64)
    expected = ("k" if count is None else count, 3)
    if rows.ndim != 2 or rows.shape[1] != 3 or len(rows) != (count or len(rows)) or not len(rows):
        raise AlignmentError(
            f"The {what} have shape {rows.shape}; expected {expected}, with k at least 1.",
            found=rows.shape,
            expected=expected,
        )
    for row in np.flatnonzero(~np.isfinite(rows).all(axis=1))[:1].tolist():
        raise AlignmentError(
            f"Row {row + 1} of the {what} is {rows[row].tolist()}; expected finite numbers.",
            row=row,
            found=rows[row].tolist(),
        )
    return rows


def directions(values: ArrayLike, what: str, count: int) -> Array:
    """Rows of unit vectors; each given vector is brought to length one. # (k, 3).

    Raises:
        AlignmentError: as for ``vectors``, or a vector without length.
    """
    rows = vectors(values, what, count)
    lengths = np.linalg.norm(rows, axis=1)
    for row in np.flatnonzero(lengths < 1e-9)[:1].tolist():
        raise AlignmentError(
            f"Row {row + 1} of the {what} has length {lengths[row]:g}; expected a direction.",
            row=row,
        )
    return np.asarray(rows / lengths[:, None])


def checked_weights(values: ArrayLike | None, count: int) -> Array:
    """Weights of the squared residuals, none of them negative; all 1 where left out. # (k,).

    Raises:
        AlignmentError: another count, negative, not finite, or all zero.
    """
    if values is None:
        return np.ones(count)
    weights = np.array(values, dtype=np.float64)
    if weights.shape != (count,):
        raise AlignmentError(
            f"There are {count} points but the weights have shape {weights.shape}; give one each.",
            found=weights.shape,
            expected=(count,),
        )
    if not np.isfinite(weights).all() or weights.min() < 0.0 or not weights.any():
        raise AlignmentError(
            f"The weights {weights.tolist()} cannot be used; expected finite numbers, not negative "
            "and not all zero.",
            found=weights.tolist(),
        )
    return weights
