"""Exact maxima of many functions of time, without trusting a sampling grid.

Every function is smooth inside a piece of its motion. A grid finds the hills, including rivals of
nearly the same height; each is then zoomed into and its top taken from a parabola, which leaves a
relative error near 1e-12. Where only the largest of many is wanted, only its rivals are zoomed
into: ``Scope`` says which.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
# Values of all functions: (motion, piece, x in the piece), each (m,) -> (m, C).
Evaluate = Callable[[Indices, Indices, Array], Array]

_GRID = 33  # points per piece; the functions have a few hills per motion
_HILLS = 3
_ZOOM = 9  # points per zoom: the bracket shrinks four times
_ZOOMS = 6
_RIVAL = 0.04  # a hill lower by this fraction on the grid cannot be the highest
_ROWS = 200_000  # evaluations held in memory at once


class Scope(Enum):
    """Among what the exact largest is wanted; the others keep their value on the grid."""

    EACH = "each function of each motion"
    MOTION = "all functions of a motion"
    FUNCTION = "all motions of a function"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Highest:
    """The largest value of each function in each motion, and where it is."""

    value: Array  # (motions, C)
    piece: Indices  # (motions, C)
    x: Array  # (motions, C)


def highest(evaluate: Evaluate, motions: int, pieces: int, scope: Scope = Scope.EACH) -> Highest:
    """Largest value of every function over every motion.

    Args:
        evaluate: the functions.
        motions: how many there are, numbered from 0.
        pieces: of each motion's law.
        scope: among what the largest is wanted.
    """
    block = max(1, _ROWS // (_GRID * pieces))
    parts = [
        _block(evaluate, np.arange(start, min(start + block, motions)), pieces, scope)
        for start in range(0, motions, block)
    ]
    if not parts:
        empty = np.zeros((0, 0))
        return Highest(value=empty, piece=empty.astype(np.int64), x=empty)
    return Highest(
        value=np.concatenate([part.value for part in parts]),
        piece=np.concatenate([part.piece for part in parts]),
        x=np.concatenate([part.x for part in parts]),
    )


def _block(evaluate: Evaluate, motions: Indices, pieces: int, scope: Scope) -> Highest:
    found: Highest | None = None
    for piece in range(pieces):
        hills = _hills(evaluate, motions, piece, scope)
        found = hills if found is None else _higher(found, hills)
    if found is None:
        raise ValueError("a motion has at least one piece")
    return found


def _hills(evaluate: Evaluate, motions: Indices, piece: int, scope: Scope) -> Highest:
    """Largest values within one piece."""
    x = np.linspace(0.0, 1.0, _GRID)
    m = len(motions)
    values = evaluate(np.repeat(motions, _GRID), np.full(m * _GRID, piece), np.tile(x, m)).reshape(
        m, _GRID, -1
    )
    remaining = _tops_only(values)
    best = np.max(values, axis=1)
    where = np.take(x, np.argmax(values, axis=1))
    floor = _floor(best, scope)
    rows, columns = np.indices(best.shape)
    for _ in range(_HILLS):
        top = np.argmax(remaining, axis=1)
        height = np.take_along_axis(remaining, top[:, None], axis=1)[:, 0]
        rival = height >= floor
        if np.any(rival):
            r, c = rows[rival], columns[rival]
            value, at = _zoomed(evaluate, motions[r], piece, c, x[top[rival]])
            better = value > best[rival]
            best[r[better], c[better]] = value[better]
            where[r[better], c[better]] = at[better]
        np.put_along_axis(remaining, top[:, None], -np.inf, axis=1)
    return Highest(value=best, piece=np.full(best.shape, piece), x=where)


def _floor(best: Array, scope: Scope) -> Array:
    """Height on the grid that a hill must have to be worth a closer look. # (motions, C)."""
    if scope is Scope.MOTION:
        best = np.broadcast_to(np.max(best, axis=1, keepdims=True), best.shape)
    elif scope is Scope.FUNCTION:
        best = np.broadcast_to(np.max(best, axis=0, keepdims=True), best.shape)
    return np.asarray(best - _RIVAL * np.abs(best))


def _tops_only(values: Array) -> Array:
    """The grid values that are not below a neighbour; others are -inf."""
    padded = np.pad(values, ((0, 0), (1, 1), (0, 0)), constant_values=-np.inf)
    top = (values >= padded[:, :-2]) & (values >= padded[:, 2:])
    return np.where(top, values, -np.inf)


def _zoomed(
    evaluate: Evaluate, motion: Indices, piece: int, column: Indices, center: Array
) -> tuple[Array, Array]:
    """Value and place of the top of each hill around ``center``. # (hills,) each."""
    step = np.full(len(center), 1.0 / (_GRID - 1))
    offsets = np.linspace(-1.0, 1.0, _ZOOM)
    hills = np.arange(len(center))

    def at(x: Array) -> Array:
        width = x.shape[1]
        values = evaluate(
            np.repeat(motion, width), np.full(x.size, piece), np.clip(x, 0.0, 1.0).ravel()
        )
        return np.asarray(values[np.arange(x.size), np.repeat(column, width)].reshape(x.shape))

    for _ in range(_ZOOMS):
        x = np.clip(center[:, None] + step[:, None] * offsets, 0.0, 1.0)
        values = at(x)
        center = x[hills, np.argmax(values, axis=1)]
        step = step / 4.0
    x = np.stack([center - step, center, center + step], axis=1)
    left, middle, right = at(x).T
    bend = left - 2.0 * middle + right
    slide = np.where(bend < 0.0, 0.5 * (left - right) / np.where(bend < 0.0, bend, 1.0), 0.0)
    top = np.clip(center + step * np.clip(slide, -1.0, 1.0), 0.0, 1.0)
    value = at(top[:, None])[:, 0]
    return np.maximum(value, middle), np.where(value >= middle, top, center)


def _higher(a: Highest, b: Highest) -> Highest:
    choose = b.value > a.value
    return Highest(
        value=np.where(choose, b.value, a.value),
        piece=np.where(choose, b.piece, a.piece),
        x=np.where(choose, b.x, a.x),
    )
