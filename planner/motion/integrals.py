"""Exact integrals over many motions: polynomials on panels that are halved until they fit.

Functions are smooth inside a piece, but for jumps where a joint with dry friction turns back: there
panels are cut, since a jump between a panel's end and its first node would not be seen. The kinks
of a positive part cost nothing: it is integrated on the polynomial, between its roots.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from planner.motion.extremes import Evaluate, horner
from robots.core.arrays import Array, Indices, Mask
from robots.core.errors import MotionError

_ORDER = 12
_PANELS = 4  # on a motion of one piece; each piece of several starts as one panel
_HALVINGS = 40
_LOOKS = 17  # places of a panel where a change of direction is looked for
_BISECTIONS = 52
_NARROWEST = 1e-14  # of a piece
_ROWS = 8192  # evaluations held in memory at once
_MOST = 16  # rough panels at one time, for each panel at the start: a jump leaves one or two
_SHOWS = 1e-12  # part of a motion times part of the size: less than an integral shows
# Last coefficients of a polynomial that fits, relative to the function's size. An integral is about
# as exact as their square, a positive part as they are.
_FITS = 1e-8
FITS_POINTWISE = 1e-11
_NOISE = 1e-14  # of the largest value of its kind: a function that is zero but for rounding
_NOTHING = 1e-16  # in SI units: a whole kind that is zero but for rounding
_CELLS = 32
# An integral is as exact as the square of a root's error.
_STEPS = 20
_SETTLED = 1e-8
_INSIDE = 0.01  # of a cell


def integrals(
    evaluate: Evaluate,
    motions: int,
    pieces: int,
    lengths: Array,
    *,
    positive: int = 0,
    kinds: Sequence[slice] = (slice(None),),
    turning: Evaluate | None = None,
) -> Array:
    """Integral of every function over every motion.

    Args:
        evaluate: functions of (motion, piece, x in the piece) -> (m, C).
        motions: how many.
        pieces: of each motion's law.
        lengths: what x from 0 to 1 of each piece is worth. # (motions, pieces) [s]
        positive: of that many functions, the first ones, the positive part is integrated, too.
        kinds: columns of one unit each: rounding of one is judged by the largest of its kind.
        turning: speeds whose sign the functions depend on.

    Returns:
        All functions, then the positive parts. # (motions, C + positive)

    Raises:
        MotionError: panels that no number of halvings makes smooth.
    """
    panels = _PANELS if pieces == 1 else 1
    size = max(1, _ROWS // (_ORDER * panels * pieces))
    whole = np.sum(lengths, axis=1, keepdims=True)
    shares = lengths / np.where(whole > 0.0, whole, 1.0)
    parts: list[Array] = []
    for start in range(0, motions, size):
        block = _first(start, min(start + size, motions), pieces, panels)
        if turning is not None:
            block = _cut_at_turns(block, turning)
        parts.append(_block(evaluate, block, positive, kinds, shares))
    if not parts:
        return np.zeros((0, positive))
    return np.asarray(np.einsum("mpc,mp->mc", np.concatenate(parts), lengths))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Panels:
    """Parts of the pieces of motions. # (p,) each."""

    motion: Indices
    piece: Indices
    left: Array
    width: Array

    def halves(self, chosen: Mask) -> _Panels:
        """The chosen panels, each in two."""
        half = self.width[chosen] / 2.0
        left = self.left[chosen]
        return _Panels(
            motion=np.repeat(self.motion[chosen], 2),
            piece=np.repeat(self.piece[chosen], 2),
            left=np.stack([left, left + half], axis=1).ravel(),
            width=np.repeat(half, 2),
        )


def _first(start: int, stop: int, pieces: int, panels: int) -> _Panels:
    grids = np.meshgrid(np.arange(start, stop), np.arange(pieces), np.arange(panels), indexing="ij")
    motion, piece, panel = (grid.ravel() for grid in grids)
    width = np.full(motion.size, 1.0 / panels)
    return _Panels(motion=motion, piece=piece, left=panel * width, width=width)


def _cut_at_turns(panels: _Panels, turning: Evaluate) -> _Panels:
    """Panels cut where a speed changes its sign."""
    x = panels.left[:, None] + panels.width[:, None] * np.linspace(0.0, 1.0, _LOOKS)
    index, piece = (np.repeat(a, _LOOKS) for a in (panels.motion, panels.piece))
    signs = np.sign(turning(index, piece, x.ravel()).reshape(len(x), _LOOKS, -1))
    for k in range(_LOOKS - 2, -1, -1):  # a speed of zero belongs to what follows
        signs[:, k] = np.where(signs[:, k] == 0.0, signs[:, k + 1], signs[:, k])
    row, place, joint = np.nonzero(signs[:, 1:] * signs[:, :-1] < 0.0)
    if row.size == 0:
        return panels
    low, high, before = x[row, place], x[row, place + 1], signs[row, place, joint]
    for _ in range(_BISECTIONS):
        middle = 0.5 * (low + high)
        speed = turning(panels.motion[row], panels.piece[row], middle)
        left = np.sign(speed[np.arange(row.size), joint]) == before
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    edges = np.concatenate([panels.left, panels.left + panels.width, 0.5 * (low + high)])
    owner = np.concatenate([np.tile(np.arange(len(x)), 2), row])
    order = np.lexsort([edges, owner])
    edges, owner = edges[order], owner[order]
    width = np.diff(edges)
    kept = np.flatnonzero((owner[1:] == owner[:-1]) & (width > _NARROWEST))
    return _Panels(
        motion=panels.motion[owner[kept]],
        piece=panels.piece[owner[kept]],
        left=edges[kept],
        width=width[kept],
    )


def _block(
    evaluate: Evaluate, panels: _Panels, positive: int, kinds: Sequence[slice], shares: Array
) -> Array:
    """Integrals of a block of motions for x from 0 to 1. # (motions, pieces, C + positive)."""
    first, pieces = panels.motion[0], panels.piece[-1] + 1
    motions = panels.motion[-1] - first + 1
    nodes, to_legendre = _quadrature()
    total: Array | None = None
    size = noise = np.zeros(0)
    halvings, most = 0, _MOST * len(panels.motion)
    while True:
        x = panels.left[:, None] + panels.width[:, None] * nodes
        index, piece = (np.repeat(a, _ORDER) for a in (panels.motion, panels.piece))
        values = evaluate(index, piece, x.ravel()).reshape(len(x), _ORDER, -1)
        coefficients = np.asarray(np.matmul(to_legendre, values))
        if total is None:
            size = np.max(np.abs(values), axis=(0, 1))
            noise = rounding_noise(size, kinds)
        mixed = _mixed(coefficients[:, :, :positive], noise)
        share = panels.width * shares[panels.motion, panels.piece]
        rough = _rough(coefficients, mixed, size, noise, share) & (halvings < _HALVINGS)
        if np.count_nonzero(rough) > most:
            raise MotionError(_endless(panels, rough), motion=int(panels.motion[rough][0]))
        found = _sums(coefficients[~rough], mixed[~rough]) * panels.width[~rough, None]
        if total is None:
            total = np.zeros((motions, pieces, found.shape[1]))
        np.add.at(total, (panels.motion[~rough] - first, panels.piece[~rough]), found)
        if not np.any(rough):
            return total
        panels = panels.halves(rough)
        halvings += 1


def _endless(panels: _Panels, rough: Mask) -> str:
    return (
        f"The power of a motion changes without end within it ({np.count_nonzero(rough)} panels of "
        f"{np.min(panels.width[rough]):.1g} of a motion are still not smooth), so its energy has "
        "no value that could be proven."
    )


def rounding_noise(size: Array, kinds: Sequence[slice]) -> Array:
    """What rounding may do to each function. # (C,)."""
    noise = np.zeros_like(size)
    for kind in kinds:
        noise[kind] = _NOTHING + _NOISE * np.max(size[kind], initial=0.0)
    return noise


def _mixed(coefficients: Array, noise: Array) -> Mask:
    """Functions that may change sign on a panel: their bounds do. # (p, positive)."""
    swing = np.sum(np.abs(coefficients[:, 1:]), axis=1)
    small = noise[: coefficients.shape[2]]
    return np.asarray((np.abs(coefficients[:, 0]) <= swing) & (swing > small))


def _rough(coefficients: Array, mixed: Mask, size: Array, noise: Array, share: Array) -> Mask:
    """Panels whose polynomial does not fit yet, and whose integral would show it. # (p,)."""
    tail = np.max(np.abs(coefficients[:, -2:]), axis=1)
    tail = np.where(tail * share[:, None] > _SHOWS * size, tail, 0.0)
    rough = np.any(tail > _FITS * size + noise, axis=1)
    n = mixed.shape[1]
    pointwise = tail[:, :n] > FITS_POINTWISE * size[:n] + noise[:n]
    return np.asarray(rough | np.any(mixed & pointwise, axis=1))


def _sums(coefficients: Array, mixed: Mask) -> Array:
    """Mean over each panel of the functions, then of the positive parts. # (p, C + positive)."""
    means = coefficients[:, 0]
    parts = np.maximum(means[:, : mixed.shape[1]], 0.0)
    row, column = np.nonzero(mixed)
    if row.size:
        absolute = absolute_integrals(coefficients[row, :, column]) / 2.0
        parts[row, column] = 0.5 * (means[row, column] + absolute)
    return np.concatenate([means, parts], axis=1)


@cache
def _quadrature() -> tuple[Array, Array]:
    """Gauss nodes on [0, 1], and what turns values there into Legendre coefficients."""
    nodes, weights = np.polynomial.legendre.leggauss(_ORDER)
    orders = np.arange(_ORDER)
    polynomials = np.polynomial.legendre.legvander(nodes, _ORDER - 1)
    to_legendre = (polynomials * weights[:, None]).T * (orders[:, None] + 0.5)
    return 0.5 * (nodes + 1.0), to_legendre


def absolute_integrals(legendre: Array) -> Array:
    """Integral of |p| over [-1, 1] for many polynomials.

    One root in each of 32 cells is found, and two; of three in one cell the area between two of
    them may be lost, which is less than the cell's width cubed.

    Args:
        legendre: their coefficients, lowest order first. # (h, order)

    Returns:
        # (h,)
    """
    powers = legendre @ _to_powers(legendre.shape[1])
    antiderivative = _antiderivatives(powers)
    u = np.linspace(-1.0, 1.0, _CELLS + 1)
    heights = powers @ np.vander(u, powers.shape[1], increasing=True).T
    areas = antiderivative @ np.vander(u, antiderivative.shape[1], increasing=True).T
    total = np.sum(np.abs(np.diff(areas, axis=1)), axis=1)
    cells = _cells(powers, u, heights)
    dip = _dips(powers, u, cells)
    np.add.at(total, dip.row, _gain(antiderivative[dip.row], dip.left, dip.bottom, dip.right))
    crossing, cell = np.nonzero(cells.below_left != cells.below_right)
    row = np.concatenate([crossing, dip.row, dip.row])
    left = np.concatenate([u[cell], dip.left, dip.bottom])
    right = np.concatenate([u[cell + 1], dip.bottom, dip.right])
    inset = np.where(cells.rooted[crossing, cell], _INSIDE * (u[1] - u[0]), 0.0)
    inset = np.concatenate([inset, np.zeros(2 * dip.row.size)])
    root = _root(powers[row], left + inset, right - inset)
    np.add.at(total, row, _gain(antiderivative[row], left, root, right))
    return np.asarray(total)


def _gain(antiderivative: Array, left: Array, middle: Array, right: Array) -> Array:
    """What is added when areas of two halves are counted by themselves. # (h,)."""
    before, at, after = (horner(antiderivative, place) for place in (left, middle, right))
    return np.asarray(np.abs(at - before) + np.abs(after - at) - np.abs(after - before))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Cells:
    """Signs at the ends of cells, just inside them where an end is a root. # (h, cells) each."""

    rooted: Mask
    below_left: Mask
    below_right: Mask


def _cells(powers: Array, u: Array, heights: Array) -> _Cells:
    low = np.abs(heights) <= _NOISE * np.max(np.abs(heights), axis=1, keepdims=True)
    rooted = low[:, :-1] | low[:, 1:]
    below_left, below_right = heights[:, :-1] < 0.0, heights[:, 1:] < 0.0
    row, cell = np.nonzero(rooted)
    step = _INSIDE * (u[1] - u[0])
    below_left[row, cell] = horner(powers[row], u[cell] + step) < 0.0
    below_right[row, cell] = horner(powers[row], u[cell + 1] - step) < 0.0
    return _Cells(rooted=rooted, below_left=below_left, below_right=below_right)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Dips:
    """Cells whose ends have the same sign and that hold an extremum of the other one. # (d,)."""

    row: Indices  # which polynomial
    left: Array
    bottom: Array
    right: Array


def _dips(powers: Array, u: Array, cells: _Cells) -> _Dips:
    derivatives = _derivatives(powers)
    slopes = derivatives @ np.vander(u, powers.shape[1] - 1, increasing=True).T
    side = np.where(cells.below_left, -1.0, 1.0)
    towards, away = slopes[:, :-1] * side < 0.0, slopes[:, 1:] * side > 0.0
    row, cell = np.nonzero((cells.below_left == cells.below_right) & towards & away)
    left, right = u[cell], u[cell + 1]
    bottom = _root(derivatives[row], left, right)
    through = horner(powers[row], bottom) * side[row, cell] < 0.0
    return _Dips(row=row[through], left=left[through], bottom=bottom[through], right=right[through])


def _root(powers: Array, left: Array, right: Array) -> Array:
    """Newton's method kept between two places of different sign. # (h,)."""
    slopes = _derivatives(powers)
    falling = horner(powers, left) >= 0.0
    low, high = left.copy(), right.copy()
    u = 0.5 * (low + high)
    for _ in range(_STEPS):
        value, slope = horner(powers, u), horner(slopes, u)
        beyond = (value < 0.0) == falling
        high, low = np.where(beyond, u, high), np.where(beyond, low, u)
        newton = u - value / np.where(slope != 0.0, slope, 1.0)
        inside = (newton >= low) & (newton <= high) & (slope != 0.0)
        before, u = u, np.where(inside, newton, 0.5 * (low + high))
        if np.all(np.abs(u - before) < _SETTLED):
            break
    return u


def _derivatives(powers: Array) -> Array:
    return np.asarray(powers[:, 1:] * np.arange(1, powers.shape[1]))


def _antiderivatives(powers: Array) -> Array:
    zero = np.zeros((len(powers), 1))
    return np.concatenate([zero, powers / np.arange(1, powers.shape[1] + 1)], axis=1)


@cache
def _to_powers(order: int) -> Array:
    """What turns Legendre coefficients into powers. # (order, order)."""
    matrix = np.zeros((order, order))
    for k in range(order):
        unit = np.zeros(k + 1)
        unit[k] = 1.0
        matrix[k, : k + 1] = np.polynomial.legendre.leg2poly(unit)
    return matrix
