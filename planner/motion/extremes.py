"""Exact maxima of many functions of time, without trusting a sampling grid.

Every function is smooth inside a piece of its motion; where an absolute value is wanted the
function itself is asked for, because its absolute value has kinks. A grid finds the hills,
including rivals of nearly the same height; where a hill is too narrow for the grid, its motion gets
a finer one. The top of a hill is found on the polynomial through nine values around it and then
evaluated, which leaves a relative error near 1e-14; where the polynomial does not fit (a kink after
all), the hill is zoomed into instead. Where only the largest of many is wanted, only its rivals are
looked at: ``Scope`` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cache

import numpy as np

from robots.core.arrays import Array, Indices, Mask

# Values of all functions: (motion, piece, x in the piece), each (m,) -> (m, C).
Evaluate = Callable[[Indices, Indices, Array], Array]
_GRID = 33  # points on a motion of one piece
_PIECE_GRID = 17  # points on each piece of a law that has several: they are simpler
_FINER = 4  # a grid that is too coarse is refined by this factor
_FINEST = 2049
# A function is resolved where its fourth differences are a small part of its range. One that is
# not may hide a hill that rises by many of them.
_SHARP = 0.02
_HOPE = 100.0
_SETTLED = 1e-12  # relative rise that is not worth a closer look
_NOISE = 1e-14  # of the largest value of its kind: a function that is zero but for rounding
_NOTHING = 1e-16  # in SI units: a whole kind that is zero but for rounding
_ROWS = 8192  # evaluations held in memory at once: they stay in the processor's cache
# Values of hills at places: (hill, x), each (m,) -> (m,).
At = Callable[[Indices, Array], Array]
_NODES = 9
_NEWTON = 4
_FITS = 1e-10  # difference of polynomial and function, relative to the values around the hill
_ZOOM = 9  # points per zoom: the bracket shrinks four times
_ZOOMS = 20


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


def highest(
    evaluate: Evaluate,
    motions: int,
    pieces: int,
    scope: Scope = Scope.EACH,
    *,
    magnitudes: int = 0,
    kinds: Sequence[slice] = (slice(None),),
    points: int = 0,
) -> Highest:
    """Largest value of every function over every motion.

    A hill narrower than a tenth of the first grid's step (1/320 of a motion) can be missed where
    other hills of the function are higher than what the grid sees of it.

    Args:
        evaluate: the functions.
        motions: how many there are, numbered from 0.
        pieces: of each motion's law, at least one.
        scope: among what the largest is wanted.
        magnitudes: of that many functions, the first ones, the largest absolute value is wanted.
        kinds: columns of one unit each: rounding of one is judged by the largest of its kind.
        points: of the first grid on a piece; 0 for what whole motions need. Functions on a short
            stretch of a path need fewer.
    """
    points = points or (_GRID if pieces == 1 else _PIECE_GRID)
    size = max(1, _ROWS // points)
    parts: list[Highest] = []
    known: Array | None = None  # the largest so far of each function
    for start in range(0, motions, size):
        block = np.arange(start, min(start + size, motions))
        search = _Search(evaluate, block, scope, magnitudes, kinds)
        part = search.over_pieces(pieces, points, known)
        top = np.max(part.value, axis=0)
        known = top if known is None else np.maximum(known, top)
        parts.append(part)
    if not parts:
        empty = np.zeros((0, 0))
        return Highest(value=empty, piece=empty.astype(np.int64), x=empty)
    return Highest(
        value=np.concatenate([part.value for part in parts]),
        piece=np.concatenate([part.piece for part in parts]),
        x=np.concatenate([part.x for part in parts]),
    )


class _Search:
    """The search in one block of motions."""

    def __init__(
        self,
        evaluate: Evaluate,
        motions: Indices,
        scope: Scope,
        magnitudes: int,
        kinds: Sequence[slice],
    ) -> None:
        self.evaluate = evaluate
        self.kinds = kinds
        self.motions = motions
        self.scope = scope
        self.magnitudes = magnitudes

    def over_pieces(self, pieces: int, points: int, known: Array | None) -> Highest:
        """Largest over all pieces; ``known`` is the largest of each function elsewhere."""
        found = self.on_piece(0, points, known)
        for piece in range(1, pieces):
            found = _higher(found, self.on_piece(piece, points, known))
        return found

    def on_piece(self, piece: int, points: int, known: Array | None) -> Highest:
        """Largest values within one piece."""
        x = np.linspace(0.0, 1.0, points)
        m = len(self.motions)
        index = np.repeat(self.motions, points)
        values = self.evaluate(index, np.full(index.size, piece), np.tile(x, m))
        signed = values.reshape(m, points, -1)
        values = signed
        if self.magnitudes:
            values = signed.copy()
            np.abs(signed[..., : self.magnitudes], out=values[..., : self.magnitudes])
        # A margin to a limit that does not exist is infinite everywhere and has no hills.
        with np.errstate(invalid="ignore"):
            return self._on_grid(signed, values, piece, x, known)

    def _on_grid(
        self, signed: Array, values: Array, piece: int, x: Array, known: Array | None
    ) -> Highest:
        """Largest values, given those on a grid. # signed and absolute: (motions, grid, C)."""
        points = len(x)
        top = np.argmax(values, axis=1)
        best = np.take_along_axis(values, top[:, None], axis=1)[:, 0]
        found = Highest(value=best, piece=np.full(best.shape, piece), x=x[top])
        floor = _floor(best, self.scope, known)
        second = signed[:, 2:] - 2.0 * signed[:, 1:-1] + signed[:, :-2]
        noise = self._noise(signed)
        sharp = _sharp(signed, second, floor - best, noise) & (points < _FINEST)
        # Motions that get a finer grid are climbed there.
        climbed = np.where(sharp[:, None], np.inf, floor)
        self._climb(found, _hills(values, second, best, climbed, noise), piece, x, signed)
        if np.any(sharp):
            rows = np.nonzero(sharp)[0]
            finer = _Search(
                self.evaluate, self.motions[rows], self.scope, self.magnitudes, self.kinds
            )
            known = np.max(floor, axis=0) if self.scope is Scope.FUNCTION else None
            closer = finer.on_piece(piece, _FINER * (points - 1) + 1, known)
            better = closer.value > found.value[rows]
            found.value[rows] = np.where(better, closer.value, found.value[rows])
            found.x[rows] = np.where(better, closer.x, found.x[rows])
        return found

    def _noise(self, values: Array) -> Array:
        """What rounding may do to each function. # (motions, grid, C) -> (C,)."""
        largest = np.max(np.abs(values), axis=(0, 1), initial=0.0)
        if not np.all(np.isfinite(largest)):  # no limit is no size either
            size = np.abs(np.where(np.isfinite(values), values, 0.0))
            largest = np.max(size, axis=(0, 1), initial=0.0)
        noise = np.zeros_like(largest)
        for kind in self.kinds:
            noise[kind] = _NOTHING + _NOISE * np.max(largest[kind], initial=0.0)
        return np.asarray(noise)

    def _climb(self, found: Highest, hills: _Hills, piece: int, x: Array, signed: Array) -> None:
        """Replace grid values by the tops of their hills."""
        r, p, c = hills.row, hills.place, hills.column
        if r.size == 0:
            return
        motion, step = self.motions[r], x[1]
        sign = np.where((c < self.magnitudes) & (signed[r, p, c] < 0.0), -1.0, 1.0)

        def at(hill: Indices, place: Array) -> Array:
            values = self.evaluate(motion[hill], np.full(hill.size, piece), place)
            return np.asarray(values[np.arange(hill.size), c[hill]] * sign[hill])

        left, right = np.maximum(x[p] - step, 0.0), np.minimum(x[p] + step, 1.0)
        tops = hilltops(at, left, right)
        order = np.argsort(tops.value, kind="stable")  # the highest of a pair is written last
        r, c, value, place = r[order], c[order], tops.value[order], tops.x[order]
        better = value > found.value[r, c]
        found.value[r[better], c[better]] = value[better]
        found.x[r[better], c[better]] = place[better]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Hills:
    """Grid points next to which a top may stand. # (h,) each."""

    row: Indices
    place: Indices
    column: Indices


def _sharp(values: Array, second: Array, missing: Array, noise: Array) -> Mask:
    """Motions with a function that the grid does not resolve and that may matter. # (motions,).

    Args:
        values: # (motions, grid, C)
        second: their second differences. # (motions, grid - 2, C)
        missing: from the largest value on the grid to the floor. # (motions, C)
        noise: of each function. # (C,)
    """
    fourth = second[:, 2:] - 2.0 * second[:, 1:-1] + second[:, :-2]
    fourth = np.max(np.abs(fourth), axis=1)
    swing = np.max(values, axis=1) - np.min(values, axis=1)
    sharp = (fourth > _SHARP * swing + noise) & (_HOPE * fourth >= missing)
    return np.asarray(np.any(sharp, axis=1))


def _hills(values: Array, second: Array, best: Array, floor: Array, noise: Array) -> _Hills:
    """Hills worth a closer look: their tops may pass the floor."""
    bends = np.empty_like(values)
    np.abs(second, out=bends[:, 1:-1])
    bends[:, 0], bends[:, -1] = bends[:, 1], bends[:, -2]
    # A resolved hill rises above its highest grid point by an eighth of the second difference.
    top = values + 0.5 * bends >= floor[:, None]
    rising = values[:, 1:] > values[:, :-1]
    top[:, 1:] &= rising
    top[:, :-1] &= ~rising
    r, p, c = np.nonzero(top)
    size = np.maximum(np.abs(best), np.abs(floor))[r, c]
    worth = bends[r, p, c] > _SETTLED * size + noise[c]
    return _Hills(row=r[worth], place=p[worth], column=c[worth])


def _floor(best: Array, scope: Scope, known: Array | None) -> Array:
    """Height that a hill must reach to be worth a closer look. # (motions, C)."""
    if scope is Scope.MOTION:
        return np.broadcast_to(np.max(best, axis=1, keepdims=True), best.shape)
    if scope is Scope.FUNCTION:
        top = np.max(best, axis=0, keepdims=True)
        return np.broadcast_to(top if known is None else np.maximum(top, known), best.shape)
    return best


def _higher(a: Highest, b: Highest) -> Highest:
    choose = b.value > a.value
    return Highest(
        value=np.where(choose, b.value, a.value),
        piece=np.where(choose, b.piece, a.piece),
        x=np.where(choose, b.x, a.x),
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Tops:
    """Largest values and their places, one per hill. # (h,) each."""

    value: Array
    x: Array


def hilltops(at: At, left: Array, right: Array) -> Tops:
    """Largest value of each hill between two places.

    Args:
        at: the functions.
        left: one foot of each hill. # (h,)
        right: the other foot. # (h,)
    """
    nodes, to_powers = _fit()
    half, middle = 0.5 * (right - left), 0.5 * (right + left)
    hill = np.arange(len(left))
    x = np.clip(middle[:, None] + half[:, None] * nodes, left[:, None], right[:, None])
    values = at(np.repeat(hill, _NODES), x.ravel()).reshape(x.shape)
    best = np.argmax(values, axis=1)
    highest, size = values[hill, best], np.max(np.abs(values), axis=1)
    powers = (values - highest[:, None]) @ to_powers
    u = _summit(powers, nodes[best])
    place = np.clip(middle + half * u, left, right)
    value = at(hill, place)
    misfit = np.abs(highest + horner(powers, u) - value) > _FITS * size
    better = value > highest
    value = np.where(better, value, highest)
    place = np.where(better, place, x[hill, best])
    kinked = np.nonzero(misfit)[0]
    if kinked.size:
        zoomed = _zoomed(lambda h, y: at(kinked[h], y), place[kinked], half[kinked] / 2.0)
        better = zoomed.value > value[kinked]
        value[kinked] = np.where(better, zoomed.value, value[kinked])
        place[kinked] = np.where(better, zoomed.x, place[kinked])
    return Tops(value=value, x=place)


@cache
def _fit() -> tuple[Array, Array]:
    """Nodes of Chebyshev and Lobatto on [-1, 1], and what turns values there into powers."""
    nodes = -np.cos(np.pi * np.arange(_NODES) / (_NODES - 1))
    return nodes, np.linalg.inv(np.vander(nodes, increasing=True)).T


def _summit(powers: Array, u: Array) -> Array:
    """Place where the polynomials are highest, from a place nearby; kept in [-1, 1]. # (h,)."""
    orders = np.arange(1, _NODES)
    slope = powers[:, 1:] * orders
    curve = slope[:, 1:] * orders[:-1]
    for _ in range(_NEWTON):
        bend = horner(curve, u)
        step = np.where(bend < 0.0, horner(slope, u) / np.where(bend < 0.0, bend, 1.0), 0.0)
        u = np.clip(u - np.clip(step, -0.5, 0.5), -1.0, 1.0)
    return u


def horner(powers: Array, u: Array) -> Array:
    """Polynomials by their powers, each at a place of its own. # (h, k), (h,) -> (h,)."""
    value = powers[:, -1].copy()
    for k in range(powers.shape[1] - 2, -1, -1):
        value = value * u + powers[:, k]
    return value


def _zoomed(at: At, center: Array, step: Array) -> Tops:
    """Tops that no polynomial fits: the best of nine places, again and again closer."""
    offsets = np.linspace(-1.0, 1.0, _ZOOM)
    hill = np.arange(len(center))
    best = at(hill, center)
    for _ in range(_ZOOMS):
        x = np.clip(center[:, None] + step[:, None] * offsets, 0.0, 1.0)
        values = at(np.repeat(hill, _ZOOM), x.ravel()).reshape(x.shape)
        top = np.argmax(values, axis=1)
        better = values[hill, top] > best
        center = np.where(better, x[hill, top], center)
        best = np.maximum(best, values[hill, top])
        step = step / 4.0
    return Tops(value=best, x=center)
