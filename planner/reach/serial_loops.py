"""Small systems of equations, one per posture, as loops for Numba; see ``SerialTask``.

Every system is without units: linear rows are divided by a length, columns multiplied by the unit
of their joint. Rows 0-2 are the ball's velocity, rows 3 and 4 the turning about the tool's own x
and y, row 5, where there is one, the turning about the probe axis.

Two arrays are the same in all loops. ``posed`` holds a posture's tool pose and Jacobian in base
axes, both row by row. # (m, 16 + 6n). ``bench`` is laid out by ``bench_of``: its first row holds
the joints' units and the length, the others are room to work in.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from robots.core.arrays import Array

TASK = 5  # rows of position and axis
_POSE = 16  # numbers of a pose

# Annotations stay out of the loops' way: these are arrays of doubles and numbers.
A = Any


def bench_of(units: Array, length: float, rows: int) -> Array:
    """Units and length, and room for the systems of a robot.

    Args:
        units: of the joints. # (n,) [rad or m]
        length: that makes lengths and angles comparable. [m]
        rows: of the systems: 5 or 6.
    """
    n = units.size
    bench = np.zeros((rows + 1, max(n + TASK + 1, 2 * rows)))
    bench[0, :n], bench[0, n] = units, length
    return bench


def damped_steps(posed: A, wanted: A, bench: A, steps: A) -> None:
    """Steps Aᵀ(AAᵀ + damping)⁻¹ b towards twists, in the joints' own units.

    Args:
        posed: postures. # (m, 16 + 6n)
        wanted: displacement and turning still to make, then the damping. # (m, 7) [m, rad]
        bench: of five rows at least.
        steps: result. # (m, n) [rad or m]
    """
    n = steps.shape[1]
    work = bench[1:]
    for i in range(posed.shape[0]):
        for r in range(TASK):
            for j in range(n):
                work[r, j] = _entry(posed[i], r, j, n) * bench[0, j]
                if r < 3:
                    work[r, j] /= bench[0, n]
            work[r, n + TASK] = _part(posed[i], wanted[i], r)
            if r < 3:
                work[r, n + TASK] /= bench[0, n]
        for r in range(TASK):
            for c in range(r + 1):
                total = wanted[i, 6] if r == c else 0.0
                for j in range(n):
                    total += work[r, j] * work[c, j]
                work[r, n + c] = total
        _solve_symmetric(work, n)
        for j in range(n):
            total = 0.0
            for r in range(TASK):
                total += work[r, j] * work[r, n + TASK]
            steps[i, j] = total * bench[0, j]


def square_solutions(posed: A, twists: A, free: A, bench: A, steps: A) -> None:
    """Steps of the free joints that make twists, the other joints held; NaN where singular.

    Args:
        posed: postures. # (m, 16 + 6n)
        twists: # (m, 6) [m, rad]
        free: joints that move, as many as there are rows: 5 or 6. # (rows,)
        bench: of as many rows.
        steps: result; entries of held joints are left as they are. # (m, n) [rad or m]
    """
    n, rows = steps.shape[1], free.shape[0]
    work = bench[1:]
    for i in range(posed.shape[0]):
        _fill(posed[i], free, bench)
        for r in range(rows):
            work[r, rows] = _part(posed[i], twists[i], r)
            if r < 3:
                work[r, rows] /= bench[0, n]
        sign = _eliminate(work, rows, rows + 1)
        for c in range(rows):
            steps[i, free[c]] = work[c, rows] * bench[0, free[c]] if sign != 0.0 else math.nan


def conditions(posed: A, free: A, bench: A, found: A) -> None:
    """Signed distance of square systems from singular: ± rows / (|A|·|A⁻¹|), Frobenius norms.

    One where every direction costs the same, zero where one is lost; the sign is that of the
    determinant, so it changes on the way through a singularity.

    Args:
        posed: postures. # (m, 16 + 6n)
        free: joints that move. # (rows,)
        bench: of as many rows.
        found: result. # (m,)
    """
    rows = free.shape[0]
    work = bench[1:]
    for i in range(posed.shape[0]):
        _fill(posed[i], free, bench)
        size = 0.0
        for r in range(rows):
            for c in range(rows):
                size += work[r, c] * work[r, c]
                work[r, rows + c] = 1.0 if r == c else 0.0
        sign = _eliminate(work, rows, 2 * rows)
        inverse = 0.0
        for r in range(rows):
            for c in range(rows, 2 * rows):
                inverse += work[r, c] * work[r, c]
        found[i] = 0.0
        if sign != 0.0 and size * inverse < math.inf:
            found[i] = sign * rows / math.sqrt(size * inverse)


def _entry(row: A, r: int, j: int, n: int) -> A:
    """Entry of the task Jacobian: base axes for the ball, tool axes for the turning."""
    if r < 3:
        return row[_POSE + r * n + j]
    c, first = r - 3, _POSE + 3 * n + j
    return row[c] * row[first] + row[4 + c] * row[first + n] + row[8 + c] * row[first + 2 * n]


def _part(row: A, twist: A, r: int) -> A:
    """Component of a twist in the task's own rows."""
    if r < 3:
        return twist[r]
    c = r - 3
    return row[c] * twist[3] + row[4 + c] * twist[4] + row[8 + c] * twist[5]


def _fill(row: A, free: A, bench: A) -> None:
    """The square system of a posture, below the bench's first row."""
    n, rows = (row.shape[0] - _POSE) // 6, free.shape[0]
    for r in range(rows):
        for c in range(rows):
            bench[1 + r, c] = _entry(row, r, free[c], n) * bench[0, free[c]]
            if r < 3:
                bench[1 + r, c] /= bench[0, n]


def _eliminate(work: A, rows: int, columns: int) -> A:
    """Solve by Gauss and Jordan with row exchanges; the determinant's sign, 0 for singular."""
    sign = 1.0
    for k in range(rows):
        pivot = k
        for r in range(k + 1, rows):
            if abs(work[r, k]) > abs(work[pivot, k]):
                pivot = r
        if not abs(work[pivot, k]) > 0.0:
            return 0.0
        if pivot != k:
            sign = -sign
            for c in range(k, columns):
                work[k, c], work[pivot, c] = work[pivot, c], work[k, c]
        if work[k, k] < 0.0:
            sign = -sign
        inverse = 1.0 / work[k, k]
        for c in range(k, columns):
            work[k, c] *= inverse
        for r in range(rows):
            if r != k:
                factor = work[r, k]
                for c in range(k, columns):
                    work[r, c] -= factor * work[k, c]
    return sign


def _solve_symmetric(work: A, n: int) -> None:
    """Solve the 5 x 5 system of lower triangle work[:, n:] by Cholesky; right side is last."""
    for k in range(TASK):
        for r in range(k, TASK):
            total = work[r, n + k]
            for c in range(k):
                total -= work[r, n + c] * work[k, n + c]
            if r == k:
                work[k, n + k] = math.sqrt(total) if total > 0.0 else math.inf
            else:
                work[r, n + k] = total / work[k, n + k]
    for k in range(TASK):
        total = work[k, n + TASK]
        for c in range(k):
            total -= work[k, n + c] * work[c, n + TASK]
        work[k, n + TASK] = total / work[k, n + k]
    for k in range(TASK - 1, -1, -1):
        total = work[k, n + TASK]
        for r in range(k + 1, TASK):
            total -= work[r, n + k] * work[r, n + TASK]
        work[k, n + TASK] = total / work[k, n + k]
