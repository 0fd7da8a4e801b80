"""Spacing of the rows of a motion: straight lines between them miss no column by more than a bound.

Between two rows at a distance h the straight line misses a column f by at most h²/8·max |f''|. The
rows of a smooth piece lie where equal parts of the integral of √(|f''| / 8·bound) end, taken of the
column that asks for most: close together where the motion bends, far apart where it does not. The
second derivatives are second differences at a few places of the piece. What they do not see, such
as a kink, shows midway between two rows, which are then halved.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from planner.plan import JUMP
from robots.core.arrays import Array, Indices

_CELLS = 12  # of a piece, between the places where it is asked
_PLACES: Array = np.linspace(0.0, 1.0, _CELLS + 1)
_SAFETY = 0.8  # of the bound: what second differences, or the middle between two rows, may not see
_LEAST = 0.25  # of the densest cell's density: a zero of f'' is a place, not a cell
_TINY = 1e-9  # lines in a cell of a motion that is straight
_SAME = 0.01  # of the bound: sides of a switch that are no further apart are one row

# Columns at places of pieces. (piece (r,), place (r,)) -> (r, C)
Columns = Callable[[Indices, Array], Array]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PieceRows:
    """Rows of smooth pieces that follow each other.

    Args:
        piece: of each row. # (r,)
        place: in the piece; the last row of a piece means the side before what follows. # (r,)
        values: columns. # (r, C)
    """

    piece: Indices
    place: Array
    values: Array


def spaced_rows(columns: Columns, seconds: Array, bounds: Array) -> PieceRows:
    """Choose rows of pieces; every piece has one at either end.

    Args:
        columns: of the motion.
        seconds: lengths of the pieces. # (P,) [s]
        bounds: of what straight lines may miss, above zero. # (C,)
    """
    count = len(seconds)
    asked = columns(np.repeat(np.arange(count), _CELLS + 1), np.tile(_PLACES, count))
    rows = _equidistributed(asked.reshape(count, _CELLS + 1, -1), bounds)
    piece, place = rows
    values = columns(piece, place)
    unsure = np.flatnonzero(np.diff(piece) == 0)  # lines, by the row before them
    while unsure.size:
        before, after = place[unsure], place[unsure + 1]
        middle = 0.5 * (before + after)
        found = columns(piece[unsure], middle)
        off = np.abs(found - 0.5 * (values[unsure] + values[unsure + 1]))
        wide = (after - before) * seconds[piece[unsure]] > JUMP
        bad = np.flatnonzero(np.any(off > _SAFETY * bounds, axis=1) & wide)
        at = unsure[bad] + 1
        place = np.insert(place, at, middle[bad])
        piece = np.insert(piece, at, piece[unsure[bad]])
        values = np.insert(values, at, found[bad], axis=0)
        first = unsure[bad] + np.arange(bad.size)  # each insertion shifts the later ones
        unsure = np.sort(np.concatenate([first, first + 1]))
    return PieceRows(piece=piece, place=place, values=values)


def continuous(before: Array, after: Array, bounds: Array) -> bool | Array:
    """Return whether both sides of a switch are one row. # (..., C) each -> (...)."""
    return np.asarray(np.all(np.abs(after - before) <= _SAME * bounds, axis=-1))


def _equidistributed(values: Array, bounds: Array) -> tuple[Indices, Array]:
    """Pieces and places of rows. Args: values, at ``_PLACES`` of every piece. # (P, K, C)."""
    bends = np.abs(np.diff(values, n=2, axis=1))  # f''·(length of a cell)²
    worst = np.max(bends / (8.0 * _SAFETY * bounds), axis=2, initial=0.0)
    inside = np.maximum(worst[:, 1:], worst[:, :-1])
    lines = np.sqrt(np.column_stack([worst[:, 0], inside, worst[:, -1]]))  # of each cell
    lines = np.maximum(lines, _LEAST * np.max(lines, axis=1, keepdims=True)) + _TINY
    reached = np.concatenate([np.zeros((len(lines), 1)), np.cumsum(lines, axis=1)], axis=1)
    count = np.ceil(reached[:, -1]).astype(np.int64)
    piece = np.repeat(np.arange(len(count)), count + 1)
    first = np.cumsum(count + 1) - (count + 1)
    part = (np.arange(piece.size) - first[piece]) / count[piece]
    # The pieces lie side by side on one axis, so that one call inverts all of them.
    axis = reached / reached[:, -1:] + 2.0 * np.arange(len(count))[:, None]
    place = np.interp(part + 2.0 * piece, axis.ravel(), np.tile(_PLACES, len(count)))
    place[first], place[first + count] = 0.0, 1.0
    return piece, place
