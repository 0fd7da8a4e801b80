"""Efforts along paths: their coefficients as polynomials on parts of the pieces, and on cells.

An effort is a·r̈ + b·ṙ² + d and friction. On each panel, a part of a piece, a, b and d are taken at
Chebyshev's places. The polynomial through them gives the values at nodes and bounds of second
derivatives, by which a function leaves its chord over a cell by h²/8 times at most. They are entire
functions of r: coefficients fall ever faster, and the last ones tell how much is left out. Panels
are halved until that is next to nothing.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from robots.core.arrays import Array, Indices
from robots.core.kernels.loop import Loop
from robots.core.model import Model
from robots.core.motion.joint_path import JointPath
from robots.core.motion.phase_plane import Efforts, Pieces

_PLACES = 24  # a multiple of four
_TAIL = 3  # last coefficients
_RESOLVED = 1e-9  # relative, of these, where a panel is narrow enough
_LEFT_OUT = 100.0  # times these: more than was ever left out, above rounding
_DROPPED = 1e-9  # relative: coefficients that no value needs
_MOSTPANELS = 32  # of a piece: its cells lie in one panel each


class Panels(NamedTuple):
    """Polynomials of a, b and d, of equal parts of pieces; (i, j) counts a's joints, b's, d's.

    Args:
        first: number of the first panel of each piece, and the number of all. # (p + 1,)
        coefficients: of Chebyshev's polynomials. # (panels, K, 3n)
        orders: how many of them count. # (panels,)
        rest: bound of what those leave out. # (panels, 3n)
        fourth: bound of the fourth derivative, by the place in [-1, 1]. # (panels, 3n)
    """

    first: Indices
    coefficients: Array
    orders: Indices
    rest: Array
    fourth: Array

    @classmethod
    def of(cls, path: JointPath, model: Model) -> Panels:
        """As many of a path as resolve its efforts."""
        n = path.dof
        to_coefficients = _to_coefficients()
        count = np.ones(len(path.length), dtype=np.int64)
        while True:
            first = np.concatenate([[0], np.cumsum(count)])
            some = int(first[-1])
            q, dq, ddq = np.empty((3, some * _PLACES, n))
            SAMPLE(path.length, path.powers, first, _places(), q, dq, ddq)
            still = np.zeros_like(q)
            weight = model.torques(q, still, still)
            a = model.torques(q, still, dq) - weight
            # Friction is odd in the speed.
            b = 0.5 * (model.torques(q, dq, ddq) + model.torques(q, -dq, ddq)) - weight
            values = np.concatenate([a, b, weight], axis=1).reshape(some, _PLACES, 3 * n)
            panels = cls(
                first=first,
                coefficients=np.matmul(to_coefficients, values),
                orders=np.empty(some, dtype=np.int64),
                rest=np.empty((some, 3 * n)),
                fourth=np.empty((some, 3 * n)),
            )
            rough = np.empty(some, dtype=np.int64)
            CONFINE(panels, _FOURTH, np.zeros(3), rough)
            halved = np.add.reduceat(rough, first[:-1]) > 0
            halved &= count < _MOSTPANELS
            if not np.any(halved):
                return panels
            count[halved] *= 2

    @classmethod
    def none(cls, path: JointPath) -> Panels:
        """Of a path where no effort is limited."""
        first = np.zeros(len(path.length) + 1, dtype=np.int64)
        nothing = np.zeros((0, 0))
        return cls(first, np.zeros((0, 0, 0)), first[:0], nothing, nothing)


def sample(
    length: Array, powers: Array, first: Indices, places: Array, q: Array, dq: Array, ddq: Array
) -> None:
    """Joints and two derivatives by r, at places of every panel.

    Args:
        length: of the pieces. # (p,)
        powers: of their polynomials, rising. # (p, n, 5)
        first: number of the first panel of each piece, and the number of all. # (p + 1,)
        places: in [0, 1]. # (K,)
        q: filled. # (panels·K, n)
        dq: filled. # (panels·K, n)
        ddq: filled. # (panels·K, n)
    """
    for p in range(length.size):
        width = length[p] / (first[p + 1] - first[p])
        for panel in range(first[p], first[p + 1]):
            for k in range(places.size):
                s, row = width * (panel - first[p] + places[k]), panel * places.size + k
                for j in range(q.shape[1]):
                    c1, c2 = powers[p, j, 1], powers[p, j, 2]
                    c3, c4 = powers[p, j, 3], powers[p, j, 4]
                    q[row, j] = powers[p, j, 0] + s * (c1 + s * (c2 + s * (c3 + s * c4)))
                    dq[row, j] = c1 + s * (2.0 * c2 + s * (3.0 * c3 + s * 4.0 * c4))
                    ddq[row, j] = 2.0 * c2 + s * (6.0 * c3 + s * 12.0 * c4)


def confine(panels: Panels, fourths: Array, largest: Array, rough: Indices) -> None:
    """Fill in how many coefficients count, and the bounds that come from their sizes.

    Args:
        panels: with coefficients.
        fourths: largest fourth derivative of each of Chebyshev's polynomials. # (K,)
        largest: filled with the largest coefficients of a, b and d; zero at first. # (3,)
        rough: filled with 1 where a panel is too wide. # (panels,)
    """
    count, places, columns = panels.coefficients.shape
    n = columns // 3
    for panel in range(count):
        for k in range(places):
            for kind in range(3):
                most = largest[kind]
                for c in range(kind * n, kind * n + n):
                    most = max(most, abs(panels.coefficients[panel, k, c]))
                largest[kind] = most
    for panel in range(count):
        rough[panel], orders = 0, 0
        # From the last coefficient on: what of them counts for no value is dropped.
        for c in range(columns):
            panels.rest[panel, c] = panels.fourth[panel, c] = 0.0
        for k in range(places - 1, -1, -1):
            # What is dropped leaves its chord by twice its size at most.
            part = _LEFT_OUT if k >= places - _TAIL else 0.0
            for kind in range(3):
                dropped = _DROPPED * largest[kind]
                for c in range(kind * n, kind * n + n):
                    if orders == 0 and abs(panels.coefficients[panel, k, c]) > dropped:
                        orders = k + 1
            part += 2.0 if orders == 0 else 0.0
            for c in range(columns):
                size = abs(panels.coefficients[panel, k, c])
                panels.fourth[panel, c] += fourths[k] * size
                panels.rest[panel, c] += part * size
            if k == places - _TAIL:
                for c in range(columns):
                    if panels.rest[panel, c] > _LEFT_OUT * _RESOLVED * largest[c // n]:
                        rough[panel] = 1
        panels.orders[panel] = orders


def fill(pieces: Pieces, panels: Panels, work: Array, efforts: Efforts) -> None:
    """Evaluate the polynomials at nodes, and bound what they leave their chords by on cells.

    Args:
        pieces: whose cells lie in one panel each.
        panels: of the pieces.
        work: values and second derivatives at both ends of a cell. # (4, 3n)
        efforts: filled.
    """
    a, b, d = efforts.a, efforts.b, efforts.d
    n = a.shape[1]
    for p in range(pieces.length.size):
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        width = pieces.length[p] / (panels.first[p + 1] - panels.first[p])
        last, start, end = -1, 0, 2
        for i in range(count):
            cell, node = first + i, first + p + i
            left, right = pieces.place[node], pieces.place[node + 1]
            number = int(0.5 * (left + right) / width)
            panel = panels.first[p] + number
            z0, z1 = 2.0 * (left / width - number) - 1.0, 2.0 * (right / width - number) - 1.0
            if panel == last:
                start, end = end, start
            else:
                _evaluate(panels, panel, z0, work, start)
                last = panel
            _evaluate(panels, panel, z1, work, end)
            share = 0.125 * (z1 - z0) * (z1 - z0)
            left_value, left_bend, right_value = work[start], work[start + 1], work[end]
            right_bend, fourth, rest = work[end + 1], panels.fourth[panel], panels.rest[panel]
            slack, reach = efforts.slack[cell], efforts.reach[cell]
            for c in range(3 * n):
                bend = max(abs(left_bend[c]), abs(right_bend[c])) + share * fourth[c]
                slack[c] = share * bend + rest[c]
                reach[c] = max(abs(left_value[c]), abs(right_value[c])) + share * bend + rest[c]
            for j in range(n):
                reach[2 * n + j] += efforts.coulomb[j]
                a[node, j] = left_value[j]
                b[node, j] = left_value[n + j]
                d[node, j] = left_value[2 * n + j]
        for j in range(n):
            a[first + p + count, j] = work[end, j]
            b[first + p + count, j] = work[end, n + j]
            d[first + p + count, j] = work[end, 2 * n + j]


def _evaluate(panels: Panels, panel: int, z: float, work: Array, row: int) -> None:
    """Values and second derivatives of a panel's polynomials, by recurrence of T, T' and T''."""
    columns = work.shape[1]
    for c in range(columns):
        work[row, c] = work[row + 1, c] = 0.0
    t0, t1, s0, s1, r0, r1 = 1.0, z, 0.0, 1.0, 0.0, 0.0
    # Four orders at once: sums are loaded and stored less often.
    for k in range(0, panels.orders[panel], 4):
        t2, r2 = 2.0 * z * t1 - t0, 4.0 * s1 + 2.0 * z * r1 - r0
        s2 = 2.0 * t1 + 2.0 * z * s1 - s0
        t3, r3 = 2.0 * z * t2 - t1, 4.0 * s2 + 2.0 * z * r2 - r1
        s3 = 2.0 * t2 + 2.0 * z * s2 - s1
        one, two = panels.coefficients[panel, k], panels.coefficients[panel, k + 1]
        three, four = panels.coefficients[panel, k + 2], panels.coefficients[panel, k + 3]
        for c in range(columns):
            work[row, c] += t0 * one[c] + t1 * two[c] + t2 * three[c] + t3 * four[c]
            work[row + 1, c] += r0 * one[c] + r1 * two[c] + r2 * three[c] + r3 * four[c]
        t0, r0, s0 = 2.0 * z * t3 - t2, 4.0 * s3 + 2.0 * z * r3 - r2, 2.0 * t3 + 2.0 * z * s3 - s2
        t1, r1, s1 = 2.0 * z * t0 - t3, 4.0 * s0 + 2.0 * z * r0 - r3, 2.0 * t0 + 2.0 * z * s0 - s3


_ORDERS = np.arange(_PLACES, dtype=np.float64)
# The fourth derivative of T_k is nowhere larger than at 1.
_FOURTH: Array = _ORDERS**2 * (_ORDERS**2 - 1.0) * (_ORDERS**2 - 4.0) * (_ORDERS**2 - 9.0) / 105.0


@cache
def _places() -> Array:
    """Chebyshev's, in [0, 1]."""
    return 0.5 + 0.5 * np.cos(_angles())


@cache
def _to_coefficients() -> Array:
    """The matrix from values there to coefficients."""
    weights = np.full(_PLACES, 2.0 / _PLACES)
    weights[0] = 1.0 / _PLACES
    return np.asarray(weights[:, None] * np.cos(_ORDERS[:, None] * _angles()))


def _angles() -> Array:
    return np.asarray((2.0 * np.arange(_PLACES) + 1.0) * np.pi / (2 * _PLACES))


PANELS = "(i8[1] f8[3] i8[1] f8[2] f8[2])"
SAMPLE = Loop(sample, "f8[1] f8[3] i8[1] f8[1] f8[2] f8[2] f8[2]")
CONFINE = Loop(confine, f"{PANELS} f8[1] f8[1] i8[1]")
