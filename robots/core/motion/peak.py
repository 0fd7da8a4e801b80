"""The highest value on [0, 1] of functions that are given only by their values.

Samples bracket every peak that may be the highest; each bracket is then narrowed until the value is
exact to rounding. The search is repeated on a finer grid until two searches agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.errors import MotionError
from robots.core.motion.motion_law import Side

Columns = Callable[[Array, Side], Array]  # (m,) → (m, k): k functions at m values of s

COARSEST, FINEST = 257, 16385  # samples per piece
# Two searches that differ by less stand on the same peak; rounding in the path is well below.
_AGREEMENT = 1e-9
# A smooth peak is flat and exact to rounding long before; this width serves kinks as well.
_BRACKET_WIDTH = 1e-12
# Where a path is flat, as at the ends of a smooth law, values differ by rounding alone: the end is
# then the place.
_ROUNDING = 1e-14
_CUTS = 16  # parts into which a narrowing step divides a bracket
_MOST_BRACKETS = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Peak:
    """The highest value, where it is, and of which function."""

    value: float
    s: float
    column: int


def highest(columns: Columns, breaks: tuple[float, ...] = ()) -> Peak:
    """Find the highest value of k functions on [0, 1], ends and both sides of breaks included.

    Peaks narrower than the sample spacing of two successive grids cannot be seen.

    Args:
        columns: gives all functions at many s, from one side of a break. # (m,) → (m, k)
        breaks: where a function may jump, rising and inside (0, 1).

    Raises:
        MotionError: the functions are too rough: no two grids agree.
    """
    samples = COARSEST
    found = _search(columns, breaks, samples)
    while samples < FINEST:
        samples = 2 * samples - 1
        before, found = found, _search(columns, breaks, samples)
        if abs(found.value - before.value) <= _AGREEMENT * abs(found.value):
            return found if found.value >= before.value else before
    raise MotionError(
        f"The path is too rough: the highest value on it still changes with {FINEST} samples "
        f"(near s = {found.s:.6g}); smooth the path, or state its breaks.",
        s=found.s,
    )


def _search(columns: Columns, breaks: tuple[float, ...], samples: int) -> Peak:
    edges = (0.0, *breaks, 1.0)
    peaks = [_on_piece(columns, a, b, samples) for a, b in pairwise(edges)]
    return max(peaks, key=lambda peak: peak.value)


def _on_piece(columns: Columns, a: float, b: float, samples: int) -> Peak:
    """Highest value on [a, b], seen from the inside."""
    s = np.linspace(a, b, samples)
    values = np.concatenate([columns(s[:1], "right"), columns(s[1:], "left")])
    rows, cols = _bracketed(values)
    at, best = s[rows], values[rows, cols]
    step = s[1] - s[0]
    inner = np.linspace(-1.0, 1.0, _CUTS + 1)[1:-1]
    while step > _BRACKET_WIDTH * (b - a):
        # Points strictly inside the piece, so the side is of no importance.
        nearby = np.clip(at[:, None] + step * inner, np.nextafter(a, b), np.nextafter(b, a))
        there = columns(nearby.ravel(), "right").reshape(*nearby.shape, -1)
        own = np.take_along_axis(there, cols[:, None, None], axis=2)[..., 0]
        top = np.argmax(own, axis=1)[:, None]
        value, place = (np.take_along_axis(x, top, axis=1)[:, 0] for x in (own, nearby))
        at, best = np.where(value > best, place, at), np.maximum(value, best)
        step *= 2.0 / _CUTS
    winner = int(np.argmax(best))
    top_value, column = float(best[winner]), int(cols[winner])
    enough = top_value - _ROUNDING * abs(top_value)
    ends = [k for k in (0, -1) if values[k, column] >= enough]
    where = s[ends[0]] if ends else at[winner]
    return Peak(value=top_value, s=float(where), column=column)


def _bracketed(values: Array) -> tuple[Indices, Indices]:
    """Rows and columns of samples next to which the highest value may stand."""
    slope = np.diff(values, axis=0)
    end = np.full((1, values.shape[1]), np.inf)
    summit = (np.concatenate([end, slope]) > 0.0) & (np.concatenate([slope, -end]) <= 0.0)
    bend = np.abs(np.diff(slope, axis=0))
    # A smooth peak rises above its highest sample by about an eighth of the second difference.
    reach = values + np.concatenate([bend[:1], bend, bend[-1:]])
    summit &= reach >= values.max()
    rows, cols = np.nonzero(summit)
    order = np.argsort(-reach[rows, cols], kind="stable")[:_MOST_BRACKETS]
    return rows[order], cols[order]
