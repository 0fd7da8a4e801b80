"""Checks of what a checker is given."""

from __future__ import annotations

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import StateError


def checked_rows(name: str, values: object, width: int, count: int | None = None) -> Array:
    """Finite numbers in C order. # (count, width).

    Raises:
        StateError: another shape, or a number that is not finite.
    """
    rows = np.ascontiguousarray(values, dtype=np.float64)
    expected = ("m" if count is None else count, width)
    if rows.ndim != 2 or rows.shape[1] != width or count not in (None, len(rows)):
        raise StateError(
            f"{name} has shape {rows.shape}; expected ({expected[0]}, {expected[1]}).",
            argument=name,
            found=rows.shape,
            expected=expected,
        )
    bad = ~np.isfinite(rows).all(axis=1)
    if bad.any():
        row = int(np.argmax(bad))
        raise StateError(
            f"Row {row} of {name} is {rows[row].tolist()} ({int(bad.sum())} such rows in all); "
            "expected finite numbers.",
            argument=name,
            row=row,
            found=rows[row].tolist(),
        )
    return rows


def checked_floor(values: object, count: int) -> Array:
    """Numbers that may be infinite. # (count,).

    Raises:
        StateError: another shape, or NaN.
    """
    floor = np.ascontiguousarray(values, dtype=np.float64)
    if floor.shape != (count,) or np.isnan(floor).any():
        raise StateError(
            f"floor has shape {floor.shape} and {int(np.isnan(floor).sum())} NaN; expected "
            f"({count},) and none.",
            argument="floor",
            found=floor.shape,
            expected=(count,),
        )
    return floor


def checked_required(required: float) -> float:
    """A clearance of zero or more.

    Raises:
        StateError: it is less, or not finite.
    """
    if not (np.isfinite(required) and required >= 0.0):
        raise StateError(
            f"The required clearance is {required!r} m; it must be finite, zero or more.",
            argument="required",
            found=required,
        )
    return float(required)


def checked_excluded(
    excluded: tuple[Indices, Indices], count: int, triangles: int
) -> tuple[Indices, Indices]:
    """Offsets (count + 1,) and the triangles between them.

    Raises:
        StateError: offsets that do not rise from 0 to the end, or a triangle that does not exist.
    """
    offsets, items = (np.ascontiguousarray(part, dtype=np.int64) for part in excluded)
    rising = offsets.shape == (count + 1,) and bool((np.diff(offsets) >= 0).all())
    if not rising or items.ndim != 1 or offsets[0] != 0 or offsets[-1] != len(items):
        raise StateError(
            f"The offsets of the triangles left out have shape {offsets.shape}; expected "
            f"{count + 1} that rise from 0 to the number of triangles, {items.size}.",
            argument="excluded",
            found=offsets.shape,
        )
    if items.size and not (items.min() >= 0 and items.max() < triangles):
        raise StateError(
            f"A triangle left out is {int(items.min())} or {int(items.max())}; the part has 0 to "
            f"{triangles - 1}.",
            argument="excluded",
            limit=triangles - 1,
        )
    return offsets, items
