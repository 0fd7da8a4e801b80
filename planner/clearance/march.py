"""A capsule's axis through a distance field: clear, hit, or doubtful between two places.

Compiled loops. The axis is sampled from its start; a sample whose distance bound exceeds the need
by g clears the axis for g to both sides, so the next sample may stand that far ahead.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from planner.clearance.field_build import REACH
from planner.clearance.vectors import Vec, along, dot

CLEAR, HIT, INSIDE, DOUBT = 0, 1, 2, 3
FROM, TO, BOUND, OUTSIDE = 0, 1, 2, 3  # entries of a span
DIAGONAL = 2.0 * REACH
MEASURED = 0.99  # values up to here are measured, not taken from a marked cell
SHORTEST = 0.75  # step through doubt [cell sides]
STRIDE = 1.6  # of the cleared length; the next sample mostly clears what is left between


class Field(NamedTuple):
    """The arrays of a ``DistanceField``.

    Args:
        values: lower bounds of distance at cell centres. # (cells,) [cell sides]
        frame: of the grid. # (13,) [m]
    """

    values: NDArray[np.float32]
    frame: NDArray[np.float64]


def march(field: Field, a: Vec, u: Vec, need: float, span: Any) -> int:
    """Judge the axis a + [0, 1]·u by the field alone.

    Args:
        field: around the solids.
        a: start of the axis. Base frame. [m]
        u: from its start to its end. [m]
        need: distance from the surface that is asked for. [m]
        span: filled: shares of the axis where the doubt begins and ends; a lower bound of the
            distance of the rest [m]; 1 where a point of the axis is known to be outside all
            closed solids, else 0. # (4,)

    Returns:
        CLEAR: nothing is nearer than the need. HIT: something is. INSIDE: a point of the axis is
        inside a closed solid. DOUBT: only what lies in the span may be too near.
    """
    values, frame = field.values, field.frame
    span[FROM], span[TO], span[OUTSIDE] = 1.0, 0.0, 0.0
    first, last = _clip(frame, (a, u), need, span)
    if first > last:
        span[OUTSIDE] = 1.0
        return CLEAR
    scale = 1.0 / frame[3]
    length = math.sqrt(dot(u, u)) * scale
    start = _in_cells(frame, a)
    inverse = 1.0 / length if length > 0.0 else 0.0
    way = (u[0] * scale * inverse, u[1] * scale * inverse, u[2] * scale * inverse)
    wanted, s, end = need * scale, first * length, last * length
    covered, before, lowest, last_bound = s, s, 1e300, 1e300
    while True:
        p = along(start, way, s)
        value, offset = _look_up(values, frame, p)
        if value < 0.0 or _most(value) + offset < wanted:
            return INSIDE if value < 0.0 else HIT
        bound = value - offset
        if offset > REACH:
            bound = max(bound, _box_distance(frame, p))
        if value > REACH:
            span[OUTSIDE] = 1.0
        lowest = min(lowest, bound, 0.5 * (bound + last_bound - (s - before)))
        gain = bound - wanted
        before, last_bound = s, bound
        if gain >= 0.0:
            if s - gain > covered:
                _doubt(span, covered * inverse, (s - gain) * inverse)
            covered = s + gain
        if s >= end:
            break
        s = min(s + max(STRIDE * gain, SHORTEST), end)
    if covered < end or (gain < 0.0 and length <= 0.0):
        _doubt(span, covered * inverse, end * inverse)
    if span[FROM] <= span[TO]:
        return DOUBT
    span[BOUND] = max(need, min(span[BOUND], lowest * frame[3]))
    return CLEAR


def _doubt(span: Any, first: float, last: float) -> None:
    span[FROM] = min(span[FROM], first)
    span[TO] = max(span[TO], last)


def _clip(frame: Any, axis: tuple[Vec, Vec], need: float, span: Any) -> tuple[float, float]:
    """Where the axis comes within the need of the triangles' box; a bound of the rest."""
    a, u = axis
    first, last, apart = 0.0, 1.0, 0.0
    for k in range(3):
        low, high = frame[7 + k] - need, frame[10 + k] + need
        if u[k] != 0.0:
            one, other = (low - a[k]) / u[k], (high - a[k]) / u[k]
            first, last = max(first, min(one, other)), min(last, max(one, other))
        elif a[k] < low or a[k] > high:
            last = -1.0
        gap = max(frame[7 + k] - max(a[k], a[k] + u[k]), min(a[k], a[k] + u[k]) - frame[10 + k])
        apart += max(gap, 0.0) ** 2
    if first > last:
        span[BOUND] = max(need, math.sqrt(apart) * (1.0 - 1e-12))
        return first, last
    span[BOUND] = need if first > 0.0 or last < 1.0 else 1e300
    return max(first - 1e-9, 0.0), min(last + 1e-9, 1.0)


def _in_cells(frame: Any, x: Vec) -> Vec:
    """Coordinates of a point from the grid's corner. [cell sides]."""
    scale = 1.0 / frame[3]
    return ((x[0] - frame[0]) * scale, (x[1] - frame[1]) * scale, (x[2] - frame[2]) * scale)


def _look_up(values: Any, frame: Any, p: Vec) -> tuple[float, float]:
    """Value of the nearest cell and distance of p from its centre. [cell sides]."""
    ny, nz = int(frame[5]), int(frame[6])
    i = min(max(int(p[0]), 0), int(frame[4]) - 1)
    j = min(max(int(p[1]), 0), ny - 1)
    k = min(max(int(p[2]), 0), nz - 1)
    x, y, z = p[0] - i - 0.5, p[1] - j - 0.5, p[2] - k - 0.5
    return float(values[(i * ny + j) * nz + k]), math.sqrt(x * x + y * y + z * z)


def value_at(field: Field, x: Vec) -> float:
    """Value of the cell that holds a point of the grid. [cell sides]."""
    value, _ = _look_up(field.values, field.frame, _in_cells(field.frame, x))
    return value


def upper_bound(field: Field, x: Vec) -> float:
    """A distance from the surface that a point does not exceed. [m]."""
    value, offset = _look_up(field.values, field.frame, _in_cells(field.frame, x))
    return float((_most(abs(value)) + offset) * field.frame[3])


def _most(value: float) -> float:
    """What the distance at a cell's centre does not exceed, from its lower bound."""
    far = DIAGONAL if value > MEASURED else 0.0
    return value * (1.0 + 5e-6) + 4e-6 + far


def _box_distance(frame: Any, p: Vec) -> float:
    """Distance of a point from the triangles' box. [cell sides]."""
    square = 0.0
    for k in range(3):
        low = (frame[7 + k] - frame[k]) / frame[3]
        high = (frame[10 + k] - frame[k]) / frame[3]
        gap = max(low - p[k], p[k] - high, 0.0)
        square += gap * gap
    return math.sqrt(square) * (1.0 - 1e-12)
