"""Exact integrals over many motions: Gauss-Legendre on panels, split until two orders agree.

Functions are smooth inside a piece except where a positive part has a kink; panels are halved there
until they no longer matter.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from planner.extremes import Evaluate

Array = NDArray[np.float64]

_ORDER = 10
_COARSE = 6
_PANELS = 4
_HALVINGS = 40
TOLERANCE = 1e-11  # of the largest integral, per panel's share


def integrals(evaluate: Evaluate, motions: int, pieces: int, lengths: Array) -> Array:
    """Integral of every function over every motion.

    Args:
        evaluate: functions of (motion, piece, x in the piece) -> (m, C).
        motions: how many.
        pieces: of each motion's law.
        lengths: what x from 0 to 1 of each piece is worth. # (motions, pieces) [s]

    Returns:
        # (motions, C)
    """
    motion, piece, panel = (
        grid.ravel()
        for grid in np.meshgrid(
            np.arange(motions), np.arange(pieces), np.arange(_PANELS), indexing="ij"
        )
    )
    left, width = panel / _PANELS, np.full(motion.size, 1.0 / _PANELS)
    total: Array | None = None
    for _ in range(_HALVINGS):
        if motion.size == 0:
            break
        fine, coarse = (
            _gauss(evaluate, (motion, piece), (left, width), order) * lengths[motion, piece, None]
            for order in (_ORDER, _COARSE)
        )
        if total is None:
            total = np.zeros((motions, fine.shape[1]))
        scale = np.maximum(np.abs(fine).max(initial=0.0), np.abs(total).max(initial=0.0))
        rough = np.any(np.abs(fine - coarse) > TOLERANCE * scale, axis=1)
        np.add.at(total, motion[~rough], fine[~rough])
        motion, piece = np.repeat(motion[rough], 2), np.repeat(piece[rough], 2)
        half = width[rough] / 2.0
        left = np.stack([left[rough], left[rough] + half], axis=1).ravel()
        width = np.repeat(half, 2)
    return total if total is not None else np.zeros((motions, 0))


def _gauss(
    evaluate: Evaluate,
    where: tuple[NDArray[np.int64], NDArray[np.int64]],
    panel: tuple[Array, Array],
    order: int,
) -> Array:
    """Gauss-Legendre on each panel. # (panels, C)."""
    nodes, weights = np.polynomial.legendre.leggauss(order)
    left, width = panel
    x = left[:, None] + width[:, None] * (0.5 * (nodes + 1.0))
    values = evaluate(np.repeat(where[0], order), np.repeat(where[1], order), x.ravel())
    values = values.reshape(len(left), order, -1)
    return np.asarray(np.einsum("pkc,k->pc", values, 0.5 * weights) * width[:, None])
