"""Exact integrals over many motions: polynomials on panels that are halved until they fit.

Functions are smooth inside a piece. The kinks of a positive part cost nothing: it is integrated on
the polynomial, between its roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from planner.absolute_integrals import absolute_integrals
from planner.extremes import Evaluate

Array = NDArray[np.float64]
Indices = NDArray[np.int64]
Mask = NDArray[np.bool_]

_ORDER = 12
_PANELS = 4  # on a motion of one piece; each piece of several starts as one panel
_HALVINGS = 40
_ROWS = 8192  # evaluations held in memory at once
# Last coefficients of a polynomial that fits, relative to the function's size. An integral is about
# as exact as their square, a positive part as they are.
_FITS = 1e-8
_FITS_POINTWISE = 1e-11
_NOISE = 1e-12  # the same in SI units: functions that are zero but for rounding


def integrals(
    evaluate: Evaluate, motions: int, pieces: int, lengths: Array, *, positive: int = 0
) -> Array:
    """Integral of every function over every motion.

    Args:
        evaluate: functions of (motion, piece, x in the piece) -> (m, C).
        motions: how many.
        pieces: of each motion's law.
        lengths: what x from 0 to 1 of each piece is worth. # (motions, pieces) [s]
        positive: of that many functions, the first ones, the positive part is integrated, too.

    Returns:
        All functions, then the positive parts. # (motions, C + positive)
    """
    panels = _PANELS if pieces == 1 else 1
    size = max(1, _ROWS // (_ORDER * panels * pieces))
    parts = [
        _block(evaluate, _first(start, min(start + size, motions), pieces, panels), positive)
        for start in range(0, motions, size)
    ]
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


def _block(evaluate: Evaluate, panels: _Panels, positive: int) -> Array:
    """Integrals of a block of motions for x from 0 to 1. # (motions, pieces, C + positive)."""
    first, pieces = panels.motion[0], panels.piece[-1] + 1
    motions = panels.motion[-1] - first + 1
    nodes, to_legendre = _quadrature()
    total: Array | None = None
    size: Array | None = None
    halvings = 0
    while True:
        x = panels.left[:, None] + panels.width[:, None] * nodes
        index, piece = (np.repeat(a, _ORDER) for a in (panels.motion, panels.piece))
        values = evaluate(index, piece, x.ravel()).reshape(len(x), _ORDER, -1)
        coefficients = np.asarray(np.matmul(to_legendre, values))
        if size is None:
            size = np.max(np.abs(values), axis=(0, 1))
        mixed = _mixed(coefficients[:, :, :positive])
        rough = _rough(coefficients, mixed, size) & (halvings < _HALVINGS)
        found = _sums(coefficients[~rough], mixed[~rough]) * panels.width[~rough, None]
        if total is None:
            total = np.zeros((motions, pieces, found.shape[1]))
        np.add.at(total, (panels.motion[~rough] - first, panels.piece[~rough]), found)
        if not np.any(rough):
            return total
        panels = panels.halves(rough)
        halvings += 1


def _mixed(coefficients: Array) -> Mask:
    """Functions that may change sign on a panel: their bounds do. # (p, positive)."""
    swing = np.sum(np.abs(coefficients[:, 1:]), axis=1)
    return np.asarray((np.abs(coefficients[:, 0]) <= swing) & (swing > _NOISE))


def _rough(coefficients: Array, mixed: Mask, size: Array) -> Mask:
    """Panels whose polynomial does not fit yet. # (p,)."""
    tail = np.max(np.abs(coefficients[:, -2:]), axis=1)
    rough = np.any(tail > _FITS * size + _NOISE, axis=1)
    pointwise = tail[:, : mixed.shape[1]] > _FITS_POINTWISE * size[: mixed.shape[1]] + _NOISE
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
