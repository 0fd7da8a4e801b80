"""Time-optimal traversal of paths in the phase plane (r, x) with x = ṙ²: kernels over cells.

A path is made of pieces, on each of which every joint is a polynomial of degree 4 at most in the
path's parameter r; a piece is divided into cells. With x linear in r on a cell, r̈ = u = x'/2 is
constant there, and the joints' accelerations q'·u + q''·x and squared speeds q'²·x are polynomials
in r whose Bernstein coefficients are linear in the two values of x at the cell's ends. A polynomial
lies between its least and its largest Bernstein coefficient, so limits on these coefficients are
limits on the whole cell, not on samples: rows of a linear programme in two variables. A backward
pass finds the largest x from which the end can be reached, a forward pass keeps as large an x as
that allows (TOPP-RA, [PHAM18]). On a straight piece without effort limits the cell may switch
inside, and the passes are exact.

Efforts are a·u + b·x + c·√x + d with a = M(q)·q', b = M(q)·q'' + C(q, q')·q', viscous friction c
and weight with dry friction d. On a cell, a, b and d are their chords and a bound of what they
leave them by; √x is concave, so it is below its tangents and above its chord from zero.

The bound of the time from below stands on the comparison theorem: every motion that keeps the
limits has x' ≤ 2·hi(r, x), hence x below the solution F of x' = 2·hi from the start; likewise below
the solution B of x' = 2·lo backward from the end; and below what single places allow. F and B are
enclosed cell by cell: the inequality of each row is integrated over the cell, exactly for an
acceleration, with a bound of what the solution departs from its chord by for an effort.

Source: [PHAM18] §III-IV; [BOBROW85] for F and B
"""

from __future__ import annotations

import math
from typing import NamedTuple

from robots.core.arrays import Array, Indices

ROWS = 28  # for each joint: 8 of acceleration, 8 of speed, 12 of effort
_LARGEST = 1e12  # of x: where no joint moves nothing limits it
_TOUCHED = 1e-13  # relative: what a row may be passed by, rounding
_STILL = 1e-12
_ACTIVE = 0.3  # of a limit: what a motion uses of it where it counts for the bound
_BLOCKED = 1e-9  # part of an effort limit that must be left for motion
_SMALLEST = 1e-300
_TIGHT = 0.99  # of a row: likely to be needed on the next cell, too
_NEARLY = 1.0 - 1e-9  # of a limit: away from it, for rounding
_SLOWER = 1.0 - 1e-12  # of the controllable x: away from the edge, for rounding


class Pieces(NamedTuple):
    """A path as pieces, pieces as cells; nodes are the cells' ends, each piece with its own.

    Args:
        length: of the pieces. # (p,)
        powers: of each joint's polynomial, rising, from the start of the piece. # (p, n, 5)
        straight: pieces on which q' is constant. # (p,)
        stops: pieces that begin at rest, the first among them. # (p,)
        cells: number of the first cell of each piece, and the number of all. # (p + 1,)
        place: of the nodes, from the start of their piece. # (nodes,)
    """

    length: Array
    powers: Array
    straight: Indices
    stops: Indices
    cells: Indices
    place: Array


class Efforts(NamedTuple):
    """Efforts at the nodes and between them; empty arrays where no effort is limited.

    Args:
        a: per r̈. # (nodes, n)
        b: per ṙ². # (nodes, n)
        d: at rest, friction left out. # (nodes, n)
        slack: of a, b, d on each cell: bounds of what they leave their chords by. # (cells, 3n)
        reach: bounds of |a|, of |b|, and of |d| with dry friction, on each cell. # (cells, 3n)
        viscous: friction per joint speed. # (n,)
        coulomb: dry friction. # (n,)
        limit: infinite where there is none. # (n,)
    """

    a: Array
    b: Array
    d: Array
    slack: Array
    reach: Array
    viscous: Array
    coulomb: Array
    limit: Array


class Shapes(NamedTuple):
    """The path's derivatives on the cells.

    Args:
        P: Bernstein coefficients of q'. # (cells, n, 4)
        Q: of q''. # (cells, n, 3)
        ranges: the least and the largest of q', the largest |q''|. # (cells, n, 3)
    """

    P: Array
    Q: Array
    ranges: Array


class Scratch(NamedTuple):
    """Working memory.

    Args:
        rows: α·x0 + β·x1 ≤ 1. # (ROWS·n, 2)
        source: limit that each belongs to: of acceleration, speed, effort, by joint. # (ROWS·n,)
        made: limits that have rows. # (3·n,)
        needed: number of the limits that were needed on the cell before, and they. # (3·n + 1,)
        wide: rows of the relaxed problem, of the cells of a path. # (4·n·cells, 14)
        kept: number of the first one of each cell, and of the first after them. # (cells, 2)
        falls: how steeply x falls at most. # (cells,)
        push: r̈ of the motion on each cell. # (cells,)
        ends: values of efforts and their second derivatives at both ends of a cell. # (4, 3n)
    """

    rows: Array
    source: Indices
    made: Indices
    needed: Indices
    wide: Array
    kept: Indices
    falls: Array
    push: Array
    ends: Array


def solve(
    pieces: Pieces,
    speed: Array,
    acceleration: Array,
    efforts: Efforts,
    shapes: Shapes,
    scratch: Scratch,
    near: Array,
    above: Array,
    x: Array,
    top: Array,
) -> float:
    """Find x at all nodes, and the duration.

    Args:
        pieces: to be traversed from rest to rest.
        speed: limits. # (n,)
        acceleration: limits. # (n,)
        efforts: with their limits.
        shapes: of the cells.
        scratch: working memory.
        near: x on which tangents of √x stand; for best results that of the motion. # (nodes,)
        above: bounds of x from above, on which chords of √x stand. # (nodes,)
        x: filled. # (nodes,)
        top: filled with the largest x inside each cell. # (cells,)

    Returns:
        Duration; NaN where the efforts cannot be borne at rest. [s]
    """
    # Backward: the largest x from which the end can be reached, at first in x itself.
    after = 0.0
    scratch.needed[0] = 0
    for p in range(pieces.length.size - 1, -1, -1):
        if p + 1 < pieces.length.size and pieces.stops[p + 1]:
            after = 0.0
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        after = min(after, above[first + p + count])
        x[first + p + count] = after
        exact = pieces.straight[p] == 1 and efforts.a.size == 0
        for i in range(count - 1, -1, -1):
            cell, node = first + i, first + p + i
            h = pieces.place[node + 1] - pieces.place[node]
            if exact:
                cap = _speed_cap(shapes, cell, speed)
                most = _straight_rate(shapes, cell, acceleration)
                value = min(cap, after + 2.0 * most * h)
            else:
                value = _step(
                    shapes,
                    scratch,
                    h,
                    pieces.straight[p] == 1,
                    speed,
                    acceleration,
                    efforts,
                    cell,
                    node,
                    _at_rest(pieces, p, i, count),
                    near,
                    above,
                    True,
                    above[node],
                    after,
                )
                if math.isnan(value):
                    return math.nan
                value *= _SLOWER
            x[node] = value
            after = value
        if pieces.stops[p]:
            x[first + p] = 0.0
            after = 0.0
    # Forward: as large as the rows and the backward pass allow.
    total = 0.0
    scratch.needed[0] = 0
    for p in range(pieces.length.size):
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        if pieces.stops[p]:
            x[first + p] = 0.0
        else:
            x[first + p] = x[first + p - 1]
        for i in range(count):
            cell, node = first + i, first + p + i
            h = pieces.place[node + 1] - pieces.place[node]
            start, end = x[node], x[node + 1]
            if pieces.straight[p] == 1 and efforts.a.size == 0:
                most = _straight_rate(shapes, cell, acceleration)
                end = min(end, start + 2.0 * most * h)
                cap = _speed_cap(shapes, cell, speed)
                top[cell] = min(cap, 0.5 * (start + end) + most * h)
                total += (
                    (math.sqrt(top[cell]) - math.sqrt(start))
                    + (math.sqrt(top[cell]) - math.sqrt(end))
                ) / most
                held = h - (2.0 * top[cell] - start - end) / (2.0 * most)
                total += max(held, 0.0) / math.sqrt(top[cell])
            else:
                end = _step(
                    shapes,
                    scratch,
                    h,
                    pieces.straight[p] == 1,
                    speed,
                    acceleration,
                    efforts,
                    cell,
                    node,
                    _at_rest(pieces, p, i, count),
                    near,
                    above,
                    False,
                    start,
                    end,
                )
                top[cell] = max(start, end)
                total += 2.0 * h / (math.sqrt(start) + math.sqrt(end))
            x[node + 1] = end
    return total


def _at_rest(pieces: Pieces, p: int, i: int, count: int) -> bool:
    """Whether a cell begins or ends at rest, where dry friction may be absent."""
    if i == 0 and pieces.stops[p]:
        return True
    last = p + 1 == pieces.length.size or pieces.stops[p + 1] == 1
    return bool(i == count - 1 and last)


def shape(pieces: Pieces, speed: Array, shapes: Shapes, fastest: Array) -> None:
    """Fill in the shapes of all cells, and the largest x under the speed limits at their ends.

    Args:
        pieces: with cells.
        speed: limits. # (n,)
        shapes: filled.
        fastest: filled. # (nodes,)
    """
    for p in range(pieces.length.size):
        fastest[pieces.cells[p] + p : pieces.cells[p + 1] + p + 1] = _LARGEST
        for cell in range(pieces.cells[p], pieces.cells[p + 1]):
            start = pieces.place[cell + p]
            h = pieces.place[cell + p + 1] - start
            for j in range(pieces.powers.shape[1]):
                c1, c2 = pieces.powers[p, j, 1], pieces.powers[p, j, 2]
                c3, c4 = pieces.powers[p, j, 3], pieces.powers[p, j, 4]
                d1 = c1 + start * (2.0 * c2 + start * (3.0 * c3 + start * 4.0 * c4))
                d2 = 2.0 * c2 + start * (6.0 * c3 + start * 12.0 * c4)
                d3 = 6.0 * c3 + start * 24.0 * c4
                d4 = 24.0 * c4
                w1, w2, w3 = d2 * h, 0.5 * d3 * h * h, d4 * h * h * h / 6.0
                p0, p1 = d1, d1 + w1 / 3.0
                p2, p3 = d1 + (2.0 * w1 + w2) / 3.0, d1 + w1 + w2 + w3
                v1, v2 = d3 * h, 0.5 * d4 * h * h
                q0, q1, q2 = d2, d2 + 0.5 * v1, d2 + v1 + v2
                P, Q = shapes.P[cell, j], shapes.Q[cell, j]
                P[0], P[1], P[2], P[3] = p0, p1, p2, p3
                Q[0], Q[1], Q[2] = q0, q1, q2
                square = speed[j] * speed[j]
                if p0 * p0 * fastest[cell + p] > square:
                    fastest[cell + p] = square / (p0 * p0)
                if p3 * p3 * fastest[cell + p + 1] > square:
                    fastest[cell + p + 1] = square / (p3 * p3)
                shapes.ranges[cell, j, 0] = min(p0, p1, p2, p3)
                shapes.ranges[cell, j, 1] = max(p0, p1, p2, p3)
                shapes.ranges[cell, j, 2] = max(abs(q0), abs(q1), abs(q2))


def _speed_cap(shapes: Shapes, cell: int, speed: Array) -> float:
    """Largest x where the cell begins under the speed limits."""
    cap = _LARGEST
    for j in range(speed.size):
        slope = shapes.P[cell, j, 0]
        if slope != 0.0:
            cap = min(cap, speed[j] * speed[j] / (slope * slope))
    return cap


def _straight_rate(shapes: Shapes, cell: int, acceleration: Array) -> float:
    """Largest |r̈| on a straight piece."""
    most = _LARGEST
    for j in range(acceleration.size):
        if shapes.P[cell, j, 0] != 0.0:
            most = min(most, acceleration[j] / abs(shapes.P[cell, j, 0]))
    return most


# ------------------------------------------------------------------------------------ Inner problem


def _step(
    shapes: Shapes,
    scratch: Scratch,
    h: float,
    straight: bool,
    speed: Array,
    acceleration: Array,
    efforts: Efforts,
    cell: int,
    node: int,
    resting: bool,
    near: Array,
    above: Array,
    backward: bool,
    most0: float,
    most1: float,
) -> float:
    """Largest x0 with some x1 ≤ most1, or largest x1 with x0 = most0, that keep all limits.

    Rows are made of limits that might be passed at the optimum of those made so far, beginning with
    those that were needed on the cell before.

    Returns:
        x; NaN where an effort cannot be borne at rest.
    """
    n, g, count = speed.size, 0.5 / h, 0
    ranges, made, needed = shapes.ranges[cell], scratch.made, scratch.needed
    highest = max(above[node], above[node + 1], _SMALLEST)
    chord = 1.0 / math.sqrt(highest)
    root = math.sqrt(max(0.5 * (near[node] + near[node + 1]), 1e-6 * highest))
    x0, x1 = most0, most1
    for limit in range(3 * n):
        made[limit] = 0
    first, again = True, True
    while again:
        again, least_push, least = False, math.inf, math.inf
        for item in range(needed[0] if first else 3 * n):
            limit = needed[1 + item] if first else item
            if made[limit] == 1:
                continue
            kind = 0 if limit < n else 1 if limit < 2 * n else 2
            j = limit - kind * n
            if not first:
                push, most = abs(x1 - x0) * g, max(x0, x1)
                slope = max(-ranges[j, 0], ranges[j, 1])
                if kind == 0:
                    kept = slope * push + ranges[j, 2] * most <= _NEARLY * acceleration[j]
                elif kind == 1:
                    # On a straight piece it is limited at the ends.
                    kept = straight or slope * slope * most <= speed[j] * speed[j]
                elif efforts.limit[j] == math.inf:
                    kept = True  # where no effort is limited, nothing is known of it
                else:
                    reach = efforts.reach[cell]
                    used = reach[j] * push + reach[n + j] * most + reach[2 * n + j]
                    kept = efforts.viscous[j] == 0.0 and used <= _NEARLY * efforts.limit[j]
                if kept:
                    least_push, least = min(least_push, push), min(least, most)
                    continue
            begin = count
            if kind == 0:
                count = _acceleration_rows(
                    shapes, scratch, count, g, straight, cell, j, acceleration
                )
            elif kind == 1:
                count = _speed_rows(shapes, scratch, count, cell, j, speed)
            else:
                count = _effort_rows(
                    shapes, scratch, count, g, efforts, cell, node, j, resting, chord, root
                )
                if count < 0:
                    return math.nan
            made[limit], again = 1, True
            for row in range(begin, count):
                scratch.source[row] = limit
            if backward:
                x0, x1 = _largest_first(scratch.rows, begin, count, x0, x1, most0, most1)
            else:
                for row in range(begin, count):
                    if scratch.rows[row, 1] > 0.0:
                        x1 = min(x1, (1.0 - scratch.rows[row, 0] * x0) / scratch.rows[row, 1])
                x1 = max(x1, 0.0)
        # What is kept for u and x is kept for less of both.
        passed = abs(x1 - x0) * g > least_push or max(x0, x1) > least
        again, first = first or (again and passed), False
    needed[0] = 0
    for row in range(count):
        tight = scratch.rows[row, 0] * x0 + scratch.rows[row, 1] * x1 > _TIGHT
        # Rows of one limit follow each other.
        if tight and (needed[0] == 0 or needed[needed[0]] != scratch.source[row]):
            needed[0] += 1
            needed[needed[0]] = scratch.source[row]
    return x0 if backward else x1


def _acceleration_rows(
    shapes: Shapes,
    scratch: Scratch,
    count: int,
    g: float,
    straight: bool,
    cell: int,
    j: int,
    acceleration: Array,
) -> int:
    """Append the rows of a joint's acceleration: q'·u + q''·x, degree 3."""
    P, Q, rows = shapes.P[cell, j], shapes.Q[cell, j], scratch.rows
    share = 1.0 / acceleration[j]
    for k in range(1 if straight else 4):
        if k == 0:
            q0, q1 = Q[0], 0.0
        elif k == 1:
            q0, q1 = 2.0 * Q[1] / 3.0, Q[0] / 3.0
        elif k == 2:
            q0, q1 = Q[2] / 3.0, 2.0 * Q[1] / 3.0
        else:
            q0, q1 = 0.0, Q[2]
        alpha, beta = (q0 - g * P[k]) * share, (q1 + g * P[k]) * share
        rows[count, 0], rows[count, 1] = alpha, beta
        rows[count + 1, 0], rows[count + 1, 1] = -alpha, -beta
        count += 2
    return count


def _speed_rows(
    shapes: Shapes, scratch: Scratch, count: int, cell: int, j: int, speed: Array
) -> int:
    """Append the rows of a joint's speed: q'²·x, degree 7."""
    P, rows, square = shapes.P[cell, j], scratch.rows, speed[j] * speed[j]
    p0, p1, p2, p3 = P[0], P[1], P[2], P[3]
    last = 0.0
    for k in range(8):
        if k == 0:
            new = p0 * p0
        elif k == 1:
            new = p0 * p1
        elif k == 2:
            new = (6.0 * p0 * p2 + 9.0 * p1 * p1) / 15.0
        elif k == 3:
            new = (2.0 * p0 * p3 + 18.0 * p1 * p2) / 20.0
        elif k == 4:
            new = (6.0 * p1 * p3 + 9.0 * p2 * p2) / 15.0
        elif k == 5:
            new = p2 * p3
        elif k == 6:
            new = p3 * p3
        else:
            new = 0.0
        rows[count, 0], rows[count, 1] = (7 - k) * new / (7.0 * square), k * last / (7.0 * square)
        count += 1
        last = new
    return count


def _effort_rows(
    shapes: Shapes,
    scratch: Scratch,
    count: int,
    g: float,
    efforts: Efforts,
    cell: int,
    node: int,
    j: int,
    resting: bool,
    chord: float,
    root: float,
) -> int:
    """Append the rows of a joint's effort, of both signs; -1: it cannot be borne at rest."""
    n = efforts.limit.size
    P, rows, limit, slack = shapes.P[cell, j], scratch.rows, efforts.limit[j], efforts.slack[cell]
    c0, c1 = efforts.viscous[j] * P[0], efforts.viscous[j] * P[3]
    bend = max(abs(P[0] - 2.0 * P[1] + P[2]), abs(P[1] - 2.0 * P[2] + P[3]))
    bend *= 0.75 * efforts.viscous[j]  # of 6 / 8
    ranges = shapes.ranges[cell]
    dry_low, dry_high = _dry(efforts.coulomb[j], ranges[j, 0], ranges[j, 1])
    if resting:
        dry_low, dry_high = min(dry_low, 0.0), max(dry_high, 0.0)
    for side in range(2):
        sign = 1.0 - 2.0 * side
        dry = dry_high if side == 0 else -dry_low
        # What is held at rest, at both ends of the cell.
        d0 = sign * efforts.d[node, j] + slack[2 * n + j] + dry
        d1 = sign * efforts.d[node + 1, j] + slack[2 * n + j] + dry
        v0, v1 = sign * c0 + bend, sign * c1 + bend
        left = limit - max(d0, d1)
        if left <= _BLOCKED * limit:
            return -1
        # √x is below intercept + slope·x where it costs, above slope·x where it helps.
        if max(v0, v1) > 0.0:
            v0, v1 = max(v0, 0.0), max(v1, 0.0)
            own = min(root, left / max(v0, v1))
            intercept, slope = 0.5 * own, 0.5 / own
        else:
            intercept, slope = 0.0, chord
        r0, r2 = limit - d0 - v0 * intercept, limit - d1 - v1 * intercept
        b0 = sign * efforts.b[node, j] + slack[n + j] + v0 * slope
        b1 = sign * efforts.b[node + 1, j] + slack[n + j] + v1 * slope
        s0, s1, s2 = 1.0 / r0, 2.0 / (r0 + r2), 1.0 / r2
        for way in range(2):
            more = (1.0 - 2.0 * way) * slack[j]
            a0 = g * (sign * efforts.a[node, j] + more)
            a2 = g * (sign * efforts.a[node + 1, j] + more)
            a1 = 0.5 * (a0 + a2)
            rows[count, 0], rows[count, 1] = (b0 - a0) * s0, a0 * s0
            rows[count + 1, 0], rows[count + 1, 1] = (0.5 * b1 - a1) * s1, (0.5 * b0 + a1) * s1
            rows[count + 2, 0], rows[count + 2, 1] = -a2 * s2, (b1 + a2) * s2
            count += 3
    return count


def _dry(coulomb: float, low: float, high: float) -> tuple[float, float]:
    """Dry friction at least and at most, for the signs that the speed may have."""
    if low == 0.0 and high == 0.0:
        return 0.0, 0.0
    still = _STILL * max(-low, high)  # where it turns at an end, rounding would decide
    if low > still:
        return coulomb, coulomb
    if high < -still:
        return -coulomb, -coulomb
    return -coulomb, coulomb


def _largest_first(
    rows: Array, first: int, last: int, x0: float, x1: float, most0: float, most1: float
) -> tuple[float, float]:
    """Largest x0 of a linear programme: rows, 0 ≤ x0 ≤ most0 and 0 ≤ x1 ≤ most1.

    Rows are taken in one after another; x0 and x1 are the optimum of those before the first. The
    optimum of those so far, where it passes the next one, moves onto its line (Seidel 1991). (0, 0)
    keeps all rows, so there always is one.
    """
    for k in range(first, last):
        alpha, beta = rows[k, 0], rows[k, 1]
        if alpha * x0 + beta * x1 <= 1.0 + _TOUCHED:
            continue
        norm = alpha * alpha + beta * beta
        base0, base1 = alpha / norm, beta / norm
        dir0, dir1 = abs(beta), (-alpha if beta >= 0.0 else alpha)
        low, high = -math.inf, math.inf
        # The box.
        if dir0 > 0.0:
            low, high = max(low, -base0 / dir0), min(high, (most0 - base0) / dir0)
        if dir1 > 0.0:
            low, high = max(low, -base1 / dir1), min(high, (most1 - base1) / dir1)
        elif dir1 < 0.0:
            low, high = max(low, (most1 - base1) / dir1), min(high, -base1 / dir1)
        for i in range(k):
            slope = rows[i, 0] * dir0 + rows[i, 1] * dir1
            left = 1.0 - rows[i, 0] * base0 - rows[i, 1] * base1
            if slope > 0.0:
                high = min(high, left / slope)
            elif slope < 0.0:
                low = max(low, left / slope)
        t = max(high, low) if dir0 == 0.0 else high
        x0 = min(max(base0 + t * dir0, 0.0), most0)
        x1 = min(max(base1 + t * dir1, 0.0), most1)
    return x0, x1


# ---------------------------------------------------------------------------------- Relaxed problem
_ENCLOSURES = 3
# A row is a·u + b·x ≤ r with a, b and r known within bounds on the cell. Of an acceleration, where
# a = q' and b = q'', it is (q'²·x)' ≤ 2·q'·r, which integrates exactly: q̇² grows by 2·r per radian.

_A0, _A1, _AM, _DA, _EA, _B0, _B1, _M0, _M1, _R0, _R1, _RM, _I0, _I1 = range(14)
_EXACT = -1.0  # in _DA: a row of acceleration, with q'² at the cell's ends in _M0 and _M1


def bound(
    pieces: Pieces,
    speed: Array,
    acceleration: Array,
    efforts: Efforts,
    shapes: Shapes,
    scratch: Scratch,
    x: Array,
    above: Array,
    forward: Array,
    backward: Array,
    seconds: Array,
) -> float:
    """Bound the duration of all motions that keep the limits from below.

    Args:
        pieces: to be traversed from rest to rest.
        speed: limits. # (n,)
        acceleration: limits. # (n,)
        efforts: with their limits.
        shapes: of the cells.
        scratch: working memory.
        x: of a motion near the best one; tangents stand on it. # (nodes,)
        above: bounds of x from above, made smaller. # (nodes,)
        forward: filled with bounds of F. # (nodes,)
        backward: filled with bounds of B. # (nodes,)
        seconds: filled with bounds of the time spent on each cell. # (cells,) [s]

    Returns:
        The bound. [s]
    """
    last = pieces.length.size - 1
    cells = pieces.cells[last + 1]
    for p in range(last + 1):
        for cell in range(pieces.cells[p], pieces.cells[p + 1]):
            node = cell + p
            h = pieces.place[node + 1] - pieces.place[node]
            scratch.push[cell] = 0.5 * (x[node + 1] - x[node]) / h
    _single_places(pieces, acceleration, efforts, shapes, scratch, x, above)
    after, rows = 0.0, 0
    for p in range(last, -1, -1):
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        backward[first + p + count] = min(after, above[first + p + count])
        for i in range(count - 1, -1, -1):
            cell, node = first + i, first + p + i
            h = pieces.place[node + 1] - pieces.place[node]
            slow, quick = _pushes(scratch.push, cell, cells)
            begin = rows
            rows = _wide_rows(
                shapes, scratch, begin, h, acceleration, efforts, cell, node, slow, quick, x, above
            )
            scratch.kept[cell, 0], scratch.kept[cell, 1] = begin, rows
            reached, fall = _reach(scratch.wide, begin, rows, -1.0, backward[node + 1], h)
            backward[node] = min(reached, above[node])
            # Until the forward pass needs them.
            scratch.falls[cell], seconds[cell] = fall, _level(shapes, cell, speed, acceleration)
        after = backward[first + p]
    total, before = 0.0, 0.0
    for p in range(last + 1):
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        forward[first + p] = min(before, above[first + p])
        for i in range(count):
            cell, node = first + i, first + p + i
            h = pieces.place[node + 1] - pieces.place[node]
            begin, rows = scratch.kept[cell, 0], scratch.kept[cell, 1]
            reached, rise = _reach(scratch.wide, begin, rows, 1.0, forward[node], h)
            # What passes B here is no motion: F may go on from B.
            forward[node + 1] = min(reached, above[node + 1], backward[node + 1])
            seconds[cell] = _shortest_time(
                forward[node], rise, backward[node + 1], scratch.falls[cell], seconds[cell], h
            )
            total += seconds[cell]
        before = forward[first + p + count]
    for p in range(last + 1):
        for node in range(pieces.cells[p] + p, pieces.cells[p + 1] + p + 1):
            above[node] = min(above[node], forward[node], backward[node])
    return total


def _level(shapes: Shapes, cell: int, speed: Array, acceleration: Array) -> float:
    """Bound of x all over the cell."""
    cap, ranges = _LARGEST, shapes.ranges[cell]
    for j in range(speed.size):
        low, high = ranges[j, 0], ranges[j, 1]
        slope = max(low, -high, 0.0)
        if slope > _BISECTED * max(-low, high):
            cap = min(cap, speed[j] * speed[j] / (slope * slope))
        else:
            # It turns on the cell, so that x ≤ 2A·|q - q(turn)|/q'² there.
            gentle, hard = _bend(shapes.Q[cell], j)
            if gentle > 0.0:
                cap = min(cap, acceleration[j] * hard / (gentle * gentle))
    return cap


def _pushes(push: Array, cell: int, cells: int) -> tuple[float, float]:
    """Least and largest r̈ of the motion on a cell and those beside it."""
    before, own, after = push[max(cell - 1, 0)], push[cell], push[min(cell + 1, cells - 1)]
    return min(before, own, after), max(before, own, after)


def _wide_rows(
    shapes: Shapes,
    scratch: Scratch,
    count: int,
    h: float,
    acceleration: Array,
    efforts: Efforts,
    cell: int,
    node: int,
    slow: float,
    quick: float,
    x: Array,
    above: Array,
) -> int:
    """Append rows that every motion keeps on the cell, of both signs.

    Any of them make a bound; those are left out that the motion at hand is far from, so that the
    bound would hardly be the better for them. One joint's are always there.
    """
    P, Q, ranges = shapes.P[cell], shapes.Q[cell], shapes.ranges[cell]
    wide, first = scratch.wide, count
    strongest = _strongest(ranges, acceleration)
    at = 0.5 * (x[node] + x[node + 1])
    for j in range(acceleration.size):
        low, high = ranges[j, 0], ranges[j, 1]
        if low == 0.0 and high == 0.0:
            continue
        mean = 0.25 * (P[j, 0] + P[j, 1] + P[j, 2] + P[j, 3])
        bend_low = min(Q[j, 0], Q[j, 1], Q[j, 2])
        bend_high = max(Q[j, 0], Q[j, 1], Q[j, 2])
        for side in range(2):
            up = side == 0
            sign = 1.0 - 2.0 * side
            push = quick if (mean > 0.0) == up else slow
            used = sign * (mean * push + Q[j, 1] * at)
            if j != strongest and used < _ACTIVE * acceleration[j]:
                continue
            wide[count, _A0], wide[count, _A1] = (low, high) if up else (-high, -low)
            wide[count, _AM] = sign * mean
            wide[count, _DA], wide[count, _EA] = _EXACT, 0.0
            wide[count, _B0], wide[count, _B1] = (
                (bend_low, bend_high) if up else (-bend_high, -bend_low)
            )
            wide[count, _M0], wide[count, _M1] = P[j, 0] * P[j, 0], P[j, 3] * P[j, 3]
            wide[count, _R0] = wide[count, _R1] = wide[count, _RM] = acceleration[j]
            _invert(wide, count)
            count += 1
    if efforts.a.size == 0:
        return count
    n = efforts.limit.size
    inside = max(_inside(wide, first, count, h, above[node], above[node + 1]), _SMALLEST)
    root = math.sqrt(max(0.5 * (x[node] + x[node + 1]), 1e-9 * inside))
    for j in range(efforts.limit.size):
        if efforts.limit[j] == math.inf:
            continue
        low, high = ranges[j, 0], ranges[j, 1]
        c0, c1 = efforts.viscous[j] * P[j, 0], efforts.viscous[j] * P[j, 3]
        bend = max(abs(P[j, 0] - 2.0 * P[j, 1] + P[j, 2]), abs(P[j, 1] - 2.0 * P[j, 2] + P[j, 3]))
        bend *= 0.75 * efforts.viscous[j]
        dry_low, dry_high = _dry(efforts.coulomb[j], low, high)
        ea, eb = efforts.slack[cell, j], efforts.slack[cell, n + j]
        for side in range(2):
            sign = 1.0 - 2.0 * side
            a0, a1 = sign * efforts.a[node, j], sign * efforts.a[node + 1, j]
            b0, b1 = sign * efforts.b[node, j] - eb, sign * efforts.b[node + 1, j] - eb
            dry = dry_low if side == 0 else -dry_high
            push = quick if a0 + a1 > 0.0 else slow
            used = (a0 + a1) * push + (b0 + b1 + 2.0 * eb) * at
            used = 0.5 * (used + sign * (efforts.d[node, j] + efforts.d[node + 1, j])) + dry
            used += 0.5 * sign * (c0 + c1) * math.sqrt(at)
            if used < _ACTIVE * efforts.limit[j]:
                continue
            own = efforts.limit[j] - dry + efforts.slack[cell, 2 * n + j]
            r0, r1 = own - sign * efforts.d[node, j], own - sign * efforts.d[node + 1, j]
            v0, v1 = sign * c0 - bend, sign * c1 - bend
            if min(v0, v1) >= 0.0:
                # Costs at least its chord; above, x cannot be.
                b0 += v0 / math.sqrt(inside)
                b1 += v1 / math.sqrt(inside)
            else:
                v0, v1 = min(v0, 0.0), min(v1, 0.0)
                b0 += 0.5 * v0 / root
                b1 += 0.5 * v1 / root
                r0 -= 0.5 * v0 * root
                r1 -= 0.5 * v1 * root
            wide[count, _A0], wide[count, _A1] = min(a0, a1) - ea, max(a0, a1) + ea
            wide[count, _AM] = 0.5 * (a0 + a1)
            wide[count, _DA], wide[count, _EA] = 0.5 * abs(a1 - a0) + ea, ea
            wide[count, _B0], wide[count, _B1] = min(b0, b1), max(b0, b1) + 2.0 * eb
            wide[count, _M0], wide[count, _M1] = (2.0 * b0 + b1) / 6.0, (b0 + 2.0 * b1) / 6.0
            wide[count, _R0] = min(r0, r1) - 2.0 * efforts.slack[cell, 2 * n + j]
            wide[count, _R1], wide[count, _RM] = max(r0, r1), 0.5 * (r0 + r1)
            _invert(wide, count)
            count += 1
    return count


def _strongest(ranges: Array, acceleration: Array) -> int:
    """The joint whose acceleration limits r̈ most on the cell."""
    found, most = 0, 0.0
    for j in range(acceleration.size):
        low, high = ranges[j, 0], ranges[j, 1]
        share = max(low, -high, 0.0) / acceleration[j]
        if share > most:
            found, most = j, share
    return found


def _invert(wide: Array, row: int) -> None:
    """1/a, which every enclosure of the rates asks for."""
    low, high = wide[row, _A0], wide[row, _A1]
    wide[row, _I0] = 1.0 / low if low != 0.0 else math.inf
    wide[row, _I1] = 1.0 / high if high != 0.0 else math.inf


def _inside(wide: Array, first: int, last: int, h: float, start: float, end: float) -> float:
    """Bound of x all over the cell, by rows of acceleration from either end."""
    most = _LARGEST
    for k in range(first, last):
        gained = 2.0 * h * abs(wide[k, _AM]) * wide[k, _RM]
        if wide[k, _A0] > 0.0:
            most = min(most, (wide[k, _M0] * start + gained) / (wide[k, _A0] * wide[k, _A0]))
        elif wide[k, _A1] < 0.0:
            most = min(most, (wide[k, _M1] * end + gained) / (wide[k, _A1] * wide[k, _A1]))
    return most


def _reach(
    wide: Array, first: int, last: int, way: float, start: float, h: float
) -> tuple[float, float]:
    """How large the largest x becomes over the cell, and how steeply it rises at most.

    Args:
        wide: rows.
        first: number of the cell's first row.
        last: of the one after them.
        way: 1 from the cell's start to its end, -1 back.
        start: x where it begins.
        h: length of the cell.
    """
    # Along the way rates of x/2 are at most min (r - b·x)/|a| over the rows whose a has its sign.
    low, high = 0.0, _LARGEST
    for k in range(first, last):
        near = wide[k, _A0] if way > 0.0 else -wide[k, _A1]
        if wide[k, _DA] == _EXACT and near > 0.0:
            begin = wide[k, _M0] if way > 0.0 else wide[k, _M1]
            most = begin * start + 2.0 * h * abs(wide[k, _AM]) * wide[k, _RM]
            high = min(high, most / (near * near))
    if high == _LARGEST:
        return _LARGEST, _LARGEST
    steep, gentle = _rates(wide, first, last, way, low, high)
    for _ in range(_ENCLOSURES):
        most, least = start + 2.0 * h * max(steep, 0.0), start + 2.0 * h * min(gentle, 0.0)
        if most >= high and least <= low:
            break
        low, high = max(low, least), min(high, most)
        steep, gentle = _rates(wide, first, last, way, low, high)
    spread = steep - gentle
    rate = max(abs(steep), abs(gentle))
    reached = start + 2.0 * h * steep
    for k in range(first, last):
        near, far = (wide[k, _A0], wide[k, _A1]) if way > 0.0 else (-wide[k, _A1], -wide[k, _A0])
        if near <= 0.0 or far < near:
            continue
        a = abs(wide[k, _AM]) / (2.0 * h)
        m_start = wide[k, _M0] if way > 0.0 else wide[k, _M1]
        m_end = wide[k, _M1] if way > 0.0 else wide[k, _M0]
        if wide[k, _DA] == _EXACT:
            value = (m_start * start + 2.0 * h * abs(wide[k, _AM]) * wide[k, _RM]) / m_end
            reached = min(reached, value)
            continue
        size = max(abs(wide[k, _B0]), abs(wide[k, _B1]))
        # Grüss' inequality for a and x', the triangle above or below a chord for x.
        error = 0.5 * wide[k, _DA] * spread + wide[k, _EA] * rate + size * 0.25 * h * spread
        if a + m_end > 0.0:
            value = (wide[k, _RM] + error + start * (a - m_start)) / (a + m_end)
            reached = min(reached, value)
    return max(reached, 0.0), steep


def _rates(
    wide: Array, first: int, last: int, way: float, low: float, high: float
) -> tuple[float, float]:
    """Bounds from above and below of the largest x'/2 along the way, for x within bounds."""
    steep, gentle = math.inf, math.inf
    near, far, sign = (_I0, _I1, 1.0) if way > 0.0 else (_I1, _I0, -1.0)
    for k in range(first, last):
        if sign * wide[k, _A0 if way > 0.0 else _A1] <= 0.0:
            continue
        by_near, by_far = sign * wide[k, near], sign * wide[k, far]
        most = wide[k, _R1] - min(wide[k, _B0] * low, wide[k, _B0] * high)
        least = wide[k, _R0] - max(wide[k, _B1] * low, wide[k, _B1] * high)
        steep = min(steep, most * (by_near if most > 0.0 else by_far))
        gentle = min(gentle, least * (by_far if least > 0.0 else by_near))
    return steep, gentle


def _single_places(
    pieces: Pieces,
    acceleration: Array,
    efforts: Efforts,
    shapes: Shapes,
    scratch: Scratch,
    x: Array,
    above: Array,
) -> None:
    """Bounds of x at the nodes, by what the limits allow there alone."""
    cells = pieces.cells[pieces.length.size]
    for p in range(pieces.length.size):
        first, count = pieces.cells[p], pieces.cells[p + 1] - pieces.cells[p]
        for i in range(count + 1):
            node = first + p + i
            cap = above[node]
            if pieces.straight[p] == 1 and efforts.a.size == 0:
                continue
            cell, end = first + min(i, count - 1), 1 if i == count else 0
            slow, quick = _pushes(scratch.push, cell, cells)
            rows = _node_rows(
                shapes, scratch, cell, end, acceleration, efforts, node, slow, quick, x, above
            )
            above[node] = min(cap, _largest_at(scratch.wide, rows))
        for i in range(count):
            node = first + p + i
            h = pieces.place[node + 1] - pieces.place[node]
            _turning(shapes.P[first + i], shapes.Q[first + i], acceleration, h, above, node)
        if pieces.stops[p]:
            above[first + p] = 0.0
        if p + 1 == pieces.length.size or pieces.stops[p + 1]:
            above[first + p + count] = 0.0


def _turning(P: Array, Q: Array, acceleration: Array, h: float, above: Array, node: int) -> None:
    """Bounds of x at the ends of a cell where a joint turns: it must have stopped there.

    From speed q̇ a joint needs q̇²/2A to stop, and as much to be at that speed again. Where it turns
    this leaves A/|q''| for x.
    """
    for j in range(acceleration.size):
        first, last = P[j, 0], P[j, 3]
        if first * last > _BISECTED * max(first * first, last * last):
            continue
        gentle, _ = _bend(Q, j)
        if gentle == 0.0:
            continue
        # Beside a node at which it all but turns rounding would decide.
        sure = _TURNING * max(abs(first), abs(last))
        twice = 2.0 * acceleration[j] * h * (1.0 + _BISECTED)
        whole = 0.25 * abs(P[j, 0] + P[j, 1] + P[j, 2] + P[j, 3])
        if abs(first) <= _BISECTED * abs(last):
            above[node] = min(above[node], 0.5 * twice / (h * abs(Q[j, 0])))
            above[node + 1] = min(above[node + 1], twice * whole / (last * last))
        elif abs(last) <= _BISECTED * abs(first):
            above[node + 1] = min(above[node + 1], 0.5 * twice / (h * abs(Q[j, 2])))
            above[node] = min(above[node], twice * whole / (first * first))
        elif first * last < 0.0:
            low, high = 0.0, 1.0
            for _ in range(_BISECTIONS):
                middle = 0.5 * (low + high)
                if _cubic(P, j, middle) * first > 0.0:
                    low = middle
                else:
                    high = middle
            # q at the turn less q at the start, and at the end: of a cubic, by Gauss' rule.
            half, rest = 0.5 * high, 0.5 * (1.0 - low)
            if abs(first) > sure:
                way = _cubic(P, j, half * (1.0 - _GAUSS)) + _cubic(P, j, half * (1.0 + _GAUSS))
                above[node] = min(above[node], twice * abs(half * way) / (first * first))
            if abs(last) > sure:
                way = _cubic(P, j, 1.0 - rest * (1.0 - _GAUSS))
                way += _cubic(P, j, 1.0 - rest * (1.0 + _GAUSS))
                above[node + 1] = min(above[node + 1], twice * abs(rest * way) / (last * last))


_GAUSS = 0.5773502691896257  # 1/√3
_BISECTIONS = 48
_BISECTED = 1e-9  # relative: what bisection and rounding leave
_TURNING = 1e-3


def _bend(Q: Array, j: int) -> tuple[float, float]:
    """Least and largest |q''| of a joint on the cell; the least is zero where q'' changes sign."""
    low, high = min(Q[j, 0], Q[j, 1], Q[j, 2]), max(Q[j, 0], Q[j, 1], Q[j, 2])
    return max(low, -high, 0.0), max(high, -low)


def _cubic(P: Array, j: int, t: float) -> float:
    """The joint's q' on the cell, by its Bernstein coefficients."""
    s = 1.0 - t
    return float(
        s * s * (s * P[j, 0] + 3.0 * t * P[j, 1]) + t * t * (3.0 * s * P[j, 2] + t * P[j, 3])
    )


def _node_rows(
    shapes: Shapes,
    scratch: Scratch,
    cell: int,
    end: int,
    acceleration: Array,
    efforts: Efforts,
    node: int,
    slow: float,
    quick: float,
    x: Array,
    above: Array,
) -> int:
    """Rows a·u + b·x ≤ r at one place that count there, in columns 0 to 2."""
    P, Q, wide, count = shapes.P[cell], shapes.Q[cell], scratch.wide, 0
    for j in range(acceleration.size):
        for side in range(2):
            sign = 1.0 - 2.0 * side
            wide[count, 0] = sign * P[j, 3 * end]
            wide[count, 1] = sign * Q[j, 2 * end]
            wide[count, 2] = acceleration[j]
            count += _counts(wide, count, slow, quick, x[node])
    if efforts.a.size == 0:
        return count
    root = math.sqrt(max(x[node], 1e-9 * above[node]))
    chord = 1.0 / math.sqrt(max(above[node], _SMALLEST))
    for j in range(efforts.limit.size):
        if efforts.limit[j] == math.inf:
            continue
        slope = P[j, 3 * end]
        # A joint that stands still for this instant may be helped by friction either way.
        dry = efforts.coulomb[j]
        dry_low, dry_high = (dry, dry) if slope > 0.0 else (-dry, -dry if slope < 0.0 else dry)
        for side in range(2):
            sign = 1.0 - 2.0 * side
            v = sign * efforts.viscous[j] * slope
            least = dry_low if side == 0 else -dry_high
            wide[count, 0] = sign * efforts.a[node, j]
            wide[count, 1] = sign * efforts.b[node, j] + v * (chord if v >= 0.0 else 0.5 / root)
            wide[count, 2] = efforts.limit[j] - sign * efforts.d[node, j] - least
            wide[count, 2] -= 0.0 if v >= 0.0 else 0.5 * v * root
            # The nodes' values are polynomials', known to within this.
            wide[count, 2] += 1e-7 * efforts.limit[j]
            count += _counts(wide, count, slow, quick, x[node])
    return count


def _counts(wide: Array, row: int, slow: float, quick: float, x: float) -> int:
    """1 of a row that the motion at hand is not far from at the place."""
    a = wide[row, 0]
    used = a * (quick if a > 0.0 else slow) + wide[row, 1] * x
    return 1 if used >= _ACTIVE * wide[row, 2] else 0


def _largest_at(wide: Array, rows: int) -> float:
    """Largest x for which some u keeps all rows: u eliminated from every two of them."""
    most = _LARGEST
    for i in range(rows):
        a, b, r = wide[i, 0], wide[i, 1], wide[i, 2]
        if a == 0.0:
            if b > 0.0:
                most = min(most, r / b)
            continue
        if a < 0.0:
            continue
        for k in range(rows):
            if wide[k, 0] < 0.0:
                both = b * -wide[k, 0] + wide[k, 1] * a
                if both > 0.0:
                    most = min(most, (r * -wide[k, 0] + wide[k, 2] * a) / both)
    return max(most, 0.0)


_CROSSINGS = 8  # of three lines are three; what rounding adds is left out


def _shortest_time(
    start: float, rise: float, end: float, fall: float, cap: float, h: float
) -> float:
    """Time over a cell below two lines of x and a level: ∫ dr/√min(…)."""
    total, place = 0.0, 0.0
    for _ in range(_CROSSINGS):
        if place >= h:
            break
        # The lowest of the three from here on, and where another one crosses it.
        one, other = start + 2.0 * rise * place, end + 2.0 * fall * (h - place)
        value = min(one, other, cap)
        slope = math.inf
        if one <= value:
            slope = min(slope, 2.0 * rise)
        if other <= value:
            slope = min(slope, -2.0 * fall)
        if cap <= value:
            slope = min(slope, 0.0)
        step = h - place
        if 2.0 * rise < slope and one > value:
            step = min(step, (one - value) / (slope - 2.0 * rise))
        if -2.0 * fall < slope and other > value:
            step = min(step, (other - value) / (slope + 2.0 * fall))
        if slope > 0.0 and cap > value:
            step = min(step, (cap - value) / slope)
        if step <= 1e-14 * h:
            step = max(step, 1e-9 * h)  # lines that cross within rounding
            step = min(step, h - place)
        left, right = max(value, 0.0), max(value + slope * step, 0.0)
        roots = math.sqrt(left) + math.sqrt(right)
        if roots > 0.0:
            total += 2.0 * step / roots
        place = h if place + step >= h else place + step
    return total


PIECES = "(f8[1] f8[3] i8[1] i8[1] i8[1] f8[1])"
EFFORTS = "(f8[2] f8[2] f8[2] f8[2] f8[2] f8[1] f8[1] f8[1])"
SHAPES = "(f8[3] f8[3] f8[3])"
SCRATCH = "(f8[2] i8[1] i8[1] i8[1] f8[2] i8[2] f8[1] f8[1] f8[2])"
